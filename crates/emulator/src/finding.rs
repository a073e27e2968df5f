//! What the checker finds: the kinds of mistakes, and a finding with its place.

use crate::Extent;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

/// A line of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceLocation {
    /// The file's name, as its [`Source`](crate::Source) gave it.
    pub file: String,
    /// The line's number, from 1.
    pub line: u32,
    /// The line that calls the function which `line` is in, where it was inlined.
    pub called_from: Option<(String, u32)>,
}

impl SourceLocation {
    /// Whether it is the same line as another or next to it, in the same file and called from the same line.
    fn is_near(&self, other: &Self) -> bool {
        let function = |it: &Self| (it.file.clone(), it.called_from.clone());
        function(self) == function(other) && self.line.abs_diff(other.line) <= 1
    }
}

impl fmt::Display for SourceLocation {
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
    /// Two accesses of a block, one a write, with nothing to order them.
    RaceInBlock,
    /// Two accesses of two blocks of a launch, one a write, with nothing to order them.
    RaceBetweenBlocks,
    /// Two accesses of two launches on different streams, one a write, with no event between them.
    RaceBetweenLaunches,
    /// A barrier that not all threads of the block or cluster, or not all named threads of the warp, reach.
    DivergentBarrier,
    /// A read of what nothing wrote.
    Unwritten,
    /// An access to what an asynchronous copy reads or writes, with nothing to order it and the copy.
    AsyncRace,
    /// A use of an mbarrier, a named barrier or a cluster's barrier that CUDA leaves undefined.
    BarrierMisuse,
    /// A wait that never ends.
    Stuck,
    /// An operation of a warp whose mask does not fit the lanes that take part.
    WarpOperation,
    /// More threads a block than the kernel's launch bounds allow.
    LaunchBounds,
    /// A write, in the same launch, to what is read through the read-only cache.
    ReadOnly,
    /// The kernel stopped itself: an assertion that does not hold, or a trap.
    Trap,
    /// A division of an integer whose result CUDA leaves undefined: by zero, or of the least integer by -1.
    Division,
    /// More local memory than a thread has: deep or endless recursion, or large local arrays.
    LocalMemory,
    /// A launch that did not end within its limit of time, [`Options::time_limit`](crate::Options::time_limit).
    TimeLimit,
}

impl FindingKind {
    /// Whether a launch in which it is found is not run to its end.
    pub(crate) fn stops(self) -> bool {
        matches!(
            self,
            Self::OutOfBounds
                | Self::Misaligned
                | Self::BarrierMisuse
                | Self::Stuck
                | Self::WarpOperation
                | Self::DivergentBarrier
                | Self::Trap
                | Self::Division
                | Self::LocalMemory
                | Self::TimeLimit
        )
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfBounds => "access outside of every allocation",
            Self::Misaligned => "misaligned access",
            Self::RaceInBlock => "data race in a block",
            Self::RaceBetweenBlocks => "data race between blocks",
            Self::RaceBetweenLaunches => "data race between launches",
            Self::DivergentBarrier => "barrier that not all threads reach",
            Self::Unwritten => "read of memory that nothing wrote",
            Self::AsyncRace => "data race with an asynchronous copy",
            Self::BarrierMisuse => "misuse of a barrier",
            Self::Stuck => "wait that never ends",
            Self::WarpOperation => "operation of a warp with a wrong mask",
            Self::LaunchBounds => "more threads than the launch bounds allow",
            Self::ReadOnly => "read-only access to what the launch writes",
            Self::Trap => "kernel that stops itself",
            Self::Division => "integer division without a result",
            Self::LocalMemory => "more local memory than a thread has",
            Self::TimeLimit => "launch that did not end in time",
        })
    }
}

/// A mistake, where it was first seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of mistake it is.
    pub kind: FindingKind,
    /// The kernel's name.
    pub kernel: String,
    /// `blockIdx` of the thread that was first seen.
    pub block: Extent,
    /// `threadIdx` of the thread that was first seen.
    pub thread: Extent,
    /// None when the library has no line for it.
    pub place: Option<SourceLocation>,
    /// Where the other access of a race is, when it is of the same launch.
    pub other: Option<SourceLocation>,
    /// What was done to which memory, and with whose access it collides.
    pub details: String,
    /// How often the same was seen at the same lines.
    pub times: u64,
}

/// How many findings after the first are named with their places.
const OTHERS_NAMED: usize = 3;

