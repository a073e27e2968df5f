//! What several machines say of a claim together.

use super::Verdict;

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

#[cfg(test)]
mod tests {
    use super::Agreement::{self, Different, Same, SameWhereCompared};
    use super::Verdict::{Differs, InPart, NotComparable, NotMeasured, Reproduced};

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
