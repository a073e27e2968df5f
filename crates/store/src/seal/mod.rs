//! `seal.json`: what the records of a run were when they were last written, so that what was edited, removed or added since can be
//! named. It does not stop anyone from making a new seal. It shows changes by mistake, and changes that were not declared.
//!
//! While samples come, a line for each is appended to the file, since replacing it takes milliseconds; whatever else changes
//! replaces the file by the one line that they all come to.

mod check;

pub use check::SealCheck;

use crate::{SampleFile, SampleRow};
use blake3::Hash;
use repro_files::read_if_there;
use repro_types::CellId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The name of the file.
pub const SEAL: &str = "seal.json";
/// Of the layout of the file.
const SCHEMA_VERSION: u32 = 1;
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const COUNTS: &str = "counts.csv";
pub(super) const KERNELS: &str = "kernels.csv";
pub(super) const REPEATS: &str = "repeats.csv";
pub(super) const DEVICES: &str = "devices.csv";
/// The records that are written as a whole.
pub(super) const WHOLE_FILES: [&str; 5] = [MANIFEST, COUNTS, KERNELS, REPEATS, DEVICES];
/// Hexadecimal digits of a sample's own digest. It only identifies the sample that differs; the chain shows whether any does.
const SAMPLE_DIGITS: usize = 8;

/// Digest of a file that is written as a whole; none where there is no such file.
type FileDigest = Option<String>;

/// The records of a run, digested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    schema_version: u32,
    /// BLAKE3 of the header line of `samples.csv`.
    header: String,
    /// How many rows follow it.
    rows: usize,
    /// BLAKE3 of the header line, then of what this was before and the next line, line by line.
    #[serde(with = "hexadecimal")]
    chain: Hash,
    /// What each cell has, in the order of the cells.
    cells: Vec<CellSeal>,
    /// What each file that is written as a whole may be: two things while it is being replaced, else one.
    files: BTreeMap<String, Vec<FileDigest>>,
}

/// What a cell has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct CellSeal {
    #[serde(flatten)]
    cell: CellId,
    samples: usize,
    rows: usize,
    /// The start of the BLAKE3 of the lines of each sample, one after another.
    digests: String,
}

/// A sample as it is added to a seal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AddedSample {
    #[serde(flatten)]
    cell: CellId,
    rows: usize,
    digest: String,
    /// With its rows.
    #[serde(with = "hexadecimal")]
    chain: Hash,
}

impl Seal {
    /// Of a run without a sample, whose `samples.csv` begins with the line `header`.
    pub fn new(header: &[u8]) -> Self {
        let header = header.strip_suffix(b"\n").unwrap_or(header);
        let chain = blake3::hash(header);
        Self {
            schema_version: SCHEMA_VERSION,
            header: chain.to_string(),
            rows: 0,
            chain,
            cells: Vec::new(),
            files: WHOLE_FILES.iter().map(|name| (name.to_string(), vec![None])).collect(),
        }
    }

    /// Gives the seal of a run without a sample another header line.
    pub fn set_header(&mut self, header: &[u8]) {
        if self.rows == 0 {
            let files = std::mem::take(&mut self.files);
            *self = Self { files, ..Self::new(header) };
        }
    }

    /// Adds the rows of `file` from the first that the seal has not on. `rows` are all of the file.
    pub fn add_samples(&mut self, rows: &[SampleRow], file: &SampleFile) {
        let of = |row: &SampleRow| (row.cell(), row.sample);
        let from = self.rows.min(rows.len());
        let mut lines = file.lines().skip(from);
        for sample in rows[from..].chunk_by(|a, b| of(a) == of(b)) {
            let lines: Vec<&[u8]> = lines.by_ref().take(sample.len()).collect();
            self.add_sample(&sample[0].cell(), &lines);
        }
    }

    /// Adds one sample: its lines, without line ends.
    pub fn add_sample(&mut self, cell: &CellId, lines: &[&[u8]]) -> AddedSample {
        let mut chain = self.chain;
        let mut of_sample = blake3::Hasher::new();
        let lines: Vec<&[u8]> = lines.iter().flat_map(|line| line.split(|byte| *byte == b'\n')).collect();
        for line in &lines {
            chain = blake3::Hasher::new().update(chain.as_bytes()).update(line).finalize();
            of_sample.update(line).update(b"\n");
        }
        let digest = of_sample.finalize().to_hex()[..SAMPLE_DIGITS].to_string();
        let added = AddedSample { cell: cell.clone(), rows: lines.len(), digest, chain };
        self.add(&added);
        added
    }

    fn add(&mut self, added: &AddedSample) {
        self.chain = added.chain;
        self.rows += added.rows;
        let found = self.cells.binary_search_by(|known| known.cell.cmp(&added.cell));
        let at = found.unwrap_or_else(|at| {
            self.cells.insert(at, CellSeal { cell: added.cell.clone(), ..CellSeal::default() });
            at
        });
        let of_cell = &mut self.cells[at];
        of_cell.samples += 1;
        of_cell.rows += added.rows;
        of_cell.digests += &added.digest;
    }

    /// Notes that the file `name` is about to be replaced by `content`: until [`Self::replaced`] it may be either.
    pub fn replacing(&mut self, name: &str, content: &[u8]) {
        let known = self.files.entry(name.to_string()).or_insert_with(|| vec![None]);
        let new = Some(digest(content));
        if !known.contains(&new) {
            known.push(new);
        }
    }

    /// Notes that it was.
    pub fn replaced(&mut self, name: &str, content: &[u8]) {
        self.files.insert(name.to_string(), vec![Some(digest(content))]);
    }

    /// How many samples it knows of.
    pub fn samples(&self) -> usize {
        self.cells.iter().map(|cell| cell.samples).sum()
    }

    /// Reads the text of the file. A last line without a line end was torn by a kill; the sample that it is of is one that the
    /// seal does not have.
    fn parse(text: &[u8]) -> serde_json::Result<Self> {
        let mut lines = text.split_inclusive(|&byte| byte == b'\n');
        let mut seal: Self = serde_json::from_slice(lines.next().unwrap_or_default())?;
        for line in lines.filter(|line| line.ends_with(b"\n")) {
            seal.add(&serde_json::from_slice(line)?);
        }
        Ok(seal)
    }

    /// Reads the seal of the run in `folder`.
    ///
    /// # Errors
    /// The message for a run that has none, or whose file is no seal.
    pub fn read(folder: &Path) -> Result<Self, SealCheck> {
        let text = read_if_there(&folder.join(SEAL)).map_err(SealCheck::no_seal)?;
        let seal = Self::parse(&text.ok_or(SealCheck::Missing)?).map_err(SealCheck::no_seal)?;
        if seal.schema_version == SCHEMA_VERSION {
            return Ok(seal);
        }
        Err(SealCheck::no_seal(format!("schema version {} is not {SCHEMA_VERSION}", seal.schema_version)))
    }
}

fn digest(content: &[u8]) -> String {
    blake3::hash(content).to_string()
}

/// Hashes as hexadecimal text.
mod hexadecimal {
    use blake3::Hash;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        Hash::from_hex(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
