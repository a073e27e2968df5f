//! What turns words of a paper into numbers, and by how much a verdict depends on it.

use super::Verdict;
use serde::Serialize;
use std::cell::RefCell;

/// A number of ours that stands for a word of a paper, or the n from which on something is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// "No gain", "nearly the same", "very little": more than the noise, less than anybody would call a gain. Relative.
    Hardly,
    /// "Significant": a difference that somebody would act on. Relative.
    Significant,
    /// "Depends weakly on": what may change while n doubles and work grows eightfold. Relative.
    Weakly,
    /// Clocks that "agree" differ by less. Relative.
    Agree,
    /// "Absurdly long": at least so many times as long as it takes.
    Inflated,
    /// "Large n": launches no longer outweigh their work.
    LargeN,
    /// "Small n": a solve is a few launches.
    SmallN,
    /// What a figure of another GPU may be away from ours and still be of its size. Relative.
    SameSize,
    /// "Limited by": at least this share of what the limit allows.
    Limits,
    /// What rounding allows, in halves of a unit of the last digit.
    Rounding,
}

impl Threshold {
    pub const ALL: [Threshold; 10] = [
        Threshold::Hardly,
        Threshold::Significant,
        Threshold::Weakly,
        Threshold::Agree,
        Threshold::Inflated,
        Threshold::LargeN,
        Threshold::SmallN,
        Threshold::SameSize,
        Threshold::Limits,
        Threshold::Rounding,
    ];

    /// Where nothing is moved.
    pub fn usual(self) -> f64 {
        match self {
            Self::Hardly | Self::Significant => 0.05,
            Self::Weakly => 0.5,
            Self::Agree => 0.02,
            Self::Inflated => 2.0,
            Self::LargeN => 1024.0,
            Self::SmallN => 64.0,
            Self::SameSize => 0.25,
            Self::Limits => 0.5,
            Self::Rounding => 1.0,
        }
    }
}

/// A threshold that a rule asked for, with its value there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reading {
    pub threshold: Threshold,
    pub value: f64,
}

/// What is changed to see whether a verdict stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Every interval, the machine's noise included, is so many times as wide.
    Noise(f64),
    /// A threshold is at so many times its usual value.
    Moved(Threshold, f64),
}

/// A change after which the verdict is another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Turn {
    pub change: Change,
    pub verdict: Verdict,
}

/// The thresholds of one evaluation. It remembers which a rule asked for.
#[derive(Debug, Default)]
pub struct Settings {
    moved: Option<(Threshold, f64)>,
    asked: RefCell<Vec<Reading>>,
}

impl Settings {
    /// As usual, but for one threshold at `factor` times its usual value.
    pub fn moved(threshold: Threshold, factor: f64) -> Self {
        Self { moved: Some((threshold, factor)), ..Self::default() }
    }

    pub fn get(&self, threshold: Threshold) -> f64 {
        let factor = self.moved.filter(|(moved, _)| *moved == threshold).map_or(1.0, |(_, factor)| factor);
        let reading = Reading { threshold, value: threshold.usual() * factor };
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&reading) {
            asked.push(reading);
        }
        reading.value
    }

    /// What was asked for so far, each once, in that order.
    pub fn asked(&self) -> Vec<Reading> {
        self.asked.borrow().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_threshold_moves_and_what_was_asked_for_is_known() {
        let settings = Settings::moved(Threshold::Agree, 0.5);
        assert_eq!(settings.get(Threshold::Agree), 0.01);
        assert_eq!(settings.get(Threshold::LargeN), 1024.0);
        assert_eq!(settings.get(Threshold::Agree), 0.01);
        let asked: Vec<Threshold> = settings.asked().iter().map(|one| one.threshold).collect();
        assert_eq!(asked, [Threshold::Agree, Threshold::LargeN]);
    }
}
