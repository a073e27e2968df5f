//! A table on the page.

use crate::report::Table;
use askama::Template;

#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct TableView<'a> {
    table: &'a Table,
    open: bool,
    root: &'static str,
    header: Vec<Column<'a>>,
}

struct Column<'a> {
    lines: Vec<&'a str>,
    /// Numbers stand to the right, so that their digits can be compared; words to the left.
    numeric: bool,
    /// Sentences are broken into lines.
    prose: bool,
}

impl<'a> TableView<'a> {
    /// Open or folded, on a page from which the report's folder is at `root`.
    pub(super) fn new(table: &'a Table, open: bool, root: &'static str) -> Self {
        let cells = |place: usize| {
            table.grid.rows.iter().filter_map(move |row| row.get(place)).filter(|cell| !cell.is_empty())
        };
        let numeric = |place: usize| cells(place).all(|cell| is_number(cell));
        let prose = |place: usize| cells(place).any(|cell| cell.chars().count() > LONGEST);
        let header = table.grid.header.iter().enumerate();
        let header = header.map(|(place, title)| Column {
            lines: title.lines().collect(),
            numeric: numeric(place),
            prose: prose(place),
        });
        Self { open, root, header: header.collect(), table }
    }

    fn class(&self, place: &usize) -> &'static str {
        match self.header.get(*place) {
            Some(column) if column.numeric => " class=\"n\"",
            Some(column) if column.prose => " class=\"prose\"",
            _ => "",
        }
    }
}

/// Letters in a cell that still stands on one line.
const LONGEST: usize = 48;

/// Whether a cell begins as a number does and has no more letters than digits: `1.2 (+3%)`, but not `11 of the kernels`.
fn is_number(cell: &str) -> bool {
    let count = |is: fn(char) -> bool| cell.chars().filter(|c| is(*c)).count();
    cell.starts_with(|c: char| c.is_ascii_digit() || "+-−–≥≤<>~".contains(c))
        && count(char::is_alphabetic) <= count(|c| c.is_ascii_digit())
}
