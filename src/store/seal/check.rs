//! Records held against their seal.

use super::{CellSeal, SAMPLE_DIGITS, Seal, WHOLE_FILES, digest_of};
use crate::store::{SampleFile, SampleRow};
use repro_types::CellId;
use std::fmt;
use std::path::Path;

/// The result of checking the records of a run against its seal.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum SealCheck {
    /// They are as they were written.
    Sound,
    /// There is no seal.
    #[default]
    Missing,
    /// They are not. At least one.
    Broken(Vec<Breach>),
}

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq)]
pub enum Breach {
    /// `seal.json` itself is no seal.
    NoSeal(String),
    Unreadable {
        file: &'static str,
        problem: String,
    },
    Edited(&'static str),
    Removed(&'static str),
    Added(&'static str),
    /// The header of `samples.csv`.
    Header,
    Count {
        cell: CellId,
        sealed: usize,
        found: usize,
    },
    /// A cell's sample, counted from 0.
    Sample {
        cell: CellId,
        sample: usize,
    },
    /// Every sample is there, in another order.
    Order,
    /// Bytes after the last whole sample of a finished run.
    Trailing(usize),
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoSeal(problem) => write!(f, "seal.json cannot be read ({problem})"),
            Self::Unreadable { file, problem } => write!(f, "{file} cannot be read ({problem})"),
            Self::Edited(file) => write!(f, "{file} was edited"),
            Self::Removed(file) => write!(f, "{file} was removed"),
            Self::Added(file) => write!(f, "{file} was added"),
            Self::Header => f.write_str("the header of samples.csv was edited"),
            Self::Count { cell, sealed, found } => {
                write!(f, "{cell} has {found} samples in place of {sealed}")
            }
            Self::Sample { cell, sample } => write!(f, "sample {sample} of {cell} was edited"),
            Self::Order => f.write_str("the samples are in another order"),
            Self::Trailing(bytes) => write!(f, "samples.csv has {bytes} bytes after its last sample"),
        }
    }
}

impl fmt::Display for SealCheck {
    /// After the run's name: what is the matter, without a remedy.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        /// More would be a page.
        const MOST: usize = 4;
        match self {
            Self::Sound => f.write_str("is as it was written"),
            Self::Missing => f.write_str(
                "has no seal.json: it was measured before runs had seals, or the seal was removed",
            ),
            Self::Broken(breaches) => {
                f.write_str("is not as it was written: ")?;
                for (at, breach) in breaches.iter().take(MOST).enumerate() {
                    write!(f, "{}{breach}", if at == 0 { "" } else { ", " })?;
                }
                match breaches.len().saturating_sub(MOST) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more such things"),
                }
            }
        }
    }
}

impl SealCheck {
    pub fn is_sound(&self) -> bool {
        *self == Self::Sound
    }

    /// Holds the records in `folder` against `seal`, which was read before them. `newer` was read after them: a run that goes on
    /// meanwhile may have added to both.
    ///
    /// A run that has not `finished` may have one sample more than its seal: a kill between the two leaves it.
    pub fn of(
        folder: &Path,
        seal: Option<Result<Seal, String>>,
        newer: Option<Result<Seal, String>>,
        samples: &SampleFile,
        finished: bool,
    ) -> Self {
        let (seal, newer) = match (seal, newer) {
            (None, _) | (_, None) => return Self::Missing,
            (Some(Err(problem)), _) | (_, Some(Err(problem))) => {
                return Self::Broken(vec![Breach::NoSeal(problem)]);
            }
            (Some(Ok(seal)), Some(Ok(newer))) => (seal, newer),
        };
        let mut breaches: Vec<Breach> =
            WHOLE_FILES.iter().filter_map(|name| file_breach(folder, name, [&seal, &newer])).collect();
        breaches.extend(sample_breaches(&seal, newer.samples(), samples, finished));
        if breaches.is_empty() { Self::Sound } else { Self::Broken(breaches) }
    }
}

fn file_breach(folder: &Path, name: &'static str, seals: [&Seal; 2]) -> Option<Breach> {
    let found = match digest_of(&folder.join(name)) {
        Ok(found) => found,
        Err(error) => return Some(Breach::Unreadable { file: name, problem: error.to_string() }),
    };
    let mut allowed = seals.iter().filter_map(|seal| seal.files.get(name)).flatten();
    if allowed.clone().any(|one| *one == found) {
        return None;
    }
    let was_there = allowed.any(Option::is_some);
    match (was_there, found) {
        (false, None) => None,
        (false, Some(_)) => Some(Breach::Added(name)),
        (true, None) => Some(Breach::Removed(name)),
        (true, Some(_)) => Some(Breach::Edited(name)),
    }
}

fn sample_breaches(seal: &Seal, known: usize, file: &SampleFile, finished: bool) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let mut beginning = Seal::new(file.header());
    // As long as there is no sample, a kill leaves any part of the header, and a newer build may write another.
    let has_no_sample = seal.rows == 0 && file.rows.is_empty() && !finished;
    if beginning.header != seal.header && !has_no_sample {
        breaches.push(Breach::Header);
    }
    beginning.add_samples(&file.rows[..seal.rows.min(file.rows.len())], file);
    let begins_alike = seal.rows == 0 || beginning.chain == seal.chain;
    let more = count_samples(&file.rows[beginning.rows..]);
    let may_have_more = if finished { 0 } else { 1 + known.saturating_sub(seal.samples()) };
    if !begins_alike || more > may_have_more {
        let mut found = Seal::new(file.header());
        found.add_samples(&file.rows, file);
        breaches.extend(cell_breaches(seal, &found));
        if breaches.is_empty() {
            breaches.push(Breach::Order);
        }
    }
    if breaches.is_empty() && beginning.rows == seal.rows && beginning.cells != seal.cells {
        breaches.push(Breach::NoSeal("what it says of its cells is not what its rows say".into()));
    }
    if finished && !file.torn().is_empty() {
        breaches.push(Breach::Trailing(file.torn().len()));
    }
    breaches
}

fn count_samples(rows: &[SampleRow]) -> usize {
    let of = |row: &SampleRow| (row.cell(), row.sample);
    let begins = |pair: &[SampleRow]| of(&pair[0]) != of(&pair[1]);
    usize::from(!rows.is_empty()) + rows.windows(2).filter(|pair| begins(pair)).count()
}

/// What each cell has too few, too many or else than it had: the first of its samples that differs, where as many are there.
fn cell_breaches(seal: &Seal, found: &Seal) -> Vec<Breach> {
    let none = CellSeal::default();
    let mut cells: Vec<&CellId> = seal.cells.keys().chain(found.cells.keys()).collect();
    cells.sort_unstable();
    cells.dedup();
    let breach = |cell: &CellId| {
        let [was, is] = [seal, found].map(|of| of.cells.get(cell).unwrap_or(&none));
        if was.samples != is.samples {
            return Some(Breach::Count { cell: cell.clone(), sealed: was.samples, found: is.samples });
        }
        let digests = |of: &CellSeal| -> Vec<Vec<u8>> {
            of.digests.as_bytes().chunks(SAMPLE_DIGITS).map(<[u8]>::to_vec).collect()
        };
        let differs = digests(was).iter().zip(digests(is)).position(|(was, is)| *was != is)?;
        Some(Breach::Sample { cell: cell.clone(), sample: differs })
    };
    cells.into_iter().filter_map(breach).collect()
}
