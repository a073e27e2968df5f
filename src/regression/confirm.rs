//! A second run before anything is called slower.

use super::compare::{CellComparison, Comparison};
use super::rule::{Verdict, Why};
use crate::timing::Estimate;
use repro_types::CellId;

impl Comparison {
    /// The cells that look slower, and so are worth another run. What is wrong once is wrong.
    pub fn to_confirm(&self) -> Vec<CellId> {
        let slower = self.cells.iter().filter(|cell| cell.verdict == Verdict::Slower);
        let mut cells: Vec<CellId> = slower.map(|cell| cell.cell.clone()).collect();
        cells.sort();
        cells.dedup();
        cells
    }

    /// What is left after another run of [`Self::to_confirm`]: SLOWER only where that run was slower, too. What it has not, because
    /// it was stopped, stays as it was.
    pub fn confirmed_by(mut self, again: &Comparison) -> Self {
        for cell in self.cells.iter_mut().filter(|cell| cell.verdict == Verdict::Slower) {
            let of_same = |other: &&CellComparison| other.cell == cell.cell;
            let Some(second) = again.cells.iter().find(of_same) else { continue };
            if second.verdict.is_regression() {
                cell.verdict = cell.verdict.min(second.verdict);
                cell.reason = confirmed(second.seconds);
            } else {
                cell.reason = not_confirmed(cell.verdict, second.verdict, second.seconds);
                (cell.verdict, cell.why) = match second.verdict {
                    // Fresh processes found nothing, and their ratio is the one that says so.
                    Verdict::Same => (Verdict::Same, None),
                    _ => (Verdict::Noisy, Some(Why::Other)),
                };
                if cell.verdict == Verdict::Same {
                    (cell.seconds, cell.cycles) = (second.seconds, second.cycles);
                }
            }
        }
        self.settled()
    }
}

fn confirmed(ratio: Option<Estimate>) -> String {
    match ratio {
        Some(ratio) => format!("again when run once more: {:.4}", ratio.value),
        None => "again when run once more".to_string(),
    }
}

fn not_confirmed(first: Verdict, second: Verdict, ratio: Option<Estimate>) -> String {
    let found = match ratio {
        Some(ratio) => format!("{second}, {:.4}", ratio.value),
        None => second.to_string(),
    };
    format!("{first} at first, not confirmed by another run ({found})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regression::CellKind;
    use crate::regression::Ending;
    use crate::timing::Scope;

    fn cell(n: usize, verdict: Verdict, value: f64) -> CellComparison {
        CellComparison {
            run_pair: 0,
            experiment: "e".into(),
            cell: CellId { implementation: "a".into(), n, ..CellId::default() },
            kind: CellKind::of(true, n),
            scope: Scope::Kernel,
            verdict,
            why: None,
            reason: String::new(),
            base: None,
            new: None,
            seconds: Some(Estimate::exact(value)),
            cycles: None,
            threshold: Some(0.01),
            paired: true,
        }
    }

    #[test]
    fn a_wrong_result_needs_no_second_one() {
        let first = comparison(vec![cell(1, Verdict::Failed, 1.0)]);
        assert_eq!(first.to_confirm(), []);
        let again = comparison(vec![cell(1, Verdict::Same, 1.0)]);
        assert_eq!(first.confirmed_by(&again).tally(), [(Verdict::Failed, 1)]);
        let broke = comparison(vec![cell(1, Verdict::Slower, 1.1)]).confirmed_by(&comparison(vec![cell(
            1,
            Verdict::Failed,
            1.0,
        )]));
        assert_eq!(broke.tally(), [(Verdict::Failed, 1)]);
    }

    fn comparison(cells: Vec<CellComparison>) -> Comparison {
        Comparison {
            schema_version: 1,
            scope: Scope::Kernel,
            confidence: 0.95,
            ending: Ending::Noisy,
            kinds: Vec::new(),
            advice: Vec::new(),
            runs: Vec::new(),
            notes: Vec::new(),
            cells,
        }
    }

    #[test]
    fn only_what_is_slower_twice_stays_slower() {
        let slower = |n| cell(n, Verdict::Slower, 1.1);
        let first = comparison(vec![slower(1), slower(2), slower(3), cell(4, Verdict::Same, 1.0)]);
        assert_eq!(first.to_confirm().iter().map(|cell| cell.n).collect::<Vec<_>>(), [1, 2, 3]);
        let again = comparison(vec![slower(1), cell(2, Verdict::Same, 1.001)]);
        let confirmed = first.confirmed_by(&again);
        let of = |n| confirmed.cells.iter().find(|cell| cell.cell.n == n).unwrap();
        assert_eq!(
            (of(1).verdict, of(2).verdict, of(3).verdict),
            (Verdict::Slower, Verdict::Same, Verdict::Slower)
        );
        assert!(of(1).reason.contains("again when run once more: 1.1000"));
        assert!(of(2).reason.contains("SLOWER at first, not confirmed by another run (SAME, 1.0010)"));
        assert_eq!(confirmed.tally(), [(Verdict::Slower, 2), (Verdict::Same, 2)]);
    }
}
