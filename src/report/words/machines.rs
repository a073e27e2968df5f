//! Several machines side by side, in words.

use super::list;
use crate::judge::{ClaimRow, Verdict};

/// How the verdicts of the machines that compared something stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// All have this verdict, or say this together.
    Same(Verdict),
    Different,
}

impl Agreement {
    /// The agreement of the verdicts on a claim. None if no machine compared anything.
    pub fn of(row: &ClaimRow) -> Option<Self> {
        let compared = row.results.iter().map(|result| result.verdict).filter(|one| one.is_decided());
        compared.clone().next()?;
        Some(Verdict::common(compared).map_or(Self::Different, Self::Same))
    }

    /// The words before a list of statements with this agreement.
    pub fn lead(self) -> &'static str {
        match self {
            Self::Same(Verdict::Reproduced) => "Still true:",
            Self::Same(Verdict::Exceeds) => "More than that here:",
            Self::Same(Verdict::HoldsWhereDecided) => "True where it can be told:",
            Self::Same(Verdict::InPart) => "True in part:",
            Self::Same(Verdict::Differs) => "Not true here:",
            Self::Same(Verdict::FailsWhereDecided) => "Not true where it can be told:",
            Self::Same(Verdict::Ambiguous) => "Too close to tell:",
            Self::Same(Verdict::NotMeasured | Verdict::NotComparable) => "Not tested here:",
            Self::Different => "The GPUs' verdicts differ:",
        }
    }
}

/// A machine's label without its maker and its memory: `H100` of `NVIDIA H100 80GB HBM3`.
pub fn short_label(label: &str) -> String {
    let is_model = |word: &&str| !word.ends_with("GB") && !word.starts_with("HBM");
    let words = label.strip_prefix("NVIDIA ").unwrap_or(label).split(' ');
    words.filter(is_model).collect::<Vec<_>>().join(" ")
}

/// Whether the machines that a claim was judged on agree, in a word. None if there is one machine, or if none compared anything.
pub fn agreement(row: &ClaimRow) -> Option<String> {
    let agreement = Agreement::of(row)?;
    let compared = row.results.iter().filter(|result| result.verdict.is_decided());
    let labels: Vec<String> = compared.map(|result| short_label(&result.machine)).collect();
    let word = match agreement {
        Agreement::Different => "disagree".to_string(),
        Agreement::Same(_) if labels.len() == row.results.len() => "agree".to_string(),
        Agreement::Same(_) => format!("{} alone", list(&labels)),
    };
    (row.results.len() > 1).then_some(word)
}
