//! A table of ratios whose cells are coloured by how far they are from 1.

use super::facts::Facts;
use super::font;
use super::label::{LINE, clipped};
use super::layout::{EDGE, Layout, head};
use super::model::Key;
use super::palette::{HEAT, INK, Ink, MUTED, PAPER};
use super::scale::significant;
use super::scene::{Anchor, Frame, Scene, Text, Value};

/// Ratios by row and column, each written into its cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// What a number is, above the chart.
    pub title: String,
    /// What the columns are, above their labels.
    pub heading: String,
    pub columns: Vec<String>,
    pub rows: Vec<HeatRow>,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatRow {
    pub label: String,
    /// To the right of the cells, and beside the label on a phone.
    pub note: String,
    /// As many as there are columns; None where nothing was measured.
    pub cells: Vec<Option<Cell>>,
}

/// A ratio, with the interval that it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub facts: Facts,
}

/// Where one colour ends and the next begins: the same factors on both sides of 1.
const BOUNDS: [f64; 6] = [0.25, 0.5, 0.9, 1.0 / 0.9, 2.0, 4.0];
/// What the colours mean, from the lowest ratios to the highest.
const MEANINGS: [&str; 7] =
    ["under 0.25", "0.25 to 0.5", "0.5 to 0.9", "0.9 to 1.1", "1.1 to 2", "2 to 4", "over 4"];
/// Height of a cell, px.
const CELL: f64 = 21.0;
/// Between cells, px.
const GAP: f64 = 2.0;
/// Cells are at least so wide: five digits fit.
const NARROWEST: f64 = 38.0;
/// Labels left of the cells are at most so wide, px.
const WIDEST_LABEL: f64 = 230.0;

/// The picture of `chart`.
pub fn scene(chart: &Heat, layout: Layout) -> Scene {
    let mut scene = Scene { width: layout.width(), height: 0.0, items: Vec::new() };
    let keys: Vec<Key> = MEANINGS.iter().zip(HEAT).map(|(text, ink)| Key::area(text, ink)).collect();
    let mut y = head(&mut scene, &chart.title, &keys, 2.0) + 6.0;
    let widest = |of: &dyn Fn(&HeatRow) -> &str, bold: bool| {
        chart.rows.iter().map(|row| font::width(of(row), font::SIZE, bold)).fold(0.0, f64::max)
    };
    let (mut left, mut right) = (EDGE, scene.width - EDGE);
    if layout == Layout::Wide {
        left += widest(&|row| &row.label, true).min(WIDEST_LABEL) + 10.0;
        let note = widest(&|row| &row.note, false);
        right -= if note > 0.0 { note + 10.0 } else { 0.0 };
    }
    let shown = columns_shown(chart.columns.len(), right - left);
    let step = (right - left) / shown.len().max(1) as f64;
    let middle = |at: usize| left + (at as f64 + 0.5) * step;
    scene.text(Text::new(&chart.heading, (EDGE, y + LINE / 2.0), Anchor::Left, MUTED));
    if layout == Layout::Narrow {
        y += LINE;
    }
    for (at, &column) in shown.iter().enumerate() {
        let text = clipped(&chart.columns[column], step, false);
        scene.text(Text::new(&text, (middle(at), y + LINE / 2.0), Anchor::Middle, MUTED));
    }
    y += LINE + 4.0;
    let border = scene.width - EDGE;
    for row in &chart.rows {
        let note = |y: f64| Text::new(&row.note, (border, y), Anchor::Right, MUTED);
        if layout == Layout::Narrow {
            let room = right - left - font::width(&row.note, font::SIZE, false) - 10.0;
            let label = clipped(&row.label, room, true);
            scene.text(Text::new(&label, (EDGE, y + LINE / 2.0), Anchor::Left, INK).bold());
            scene.text(note(y + LINE / 2.0));
            y += LINE + 1.0;
        } else {
            let label = clipped(&row.label, WIDEST_LABEL, true);
            scene.text(Text::new(&label, (EDGE, y + CELL / 2.0), Anchor::Left, INK).bold());
            scene.text(note(y + CELL / 2.0));
        }
        for (at, &column) in shown.iter().enumerate() {
            let Some(cell) = row.cells.get(column).copied().flatten() else { continue };
            let (ink, text_ink) = inks(cell.value);
            let frame = Frame {
                left: left + at as f64 * step,
                top: y,
                right: left + (at as f64 + 1.0) * step - GAP,
                bottom: y + CELL,
            };
            scene.area(frame, ink, 1.0);
            let place = ((frame.left + frame.right) / 2.0, y + CELL / 2.0);
            scene.text(Text::new(&written(cell.value), place, Anchor::Middle, text_ink));
        }
        // A column that a phone has no room for answers beside the nearest that is shown: the data is of all.
        for (column, cell) in row.cells.iter().enumerate().filter_map(|(at, cell)| Some((at, (*cell)?))) {
            let nearest = shown.iter().enumerate().min_by_key(|(_, shown)| shown.abs_diff(column));
            scene.value(Value {
                at: (middle(nearest.map_or(0, |(at, _)| at)) - GAP / 2.0, y + CELL / 2.0),
                row: row.label.clone(),
                name: format!("{} {}", chart.heading, chart.columns[column]),
                value: cell.value,
                low: cell.low,
                high: cell.high,
                facts: cell.facts,
            });
        }
        y += CELL + GAP + if layout == Layout::Narrow { 5.0 } else { 0.0 };
    }
    scene.height = (y + 4.0).round();
    scene
}

