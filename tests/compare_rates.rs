//! How often `repro compare` is wrong, and how often it finds what is there: simulated, and held against the committed table.
//!
//! `scripts/compare-rates` makes the table anew; `WRITE_TABLE=1` writes the page from the committed table.

mod history;
mod rows;
mod simulate;
mod table;

use crate::common::part;
use repro::verify::Partition;
use rows::{Change, ROWS};
use simulate::Simulator;
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
    let page = committed("compare-rates.md");
    if std::env::var_os("WRITE_TABLE").is_some() {
        std::fs::write(&page, table::markdown(&lines)).unwrap();
    }
    let text = std::fs::read_to_string(&page).unwrap();
    assert_eq!(text, table::markdown(&lines), "WRITE_TABLE=1 writes the page from the committed table");
}

#[test]
fn where_it_is_promised_one_run_of_a_hundred_at_most_is_falsely_slower() {
    // Of a machine that was not calibrated, where its processes differ by no more than the default says. Stored runs of one whose clocks change
    // from day to day cannot be compared.
    let is_promised = |line: &&Line| {
        let is_quiet = line.own_percent <= 0.4 && (line.paired || line.shared_percent <= 0.2);
        is_quiet || line.calibrated
    };
    for line in lines().iter().filter(|line| line.change == Change::None).filter(is_promised) {
        assert!(line.trials >= 1000 && line.slower * 100 <= line.trials, "{line:?}");
    }
}

#[test]
fn in_turns_three_percent_in_all_cells_and_five_in_one_of_twenty_are_found() {
    let of = |change: Change| {
        let lines = lines();
        let found: Vec<Line> = lines
            .into_iter()
            .filter(|line| line.paired && line.change == change)
            .filter(|line| line.own_percent < 1.0)
            .collect();
        assert!(found.len() >= 2, "{change:?}");
        found
    };
    for (change, percent) in [(Change::All(3), 95), (Change::One(5), 90)] {
        for line in of(change) {
            // Of one changed cell it is that cell that counts, and no false alarm.
            let found = if matches!(change, Change::One(_)) { line.slower_cells } else { line.slower };
            assert!(found * 100 >= line.trials * percent, "{line:?}");
        }
    }
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
            assert_eq!(part, Partition::WHOLE, "the table is written whole: set REPRO_PART=1/1");
            let mut writer = csv::Writer::from_path(committed("compare-rates.csv")).unwrap();
            made.iter().for_each(|line| writer.serialize(line).unwrap());
            writer.flush().unwrap();
            std::fs::write(committed("compare-rates.md"), table::markdown(&made)).unwrap();
        }
        let committed = lines();
        assert_eq!(made, of_part.iter().map(|at| committed[*at].clone()).collect::<Vec<_>>());
    }
}
