//! What is seen of a run while it goes on.

use crate::measure::Observer;
use repro_base::terminal::Progress;

impl Observer for Progress {
    fn note(&mut self, line: &str) {
        self.note(line);
    }

    fn progress(&mut self, doing: &str, done: usize, of: usize, remaining_s: Option<f64>) {
        self.progress(doing, done, of, remaining_s);
    }
}
