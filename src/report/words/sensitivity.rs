//! What a verdict depends on.

use super::comparison::threshold;
use crate::claims::{Change, ClaimResult, Turn};

/// Whether the verdict would be another with the noise halved or doubled, or with any threshold moved by a half; empty where there
/// is no verdict.
pub fn sensitivity(result: &ClaimResult) -> String {
    if !result.verdict.is_decided() {
        return String::new();
    }
    match &result.turns[..] {
        [] => "Stays the same with the noise halved or doubled, and with every reading of a word moved by a half."
            .to_string(),
        turns => format!("Would be {}.", turns.iter().map(turn).collect::<Vec<_>>().join("; ")),
    }
}

fn turn(of: &Turn) -> String {
    let with = match of.change {
        Change::Noise(factor) if factor < 1.0 => "half the noise".to_string(),
        Change::Noise(_) => "twice the noise".to_string(),
        Change::Moved(which, factor) => {
            format!("'{}' at {factor} times its value", threshold(which))
        }
    };
    format!("{} with {with}", of.verdict)
}
