//! What the digests of right results say of later results of the same graph.

use crate::distributed::solver::{DEVICES, ROWS};
use crate::plan::Variant;

/// How a result was computed, as far as that decides where its sums are rounded: equal ones give the same bits of every graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounding(Variant);

impl Rounding {
    /// That of `variant`. Its parameters that only share the work out are left out: on any number of devices each entry is made of the same
    /// sums.
    pub fn of(variant: &Variant) -> Self {
        let shares_out = |name: &str| [DEVICES, ROWS].iter().any(|parameter| parameter.name == name);
        let (_, parameters) = variant.parameters.clone().split(shares_out);
        Self(Variant { parameters, ..variant.clone() })
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
        let must_equal = |known: &EarlierResult| exact && known.exact || known.rounding == rounding;
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
    use crate::implementation::{ImplementationRef, Parameters};

    fn whole(parameters: Parameters) -> Rounding {
        Rounding::of(&Variant { implementation: ImplementationRef::find("distributed-blocked"), parameters })
    }

    #[test]
    fn rounded_results_agree_on_any_number_of_devices_of_one_depth_and_exact_ones_whatever_they_come_from() {
        let on = |devices| whole(Parameters::from([("devices", devices), ("rows", 1)]));
        let deeper = || whole(Parameters::from([("depth", 2)]));
        for steps in [
            vec![(on(1), false, 7, true), (on(1), false, 7, true), (on(1), false, 8, false)],
            vec![(on(1), false, 7, true), (on(2), false, 8, false), (on(2), false, 7, true)],
            vec![(on(1), false, 7, true), (deeper(), false, 8, true), (on(4), false, 7, true)],
            vec![(on(1), true, 7, true), (deeper(), true, 8, false), (deeper(), true, 7, true)],
        ] {
            let mut digests = Digests::default();
            for (at, (rounding, is_exact, digest, agrees)) in steps.into_iter().enumerate() {
                assert_eq!(digests.agree(rounding, is_exact, digest), agrees, "{at}");
            }
        }
    }
}
