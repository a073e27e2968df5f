//! What is seen of a run while it goes on: a bar on a terminal, plain lines elsewhere, nothing when quiet.

use super::output::message;
use crate::experiment::Observer;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};

/// Writes to standard error, so that standard output holds the result alone.
pub enum Progress {
    Quiet,
    Lines,
    Bar(ProgressBar),
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
        // The template is a constant; indicatif's own one serves if it should ever be refused.
        let template = format!("{{bar:24}} {{pos}}/{{len}} {units}  {{prefix}}{{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(250));
        Self::Bar(bar)
    }

    /// Leaves the terminal as it was.
    pub fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn note(&mut self, line: &str) {
        match self {
            Self::Quiet => {}
            // A reader of standard error that left is no reason to stop measuring.
            Self::Lines => drop(writeln!(std::io::stderr(), "{line}")),
            Self::Bar(bar) => bar.println(message(line)),
        }
    }

    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        let Self::Bar(bar) = self else { return };
        bar.set_length(of as u64);
        bar.set_position(done as u64);
        bar.set_prefix(remaining_s.filter(|_| done > 0).map(remaining).unwrap_or_default());
        bar.set_message(doing.to_string());
    }
}

fn remaining(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("about {seconds:.0} s left  ")
    } else {
        format!("about {:.0} min left  ", seconds / 60.0)
    }
}
