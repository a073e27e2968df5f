//! What a run found out about its host: circumstances under which times on the CPU mean less than they seem to.

use super::summary::SummaryRow;
use crate::timing::LOADED;
use repro_types::CellId;
use serde::{Deserialize, Serialize};

/// The CPU's columns, of which one solves on one core and the other on all.
const ON_ONE: &str = "cpu-naive";
const ON_ALL: &str = "cpu-parallel";

/// Where one core takes less than this, waking the others may take longer than they save, on any host.
const WORTH_SHARING_S: f64 = 0.01;

/// One finding. Loads are shares of the time of the cores that the cell is solved on, which others can exceed on other cores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum HostFinding {
    /// Others used the host when a cell was begun.
    BusyBefore {
        #[serde(flatten)]
        cell: CellId,
        others_load: f64,
    },
    /// They did while a sample of the cell was taken; the most over one.
    UnderLoad {
        #[serde(flatten)]
        cell: CellId,
        others_load: f64,
    },
    /// A solve on all cores took longer than one of the same graph on one core.
    AllCoresSlower {
        #[serde(flatten)]
        cell: CellId,
        all_cores_s: f64,
        one_core_s: f64,
    },
}

impl HostFinding {
    /// Everything that follows from the summary of a run, after what was `noted` while it went on and follows from no record.
    pub fn of_run(noted: &[Self], summary: &[SummaryRow]) -> Vec<Self> {
        let noted = noted.iter().filter(|finding| matches!(finding, Self::BusyBefore { .. })).cloned();
        noted
            .chain(summary.iter().filter_map(Self::under_load))
            .chain(summary.iter().filter_map(|row| Self::all_cores_slower(row, summary)))
            .collect()
    }

    fn under_load(row: &SummaryRow) -> Option<Self> {
        let others_load = row.under_load()?;
        Some(Self::UnderLoad { cell: row.cell(), others_load })
    }

    /// Of the rows on one core, which may differ in whether their times are estimates, the slowest must be beaten.
    fn all_cores_slower(row: &SummaryRow, summary: &[SummaryRow]) -> Option<Self> {
        let all_cores_s = row.median_s.filter(|_| row.implementation == ON_ALL)?;
        let of_same = summary.iter().filter(|one| (one.implementation.as_str(), one.n) == (ON_ONE, row.n));
        let of_same = of_same.filter(|one| one.graph == row.graph).filter_map(|one| one.median_s);
        let one_core_s = of_same.reduce(f64::max).filter(|seconds| *seconds >= WORTH_SHARING_S)?;
        (all_cores_s > one_core_s).then(|| Self::AllCoresSlower { cell: row.cell(), all_cores_s, one_core_s })
    }
}

/// Whether others used so much that a solve is timed with them.
pub fn is_loaded(others_load: f64) -> bool {
    others_load > LOADED
}

#[cfg(test)]
mod tests {
    use super::super::{SampleRow, Status, Verification, summarize};
    use super::*;
    use crate::timing::Seconds;

    fn row(implementation: &str, n: usize, graph: &str, seconds: f64, loads: &[Option<f64>]) -> SummaryRow {
        let cell = CellId::new(implementation, n, "", graph);
        let samples = loads.iter().enumerate().flat_map(|(sample, &others_load)| {
            let row = SampleRow {
                verified: true,
                verification: Some(Verification::EXACT),
                others_load,
                ..SampleRow::without_time(&cell, sample, Status::Ok, "")
            };
            row.every_scope(&Seconds::same(seconds))
        });
        summarize(std::slice::from_ref(&cell), &samples.collect::<Vec<_>>(), &|_| None).remove(0)
    }

    #[test]
    fn all_cores_are_slower_where_they_take_longer_on_the_same_graph_and_it_is_worth_sharing() {
        let found = |rows: &[SummaryRow]| HostFinding::of_run(&[], rows);
        let [one, all] = [(ON_ONE, 3.0), (ON_ALL, 5.0)].map(|(name, s)| row(name, 4096, "g", s, &[None]));
        let expected = HostFinding::AllCoresSlower { cell: all.cell(), all_cores_s: 5.0, one_core_s: 3.0 };
        assert_eq!(found(&[one.clone(), all.clone()]), [expected]);
        let faster = row(ON_ALL, 4096, "g", 2.0, &[None]);
        let other_graph = row(ON_ALL, 4096, "h", 5.0, &[None]);
        let other_n = row(ON_ALL, 2048, "g", 5.0, &[None]);
        assert_eq!(found(&[one, faster, other_graph, other_n]), []);
        // So few vertices are shared in vain on any host.
        assert_eq!(found(&[row(ON_ONE, 8, "", 1e-6, &[None]), row(ON_ALL, 8, "", 1e-5, &[None])]), []);
    }

    #[test]
    fn one_loaded_sample_marks_its_cell_and_records_of_before_say_nothing() {
        let loaded = row(ON_ONE, 64, "", 1.0, &[Some(0.05), Some(0.3), None, Some(0.2)]);
        let quiet = row(ON_ONE, 65, "", 1.0, &[Some(0.05), Some(0.1)]);
        let old = row(ON_ONE, 66, "", 1.0, &[None, None]);
        assert_eq!([&loaded, &quiet, &old].map(|row| row.others_load), [Some(0.3), Some(0.1), None]);
        let cell = loaded.cell();
        let found = HostFinding::of_run(&[], &[loaded, quiet, old]);
        assert_eq!(found, [HostFinding::UnderLoad { cell, others_load: 0.3 }]);
    }

    #[test]
    fn what_was_noted_stays_and_what_follows_from_records_is_found_again() {
        let cell = CellId::new(ON_ONE, 64, "", "");
        let before = HostFinding::BusyBefore { cell: cell.clone(), others_load: 0.5 };
        let stale = HostFinding::UnderLoad { cell, others_load: 0.5 };
        let noted = vec![before.clone(), stale];
        assert_eq!(HostFinding::of_run(&noted, &[]), noted[..1]);
        let text = serde_json::to_string(&before).unwrap();
        assert!(
            text.starts_with(r#"{"finding":"busy-before","implementation":"cpu-naive","n":64"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<HostFinding>(&text).unwrap(), before);
    }
}
