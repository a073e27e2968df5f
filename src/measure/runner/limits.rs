//! How long a worker may take to answer, and when repeating is of no use.

use std::time::Duration;

/// What may be asked of a worker other than a solve: opening a device, compiling, copying, comparing.
pub const OVERHEAD: Duration = Duration::from_secs(120);
/// A cell whose sample takes longer than this many warm-ups is long enough to warm up by itself.
pub const WARM_UP_WORTH: f64 = 10.0;
/// A sample that takes this many times what the last size lets expect hangs.
pub const HANGS_AFTER: f64 = 30.0;
/// Repeats of throttled samples before a cell is given up.
pub const MOST_REPEATS: usize = 5;
/// Solves of which a cell's times by kernel are the medians.
pub const KERNEL_SOLVES: usize = 3;
/// One solve is enough where launches take this long together, seconds.
pub const LONG_SOLVE_S: f64 = 0.5;

/// What follows from the samples is written again after so many times as long as that takes.
pub const SELDOM: u32 = 20;

/// The reference is n³ tasks at no less than 10⁹ a second, and a search besides.
pub fn graph_time(n: usize) -> Duration {
    seconds((n as f64).powi(3) * 1e-9)
}

/// A time limit. What is longer than a year is as good as none, and no size may overflow one.
pub fn seconds(limit: f64) -> Duration {
    Duration::from_secs_f64(limit.clamp(0.0, 365.0 * 24.0 * 3600.0))
}

/// Writing n² entries of eight bytes to a slow disk, twenty megabytes a second.
pub fn storing_time(n: usize) -> Duration {
    seconds((n as f64).powi(2) * 8.0 / 20e6)
}

/// Copying, hashing and comparing n² entries, generously.
pub fn comparison_time(n: usize) -> Duration {
    seconds(5.0 + (n as f64 / 1024.0).powi(2) * 0.2)
}