/// Which columns there is room for in `width` px: all, or some with even steps, the last always among them.
fn columns_shown(count: usize, width: f64) -> Vec<usize> {
    let room = ((width / NARROWEST) as usize).max(1);
    let step = count.div_ceil(room).max(1);
    let mut shown: Vec<usize> = (0..count).rev().step_by(step).collect();
    shown.reverse();
    shown
}

/// A ratio as it stands in its cell.
fn written(value: f64) -> String {
    significant(value, if value >= 1.0 { 3 } else { 2 })
}

/// The colour of a cell and of the text in it.
fn inks(value: f64) -> (Ink, Ink) {
    let step = BOUNDS.iter().filter(|bound| value > **bound).count();
    (HEAT[step], if step == 0 || step == HEAT.len() - 1 { PAPER } else { INK })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(columns: usize) -> Heat {
        let cell = |at: usize| {
            let (value, facts) = (2f64.powi(at as i32 - 3), Facts::default());
            (at != 1).then_some(Cell { value, low: None, high: None, facts })
        };
        Heat {
            title: "times as fast".to_string(),
            heading: "n".to_string(),
            columns: (1..=columns).map(|at| (1024 * at).to_string()).collect(),
            rows: vec![HeatRow {
                label: "kernel".to_string(),
                note: "run".to_string(),
                cells: (0..columns).map(cell).collect(),
            }],
        }
    }

    #[test]
    fn every_cell_that_was_measured_has_its_number_in_it_and_the_others_are_empty() {
        let scene = scene(&chart(6), Layout::Wide);
        let texts: Vec<&str> = scene.texts().map(|text| text.text.as_str()).collect();
        for number in ["0.12", "0.5", "1", "2", "4"] {
            assert!(texts.contains(&number), "{number} in {texts:?}");
        }
        assert!(!texts.contains(&"0.25"), "{texts:?}");
        assert!(scene.texts().all(|text| scene.frame().encloses(&text.frame())));
    }

    #[test]
    fn the_same_factor_is_as_strong_a_colour_on_both_sides_of_one() {
        let step = |value: f64| HEAT.iter().position(|ink| *ink == inks(value).0).unwrap();
        for factor in [1.05, 1.5, 3.0, 8.0] {
            assert_eq!(step(factor) - 3, 3 - step(1.0 / factor), "{factor}");
        }
        assert_eq!(step(1.0), 3);
    }
}
