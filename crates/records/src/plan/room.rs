//! Whether the host has room for a graph.

use crate::plan::config::Limits;
use repro_graph::{ElementType, available_memory};
use std::fmt::Display;
use thiserror::Error;

/// That the host has no room, with what to do instead.
#[derive(Debug, Error, PartialEq)]
#[error("{0}")]
pub struct NoRoom(String);

/// Refuses what needs more bytes of host memory than are free, and says what to do instead.
///
/// # Errors
/// When so much is not free. Where the system does not say how much is, it is tried.
pub fn check_room(what: impl Display, needed: u128, remedy: &str) -> Result<(), NoRoom> {
    check_against(available_memory(), what, needed, remedy)
}

fn check_against(
    available: Option<u64>,
    what: impl Display,
    needed: u128,
    remedy: &str,
) -> Result<(), NoRoom> {
    match available {
        Some(available) if needed > u128::from(available) => Err(NoRoom(format!(
            "{what} needs {} MiB of host memory and {} MiB are free: {remedy}",
            needed >> 20,
            available >> 20
        ))),
        _ => Ok(()),
    }
}

/// Bytes of input, output, the graphs themselves, of n vertices and so many, and what of the result is kept to compare with. Where sums may be `rounded` that is the
/// least and the greatest right value of each entry, and what they are found from.
pub fn host_memory(
    (n, graphs): (usize, usize),
    element: ElementType,
    limits: &Limits,
    rounded: bool,
) -> u128 {
    let row = (n as u128).saturating_mul(element.bytes() as u128);
    let rows = if n <= limits.whole_reference_n { n } else { limits.reference_rows.min(n) };
    let may_round = rounded && element == ElementType::F32;
    let kept = if may_round { rows.saturating_mul(3) } else { rows };
    row.saturating_mul(3 * n as u128 + kept as u128).saturating_mul(graphs as u128)
}

/// Whether there is room for [`host_memory`].
pub fn check_host_memory(
    of: (usize, usize),
    element: ElementType,
    limits: &Limits,
    rounded: bool,
) -> Result<(), NoRoom> {
    let (what, remedy) = match of {
        (n, 1) => (format!("n = {n}"), "choose a smaller n"),
        (n, graphs) => {
            (format!("a batch of {graphs} graphs, n = {n},"), "choose fewer graphs or a smaller n")
        }
    };
    check_room(what, host_memory(of, element, limits, rounded), remedy)
}
