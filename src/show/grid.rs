//! Drawing tables, on a terminal and in Markdown.

mod fitted;
mod short;

use fitted::PROSE;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table before it is drawn. Headers may have several lines.
#[derive(Clone)]
pub struct Grid {
    pub title: String,
    /// Of which n it is, where others say the same of other n.
    pub one_of: Option<OneN>,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// How many of its columns say what a row is of: they stand in each part of a table that is too wide for a terminal.
    pub keys: usize,
    /// How narrow a column of text may become, where that keeps the table in one part.
    narrowest_text: usize,
}

/// A column's title, and what fills it.
pub type GridColumn<'a, T> = (&'a str, &'a dyn Fn(&T) -> String);

/// A table of one implementation and n, of which there is one for every n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneN {
    pub implementation: String,
    pub n: usize,
    /// What it says of them.
    pub what: &'static str,
}

impl Grid {
    /// A table of which there is one for every n.
    pub fn of_n(
        one: OneN,
        header: impl IntoIterator<Item = String>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let title = format!("{}, n = {}: {}", one.implementation, one.n, one.what);
        Self { one_of: Some(one), ..Self::new(title, header, rows) }
    }

    pub fn new<T: Into<String>>(
        title: impl Into<String>,
        header: impl IntoIterator<Item = T>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let header = header.into_iter().map(Into::into).collect();
        Self {
            title: title.into(),
            one_of: None,
            header,
            rows: rows.into_iter().collect(),
            keys: 1,
            narrowest_text: PROSE,
        }
    }

    /// A row for each of `all`; a column has a title and what fills it.
    pub fn of_columns<T>(
        title: impl Into<String>,
        all: impl IntoIterator<Item = T>,
        columns: &[GridColumn<T>],
    ) -> Self {
        let rows = all.into_iter().map(|one| columns.iter().map(|(_, cell)| cell(&one)).collect());
        Self::new(title, columns.iter().map(|(title, _)| *title), rows)
    }

    /// This table, whose first `keys` columns name what a row is about.
    #[must_use]
    pub fn with_keys(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    /// This table with text in columns of no more than `width`, so that it need not be divided.
    #[must_use]
    pub fn with_narrow_text(self, width: usize) -> Self {
        Self { narrowest_text: width, ..self }
    }

    /// A row a size and a column each of `shown`, named and filled in as told. Sizes of which every cell is empty are left out; None
    /// where that leaves nothing.
    pub fn by_size<T>(
        title: impl Into<String>,
        sizes: impl IntoIterator<Item = usize>,
        shown: &[T],
        name: impl Fn(&T) -> String,
        cell: impl Fn(&T, usize) -> String,
    ) -> Option<Self> {
        let rows = sizes.into_iter().filter_map(|n| {
            let cells: Vec<String> = shown.iter().map(|one| cell(one, n)).collect();
            let says_something = cells.iter().any(|cell| !cell.is_empty());
            says_something.then(|| std::iter::once(n.to_string()).chain(cells).collect())
        });
        let header = std::iter::once("n".to_string()).chain(shown.iter().map(name));
        Self::new(title, header, rows).unless_empty()
    }

    /// None without rows: such a table says nothing.
    pub fn unless_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// As a Markdown table. What a cell holds is text: it neither ends the cell nor is taken for a tag.
    pub fn markdown(&self) -> String {
        let text = |text: &String| text.replace('<', "&lt;").replace('|', "\\|").replace('\n', " ");
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
        table
            .set_header(self.header.iter().map(text))
            .add_rows(self.rows.iter().map(|row| row.iter().map(text)));
        table.column_iter_mut().for_each(|column| {
            column.set_cell_alignment(CellAlignment::Right);
        });
        format!("### {}\n\n{table}\n", text(&self.title))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_markdown_stays_a_cell() {
        let row = vec!["<script>".to_string(), "a|b\nc".to_string()];
        let grid = Grid::new("<b>", row.clone(), vec![row]);
        let markdown = grid.markdown();
        assert!(markdown.starts_with("### &lt;b>\n"));
        assert!(markdown.lines().skip(2).all(|line| line.replace("\\|", "").matches('|').count() == 3));
        assert_eq!((markdown.matches("&lt;script>").count(), markdown.matches("a\\|b c").count()), (2, 2));
    }

    #[test]
    fn a_grid_is_drawn_with_headers_of_several_lines_and_numbers_to_the_right() {
        let grid = Grid::new(
            "Seconds: paper / here",
            ["n", "katz-kider", "staged-load\nover katz-kider"],
            vec![["1024", "0.108 / 0.0017", "3.94"].map(String::from).to_vec()],
        );
        insta::assert_snapshot!(grid.terminal(None), @"
        Seconds: paper / here
        ┌──────┬────────────────┬─────────────────┐
        │    n ┆     katz-kider ┆     staged-load │
        │      ┆                ┆ over katz-kider │
        ╞══════╪════════════════╪═════════════════╡
        │ 1024 ┆ 0.108 / 0.0017 ┆            3.94 │
        └──────┴────────────────┴─────────────────┘
        ");
        insta::assert_snapshot!(grid.markdown(), @"
        ### Seconds: paper / here

        |    n |     katz-kider | staged-load over katz-kider |
        |------|----------------|-----------------------------|
        | 1024 | 0.108 / 0.0017 |                        3.94 |
        ");
    }
}
