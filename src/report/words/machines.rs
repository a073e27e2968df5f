//! Several machines side by side, in words.

use super::list;
use crate::judge::{ClaimRow, Verdict};
use crate::report::model::Hardware;
use crate::show::digits;

/// How the verdicts of several machines stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// All have this one.
    Same(Verdict),
    /// All that compared something have this one.
    SameWhereCompared(Verdict),
    Different,
}

impl Agreement {
    /// Of one verdict a machine. None where nothing was compared on any.
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Option<Self> {
        let (compared, others): (Vec<Verdict>, Vec<Verdict>) =
            verdicts.into_iter().partition(|verdict| verdict.is_decided());
        let first = *compared.first()?;
        Some(match (compared.iter().all(|verdict| *verdict == first), others.is_empty()) {
            (false, _) => Self::Different,
            (true, true) => Self::Same(first),
            (true, false) => Self::SameWhereCompared(first),
        })
    }
}

/// A machine's label without its maker and its memory: `H100` of `NVIDIA H100 80GB HBM3`.
pub fn short_label(label: &str) -> String {
    let is_model = |word: &&str| !word.ends_with("GB") && !word.starts_with("HBM");
    let words = label.strip_prefix("NVIDIA ").unwrap_or(label).split(' ');
    words.filter(is_model).collect::<Vec<_>>().join(" ")
}

/// Whether the machines that a claim was judged on agree, in a word; None where one was, or none compared anything.
pub fn agreement(row: &ClaimRow) -> Option<String> {
    if row.results.len() < 2 {
        return None;
    }
    let compared = row.results.iter().filter(|result| result.verdict.is_decided());
    Some(match Agreement::of(row.results.iter().map(|result| result.verdict))? {
        Agreement::Same(_) => "agree".to_string(),
        Agreement::Different => "disagree".to_string(),
        Agreement::SameWhereCompared(_) => {
            let labels: Vec<String> = compared.map(|result| short_label(&result.machine)).collect();
            format!("{} alone", list(&labels))
        }
    })
}

/// In what the GPUs of the machines are alike and in what they differ; empty where fewer than two are known.
pub fn differences(of: &[Hardware]) -> String {
    if of.len() < 2 {
        return String::new();
    }
    let names: Vec<String> = of.iter().map(|one| short_label(&one.label)).collect();
    let facts: [(&str, Vec<String>); 4] = [
        ("multiprocessors", of.iter().map(|one| one.multiprocessors.to_string()).collect()),
        ("MHz at most", of.iter().map(|one| one.clock_mhz.to_string()).collect()),
        ("MiB of L2 cache", of.iter().map(|one| one.l2_mib.to_string()).collect()),
        ("GB/s by a copy in memory", of.iter().map(|one| digits(one.copy_gbs.round())).collect()),
    ];
    let (alike, other): (Vec<_>, Vec<_>) =
        facts.into_iter().partition(|(_, values)| values.iter().all(|value| *value == values[0]));
    let alike: Vec<String> = alike.iter().map(|(what, values)| format!("{} {what}", values[0])).collect();
    let other: Vec<String> = other.iter().map(|(what, values)| format!("{} {what}", list(values))).collect();
    let names = list(&names);
    match (alike.is_empty(), other.is_empty()) {
        (_, true) => format!("{names} have {} alike.", list(&alike)),
        (true, _) => format!("{names} have {}.", other.join("; ")),
        _ => format!("{names} all have {}. In this order they have {}.", list(&alike), other.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::Agreement::{self, Different, Same, SameWhereCompared};
    use crate::judge::Verdict::{Differs, InPart, NotComparable, NotMeasured, Reproduced};

    #[test]
    fn machines_that_compared_nothing_neither_agree_nor_disagree() {
        assert_eq!(Agreement::of([]), None);
        assert_eq!(Agreement::of([NotMeasured, NotComparable]), None);
        assert_eq!(Agreement::of([NotMeasured, Differs]), Some(SameWhereCompared(Differs)));
        assert_eq!(Agreement::of([Reproduced, Reproduced]), Some(Same(Reproduced)));
        assert_eq!(Agreement::of([Reproduced, InPart]), Some(Different));
        assert_eq!(Agreement::of([Reproduced, NotMeasured, Differs]), Some(Different));
    }
}
