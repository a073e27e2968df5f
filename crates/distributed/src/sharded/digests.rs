//! What the digests of right results say of later results of the same graph.

use crate::solver::{DEVICES, ROWS};
use repro_plan::Variant;

/// How a result was computed, as far as that decides where its sums are rounded.
#[derive(Clone, Debug, PartialEq)]
pub enum Rounding {
    /// From the graph on, by this variant. Its parameters that only share the work out are left out: on any number of devices each entry
    /// is made of the same sums.
    Whole(Variant),
    /// From a checkpoint on, which a solve with other rounds may have written.
    Continued,
}

impl Rounding {
    /// That of a solve by `variant` from vertex `start` on.
    pub fn of(variant: &Variant, start: usize) -> Self {
        if start > 0 {
            return Self::Continued;
        }
        let shares_out = |name: &str| [DEVICES, ROWS].iter().any(|parameter| parameter.name == name);
        let (_, parameters) = variant.parameters.clone().split(shares_out);
        Self::Whole(Variant { parameters, ..variant.clone() })
    }

    /// Whether both give the same bits of every graph.
    fn is_that_of(&self, other: &Self) -> bool {
        matches!(self, Self::Whole(_)) && self == other
    }
}

/// The digests of results of one graph whose compared rows were right.
#[derive(Default)]
pub struct Digests(Vec<EarlierResult>);

struct EarlierResult {
    rounding: Rounding,
    /// Whether no sum of the compared rows is rounded.
    exact: bool,
    digest: u64,
}

impl Digests {
    /// Whether a result agrees with every earlier one that must have the same bits, and then remembers it. Those are all where nothing is
    /// rounded, and otherwise those that are rounded in the same way.
    pub fn agree(&mut self, rounding: Rounding, exact: bool, digest: u64) -> bool {
        let must_equal = |known: &EarlierResult| exact && known.exact || known.rounding.is_that_of(&rounding);
        if self.0.iter().any(|known| must_equal(known) && known.digest != digest) {
            return false;
        }
        // A result like an earlier one says nothing new.
        if !self.0.iter().any(|known| known.exact == exact && known.rounding == rounding) {
            self.0.push(EarlierResult { rounding, exact, digest });
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_solvers::{Named, Parameters};

    fn whole(parameters: Parameters) -> Rounding {
        Rounding::of(&Variant { implementation: Named::find("distributed-blocked"), parameters }, 0)
    }

    fn on(devices: u32) -> Rounding {
        whole(Parameters::from([("devices", devices), ("rows", 1)]))
    }

    #[test]
    fn rounded_results_agree_on_any_number_of_devices() {
        let mut digests = Digests::default();
        assert!(digests.agree(on(1), false, 7));
        assert!(digests.agree(on(1), false, 7));
        assert!(!digests.agree(on(1), false, 8));
        assert!(!digests.agree(on(2), false, 8));
        assert!(digests.agree(on(2), false, 7));
    }

    #[test]
    fn rounded_results_of_other_depths_or_from_a_checkpoint_may_differ() {
        let mut digests = Digests::default();
        assert!(digests.agree(on(1), false, 7));
        assert!(digests.agree(whole(Parameters::from([("depth", 2)])), false, 8));
        let continued = || {
            let variant = Variant {
                implementation: Named::find("distributed-blocked"),
                parameters: Parameters::default(),
            };
            Rounding::of(&variant, 1024)
        };
        assert!(digests.agree(continued(), false, 9));
        assert!(digests.agree(continued(), false, 10));
        assert!(digests.agree(on(4), false, 7));
    }

    #[test]
    fn exact_results_agree_whatever_they_come_from() {
        let mut digests = Digests::default();
        assert!(digests.agree(on(1), true, 7));
        assert!(!digests.agree(whole(Parameters::from([("depth", 2)])), true, 8));
        assert!(!digests.agree(Rounding::Continued, true, 8));
        assert!(digests.agree(Rounding::Continued, true, 7));
    }
}
