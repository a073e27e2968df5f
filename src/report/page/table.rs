//! A table on a page.

use crate::report::text::{ESTIMATE, Grid, UNDER_LOAD};
use askama::Template;

#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct TableView<'a> {
    grid: &'a Grid,
    columns: Vec<Column<'a>>,
}

struct Column<'a> {
    lines: Vec<&'a str>,
    class: &'static str,
}

impl<'a> TableView<'a> {
    pub(super) fn new(grid: &'a Grid) -> Self {
        let column = |(place, title): (usize, &'a String)| {
            let cells =
                || grid.rows.iter().filter_map(move |row| row.get(place)).filter(|cell| !cell.is_empty());
            // Numbers stand to the right, so that their digits can be compared; sentences are broken into lines.
            let class = match () {
                () if cells().all(|cell| is_number(cell)) => " class=\"n\"",
                () if cells().any(|cell| cell.chars().count() > LONGEST) => " class=\"prose\"",
                () => "",
            };
            Column { lines: title.lines().collect(), class }
        };
        Self { columns: grid.header.iter().enumerate().map(column).collect(), grid }
    }

    pub(super) fn title(&self) -> &str {
        &self.grid.title
    }

    /// Whether a cell has this sign.
    fn has(&self, sign: &str) -> bool {
        self.grid.rows.iter().flatten().any(|cell| cell.contains(sign))
    }

    fn class(&self, place: &usize) -> &'static str {
        self.columns.get(*place).map_or("", |column| column.class)
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
