//! Draws tables, on a terminal and in Markdown. One that is too wide for a terminal is divided into several, each with the columns that
//! name the rows. In few lines, a table is transposed where that shows more of it, and cut where it is still too long.

use crate::lists::count_of;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use repro_base::terminal::wrapped;
use std::cmp::Reverse;
use unicode_width::UnicodeWidthStr;

/// A table before it is drawn. Headers may have several lines.
#[derive(Clone, Debug, Default)]
pub struct Grid {
    pub title: String,
    /// Titles above neighbouring columns, each with the number of its columns, from the first column on. Empty without groups.
    pub groups: Vec<(String, usize)>,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// How many first columns name a row: they are repeated in each part of a table that is too wide for a terminal.
    pub keys: usize,
    /// The width to which a column of text may shrink, if that keeps the table in one part.
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

    /// This table, with the first `keys` columns as names of the rows.
    #[must_use]
    pub fn with_keys(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    /// This table, in which columns of text may shrink to `width`, so that it need not be divided.
    #[must_use]
    pub fn with_narrow_text(self, width: usize) -> Self {
        Self { narrowest_text: width, ..self }
    }

    /// This table; None if it has no rows.
    pub fn unless_empty(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }

    /// This table with the name of its group in the title of each column, where only one row of titles can be drawn.
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

    /// The table in Markdown. Text in a cell is escaped: it neither ends the cell nor becomes a tag.
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

/// Text in a cell is broken into lines where it is wider than this and has several words.
pub(super) const PROSE: usize = 28;
/// Titles of several words are broken into lines where they are wider than this.
const TITLE: usize = 12;
/// From this many words on, a cell holds text and not a number with its marks.
const PROSE_WORDS: usize = 4;
/// The width of a column in addition to its text: a blank on either side, and the line after it.
const BESIDE: usize = 3;
/// The signs after which titles and cells may be broken, in steps: between parameters, then between the words of names where that saves a
/// part, and in cells only where nothing else makes the table narrow enough.
const BREAKS: [[&[char]; 2]; 3] = [[&[';'], &[]], [&[';', '-', '_'], &[]], [&[';', '-', '_'], &[';', '_']]];

impl Grid {
    /// The table for a terminal of `width` columns; for None, as wide as it needs to be.
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

    /// In how many parts the table is drawn on a terminal of this width.
    pub fn parts(&self, width: u16) -> usize {
        self.divided(width).1.len()
    }

    /// The table with names broken as little as possible, and the columns of each part.
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

    /// The table with titles and cells broken into lines after these signs.
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

    /// The least width of a column that breaks no number: that of its widest line, or for text and titles that of the longest word.
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

    /// The width of a part with these columns, including the line before the first.
    fn width_of(&self, columns: &[usize]) -> usize {
        1 + columns.iter().map(|&at| self.least_width(at) + BESIDE).sum::<usize>()
    }

    /// Groups columns into parts that fit. A column that is too wide by itself has a part of its own.
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

/// This many rows show how a number grows with n; further ones are worth less than another column.
const ENOUGH_ROWS: usize = 4;

impl Grid {
    /// As much of the table as fits `most` lines of a terminal of `width` columns, with a last line that says what was left out. Columns
    /// without a number come last, and are left out first.
    pub fn within(&self, width: u16, most: usize) -> String {
        let upright = self.without_groups().with_numbers_first();
        let thinned = upright.thinned();
        let views =
            |grid: &Self| [Some((grid.clone(), false)), grid.transposed().map(|turned| (turned, true))];
        let whole = [&upright, &thinned].into_iter().flat_map(views).flatten();
        let cut = [&thinned, &upright].into_iter().flat_map(views).flatten();
        let cut = cut.map(|(grid, is_turned)| (grid.cut(width, most), is_turned));
        let mut best = None;
        for (grid, is_turned) in whole.chain(cut) {
            let text = format!("{}{}", grid.terminal(Some(width)), upright.left_out(&grid, is_turned));
            let (columns, rows) = grid.numbers();
            let (columns, rows) = if is_turned { (rows, columns) } else { (columns, rows) };
            let lines_too_many = text.lines().count().saturating_sub(most);
            let seen = columns * rows.min(ENOUGH_ROWS);
            let rank = (Reverse(lines_too_many), seen, Reverse(grid.parts(width)));
            // The first of equals wins: whole tables come before cut ones.
            if best.as_ref().is_none_or(|(known, _)| *known < rank) {
                best = Some((rank, text));
            }
        }
        best.map_or_else(String::new, |(_, text)| text)
    }

    /// How many columns and how many rows have a number.
    fn numbers(&self) -> (usize, usize) {
        let columns = (self.keys..self.header.len()).filter(|&at| !self.is_blank(at)).count();
        (columns, self.rows.iter().filter(|row| self.has_number(row)).count())
    }

    fn has_number(&self, row: &[String]) -> bool {
        row.iter().skip(self.keys).any(|cell| is_number(cell))
    }

    fn is_blank(&self, column: usize) -> bool {
        !self.rows.iter().any(|row| row.get(column).is_some_and(|cell| is_number(cell)))
    }

    fn with_numbers_first(&self) -> Self {
        let mut order: Vec<usize> = (0..self.header.len()).collect();
        order.sort_by_key(|&at| at >= self.keys && self.is_blank(at));
        let ordered =
            |row: &Vec<String>| order.iter().map(|&at| row.get(at).cloned().unwrap_or_default()).collect();
        Self { header: ordered(&self.header), rows: self.rows.iter().map(ordered).collect(), ..self.clone() }
    }

    /// The table with only the rows whose n is a power of two, and the last row.
    fn thinned(&self) -> Self {
        let is_round = |row: &&Vec<String>| {
            let n = row.iter().take(self.keys).find_map(|key| key.parse::<usize>().ok());
            n.is_some_and(usize::is_power_of_two) || Some(*row) == self.rows.last()
        };
        Self { rows: self.rows.iter().filter(is_round).cloned().collect(), ..self.clone() }
    }

    /// The table cut to the first columns that fit in one part, and to the first rows with a number that fit with a line below.
    fn cut(&self, width: u16, most: usize) -> Self {
        let mut cut = self.clone();
        while cut.parts(width) > 1 {
            cut.header.pop();
            let columns = cut.header.len();
            cut.rows.iter_mut().for_each(|row| row.truncate(columns));
        }
        cut.rows.retain(|row| self.has_number(row));
        cut.rows.truncate(most);
        while cut.rows.len() > 1 && cut.terminal(Some(width)).lines().count() >= most {
            cut.rows.pop();
        }
        cut
    }

    /// Says how many rows and columns of this table `part` lacks; `part` may be transposed. Empty if it lacks none.
    fn left_out(&self, part: &Self, is_turned: bool) -> String {
        let (rows, columns) = (self.rows.len(), self.header.len());
        let (rows, columns) = if is_turned { (columns - 1, rows + 1) } else { (rows, columns) };
        let counts = [(rows - part.rows.len(), "more row"), (columns - part.header.len(), "more column")];
        let some = counts.into_iter().filter(|(count, _)| *count > 0);
        let left: Vec<String> = some.map(|(count, what)| count_of(count, what)).collect();
        if left.is_empty() { String::new() } else { format!("{}\n", left.join(", ")) }
    }

    /// The table with rows as columns. None if several columns name a row.
    fn transposed(&self) -> Option<Self> {
        let (key, titles) = self.header.split_first().filter(|_| self.keys == 1)?;
        let cells = |at: usize| self.rows.iter().map(move |row| row.get(at).cloned().unwrap_or_default());
        let key = if key.is_empty() { String::new() } else { format!("{key} = ") };
        let header = std::iter::once(String::new()).chain(cells(0).map(|name| format!("{key}{name}")));
        let rows = titles
            .iter()
            .enumerate()
            .map(|(at, title)| std::iter::once(title.replace('\n', " ")).chain(cells(at + 1)).collect());
        Some(Self::new(self.title.clone(), header, rows))
    }
}

/// Whether a cell has a number: without a measurement it is empty or ends with a dash.
fn is_number(cell: &str) -> bool {
    !cell.is_empty() && !cell.ends_with('-')
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

    fn grid(rows: usize, columns: usize) -> Grid {
        let header =
            std::iter::once("n".to_string()).chain((0..columns).map(|at| format!("kernel\nnumber-{at}")));
        let row = |n: usize| {
            std::iter::once(n).chain((0..columns).map(move |at| 1000 * n + at)).map(|n| n.to_string())
        };
        Grid::new("A table", header, (1..=rows).map(|n| row(n).collect()))
    }

    #[test]
    fn of_every_table_as_much_is_shown_as_fits_and_the_rest_is_counted() {
        // Rows, columns, width and lines; what is left out, and the highest number that is shown.
        let cases = [
            // All of it, in one part.
            ((4, 3, 100, 20), "", 4002),
            // Turned over: in pieces one row of twelve columns is read worse.
            ((1, 12, 60, 30), "", 1011),
            // All columns, of sizes that are powers of two and the last.
            ((20, 10, 80, 30), "14 more columns", 20009),
            // All columns of few sizes, and not a few columns of all sizes.
            ((24, 3, 80, 10), "18 more columns", 24002),
            ((20, 12, 80, 10), "8 more rows, 14 more columns", 20003),
            ((2, 24, 80, 14), "16 more rows", 2007),
        ];
        let shown = cases.map(|((rows, columns, width, most), ..)| {
            let text = grid(rows, columns).within(width, most);
            assert!(text.lines().count() <= most, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= width.into()), "{text}");
            let end = text.lines().last().filter(|line| line.contains("more ")).unwrap_or_default();
            let numbers =
                text.split(|one: char| !one.is_ascii_digit()).filter_map(|one| one.parse::<u32>().ok());
            ((rows, columns, width, most), end.to_string(), numbers.max().unwrap())
        });
        assert_eq!(shown, cases.map(|(of, left, last)| (of, left.to_string(), last)));
        assert_eq!(grid(4, 3).within(100, 20), grid(4, 3).terminal(Some(100)));
    }

    #[test]
    fn columns_without_a_number_come_last_and_go_first() {
        let mut grid = grid(2, 4);
        grid.rows.iter_mut().for_each(|row| row[1..3].clone_from_slice(&["0.4 / -".into(), String::new()]));
        let first = |text: &str, of: &str| text.find(of).unwrap_or(usize::MAX);
        let whole = grid.within(100, 20);
        assert!(first(&whole, "number-3") < first(&whole, "number-0"), "{whole}");
        let short = grid.within(26, 8);
        assert!(short.contains("1003") && !short.contains("0.4") && short.contains("2 more rows"), "{short}");
    }
}
