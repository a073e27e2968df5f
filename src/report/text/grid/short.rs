//! Tables of a few lines: turned over where that shows more of them, and cut where they are still too long.

use super::Grid;
use crate::lists::count_of;
use std::cmp::Reverse;

/// So many sizes show how a number grows; further ones are worth less than another column.
const ENOUGH_ROWS: usize = 4;

impl Grid {
    /// As much of the table as `most` lines of a terminal of `width` columns show, with a last line that says what was left out. Columns
    /// without a number come last, and are left out first.
    pub fn within(&self, width: u16, most: usize) -> String {
        let upright = self.without_groups().with_numbers_first();
        let thinned = upright.thinned();
        let views = |grid: &Self| [Some((grid.clone(), false)), grid.turned().map(|turned| (turned, true))];
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
            // Of equals the first: whole tables before those that are cut.
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

    /// The rows of a size that is a power of two, and the last.
    fn thinned(&self) -> Self {
        let is_round = |row: &&Vec<String>| {
            let n = row.iter().take(self.keys).find_map(|key| key.parse::<usize>().ok());
            n.is_some_and(usize::is_power_of_two) || Some(*row) == self.rows.last()
        };
        Self { rows: self.rows.iter().filter(is_round).cloned().collect(), ..self.clone() }
    }

    /// The first columns that stand in one part, and the first rows with a number that fit with a line below.
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

    /// How many rows and columns of this table `part` of it lacks, which may be turned over; empty where it lacks none.
    fn left_out(&self, part: &Self, is_turned: bool) -> String {
        let (rows, columns) = (self.rows.len(), self.header.len());
        let (rows, columns) = if is_turned { (columns - 1, rows + 1) } else { (rows, columns) };
        let counts = [(rows - part.rows.len(), "more row"), (columns - part.header.len(), "more column")];
        let some = counts.into_iter().filter(|(count, _)| *count > 0);
        let left: Vec<String> = some.map(|(count, what)| count_of(count, what)).collect();
        if left.is_empty() { String::new() } else { format!("{}\n", left.join(", ")) }
    }

    /// Rows as columns. None where several columns name a row.
    fn turned(&self) -> Option<Self> {
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

/// A cell is empty, or ends with a dash, where nothing was measured.
fn is_number(cell: &str) -> bool {
    !cell.is_empty() && !cell.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Rows, columns, width and lines; what is left out, and the last number that is shown.
        let cases = [
            // All of it, in one part.
            ((4, 3, 100, 20), "", "4002"),
            // Turned over: in pieces one row of twelve columns is read worse.
            ((1, 12, 60, 30), "", "1011"),
            // All columns, of sizes that are powers of two and the last.
            ((20, 10, 80, 30), "14 more columns", "20009"),
            // All columns of few sizes, and not a few columns of all sizes.
            ((60, 3, 80, 10), "53 more columns", "32002"),
            ((60, 30, 80, 10), "26 more rows, 53 more columns", "60003"),
            ((2, 60, 80, 14), "52 more rows", "2007"),
        ];
        for ((rows, columns, width, most), left, last) in cases {
            let text = grid(rows, columns).within(width, most);
            assert!(text.lines().count() <= most, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= width.into()), "{text}");
            assert!(text.contains(last), "{last}: {text}");
            let end = text.lines().last().filter(|line| line.contains("more ")).unwrap_or_default();
            assert_eq!(end, left, "{text}");
        }
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
