//! What is seen of a run while it goes on: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use super::output::message;
use crate::text::without_controls;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};

/// What takes less is over before the line is read.
const LEAST_WORTH_A_LINE_S: f64 = 10.0;

/// Writes to standard error, so that standard output holds the result alone.
pub enum Progress {
    Quiet,
    /// Whether a line has said how long the rest takes.
    Lines {
        has_said_rest: bool,
    },
    /// Counts these units once it knows how many there are.
    Bar {
        bar: ProgressBar,
        units: String,
    },
}

impl Progress {
    /// A bar counts `units`, for example cells.
    pub fn new(quiet: bool, units: &str) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines { has_said_rest: false };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style(None));
        bar.enable_steady_tick(std::time::Duration::from_millis(250));
        Self::Bar { bar, units: units.to_string() }
    }

    /// Leaves the terminal as it was.
    pub fn finish(&self) {
        if let Self::Bar { bar, .. } = self {
            bar.finish_and_clear();
        }
    }

    /// A line worth reading: a result, a failure, a reason.
    pub fn note(&mut self, line: &str) {
        match self {
            Self::Quiet => {}
            // A reader of standard error that left is no reason to stop measuring.
            Self::Lines { .. } => drop(writeln!(std::io::stderr(), "{}", message(line))),
            Self::Bar { bar, .. } => bar.println(message(line)),
        }
    }

    /// What is being done, how much of all is done, and how many seconds the rest may take if that is known.
    pub fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        let remaining_s = remaining_s.filter(|_| done > 0);
        if let (Self::Lines { has_said_rest: said @ false }, Some(seconds)) = (&mut *self, remaining_s) {
            *said = true;
            if seconds >= LEAST_WORTH_A_LINE_S {
                self.note(&format!("{}, by the rates that this machine just had", remaining(seconds)));
            }
        }
        let Self::Bar { bar, units } = self else { return };
        let was_counting = bar.length().is_some();
        // Numbers first: a bar that is drawn in between would be full, since 0 of 0 is done.
        if of > 0 {
            bar.set_length(of as u64);
            bar.set_position(done as u64);
        } else {
            bar.unset_length();
        }
        if was_counting != (of > 0) {
            bar.set_style(style((of > 0).then_some(units.as_str())));
        }
        bar.set_prefix(remaining_s.map(|seconds| remaining(seconds) + "  ").unwrap_or_default());
        bar.set_message(without_controls(doing));
    }
}

/// What a bar shows. Before there is something to count, no bar: it would be full, since 0 of 0 is done.
fn template(units: Option<&str>) -> String {
    units.map_or("{spinner} {msg}".into(), |units| {
        format!("{{bar:24}} {{pos}}/{{len}} {units}  {{prefix}}{{msg}}")
    })
}

fn style(units: Option<&str>) -> ProgressStyle {
    // The template is a constant; indicatif's own one serves if it should ever be refused.
    ProgressStyle::with_template(&template(units)).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn remaining(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("about {seconds:.0} s left")
    } else {
        format!("about {:.0} min left", seconds / 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_once_how_long_the_rest_takes() {
        let said = |progress: &Progress| matches!(progress, Progress::Lines { has_said_rest: true });
        let mut progress = Progress::Lines { has_said_rest: false };
        for (done, remaining_s) in [(0, Some(60.0)), (1, None)] {
            progress.progress("doing", done, 7, remaining_s);
            assert!(!said(&progress), "{done} {remaining_s:?}");
        }
        progress.progress("doing", 1, 7, Some(60.0));
        assert!(said(&progress));
        assert_eq!([remaining(60.0), remaining(180.0)], ["about 60 s left", "about 3 min left"]);
    }

    #[test]
    fn there_is_no_bar_before_there_is_something_to_count() {
        let bar = || ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let mut progress = Progress::Bar { bar: bar(), units: "cells".into() };
        let mut is_counting = |of: usize| {
            progress.progress("doing", 0, of, None);
            matches!(&progress, Progress::Bar { bar, .. } if bar.length().is_some())
        };
        assert_eq!([0, 7, 0].map(&mut is_counting), [false, true, false]);
        assert!(!template(None).contains("bar") && !template(None).contains("pos"));
        assert!(template(Some("cells")).contains("{bar:24} {pos}/{len} cells"));
    }
}
