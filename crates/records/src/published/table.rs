//! Tables of seconds.

use super::test::SAMPLES;
use super::{Claim, ClaimKind, Contender, EvidenceKind, Figure, PublishedNumber, PublishedPaper};
use super::{Sizes, Test, Unit};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A table of seconds by implementation and n, compared with those of scope `kernel`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedTable {
    pub id: String,
    /// Its place in the paper.
    pub place: String,
    /// The arguments of `repro run` that measure all of it.
    pub run: String,
    /// The columns that the paper solved on its CPU.
    #[serde(default)]
    pub on_cpu: Vec<String>,
    /// The seconds of each at each n, ascending.
    pub columns: BTreeMap<String, Vec<(usize, f64)>>,
}

impl PublishedTable {
    /// Whether a column was solved on the paper's CPU.
    pub fn is_on_cpu(&self, column: &str) -> bool {
        self.on_cpu.iter().any(|name| name == column)
    }

    /// The columns, the slowest first: of any two at the largest n that both have.
    pub fn by_speed(&self) -> Vec<&str> {
        let slower = |a: &str, b: &str| {
            let mut shared =
                self.columns.get(a)?.iter().rev().filter_map(|(n, a)| Some((*a, self.seconds(b, *n)?)));
            shared.next().map(|(a, b)| a > b)
        };
        let slower_than =
            |name: &str| self.columns.keys().filter(|other| slower(other, name) == Some(true)).count();
        let mut names: Vec<&str> = self.columns.keys().map(String::as_str).collect();
        names.sort_by_key(|name| slower_than(name));
        names
    }

    /// Seconds of `implementation` at `n` vertices. None where the table is blank.
    pub fn seconds(&self, implementation: &str, n: usize) -> Option<f64> {
        let column = self.columns.get(implementation)?;
        column.iter().find(|(at, _)| *at == n).map(|(_, seconds)| *seconds)
    }

    /// How many times faster one is than the other at `n` vertices. None where the table is blank.
    pub fn ratio(&self, faster: &str, slower: &str, n: usize) -> Option<f64> {
        Some(self.seconds(slower, n)? / self.seconds(faster, n)?)
    }
}

impl PublishedPaper {
    /// What the paper itself has of an implementation: a number that it states, or what follows from its tables.
    pub fn number(&self, figure: Figure, of: &str, n: Option<usize>) -> Option<f64> {
        let is_it = |one: &&PublishedNumber| {
            one.figure == figure && one.of == of && one.n.is_none_or(|at| Some(at) == n)
        };
        let seconds = || self.tables.iter().find_map(|table| table.seconds(of, n?));
        self.numbers.iter().find(is_it).map(|one| one.value).or_else(|| match figure {
            Figure::Seconds => seconds(),
            Figure::TasksASecond => Some((n? as f64).powi(3) / seconds()?),
            _ => None,
        })
    }

    /// Each column of each table but the slowest as a claim: that it is faster than the next slower one at every size that both have.
    /// Times of the paper's GPU are not comparable; this order is.
    pub fn columns_as_claims(&self) -> Vec<Claim> {
        let of_table = |table: &PublishedTable| -> Vec<Claim> {
            table.columns.keys().filter_map(|name| self.column_as_claim(table, name)).collect()
        };
        self.tables.iter().flat_map(of_table).collect()
    }

    fn column_as_claim(&self, table: &PublishedTable, name: &str) -> Option<Claim> {
        let by_speed = table.by_speed();
        let at = by_speed.iter().position(|other| *other == name)?;
        let slower = by_speed[at.checked_sub(1)?];
        let column = &table.columns[name];
        let shared: Vec<usize> =
            column.iter().map(|(n, _)| *n).filter(|n| table.seconds(slower, *n).is_some()).collect();
        let test = Test {
            pairs: vec![(Contender::plain(name), Contender::plain(slower))],
            sizes: shared.iter().map(|n| Sizes::One(*n)).collect(),
            at_least: Some(1.0),
            samples: SAMPLES,
            ..Test::default()
        };
        let seconds = || column.iter().map(|(_, seconds)| *seconds);
        Some(Claim {
            id: format!("{}-{name}", table.id),
            kind: ClaimKind::Table,
            evidence: Some(EvidenceKind::Order),
            statement: format!(
                "{name} is faster than {slower}, the next in the table, at the {} sizes from n = {} to {} that both have",
                shared.len(),
                shared.first()?,
                shared.last()?
            ),
            place: table.place.clone(),
            low: seconds().reduce(f64::min),
            high: seconds().reduce(f64::max),
            unit: Some(Unit::Seconds),
            gpu: self.cpu.clone().filter(|_| table.is_on_cpu(name)),
            tests: vec![test],
            run: Some(table.run.clone()),
            ..Claim::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Figure, PublishedPaper, published_papers};

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
        let total: f64 = table.columns.values().flatten().map(|(_, seconds)| seconds).sum();
        assert!((total - 1973.3932).abs() < 1e-3, "a transcription changed: the sum is {total}");
    }

    #[test]
    fn a_number_of_one_size_is_of_no_other_and_one_of_none_is_of_all() {
        let paper = lund_smith();
        let of = |figure| [None, Some(4096), Some(8192)].map(|n| paper.number(figure, "staged-load", n));
        assert_eq!(of(Figure::GigabytesASecond), [None, Some(36.8), None]);
        assert_eq!(of(Figure::SharedBytesOfPaper), [Some(1056.0); 3]);
    }

    /// What the paper's inconsistencies `ratios-against-table` and `cpu-at-16384` and the notes of its rates say.
    #[test]
    fn what_is_said_of_table_1_follows_from_it() {
        let paper = lund_smith();
        let table = paper.table("table1").unwrap();
        let outside = |id: &str| -> Vec<usize> {
            let claim = paper.claims.iter().find(|one| one.id == id).unwrap();
            let high = claim.high.unwrap_or(f64::INFINITY);
            let ratio = |n: usize| {
                let (faster, slower) = claim.faster.as_ref().zip(claim.slower.as_ref())?;
                let ratio = table.ratio(faster, slower, n)?;
                // Rounded as the text rounds.
                (!(claim.low.unwrap()..=high).contains(&((ratio * 10.0).round() / 10.0))).then_some(n)
            };
            table.columns["staged-load"].iter().filter_map(|&(n, _)| ratio(n)).collect()
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
}
