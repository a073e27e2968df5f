//! What is seen of a run while it goes on: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use super::output::message;
use crate::measure::Observer;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use repro_confine::without_controls;
use std::io::{IsTerminal, Write};

/// Writes to standard error, so that standard output holds the result alone.
pub enum Progress {
    Quiet,
    Lines,
    Bar { bar: ProgressBar, units: String, is_counting: bool },
}

impl Progress {
    /// A bar counts `units`, for example cells.
    pub fn new(quiet: bool, units: &str) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        set_style(&bar, units, false);
        bar.enable_steady_tick(std::time::Duration::from_millis(250));
        Self::Bar { bar, units: units.to_string(), is_counting: false }
    }

    /// Leaves the terminal as it was.
    pub fn finish(&self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn note(&mut self, line: &str) {
        match self {
            Self::Quiet => {}
            // A reader of standard error that left is no reason to stop measuring.
            Self::Lines => drop(writeln!(std::io::stderr(), "{}", message(line))),
            Self::Bar { bar, .. } => bar.println(message(line)),
        }
    }

    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        let Self::Bar { bar, units, is_counting } = self else { return };
        if *is_counting != (of > 0) {
            *is_counting = of > 0;
            set_style(bar, units, *is_counting);
        }
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        bar.set_prefix(remaining_s.filter(|_| done > 0).map(remaining).unwrap_or_default());
        bar.set_message(without_controls(doing));
    }
}

fn set_style(bar: &ProgressBar, units: &str, is_counting: bool) {
    // The template is a constant; indicatif's own one serves if it should ever be refused.
    if let Ok(style) = ProgressStyle::with_template(&template(units, is_counting)) {
        bar.set_style(style);
    }
}

/// What a bar shows. Before there is something to count it would be full: none of none is done.
fn template(units: &str, is_counting: bool) -> String {
    if is_counting {
        format!("{{bar:24}} {{pos}}/{{len}} {units}  {{prefix}}{{msg}}")
    } else {
        "{spinner} {msg}".to_string()
    }
}

fn remaining(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("about {seconds:.0} s left  ")
    } else {
        format!("about {:.0} min left  ", seconds / 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_bar_before_there_is_something_to_count() {
        let bar = || ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        let mut progress = Progress::Bar { bar: bar(), units: "cells".into(), is_counting: false };
        let mut is_counting = |of: usize| {
            progress.progress("doing", 0, of, None);
            matches!(progress, Progress::Bar { is_counting: true, .. })
        };
        assert_eq!([0, 7, 0].map(&mut is_counting), [false, true, false]);
        assert!(!template("cells", false).contains("bar") && !template("cells", false).contains("pos"));
        assert!(template("cells", true).contains("{bar:24} {pos}/{len} cells"));
    }
}
