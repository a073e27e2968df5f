//! What a run found out about its host, in words.

use crate::show::grid::digits;
use crate::store::HostFinding;
use crate::timing::LOADED;
use repro_types::CellId;

/// Stands behind a time that was measured under load.
pub(super) const UNDER_LOAD: &str = "†";

/// How many cells a sentence names.
const NAMED: usize = 4;

/// A share in percent, as it is told.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A sentence for each kind of load, and one for each n and graph at which all cores were slower than one.
pub fn findings(all: &[HostFinding]) -> Vec<String> {
    let (mut before, mut under, mut slower) = (Vec::new(), Vec::new(), Vec::new());
    for finding in all {
        match finding {
            HostFinding::BusyBefore { cell, others_load } => before.push((cell, *others_load)),
            HostFinding::UnderLoad { cell, others_load } => under.push((cell, *others_load)),
            HostFinding::AllCoresSlower { cell, all_cores_s, one_core_s } => slower.push(format!(
                "All cores of this host were slower than one: {cell} took {} s, on one core {} s. They are shared with others, or fewer than \
                 they seem.",
                digits(*all_cores_s),
                digits(*one_core_s)
            )),
        }
    }
    let limit = percent(LOADED);
    let mut told = Vec::new();
    if !under.is_empty() {
        told.push(format!(
            "{UNDER_LOAD} was measured under load: others used more than {limit} of the time of the cores that it was solved on: {}.",
            cells(under)
        ));
    }
    if !before.is_empty() {
        told.push(format!("Others used as much of them before these were begun: {}.", cells(before)));
    }
    told.extend(slower);
    told
}

/// The cells with the highest loads, and how many more there are.
fn cells(mut loads: Vec<(&CellId, f64)>) -> String {
    loads.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = loads.iter().take(NAMED).map(|(cell, load)| format!("{cell} ({})", percent(*load)));
    let mut told: Vec<String> = named.collect();
    if loads.len() > NAMED {
        told.push(format!("and {} more", loads.len() - NAMED));
    }
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::cell;
    use super::*;

    #[test]
    fn the_highest_loads_are_named_and_the_others_counted() {
        let load =
            |n: usize| HostFinding::UnderLoad { cell: cell("cpu-naive", "", n), others_load: 0.1 * n as f64 };
        let told = findings(&(2..9).map(load).collect::<Vec<_>>());
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("more than 10% of the time"), "{told:?}");
        assert!(told[0].ends_with("cpu-naive n = 8 (80%), cpu-naive n = 7 (70%), cpu-naive n = 6 (60%), cpu-naive n = 5 (50%), and 3 more."), "{told:?}");
    }

    #[test]
    fn every_kind_of_finding_has_its_sentence() {
        let of = cell("cpu-parallel", "", 64);
        let all = [
            HostFinding::BusyBefore { cell: of.clone(), others_load: 0.5 },
            HostFinding::UnderLoad { cell: of.clone(), others_load: 0.25 },
            HostFinding::AllCoresSlower { cell: of, all_cores_s: 5.0, one_core_s: 3.0 },
        ];
        let told = findings(&all);
        assert_eq!(told.len(), 3);
        assert!(told[1].contains("before these were begun: cpu-parallel n = 64 (50%)"), "{told:?}");
        assert!(told[2].contains("cpu-parallel n = 64 took 5.000 s, on one core 3.000 s"), "{told:?}");
        assert!(findings(&[]).is_empty());
    }
}
