//! What a verdict depends on.

use crate::judge::{ClaimResult, OWN_NUMBERS, Perturbation, VerdictFlip};

/// Whether the verdict would be another with the noise halved or doubled, or with a bound of ours or what rounding allows moved by a
/// half; empty where there is no verdict.
pub fn sensitivity(result: &ClaimResult) -> String {
    // What a paper prints has no noise, and no change was tried on it.
    if !result.verdict.is_decided() || result.machine == OWN_NUMBERS {
        return String::new();
    }
    let same =
        "Stays the same with the noise halved or doubled, and with every bound of ours moved by a half.";
    match &result.sensitivity[..] {
        [] => same.to_string(),
        flips => format!("Would be {}.", flips.iter().map(flip).collect::<Vec<_>>().join("; ")),
    }
}

fn flip(of: &VerdictFlip) -> String {
    let with = match of.change {
        Perturbation::Noise(factor) if factor < 1.0 => "half the noise".to_string(),
        Perturbation::Noise(_) => "twice the noise".to_string(),
        Perturbation::Ours(factor) => format!("our bounds {factor} times as far from equality"),
        Perturbation::Rounding(factor) => format!("{factor} times what rounding allows"),
    };
    format!("{} with {with}", of.verdict)
}
