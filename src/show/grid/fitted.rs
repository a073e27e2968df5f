//! Tables that fit a terminal: where one is too wide, its columns are divided among several, each with the columns that name the rows.

use super::Grid;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Text in a cell is broken into lines where it is wider than this and has several words.
pub(super) const PROSE: usize = 28;
/// Words from which on a cell holds text and not a number with its marks.
const PROSE_WORDS: usize = 4;
/// What a column takes beside its text: a blank on either side, and the line behind.
const BESIDE: usize = 3;

impl Grid {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let parts = match width {
            None => self.draw(&self.every_column(), None),
            Some(width) => self.parts(width),
        };
        format!("{}\n{parts}\n", self.title)
    }

    /// The table in as many parts as it takes.
    fn parts(&self, width: u16) -> String {
        let as_it_is = self.blocks(width);
        if as_it_is.len() == 1 && self.width_of(self.every_column().into_iter()) <= usize::from(width) {
            return self.drawn(&as_it_is, width);
        }
        // Names may be broken where they have a hyphen or an underscore, and not in the middle of a word, where that saves a part.
        let narrow = self.with_broken_names();
        let blocks = narrow.blocks(width);
        let is_too_wide = |block: &Vec<usize>| self.width_of(block.iter().copied()) > usize::from(width);
        if blocks.len() < as_it_is.len() || as_it_is.iter().any(is_too_wide) {
            narrow.drawn(&blocks, width)
        } else {
            self.drawn(&as_it_is, width)
        }
    }

    fn drawn(&self, blocks: &[Vec<usize>], width: u16) -> String {
        blocks.iter().map(|block| self.draw(block, Some(width))).collect::<Vec<_>>().join("\n")
    }

    fn with_broken_names(&self) -> Self {
        let broken = |row: &Vec<String>| row.iter().map(|cell| cell.replace('_', "_\n")).collect();
        Self {
            header: self.header.iter().map(|title| title.replace('-', "-\n").replace('_', "_\n")).collect(),
            rows: self.rows.iter().map(broken).collect(),
            ..self.clone()
        }
    }

    fn every_column(&self) -> Vec<usize> {
        (0..self.header.len()).collect()
    }

    fn keys(&self) -> Range<usize> {
        0..self.keys.min(self.header.len())
    }

    /// Every cell of a column, its title first.
    fn column(&self, at: usize) -> impl Iterator<Item = &str> {
        let cells = self.rows.iter().filter_map(move |row| row.get(at));
        self.header.get(at).into_iter().chain(cells).map(String::as_str)
    }

    /// The width of a column in which no number is broken: that of its widest line, of text that of its longest word.
    fn least_width(&self, at: usize) -> usize {
        let lines = self.column(at).flat_map(str::lines);
        let of_line = |line: &str| match is_prose(line) {
            true => {
                line.split(' ').map(UnicodeWidthStr::width).max().unwrap_or_default().max(self.narrowest_text)
            }
            false => line.width(),
        };
        lines.map(of_line).max().unwrap_or_default()
    }

    /// The width of a part of these columns, with the line before the first.
    fn width_of(&self, columns: impl Iterator<Item = usize>) -> usize {
        1 + columns.map(|at| self.least_width(at) + BESIDE).sum::<usize>()
    }

    /// Which columns stand together, so that each part fits. One that is too wide by itself stands alone.
    fn blocks(&self, width: u16) -> Vec<Vec<usize>> {
        let keys: Vec<usize> = self.keys().collect();
        let taken = self.width_of(self.keys());
        let mut blocks: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in keys.len()..self.header.len() {
            let needed = self.least_width(at) + BESIDE;
            match blocks.last_mut() {
                Some((sum, block)) if *sum + needed <= usize::from(width) => {
                    *sum += needed;
                    block.push(at);
                }
                _ => blocks.push((taken + needed, keys.iter().copied().chain([at]).collect())),
            }
        }
        match blocks.is_empty() {
            true => vec![keys],
            false => blocks.into_iter().map(|(_, block)| block).collect(),
        }
    }

    fn draw(&self, columns: &[usize], width: Option<u16>) -> String {
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
        let row = |row: &Vec<String>| -> Vec<String> {
            columns.iter().map(|&at| row.get(at).cloned().unwrap_or_default()).collect()
        };
        table.set_header(row(&self.header)).add_rows(self.rows.iter().map(row));
        if let Some(width) = width {
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            for (column, &at) in table.column_iter_mut().zip(columns) {
                let least = u16::try_from(self.least_width(at) + BESIDE - 1).unwrap_or(u16::MAX);
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least.min(width - 2))));
            }
        }
        table.column_iter_mut().zip(columns).for_each(|(column, &at)| {
            // Text that is broken into lines is read from the left.
            let is_text = self.column(at).flat_map(str::lines).any(is_prose);
            column.set_cell_alignment(if is_text { CellAlignment::Left } else { CellAlignment::Right });
        });
        table.to_string()
    }
}

