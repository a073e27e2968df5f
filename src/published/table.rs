//! Tables of seconds, and the ratios of their columns that a text states.

use super::claim::check_cause;
use super::{Claim, ClaimKind, EvidenceKind, PublishedCause, Source, Unit, check_range, check_text};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// A table of seconds by implementation and n.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    pub id: String,
    /// Its place in the paper.
    pub place: String,
    pub unit: String,
    /// The scope that it is compared with.
    pub scope: String,
    #[serde(default)]
    pub notes: Vec<String>,
    /// The columns that the paper solved on its CPU.
    #[serde(default)]
    pub on_cpu: Vec<String>,
    #[serde(deserialize_with = "columns_by_number")]
    pub columns: BTreeMap<String, BTreeMap<usize, f64>>,
}

/// A statement that one implementation is so many times faster than another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speedup {
    pub id: String,
    pub faster: String,
    pub slower: String,
    pub low: f64,
    /// None when the paper gives a lower bound alone.
    pub high: Option<f64>,
    pub place: String,
    /// Which ends of the range are ours, where the paper leaves them open.
    pub reading: Option<String>,
    /// Why it comes out otherwise on a GPU of today.
    pub cause: Option<PublishedCause>,
    /// Whether the paper stands or falls with it.
    #[serde(default)]
    pub headline: bool,
}

impl PublishedTable {
    /// Whether a column was solved on the paper's CPU.
    pub fn is_on_cpu(&self, column: &str) -> bool {
        self.on_cpu.iter().any(|name| name == column)
    }

    /// Seconds of `implementation` at `n` vertices. None where the table is blank.
    pub fn seconds(&self, implementation: &str, n: usize) -> Option<f64> {
        self.columns.get(implementation)?.get(&n).copied()
    }

    /// How many times faster one is than the other at `n` vertices. None where the table is blank.
    pub fn ratio(&self, faster: &str, slower: &str, n: usize) -> Option<f64> {
        Some(self.seconds(slower, n)? / self.seconds(faster, n)?)
    }
}

impl Speedup {
    /// `5 to 6.5`, or `over 150` where the paper gives a lower bound alone.
    pub fn range(&self) -> String {
        match self.high {
            Some(high) => format!("{} to {high}", self.low),
            None => format!("over {}", self.low),
        }
    }

    /// The same as one of the claims.
    pub fn as_claim(&self) -> Claim {
        Claim {
            id: self.id.clone(),
            kind: ClaimKind::Ratio,
            evidence: EvidenceKind::Magnitude,
            statement: String::new(),
            short: None,
            place: self.place.clone(),
            source: Source::Text,
            implementation: None,
            value: None,
            low: Some(self.low),
            high: self.high,
            floor: false,
            unit: Some(Unit::Times),
            gpu: None,
            scope: None,
            scope_note: None,
            faster: Some(self.faster.clone()),
            slower: Some(self.slower.clone()),
            speed_up: false,
            n: None,
            from_n: None,
            note: None,
            reading: self.reading.clone(),
            tested_by: Vec::new(),
            cause: self.cause.clone(),
            headline: self.headline,
        }
    }

    /// What the types cannot express.
    pub(super) fn check(&self) -> Result<(), String> {
        let what = format!("speed-up '{}'", self.id);
        check_text(&what, &self.faster, &self.place)?;
        check_range(&what, Some(self.low), self.high)?;
        check_cause(&what, self.cause.as_ref(), self.headline)
    }
}

/// TOML keys are strings; sizes are numbers.
fn columns_by_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, BTreeMap<usize, f64>>, D::Error> {
    let text = BTreeMap::<String, BTreeMap<String, f64>>::deserialize(deserializer)?;
    text.into_iter()
        .map(|(name, column)| {
            let column = column
                .into_iter()
                .map(|(n, seconds)| {
                    let n = n.parse().map_err(|_| {
                        serde::de::Error::custom(format!("'{n}' is not a number of vertices"))
                    })?;
                    Ok((n, seconds))
                })
                .collect::<Result<_, _>>()?;
            Ok((name, column))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{PublishedPaper, published_papers, tests::refused};
    use super::*;

    fn lund_smith() -> PublishedPaper {
        published_papers().unwrap().into_iter().find(|paper| paper.id == "lund-smith-2010").unwrap()
    }

    #[test]
    fn table_1_has_its_55_cells() {
        let paper = lund_smith();
        let table = paper.table("table1").unwrap();
        let counts: Vec<(&str, usize)> =
            table.columns.iter().map(|(name, column)| (name.as_str(), column.len())).collect();
        assert_eq!(
            counts,
            [
                ("cpu-naive", 4),
                ("harish-narayanan", 7),
                ("katz-kider", 12),
                ("optimized-blocked", 15),
                ("staged-load", 17)
            ]
        );
        assert_eq!(table.seconds("staged-load", 16384), Some(53.02));
        assert_eq!(table.seconds("harish-narayanan", 7168), None);
        let total: f64 = table.columns.values().flat_map(BTreeMap::values).sum();
        assert!((total - 1973.3932).abs() < 1e-3, "a transcription changed: the sum is {total}");
    }

    /// What the paper's inconsistencies `ratios-against-table` and `cpu-at-16384` and the notes of its rates say.
    #[test]
    fn what_is_said_of_table_1_follows_from_it() {
        let paper = lund_smith();
        let table = paper.table("table1").unwrap();
        let outside = |id: &str| -> Vec<usize> {
            let claim = paper.speedups.iter().find(|one| one.id == id).unwrap();
            let high = claim.high.unwrap_or(f64::INFINITY);
            let ratio = |n: usize| {
                let ratio = table.seconds(&claim.slower, n)? / table.seconds(&claim.faster, n)?;
                // Rounded as the text rounds.
                (!(claim.low..=high).contains(&((ratio * 10.0).round() / 10.0))).then_some(n)
            };
            table.columns["staged-load"].keys().filter_map(|&n| ratio(n)).collect()
        };
        assert_eq!(outside("kk-over-hn"), [1024, 2048]);
        assert_eq!(outside("opt-over-kk"), [1024, 3072]);
        assert_eq!(outside("staged-over-opt"), [1024, 2048, 3072, 4096]);
        assert_eq!(outside("staged-over-kk"), [1024, 2048, 4096]);
        assert_eq!(outside("staged-over-cpu"), [1024, 2048]);
        assert_eq!(table.seconds("cpu-naive", 16384), None);
        for (name, rate) in [("harish-narayanan", "2.6"), ("katz-kider", "14.9"), ("staged-load", "73.6")] {
            let tasks = 4096.0_f64.powi(3) / table.seconds(name, 4096).unwrap();
            assert_eq!(format!("{:.1}", tasks * 1e-9), rate, "{name}");
        }
    }

    #[test]
    fn a_range_the_wrong_way_round_is_refused() {
        let text =
            "[[speedups]]\nid = \"a\"\nfaster = \"f\"\nslower = \"s\"\nlow = 2\nhigh = 1\nplace = \"P\"\n";
        assert!(refused(text).contains("speed-up 'a': low = 2 is above high = 1"));
    }
}