impl Finding {
    /// The lines of its accesses, sorted: the same ones whichever of the two accesses came last.
    pub fn lines(&self) -> [Option<SourceLocation>; 2] {
        let mut lines = [self.place.clone(), self.other.clone()];
        lines.sort();
        lines
    }

    /// Whether each of its lines is near that of another finding.
    pub(crate) fn is_near(&self, other: &Self) -> bool {
        let near = |pair: (&Option<SourceLocation>, &Option<SourceLocation>)| match pair {
            (Some(one), Some(other)) => one.is_near(other),
            (one, other) => one == other,
        };
        near((&self.place, &other.place)) && near((&self.other, &other.other))
    }

    /// Findings in one line, as an error has them; None without any. One that ended its launch comes first: what was seen before it is
    /// often its consequence, such as a race where rows overlap because a thread is beyond its own. The others follow with kind and place.
    pub fn in_short(findings: &[Finding]) -> Option<String> {
        let first = findings.iter().position(|finding| finding.kind.stops()).unwrap_or(0);
        let mut text = format!("checker: {}", findings.get(first)?);
        let others = findings.iter().enumerate().filter(|(at, _)| *at != first).map(|(_, other)| other);
        for other in others.clone().take(OTHERS_NAMED) {
            let place = other.place.as_ref().map_or_else(|| "unknown line".to_string(), ToString::to_string);
            // Races of one line with several others are several.
            let with = other.other.as_ref().map_or_else(String::new, |with| format!(" with {with}"));
            let _ = write!(text, "; also: {}, {place}{with}", other.kind);
        }
        let more = others.count().saturating_sub(OTHERS_NAMED);
        if more > 0 {
            let _ = write!(text, "; and {more} more");
        }
        Some(text)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let place = self.place.as_ref().map_or_else(|| "unknown line".to_string(), ToString::to_string);
        write!(
            f,
            "{}: kernel {}, block {}, thread {}, {place}: {}",
            self.kind,
            self.kernel,
            format_extent(self.block),
            format_extent(self.thread),
            self.details
        )?;
        if self.times > 1 { write!(f, "; {} times", self.times) } else { Ok(()) }
    }
}

/// A place in x and y, and in z where it is not in the first layer.
pub(crate) fn format_extent((x, y, z): Extent) -> String {
    if z == 0 { format!("({x}, {y})") } else { format!("({x}, {y}, {z})") }
}

/// All findings of a device, with one entry for each however often it was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    known: Vec<Finding>,
}

impl Findings {
    /// Takes note of a finding, or of one more of the same kind at the same lines.
    pub fn add(&mut self, finding: Finding) {
        let same = |known: &&mut Finding| {
            (known.kind, &known.kernel, known.lines()) == (finding.kind, &finding.kernel, finding.lines())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: FindingKind, line: u32) -> Finding {
        let place = SourceLocation { file: "own.cu".into(), line, called_from: None };
        let (block, thread) = ((0, 0, 0), (1, 0, 0));
        Finding {
            kind,
            kernel: "rest".into(),
            block,
            thread,
            place: Some(place),
            other: None,
            details: "reads it".into(),
            times: 1,
        }
    }

    #[test]
    fn what_ended_a_launch_comes_first_and_the_others_are_named() {
        use FindingKind::{OutOfBounds, RaceInBlock};
        assert_eq!(Finding::in_short(&[]), None);
        assert_eq!(
            Finding::in_short(&[found(RaceInBlock, 3), found(OutOfBounds, 7)]).unwrap(),
            "checker: access outside of every allocation: kernel rest, block (0, 0), thread (1, 0), own.cu:7: reads it; \
             also: data race in a block, own.cu:3"
        );
        let many: Vec<Finding> = (0..6).map(|line| found(RaceInBlock, line)).collect();
        let many = Finding::in_short(&many).unwrap();
        assert!(many.contains("own.cu:0: reads it; also: data race in a block, own.cu:1;"), "{many}");
        assert!(many.ends_with("own.cu:3; and 2 more"), "{many}");
        // Races of one line with several others.
        let with = |line: u32| Finding { other: found(RaceInBlock, line).place, ..found(RaceInBlock, 3) };
        let several = Finding::in_short(&[3, 4, 5].map(with)).unwrap();
        let expected = "; also: data race in a block, own.cu:3 with own.cu:4; also: data race in a block, own.cu:3 with own.cu:5";
        assert!(several.ends_with(expected), "{several}");
    }
}
