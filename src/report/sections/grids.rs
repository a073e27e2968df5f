//! Tables that say the same of several n, as one.

use crate::show::{Grid, OneN};

/// Grids of which each is of one n, joined where they are of the same implementation and say the same.
pub(super) fn joined(grids: Vec<Grid>) -> Vec<Grid> {
    let mut all: Vec<Grid> = Vec::new();
    for grid in grids {
        let Some(OneN { implementation, n, what }) = grid.one_of.clone() else {
            all.push(grid);
            continue;
        };
        let title = format!("{implementation}: {what}");
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
            let joined = std::iter::once(n.to_string()).chain(cells).collect();
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
    }
    all
}
