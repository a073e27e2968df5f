//! Progress that several threads may report at once.

use repro_base::terminal::Progress;
use shortest_paths::Stage;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// What is drawn.
pub(super) struct SharedProgress {
    progress: Mutex<Progress>,
    /// What was shown last, in thousandths, so that a row more is not drawn.
    last: AtomicU64,
    /// When the first paths were looked for in distances that were known.
    pub paths_began: OnceLock<Instant>,
}

impl SharedProgress {
    pub fn new(quiet: bool) -> Self {
        let (progress, last) = (Mutex::new(Progress::new(quiet, "")), AtomicU64::new(u64::MAX));
        Self { progress, last, paths_began: OnceLock::new() }
    }

    pub fn show(&self, at: shortest_paths::Progress) {
        if at.stage == Stage::Paths {
            self.paths_began.get_or_init(Instant::now);
        }
        let thousandths = (at.done * 1000).checked_div(at.total).unwrap_or(at.done);
        let now = thousandths | (at.stage as u64) << 32;
        if self.last.swap(now, Ordering::Relaxed) == now {
            return;
        }
        if let Ok(mut progress) = self.progress.lock() {
            progress.progress(at.stage.into(), at.done as usize, at.total as usize, None);
        }
    }

    pub fn finish(&self) {
        if let Ok(progress) = self.progress.lock() {
            progress.finish();
        }
    }
}
