//! Tables that fit a terminal: where one is too wide, its columns are divided among several, each with the columns that name the rows.

use super::Grid;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use repro_base::terminal::wrapped;
use unicode_width::UnicodeWidthStr;

/// Text in a cell is broken into lines where it is wider than this and has several words.
pub(super) const PROSE: usize = 28;
/// Titles of several words are broken into lines where they are wider than this.
const TITLE: usize = 12;
/// Words from which on a cell holds text and not a number with its marks.
const PROSE_WORDS: usize = 4;
/// What a column takes beside its text: a blank on either side, and the line behind.
const BESIDE: usize = 3;
/// Behind which signs titles of columns and then cells may be broken: between parameters and the words of a name where that saves a part,
/// and in cells only where nothing else makes the table narrow enough.
const BREAKS: [[&[char]; 2]; 3] = [[&[';'], &[]], [&[';', '-', '_'], &[]], [&[';', '-', '_'], &[';', '_']]];

impl Grid {
    /// For a terminal of `width` columns, or as wide as need be.
    pub fn terminal(&self, width: Option<u16>) -> String {
        let whole = self.without_groups();
        let Some(width) = width else {
            return format!("{}\n{}\n", self.title, whole.draw(&whole.columns(), None));
        };
        let (narrow, parts) = whole.divided(width);
        let drawn: Vec<String> = parts.iter().map(|part| narrow.draw(part, Some(width))).collect();
        let title: Vec<String> = self.title.lines().map(|line| wrapped(line, width, "  ")).collect();
        format!("{}\n{}\n", title.join("\n"), drawn.join("\n"))
    }

    /// In how many parts it is drawn.
    pub(super) fn parts(&self, width: u16) -> usize {
        self.divided(width).1.len()
    }

    /// The table with names as whole as it fits, and which columns stand in each part.
    fn divided(&self, width: u16) -> (Self, Vec<Vec<usize>>) {
        let rank = |grid: &Self, parts: &[Vec<usize>], breaks_cells: bool| {
            (parts.iter().any(|part| grid.width_of(part) > usize::from(width)), breaks_cells, parts.len())
        };
        let mut best = (self.clone(), self.blocks(width));
        let mut least = rank(&best.0, &best.1, false);
        for [titles, cells] in BREAKS {
            let narrow = self.broken_behind(titles, cells);
            let parts = narrow.blocks(width);
            let found = rank(&narrow, &parts, !cells.is_empty());
            if found < least {
                (best, least) = ((narrow, parts), found);
            }
        }
        best
    }

    /// With titles and cells in several lines.
    fn broken_behind(&self, titles: &[char], cells: &[char]) -> Self {
        let broken = |text: &String, signs: &[char]| -> String {
            text.split_inclusive(|sign| signs.contains(&sign)).collect::<Vec<_>>().join("\n")
        };
        Self {
            header: self.header.iter().map(|title| broken(title, titles)).collect(),
            rows: self.rows.iter().map(|row| row.iter().map(|cell| broken(cell, cells)).collect()).collect(),
            ..self.clone()
        }
    }

    fn columns(&self) -> Vec<usize> {
        (0..self.header.len()).collect()
    }

    /// Every line of a column's cells.
    fn lines(&self, at: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(move |row| row.get(at)).flat_map(|cell| cell.lines())
    }

    /// The width of a column in which no number is broken: that of its widest line, of text and of titles that of the longest word.
    fn least_width(&self, at: usize) -> usize {
        let of_text = |line: &str, least: usize| {
            let words = line.split(' ').map(UnicodeWidthStr::width);
            line.width().min(words.max().unwrap_or_default().max(least))
        };
        let title = self.header.get(at).into_iter().flat_map(|title| title.lines());
        let of_cell =
            |line: &str| if is_prose(line) { of_text(line, self.narrowest_text) } else { line.width() };
        title.map(|line| of_text(line, TITLE)).chain(self.lines(at).map(of_cell)).max().unwrap_or_default()
    }

    /// The width of a part of these columns, with the line before the first.
    fn width_of(&self, columns: &[usize]) -> usize {
        1 + columns.iter().map(|&at| self.least_width(at) + BESIDE).sum::<usize>()
    }

