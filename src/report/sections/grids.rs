//! Tables that say the same of several n, as one.

use crate::experiment::Grid;
use crate::report::words::in_words;

/// Grids of which each is of one n, joined where they are of the same implementation and say the same; all in words.
pub(super) fn joined(grids: Vec<Grid>) -> Vec<Grid> {
    let mut all: Vec<Grid> = Vec::new();
    for grid in grids {
        let Some((name, n, rest)) = of_one_n(&grid.title) else {
            all.push(grid);
            continue;
        };
        let title = format!("{name}: {rest}");
        let place = all.iter().position(|one| one.title == title).unwrap_or_else(|| {
            all.push(Grid::new(title, vec!["n".to_string()], Vec::new()));
            all.len() - 1
        });
        let one = &mut all[place];
        for column in &grid.header {
            if !one.header.contains(column) {
                one.header.push(column.clone());
            }
        }
        for row in grid.rows {
            let cell = |column: &String| {
                let place = grid.header.iter().position(|known| known == column);
                place.and_then(|place| row.get(place)).cloned().unwrap_or_default()
            };
            let cells = one.header.iter().skip(1).map(cell);
            let joined = std::iter::once(n.clone()).chain(cells).collect();
            one.rows.push(joined);
        }
    }
    for grid in &mut all {
        // Rows of the first of them lack the columns that came later.
        let width = grid.header.len();
        grid.rows.iter_mut().for_each(|row| row.resize(width.max(row.len()), String::new()));
        let empty = |place: usize| grid.rows.iter().all(|row| row.get(place).is_none_or(String::is_empty));
        let kept: Vec<usize> = (0..width).filter(|&place| place == 0 || !empty(place)).collect();
        if !grid.rows.is_empty() {
            let of = |row: &[String]| kept.iter().map(|&place| row[place].clone()).collect();
            grid.rows = grid.rows.iter().map(|row| of(row)).collect();
            grid.header = of(&grid.header);
        }
        grid.title = in_words(&grid.title);
        grid.header.iter_mut().for_each(|title| *title = in_words(title));
        grid.rows.iter_mut().filter_map(|row| row.first_mut()).for_each(|name| *name = in_words(name));
    }
    all
}

/// Name, n and what is said of them, where a title is `name, n = 1: what`.
fn of_one_n(title: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = title.split_once(", n = ")?;
    let (n, rest) = rest.split_once(": ")?;
    n.parse::<usize>().ok().map(|n| (name, n.to_string(), rest))
}
