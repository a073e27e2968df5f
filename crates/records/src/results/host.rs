//! What follows from the times of a run about its host.

use crate::results::SummaryRow;
use crate::store::HostFinding;

/// The CPU's columns, of which one solves on one core and the other on all.
const ON_ONE: &str = "cpu-naive";
const ON_ALL: &str = "cpu-parallel";

/// Where one core takes less than this, waking the others may take longer than they save, on any host.
const WORTH_SHARING_S: f64 = 0.01;

/// Everything that follows from the summary of a run, after what was `noted` while it went on and follows from no record.
pub fn host_findings(noted: &[HostFinding], summary: &[SummaryRow]) -> Vec<HostFinding> {
    let under_load =
        |row: &SummaryRow| Some(HostFinding::UnderLoad { cell: row.cell(), others_load: row.under_load()? });
    let noted = noted.iter().filter(|finding| matches!(finding, HostFinding::BusyBefore { .. })).cloned();
    noted
        .chain(summary.iter().filter_map(under_load))
        .chain(summary.iter().filter_map(|row| all_cores_slower(row, summary)))
        .collect()
}

/// Of the rows on one core, which may differ in whether their times are estimates, the slowest must be beaten.
fn all_cores_slower(row: &SummaryRow, summary: &[SummaryRow]) -> Option<HostFinding> {
    let all_cores_s = row.median_s.filter(|_| row.implementation == ON_ALL)?;
    let of_same = summary.iter().filter(|one| (one.implementation.as_str(), one.n) == (ON_ONE, row.n));
    let of_same = of_same.filter(|one| one.graph == row.graph).filter_map(|one| one.median_s);
    let one_core_s = of_same.reduce(f64::max).filter(|seconds| *seconds >= WORTH_SHARING_S)?;
    let cell = row.cell();
    (all_cores_s > one_core_s).then_some(HostFinding::AllCoresSlower { cell, all_cores_s, one_core_s })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{CellFacts, Times};
    use crate::store::{SampleRow, Status, Verification};
    use repro_base::CellId;
    use repro_timing::Seconds;

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
        summarized(std::slice::from_ref(&cell), &samples.collect::<Vec<_>>(), &|_| None).remove(0)
    }

    fn summarized(
        cells: &[CellId],
        samples: &[SampleRow],
        published: &dyn Fn(&CellId) -> Option<f64>,
    ) -> Vec<SummaryRow> {
        let times = Times::of(samples);
        let of_cell = |cell: &CellId| CellFacts { published_s: published(cell), ..CellFacts::default() };
        cells.iter().filter_map(|cell| SummaryRow::of(cell, &times, samples, of_cell(cell))).collect()
    }

    #[test]
    fn all_cores_are_slower_where_they_take_longer_on_the_same_graph_and_it_is_worth_sharing() {
        let found = |rows: &[SummaryRow]| host_findings(&[], rows);
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
        let found = host_findings(&[], &[loaded, quiet, old]);
        assert_eq!(found, [HostFinding::UnderLoad { cell, others_load: 0.3 }]);
    }
}
