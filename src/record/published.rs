//! Numbers that papers published, as typed data from `experiments/published/`.

use include_dir::{Dir, include_dir};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

static PUBLISHED: Dir = include_dir!("$CARGO_MANIFEST_DIR/experiments/published");

/// One paper's tables and stated speed-ups.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedPaper {
    pub id: String,
    pub title: String,
    pub authors: String,
    pub year: u32,
    /// Where to find it.
    pub reference: String,
    pub gpu: String,
    pub cpu: String,
    #[serde(default)]
    pub tables: Vec<PublishedTable>,
    #[serde(default)]
    pub speedups: Vec<Speedup>,
    #[serde(default)]
    pub structural: Vec<StructuralClaim>,
}

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
}

/// A statement about how a kernel uses memory, which can be counted without its GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StructuralClaim {
    pub id: String,
    /// In our words.
    pub statement: String,
    pub place: String,
    pub implementation: String,
    pub kernel: String,
    pub figure: Figure,
    /// What it is compared with, where the figure is a ratio.
    pub over: Option<KernelName>,
    /// The least and the most that the statement allows; equal where it names a number.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A kernel of an implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelName {
    pub implementation: String,
    pub kernel: String,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// Bytes of global memory that threads load and store, a task of the kernel.
    GlobalBytesATask,
    /// That of `over`, divided by that of the kernel.
    GlobalBytesCut,
    /// Shared memory a block on the paper's GPU, with what that GPU adds, bytes.
    SharedBytes,
    /// Blocks a multiprocessor of the paper's GPU holds by shared memory alone.
    ResidentBlocksByShared,
    /// The most steps that a half-warp's load takes over 16 banks: 1 without conflicts.
    WorstLoadSteps16,
    /// Bytes loaded over bytes of the sectors they lie in: 1 when coalesced.
    LoadSectorsUsed,
}

impl PublishedPaper {
    pub fn table(&self, id: &str) -> Option<&PublishedTable> {
        self.tables.iter().find(|table| table.id == id)
    }
}

impl PublishedTable {
    pub fn seconds(&self, implementation: &str, n: usize) -> Option<f64> {
        self.columns.get(implementation)?.get(&n).copied()
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

/// All embedded papers.
///
/// # Errors
/// The file and what is wrong with it: a defect of this build, which a test guards against.
pub fn published_papers() -> Result<Vec<PublishedPaper>, String> {
    PUBLISHED
        .files()
        .map(|file| {
            let text = file.contents_utf8().unwrap_or_default();
            toml::from_str(text).map_err(|error| format!("{}: {error}", file.path().display()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_1_has_its_55_cells() {
        let papers = published_papers().unwrap();
        let paper = papers.iter().find(|paper| paper.id == "lund-smith-2010").unwrap();
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
}
