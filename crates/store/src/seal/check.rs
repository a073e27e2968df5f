//! Records held against their seal.

use super::{CellSeal, SAMPLE_DIGITS, Seal, WHOLE_FILES, digest};
use crate::SampleFile;
use repro_files::read_if_there;
use repro_types::CellId;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// The result of checking the records of a run against its seal.
#[derive(Clone, Debug, PartialEq)]
pub enum SealCheck {
    /// They are as they were written.
    Sound,
    /// There is no seal.
    Missing,
    /// They are not: what differs, thing by thing. At least one.
    Broken(Vec<String>),
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
                let (named, more) = breaches.split_at(breaches.len().min(MOST));
                write!(f, "is not as it was written: {}", named.join(", "))?;
                match more.len() {
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

    /// Of a run whose `seal.json` itself is no seal.
    pub(super) fn no_seal(problem: impl fmt::Display) -> Self {
        Self::Broken(vec![format!("seal.json cannot be read ({problem})")])
    }

    /// Holds the records in `folder` against `seal`, which was read before them. `newer` was read after them: a run that goes on
    /// meanwhile may have added to both.
    ///
    /// A run that has not `finished` may have one sample more than its seal: a kill between the two leaves it.
    pub fn of(
        folder: &Path,
        seal: &Result<Seal, Self>,
        newer: &Result<Seal, Self>,
        samples: &SampleFile,
        finished: bool,
    ) -> Self {
        let (seal, newer) = match (seal, newer) {
            (Ok(seal), Ok(newer)) => (seal, newer),
            (Err(check), _) | (_, Err(check)) => return check.clone(),
        };
        let mut breaches: Vec<String> =
            WHOLE_FILES.iter().filter_map(|name| file_breach(folder, name, [seal, newer])).collect();
        breaches.extend(sample_breaches(seal, newer.samples(), samples, finished));
        if breaches.is_empty() { Self::Sound } else { Self::Broken(breaches) }
    }
}

fn file_breach(folder: &Path, name: &str, seals: [&Seal; 2]) -> Option<String> {
    let found = match read_if_there(&folder.join(name)) {
        Ok(content) => content.map(|content| digest(&content)),
        Err(error) => return Some(format!("{name} cannot be read ({error})")),
    };
    let mut allowed = seals.iter().filter_map(|seal| seal.files.get(name)).flatten();
    if allowed.clone().any(|one| *one == found) {
        return None;
    }
    match (allowed.any(Option::is_some), found.is_some()) {
        (false, false) => None,
        (false, true) => Some(format!("{name} was added")),
        (true, false) => Some(format!("{name} was removed")),
        (true, true) => Some(format!("{name} was edited")),
    }
}

/// `known` is how many samples a newer seal has.
fn sample_breaches(seal: &Seal, known: usize, file: &SampleFile, finished: bool) -> Vec<String> {
    let mut breaches = Vec::new();
    let mut beginning = Seal::new(file.header());
    let mut whole = beginning.clone();
    // As long as there is no sample, a kill leaves any part of the header, and a newer build may write another.
    let has_no_sample = seal.rows == 0 && file.rows.is_empty() && !finished;
    if beginning.header != seal.header && !has_no_sample {
        breaches.push("the header of samples.csv was edited".to_string());
    }
    beginning.add_samples(&file.rows[..seal.rows.min(file.rows.len())], file);
    whole.add_samples(&file.rows, file);
    let begins_alike = seal.rows == 0 || beginning.chain == seal.chain;
    let may_have_more = if finished { 0 } else { 1 + known.saturating_sub(seal.samples()) };
    if !begins_alike || whole.samples() > beginning.samples() + may_have_more {
        breaches.extend(cell_breaches(seal, &whole));
        if breaches.is_empty() {
            breaches.push("the samples are in another order".to_string());
        }
    }
    if breaches.is_empty() && (beginning.rows, &beginning.cells) != (seal.rows, &seal.cells) {
        let problem = "what it says of its cells is not what its rows say";
        breaches.push(format!("seal.json cannot be read ({problem})"));
    }
    if finished && !file.torn().is_empty() {
        breaches.push(format!("samples.csv has {} bytes after its last sample", file.torn().len()));
    }
    breaches
}

/// What each cell has too few, too many or else than it had: the first of its samples that differs, where as many are there.
fn cell_breaches(seal: &Seal, found: &Seal) -> Vec<String> {
    let none = CellSeal::default();
    let cells: BTreeSet<&CellId> = seal.cells.iter().chain(&found.cells).map(|known| &known.cell).collect();
    let breach = |cell: &CellId| {
        let [was, is] =
            [seal, found].map(|of| of.cells.iter().find(|known| known.cell == *cell).unwrap_or(&none));
        if was.samples != is.samples {
            return Some(format!("{cell} has {} samples in place of {}", is.samples, was.samples));
        }
        let [was, is] = [was, is].map(|of| of.digests.as_bytes().chunks(SAMPLE_DIGITS));
        let differs = was.zip(is).position(|(was, is)| was != is)?;
        Some(format!("sample {differs} of {cell} was edited"))
    };
    cells.into_iter().filter_map(breach).collect()
}
