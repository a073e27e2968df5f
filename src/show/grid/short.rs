//! Tables of a few lines: turned over where that makes them narrower, and cut where they are still too long.

use super::Grid;
use crate::lists::count_of;

impl Grid {
    /// The table in at most `most` lines of a terminal of `width` columns, with a last line that says what was left out.
    pub fn within(&self, width: u16, most: usize) -> String {
        let lines = |grid: &Self| grid.terminal(Some(width)).lines().count();
        let fits = |grid: &Self| lines(grid) <= most;
        let fits_with_a_line = |grid: &Self| lines(grid) < most;
        let turned = self.turned();
        let whole = [Some(self), turned.as_ref()].into_iter().flatten();
        // In pieces it is read worse than turned over.
        let fitting = whole.clone().filter(|grid| fits(grid));
        if let Some(best) = fitting.min_by_key(|grid| if grid.is_whole(width) { 0 } else { lines(grid) }) {
            return best.terminal(Some(width));
        }
        let thinned = self.thinned();
        if thinned.rows.len() > 1 && fits_with_a_line(&thinned) {
            let left = count_of(self.rows.len() - thinned.rows.len(), "more row");
            return format!("{}{left}\n", thinned.terminal(Some(width)));
        }
        let mut cut = whole.clone().find(|grid| grid.is_whole(width)).unwrap_or(self).clone();
        let (rows, columns) = (cut.rows.len(), cut.header.len());
        while !cut.is_whole(width) && cut.header.len() > cut.keys + 1 {
            cut.header.pop();
            let kept = cut.header.len();
            cut.rows.iter_mut().for_each(|row| row.truncate(kept));
        }
        cut.rows.truncate(most);
        while cut.rows.len() > 1 && !fits_with_a_line(&cut) {
            cut.rows.pop();
        }
        let left = [(rows - cut.rows.len(), "more row"), (columns - cut.header.len(), "more column")];
        let left: Vec<String> =
            left.iter().filter(|(count, _)| *count > 0).map(|(count, what)| count_of(*count, what)).collect();
        format!("{}{}\n", cut.terminal(Some(width)), left.join(", "))
    }

    fn is_whole(&self, width: u16) -> bool {
        self.terminal(Some(width)).matches('╞').count() == 1
    }

    /// The rows of a size that is a power of two, and the last.
    fn thinned(&self) -> Self {
        let is_round = |row: &&Vec<String>| {
            let n = row.first().and_then(|n| n.parse::<usize>().ok());
            n.is_some_and(usize::is_power_of_two) || Some(*row) == self.rows.last()
        };
        Self { rows: self.rows.iter().filter(is_round).cloned().collect(), ..self.clone() }
    }

    /// Rows as columns. None where several columns name a row.
    fn turned(&self) -> Option<Self> {
        let one_line = |text: &String| text.replace('\n', " ");
        let cell = |row: &Vec<String>, at: usize| row.get(at).cloned().unwrap_or_default();
        let rows = (1..self.header.len()).map(|at| {
            let name = self.header.get(at).map(one_line);
            name.into_iter().chain(self.rows.iter().map(|row| cell(row, at))).collect()
        });
        let key = self.header.first().map_or(String::new(), |key| format!("{key} = "));
        let names = self.rows.iter().map(|row| format!("{key}{}", cell(row, 0)));
        let header = std::iter::once(String::new()).chain(names);
        (self.keys == 1).then(|| Self::new(self.title.clone(), header, rows))
    }
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
    fn a_table_that_fits_is_whole_and_one_that_is_too_wide_is_turned_over() {
        assert_eq!(grid(4, 3).within(100, 20), grid(4, 3).terminal(Some(100)));
        // One row of twelve columns has room in pieces, and is read better as twelve rows.
        assert_eq!(grid(1, 12).within(60, 30).matches('╞').count(), 1);
        let mut wide = grid(2, 12);
        wide.header.iter_mut().skip(1).for_each(|name| *name = format!("{} {name}", "long".repeat(8)));
        let turned = wide.within(80, 20);
        assert!(
            turned.contains("n = 1") && turned.contains("long kernel number-11 ┆  1011 ┆  2011"),
            "{turned}"
        );
        assert_eq!(turned.lines().count(), 1 + 4 + 12, "{turned}");
    }

    #[test]
    fn of_one_that_is_too_long_sizes_that_are_powers_of_two_are_shown_in_all_columns() {
        let text = grid(20, 10).within(80, 30);
        assert!(text.lines().count() <= 30 && text.ends_with("14 more rows\n"), "{text}");
        assert!(text.contains("16009") && text.contains("20009") && !text.contains("17009"), "{text}");
    }

    #[test]
    fn where_those_are_too_many_the_first_rows_and_columns_are_shown_and_the_others_counted() {
        for (rows, columns, said) in [(60, 3, "57 more rows"), (60, 30, "58 more rows, 23 more columns")] {
            let text = grid(rows, columns).within(80, 10);
            assert_eq!((text.lines().count(), text.lines().last()), (10, Some(said)), "{text}");
            assert!(text.contains("1002") && text.matches('╞').count() == 1, "{text}");
        }
        let text = grid(2, 60).within(80, 14);
        assert!(
            text.lines().count() == 14 && text.ends_with("more rows\n") && text.contains("n = 2"),
            "{text}"
        );
    }
}
