//! Whether the host has room for a graph.

use crate::graph::available_memory;
use crate::measure::protocol::{Failure, FailureCause};
use std::fmt::Display;

/// Refuses what needs more bytes of host memory than are free, and says what to do instead.
///
/// # Errors
/// When so much is not free. Where the system does not say how much is, it is tried.
pub fn check_room(what: impl Display, needed: u128, remedy: &str) -> Result<(), Failure> {
    check_against(available_memory(), what, needed, remedy)
}

fn check_against(
    available: Option<u64>,
    what: impl Display,
    needed: u128,
    remedy: &str,
) -> Result<(), Failure> {
    match available {
        Some(available) if needed > u128::from(available) => Err(Failure::new(
            FailureCause::OutOfMemory,
            format!(
                "{what} needs {} MiB of host memory and {} MiB are free: {remedy}",
                needed >> 20,
                available >> 20
            ),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_free_memory_is_refused_with_both_sizes_and_a_remedy() {
        let check = |available, needed| check_against(available, "n = 9", needed, "choose a smaller n");
        assert_eq!((check(Some(5 << 20), 5 << 20), check(None, u128::MAX)), (Ok(()), Ok(())));
        let failure = check(Some(5 << 20), 7 << 20).unwrap_err();
        assert_eq!(failure.cause, FailureCause::OutOfMemory);
        assert_eq!(
            failure.message,
            "n = 9 needs 7 MiB of host memory and 5 MiB are free: choose a smaller n"
        );
    }
}
