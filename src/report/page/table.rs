//! A table on the page.

use crate::report::Table;
use askama::Template;

#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct TableView<'a> {
    table: &'a Table,
    open: bool,
    header: Vec<Column<'a>>,
}

struct Column<'a> {
    lines: Vec<&'a str>,
    /// Numbers stand to the right, so that their digits can be compared; words to the left.
    numeric: bool,
}

impl<'a> TableView<'a> {
    pub(super) fn new(table: &'a Table, open: bool) -> Self {
        let numeric = |place: usize| {
            let mut cells =
                table.grid.rows.iter().filter_map(|row| row.get(place)).filter(|cell| !cell.is_empty());
            cells.all(|cell| cell.starts_with(|c: char| c.is_ascii_digit() || "+-−–≥≤<>~".contains(c)))
        };
        let header = table.grid.header.iter().enumerate();
        let header =
            header.map(|(place, title)| Column { lines: title.lines().collect(), numeric: numeric(place) });
        Self { open, header: header.collect(), table }
    }

    fn is_numeric(&self, place: &usize) -> bool {
        self.header.get(*place).is_some_and(|column| column.numeric)
    }
}
