//! Drawing tables, on a terminal and in Markdown.

mod fitted;
mod short;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use fitted::PROSE;

/// A table before it is drawn. Headers may have several lines.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    pub title: String,
    /// What columns beside each other have in common, each with their number, from the first column on. Empty where nothing is.
    pub groups: Vec<(String, usize)>,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// How many of its columns say what a row is of: they stand in each part of a table that is too wide for a terminal.
    pub keys: usize,
    /// How narrow a column of text may become, where that keeps the table in one part.
    narrowest_text: usize,
}

impl Grid {
    pub fn new<T: Into<String>>(
        title: impl Into<String>,
        header: impl IntoIterator<Item = T>,
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        Self {
            title: title.into(),
            header: header.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
            keys: 1,
            narrowest_text: PROSE,
            ..Self::default()
        }
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

    /// None without rows: such a table says nothing.
    pub fn unless_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// This table with the name of its group above each column, where one row of titles is all that can be drawn.
    fn without_groups(&self) -> Self {
        let groups =
            self.groups.iter().flat_map(|(name, columns)| std::iter::repeat_n(name.as_str(), *columns));
        let title = |(title, group): (&String, &str)| match group {
            "" => title.clone(),
            group => format!("{group}\n{title}"),
        };
        let header = self.header.iter().zip(groups.chain(std::iter::repeat(""))).map(title).collect();
        Self { groups: Vec::new(), header, ..self.clone() }
    }

    /// As a Markdown table. What a cell holds is text: it neither ends the cell nor is taken for a tag.
    pub fn markdown(&self) -> String {
        let text = |text: &String| text.replace('<', "&lt;").replace('|', "\\|").replace('\n', " ");
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
        table
            .set_header(self.without_groups().header.iter().map(text))
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
    fn headers_have_several_lines_and_their_group_above_and_numbers_stand_to_the_right() {
        let header = ["n", "published", "H200", "staged-load\nover katz-kider"];
        let row = ["1024", "0.108", "0.0017", "3.94"].map(String::from).to_vec();
        let groups = vec![(String::new(), 1), ("katz-kider".into(), 2)];
        let grid = Grid { groups, ..Grid::new("Seconds", header, [row]) };
        insta::assert_snapshot!(grid.terminal(None), @"
        Seconds
        ┌──────┬────────────┬────────────┬─────────────────┐
        │    n ┆ katz-kider ┆ katz-kider ┆     staged-load │
        │      ┆  published ┆       H200 ┆ over katz-kider │
        ╞══════╪════════════╪════════════╪═════════════════╡
        │ 1024 ┆      0.108 ┆     0.0017 ┆            3.94 │
        └──────┴────────────┴────────────┴─────────────────┘
        ");
        let titles = "|    n | katz-kider published | katz-kider H200 | staged-load over katz-kider |";
        assert_eq!(grid.markdown().lines().nth(2), Some(titles));
    }
}