    /// Which columns stand together, so that each part fits. One that is too wide by itself stands alone.
    fn blocks(&self, width: u16) -> Vec<Vec<usize>> {
        let (keys, others) = (0..self.header.len()).partition::<Vec<usize>, _>(|at| *at < self.keys);
        let mut blocks = vec![keys.clone()];
        for at in others {
            let fits = |block: &[usize]| {
                let needed = self.width_of(block) + self.least_width(at) + BESIDE;
                block.len() == keys.len() || needed <= usize::from(width)
            };
            match blocks.last_mut() {
                Some(block) if fits(block) => block.push(at),
                _ => blocks.push([&keys[..], &[at]].concat()),
            }
        }
        blocks
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
        }
        for (column, &at) in table.column_iter_mut().zip(columns) {
            // Text that is broken into lines is read from the left.
            let is_text = self.lines(at).any(is_prose);
            column.set_cell_alignment(if is_text { CellAlignment::Left } else { CellAlignment::Right });
            if let Some(width) = width {
                let least = u16::try_from(self.least_width(at) + BESIDE - 1).unwrap_or(u16::MAX);
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least.min(width - 2))));
            }
        }
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

    fn table(header: &[&str], row: &[&str]) -> Grid {
        let owned = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        Grid::new("A table", owned(header), [owned(row)])
    }

    #[test]
    fn a_wide_table_is_divided_into_parts_that_fit_and_name_their_rows() {
        for width in [80, 100, 132] {
            for columns in 1..24 {
                let titles: Vec<String> = (0..columns).map(|at| format!("column-{at}")).collect();
                let cells: Vec<String> = (0..columns).map(|at| format!("1.{at:011}")).collect();
                let header = ["staged", "load"].map(String::from).into_iter().chain(titles);
                let row = ["a_1", "b_2"].map(String::from).into_iter().chain(cells.clone()).collect();
                let grid = Grid::new("A table", header, [row]).with_keys(2);
                let text = grid.terminal(Some(width));
                assert!(widest(&text) <= usize::from(width), "{text}");
                assert!(cells.iter().all(|cell| text.matches(cell.as_str()).count() == 1), "{text}");
                let parts = text.matches("╞").count();
                assert_eq!(
                    text.matches("│ ").count(),
                    text.lines().filter(|line| line.starts_with('│')).count()
                );
                assert_eq!(
                    (text.matches("a_1 ┆").count(), text.matches("b_2 ┆").count()),
                    (parts, parts),
                    "{text}"
                );
                assert_eq!(grid.terminal(None).matches("╞").count(), 1);
            }
        }
    }

    #[test]
    fn what_is_too_wide_is_broken_between_words_or_parts_of_names_and_never_in_a_number() {
        let said = "the kernel of the doubly dependent tiles decides the speed of the whole algorithm";
        let stages = "stages of four k: 15 blocks a multiprocessor by shared memory alone";
        let claims = ["tiled-coalesced", "section 4.2", stages, "1056", "1056", "holds"];
        let titles = ["claim", "place", "in words", "paper", "counted", ""];
        let name = "generalized-blocked (kappa=256) lead_row_and_column_reverse_of_all_of_them";
        let of_name = [name, "123456789", "123456789", "123456789", "123456789", "123456789", "123456789"];
        // A table, in how many parts 80 columns have it, and what stays whole in it.
        let cases = [
            (
                table(&["claim", "in words", "counted"], &["doubly-decides", said, "39.25 to 98.44%"]),
                1,
                "39.25 to 98.44%",
            ),
            (table(&titles, &claims), 2, "tiled-coalesced"),
            (table(&titles, &claims).with_narrow_text(18), 1, "tiled-coalesced"),
            (table(&["kernel", "a", "b", "c", "d", "e", "f"], &of_name), 2, "123456789"),
            (
                table(&["n"; 4].map(|_| "katz-kider\nelement-loop=0;unrolled=0"), &["1"; 4]),
                1,
                "element-loop=0;",
            ),
        ];
        for (grid, parts, whole) in cases {
            let text = grid.terminal(Some(80));
            assert!(widest(&text) <= 80 && text.contains(whole), "{text}");
            assert_eq!(text.matches("╞").count(), parts, "{text}");
        }
    }
}
