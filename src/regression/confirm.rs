//! A second run before anything is called slower or faster.

use super::compare::{CellComparison, Comparison};
use super::rule::{NoisyReason, Verdict};
use crate::report::text::ratio;
use repro_types::CellId;

impl Comparison {
    /// The cells that look slower or faster, and so are worth another run. What is wrong once is wrong.
    pub fn to_confirm(&self) -> Vec<CellId> {
        let mut cells: Vec<CellId> =
            self.cells.iter().filter(|cell| is_suspect(cell)).map(|cell| cell.cell.clone()).collect();
        cells.sort();
        cells.dedup();
        cells
    }

    /// What is left after another run of [`Self::to_confirm`]: SLOWER and FASTER only where that run says the same. What it has not,
    /// because it was stopped, stays as it was.
    pub fn confirmed_by(mut self, again: &Comparison) -> Self {
        for cell in self.cells.iter_mut().filter(|cell| is_suspect(cell)) {
            let Some(second) = again.cells.iter().find(|other| other.cell == cell.cell) else { continue };
            let found = second.seconds.map(|times| ratio(times.value));
            if second.verdict == cell.verdict || second.verdict == Verdict::Failed {
                cell.verdict = second.verdict;
                cell.reason = match second.verdict {
                    Verdict::Failed => format!("when run once more: {}", second.reason),
                    _ => format!("again when run once more: {}", found.unwrap_or_default()),
                };
                continue;
            }
            let found = [Some(second.verdict.to_string()), found];
            let found = found.into_iter().flatten().collect::<Vec<_>>().join(", ");
            cell.reason = format!("{} at first, not confirmed by another run ({found})", cell.verdict);
            (cell.verdict, cell.why) = (Verdict::Noisy, Some(NoisyReason::Other));
            // Fresh processes found nothing, and their ratio is the one that says so.
            if second.verdict == Verdict::Same {
                (cell.verdict, cell.why) = (Verdict::Same, None);
                (cell.seconds, cell.cycles) = (second.seconds, second.cycles);
                (cell.base, cell.new) = (second.base, second.new);
            }
        }
        self.settled()
    }
}

fn is_suspect(cell: &CellComparison) -> bool {
    matches!(cell.verdict, Verdict::Slower | Verdict::Faster)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regression::CellKind;
    use crate::regression::Ending;
    use crate::timing::{Estimate, Scope};

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
            tasks: (n as f64).powi(3),
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
        assert!(broke.cells[0].reason.starts_with("when run once more: "), "{}", broke.cells[0].reason);
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
    fn only_what_is_slower_or_faster_twice_stays_so() {
        let slower = |n| cell(n, Verdict::Slower, 1.1);
        let faster = |n| cell(n, Verdict::Faster, 0.9);
        let same = |n| cell(n, Verdict::Same, 1.001);
        let first = [slower(1), slower(2), slower(3), cell(4, Verdict::Same, 1.0), faster(5), faster(6)];
        let first = comparison([&first[..], &[faster(7)]].concat());
        assert_eq!(first.to_confirm().iter().map(|cell| cell.n).collect::<Vec<_>>(), [1, 2, 3, 5, 6, 7]);
        let again = comparison(vec![slower(1), same(2), faster(5), same(6), slower(7)]);
        let confirmed = first.confirmed_by(&again);
        let of = |n| confirmed.cells.iter().find(|cell| cell.cell.n == n).unwrap();
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 7].map(|n| of(n).verdict),
            [
                Verdict::Slower,
                Verdict::Same,
                Verdict::Slower,
                Verdict::Same,
                Verdict::Faster,
                Verdict::Same,
                Verdict::Noisy
            ]
        );
        assert!(of(1).reason.contains("again when run once more: 1.1000"));
        assert!(of(2).reason.contains("SLOWER at first, not confirmed by another run (SAME, 1.0010)"));
        assert!(of(7).reason.contains("FASTER at first, not confirmed by another run (SLOWER, 1.1000)"));
        assert_eq!(confirmed.ending, Ending::Slower);
    }
}
