//! How often `repro compare` is wrong, and how often it finds what is there: simulated, and held against the committed table.
//!
//! `scripts/compare-rates` makes the table anew.

mod before;
mod rows;
mod simulate;
mod table;

use crate::common::part;
use repro::verify::Part;
use rows::{Change, ROWS};
use simulate::{Simulator, Tally};
use std::path::{Path, PathBuf};
use table::Line;

/// Of each row, so many trials are done again in every run of the tests.
const AGAIN: u64 = 6;
/// And so many stand behind the table.
const TRIALS: u64 = 1000;

fn committed(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(file)
}

fn lines() -> Vec<Line> {
    let mut reader = csv::Reader::from_path(committed("compare-rates.csv")).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn the_committed_table_is_of_these_rows_and_of_this_rule() {
    let (lines, simulator) = (lines(), Simulator::new());
    assert_eq!(lines.len(), ROWS.len(), "scripts/compare-rates makes the table anew");
    for (at, (row, line)) in ROWS.iter().zip(&lines).enumerate() {
        let again = simulator.tally(at, row, 0..AGAIN);
        let made = Line::new(row, &line.tally(), &again);
        assert_eq!(&made, line, "row {}: scripts/compare-rates makes the table anew", at + 1);
    }
    let text = std::fs::read_to_string(committed("compare-rates.md")).unwrap();
    assert_eq!(text, table::markdown(&lines), "scripts/compare-rates makes the table anew");
}

#[test]
fn in_every_row_one_run_of_a_hundred_at_most_is_falsely_slower() {
    for line in lines().iter().filter(|line| line.change == Change::None) {
        assert!(line.trials >= 1000 && line.after_slower * 100 <= line.trials, "{line:?}");
    }
}

#[test]
fn three_percent_in_all_cells_are_found_with_a_history_and_undecided_without() {
    let of = |history: usize| {
        let is_it = |line: &&Line| {
            let noise = (line.within_percent, line.own_percent, line.shared_percent);
            (line.change, noise) == (Change::All(3), (1.0, 0.0, 0.0))
                && (line.cells, line.samples, line.history, line.paired) == (20, 6, history, false)
        };
        lines().iter().find(is_it).unwrap().clone()
    };
    for history in [5, 10] {
        let line = of(history);
        assert!(line.after_slower * 100 >= line.trials * 95, "{line:?}");
    }
    let line = of(1);
    assert!(line.after_untold * 100 >= line.trials * 99, "{line:?}");
}

#[test]
fn a_change_of_every_cell_is_nothing_else_than_a_change_of_every_cell() {
    let simulator = Simulator::new();
    let at = ROWS.iter().position(|row| row.change == Change::All(30)).unwrap();
    let Tally { after, .. } = simulator.tally(at, &ROWS[at], 0..3);
    assert_eq!(after.slower, 3);
}

mod long {
    use super::*;

    /// Whole it takes two minutes and more: `scripts/compare-rates` writes what it finds, and without that it has to be what is committed.
    #[test]
    #[ignore = "long"]
    fn the_whole_table_comes_out_again() {
        let (simulator, part) = (Simulator::new(), part());
        let line = |at: usize| {
            let row = &ROWS[at];
            let (again, all) = (simulator.tally(at, row, 0..AGAIN), simulator.tally(at, row, 0..TRIALS));
            Line::new(row, &all, &again)
        };
        let of_part: Vec<usize> = (0..ROWS.len()).filter(|at| part.has(*at)).collect();
        let made: Vec<Line> = of_part.iter().map(|at| line(*at)).collect();
        if std::env::var_os("REPRO_WRITE_RATES").is_some() {
            assert_eq!(part, Part::WHOLE, "the table is written whole: set REPRO_PART=1/1");
            let mut writer = csv::Writer::from_path(committed("compare-rates.csv")).unwrap();
            made.iter().for_each(|line| writer.serialize(line).unwrap());
            writer.flush().unwrap();
            std::fs::write(committed("compare-rates.md"), table::markdown(&made)).unwrap();
        }
        let committed = lines();
        assert_eq!(made, of_part.iter().map(|at| committed[*at].clone()).collect::<Vec<_>>());
    }
}
