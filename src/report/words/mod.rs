//! The English of verdicts, made last: every value that a rule found becomes a sentence here, and no sentence is read back.

mod comparison;
mod figure;
mod finding;
mod lack;
mod place;
mod published;
mod reason;
mod remark;
mod sensitivity;

pub use comparison::compared_as;
pub use figure::{measured, power_of_ten};
pub use finding::finding;
pub use place::{contender, place};
pub use published::{published, statement};
pub use reason::reason;
pub use sensitivity::sensitivity;

use crate::claims::{Effect, Share};
use crate::published::EvidenceKind;
pub use crate::store::spelled as kernel;

/// The kind of evidence in a word or two.
pub fn evidence(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::Construction => "by construction",
        EvidenceKind::Order => "order",
        EvidenceKind::Magnitude => "magnitude",
    }
}

/// In how many comparisons it holds.
pub fn share(share: Share) -> String {
    format!("holds in {} of {}", share.held, share.of)
}

/// Measured over published: as a factor, and as its logarithm with the interval.
pub fn effect(effect: Effect) -> String {
    format!(
        "{} times what is published; log-ratio {:+.2} [{:+.2}, {:+.2}]",
        crate::show::digits(effect.ratio()),
        effect.log_ratio,
        effect.low,
        effect.high
    )
}

/// A sentence: its first letter large unless it begins with a name, and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
