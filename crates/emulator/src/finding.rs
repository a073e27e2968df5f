//! What the checker found, in words.

use crate::Extent;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A line of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    pub line: u32,
    /// The line that called the inlined function which the first is in.
    pub called_from: Option<(String, u32)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match &self.called_from {
            Some((file, line)) => write!(f, " (called from {file}:{line})"),
            None => Ok(()),
        }
    }
}

/// The kinds of mistakes that the checker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// An access that is in no allocation and no shared memory.
    OutOfBounds,
    /// An access at an address that is no multiple of its size, where a GPU faults.
    Misaligned,
    /// Two accesses of a block, one a write, with no barrier between them.
    RaceInBlock,
    /// Two accesses of two blocks of a launch, one a write.
    RaceBetweenBlocks,
    /// A barrier that not all threads of the block, or not all named threads of the warp, reach.
    DivergentBarrier,
    /// A read of what nothing wrote.
    Unwritten,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfBounds => "access outside of every allocation",
            Self::Misaligned => "misaligned access",
            Self::RaceInBlock => "data race in a block",
            Self::RaceBetweenBlocks => "data race between blocks",
            Self::DivergentBarrier => "barrier that not all threads reach",
            Self::Unwritten => "read of memory that nothing wrote",
        })
    }
}

/// A mistake, where it was first seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    pub kernel: String,
    pub block: Extent,
    pub thread: Extent,
    /// None when the library has no line for it.
    pub place: Option<Place>,
    /// What was done to what, and with whom it collides.
    pub details: String,
    /// How often the same was seen at the same place.
    pub times: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let place = self.place.as_ref().map_or_else(|| "unknown line".to_string(), ToString::to_string);
        write!(
            f,
            "{}: kernel {}, block {}, thread {}, {place}: {}",
            self.kind,
            self.kernel,
            spelled(self.block),
            spelled(self.thread),
            self.details
        )?;
        if self.times > 1 { write!(f, "; {} times", self.times) } else { Ok(()) }
    }
}

/// A place in x and y, and in z where it is not in the first layer.
pub(crate) fn spelled((x, y, z): Extent) -> String {
    if z == 0 { format!("({x}, {y})") } else { format!("({x}, {y}, {z})") }
}

/// All findings of a device, one an entry however often it was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    known: Vec<Finding>,
}

impl Findings {
    /// Takes note of a finding, or of one more of the same kind at the same line.
    pub fn add(&mut self, finding: Finding) {
        let same = |known: &&mut Finding| {
            (known.kind, &known.kernel, &known.place) == (finding.kind, &finding.kernel, &finding.place)
        };
        match self.known.iter_mut().find(same) {
            Some(known) => known.times += finding.times,
            None => self.known.push(finding),
        }
    }

    pub fn take(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.known)
    }
}
