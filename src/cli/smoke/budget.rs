//! Time for several runs together, each of which is stopped when its share is over.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Seconds for all experiments. Well below two minutes: what ends the last of them does not reach those.
pub const BUDGET_S: &str = "100";
/// The share of the whole that one of several may take at most: one that hangs leaves something for the others.
const MOST: f64 = 0.4;
/// What is kept back for each that is still to come.
const KEPT_BACK: Duration = Duration::from_secs(1);
/// How soon the end of a share is noticed.
const POLL: Duration = Duration::from_millis(20);

/// Reads the value of `--smoke`.
///
/// # Errors
/// When it is no time.
pub fn read(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| format!("'{text}' is no time: expected a number of seconds, more than 0"))
}

/// The time that is left, and the flag that stops whoever has used up a share of it.
pub struct Budget {
    whole: Duration,
    end: Instant,
    /// By the user.
    interrupted: Arc<AtomicBool>,
    /// By the user, or since the share is over.
    stop: Arc<AtomicBool>,
    /// When the share is over that was allowed last. Held while the flag is changed.
    until: Arc<Mutex<Instant>>,
}

impl Budget {
    /// `whole` from `begun` on, unless `interrupted` is raised before.
    pub fn new(interrupted: Arc<AtomicBool>, begun: Instant, whole: Duration) -> Self {
        // Beyond what the clock can name there is no end that anyone waits for.
        let end = begun.checked_add(whole).unwrap_or_else(|| begun + Duration::from_secs(u32::MAX.into()));
        let budget = Self { whole, end, interrupted, stop: Arc::default(), until: Arc::new(Mutex::new(end)) };
        let (until, stop) = (budget.until.clone(), Arc::downgrade(&budget.stop));
        let interrupted = budget.interrupted.clone();
        // Ends when nobody holds the flag any more.
        std::thread::spawn(move || {
            while let Some(stop) = stop.upgrade() {
                let until = until.lock().unwrap_or_else(PoisonError::into_inner);
                if Instant::now() >= *until || interrupted.load(Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                }
                drop((until, stop));
                std::thread::sleep(POLL);
            }
        });
        budget
    }

    /// Raised when the share is over, or the user interrupts.
    pub fn stop(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Allows the next its share, where so many more are to come.
    pub fn allow_share(&self, later: usize) {
        let now = Instant::now();
        let left = self.end.saturating_duration_since(now);
        let mut until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *until = now + share(self.whole, left, later);
        self.stop.store(self.is_interrupted(), Ordering::Relaxed);
    }
}

/// Of what is `left` of the `whole`: all for the last; before, at most [`MOST`], and so much less that the others can begin.
fn share(whole: Duration, left: Duration, later: usize) -> Duration {
    let later = u32::try_from(later).unwrap_or(u32::MAX);
    if later == 0 {
        return left;
    }
    let fair = left / (later + 1);
    left.saturating_sub(KEPT_BACK.saturating_mul(later)).min(whole.mul_f64(MOST)).max(fair)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn shares_never_come_to_more_than_the_whole_and_leave_something_for_each() {
        assert_eq!(share(100 * S, 100 * S, 0), 100 * S);
        assert_eq!(share(100 * S, 100 * S, 25), 40 * S);
        assert_eq!(share(100 * S, 40 * S, 20), 20 * S);
        assert_eq!(share(100 * S, 10 * S, 19), S / 2);
        for count in [1, 2, 26, 1000] {
            let mut left = 100 * S;
            for later in (0..count).rev() {
                let one = share(100 * S, left, later);
                assert!(!one.is_zero() && one <= left, "{one:?} of {left:?} with {later} to come");
                left -= one;
            }
        }
    }

    #[test]
    fn the_flag_rises_when_the_share_is_over_and_falls_with_the_next() {
        let interrupted = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(interrupted.clone(), Instant::now(), Duration::from_millis(300));
        let is_raised_soon = || {
            let begun = Instant::now();
            while !budget.stop().load(Ordering::Relaxed) && begun.elapsed() < 20 * S {
                std::thread::sleep(POLL);
            }
            budget.stop().load(Ordering::Relaxed)
        };
        assert!(is_raised_soon());
        *budget.until.lock().unwrap() = Instant::now() + 3600 * S;
        budget.stop.store(false, Ordering::Relaxed);
        std::thread::sleep(5 * POLL);
        assert!(!budget.stop().load(Ordering::Relaxed));
        interrupted.store(true, Ordering::Relaxed);
        assert!(is_raised_soon() && budget.is_interrupted());
        // Nothing is left of the whole, and the user wants to stop besides.
        budget.allow_share(0);
        assert!(budget.stop().load(Ordering::Relaxed));
    }

    #[test]
    fn seconds_are_read_and_anything_else_is_named() {
        assert_eq!(read(BUDGET_S), Ok(100 * S));
        assert_eq!(read("0.5"), Ok(S / 2));
        for wrong in ["", "0", "-1", "soon", "inf", "nan", "1e300"] {
            assert!(read(wrong).unwrap_err().starts_with(&format!("'{wrong}' is no time")), "{wrong}");
        }
    }
}