fn is_prose(line: &str) -> bool {
    line.width() > PROSE && line.split(' ').count() >= PROSE_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widest(text: &str) -> usize {
        text.lines().map(UnicodeWidthStr::width).max().unwrap_or_default()
    }

    /// A table of `columns` columns beside its key, each of numbers of twelve digits.
    fn grid(columns: usize) -> Grid {
        let header = std::iter::once("n".to_string()).chain((0..columns).map(|at| format!("column-{at}")));
        let row = |n: usize| {
            let cells = (0..columns).map(|at| format!("{n}.{at:011}"));
            std::iter::once(n.to_string()).chain(cells).collect()
        };
        Grid::new("A table", header, [row(1), row(2)])
    }

    #[test]
    fn a_wide_table_is_divided_into_parts_that_fit_and_name_their_rows() {
        for width in [80, 100, 132] {
            for columns in 1..24 {
                let text = grid(columns).terminal(Some(width));
                assert!(widest(&text) <= usize::from(width), "{text}");
                for at in 0..columns {
                    assert_eq!(text.matches(&format!("1.{at:011}")).count(), 1, "{text}");
                }
                let parts = text.matches("╞").count();
                assert_eq!(text.matches("│ 1 ┆").count(), parts, "{text}");
            }
        }
        assert_eq!(grid(20).terminal(None).matches("╞").count(), 1);
    }

    #[test]
    fn text_in_cells_is_broken_between_words_and_numbers_are_not() {
        let said = "the kernel of the doubly dependent tiles decides the speed of the whole algorithm";
        let row = ["doubly-decides", said, "39.25 to 98.44%"].map(String::from).to_vec();
        let text = Grid::new("Claims", ["claim", "in words", "counted"], [row]).terminal(Some(80));
        assert!(widest(&text) <= 80, "{text}");
        assert_eq!(text.matches("╞").count(), 1, "{text}");
        assert!(text.contains("doubly-decides") && text.contains("39.25 to 98.44%"), "{text}");
    }

    #[test]
    fn a_table_that_allows_narrow_text_is_not_divided() {
        let said = "stages of four k: 15 blocks a multiprocessor by shared memory alone";
        let row =
            ["tiled-coalesced", "section 4.2", said, "1056", "1056", "holds"].map(String::from).to_vec();
        let header = ["claim", "place", "in words", "paper", "counted", ""];
        for (narrow, parts) in [(PROSE, 2), (18, 1)] {
            let text = Grid::new("Claims", header, [row.clone()]).with_narrow_text(narrow).terminal(Some(80));
            assert!(widest(&text) <= 80, "{text}");
            assert_eq!(text.matches("╞").count(), parts, "{text}");
        }
    }

    #[test]
    fn a_long_name_of_a_row_is_broken_where_it_has_an_underscore() {
        let name = "generalized-blocked (kappa=256) lead_row_and_column_reverse_of_all_of_them";
        let row = std::iter::once(name).chain(["123456789"; 6]).map(String::from).collect();
        let text = Grid::new("Counts", ["kernel", "a", "b", "c", "d", "e", "f"], [row]).terminal(Some(80));
        assert!(widest(&text) <= 80, "{text}");
        assert_eq!(text.matches("123456789").count(), 6, "{text}");
    }

    #[test]
    fn several_columns_may_name_a_row() {
        let header = ["implementation", "kernel"].map(String::from).into_iter();
        let header = header.chain((0..12).map(|at| format!("figure {at}")));
        let row = std::iter::once("staged-load").chain(["doubly_dependent"]).chain(["123456789"; 12]);
        let grid = Grid::new("Counts", header, [row.map(String::from).collect()]).with_keys(2);
        let text = grid.terminal(Some(80));
        assert!(widest(&text) <= 80, "{text}");
        assert!(text.matches("staged-load").count() > 1);
        assert_eq!(text.matches("staged-load").count(), text.matches("dependent").count(), "{text}");
    }
}
