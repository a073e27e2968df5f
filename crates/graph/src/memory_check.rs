//! Memory that is asked for before it is taken, so that no size ends the process; why a search ends without a result.

use crate::{ElementType, NegativeCycle, available_memory};
use thiserror::Error;

/// Up to this many bytes are taken to be available, without a check.
pub const ALWAYS_FITS: u128 = 64 << 20;

/// Checks that this many bytes are available.
///
/// # Errors
/// [`SearchError::NotEnoughMemory`] with both sizes.
pub fn check(what: &'static str, bytes: u128) -> Result<(), SearchError> {
    // The kernel grants more than it has and ends the process on first touch.
    match (bytes > ALWAYS_FITS).then(available_memory).flatten() {
        Some(available) if bytes > available.into() => {
            Err(SearchError::NotEnoughMemory { what, bytes, available })
        }
        _ => Ok(()),
    }
}

/// A list of `len` times `value`.
///
/// # Errors
/// When there is no room.
pub fn filled<T: Clone>(what: &'static str, len: usize, value: T) -> Result<Vec<T>, SearchError> {
    let mut vec = reserved(what, len)?;
    vec.resize(len, value);
    Ok(vec)
}

/// A list of `len` zeros, which take memory where they are first touched: a large one is best touched by the threads that fill it.
///
/// # Errors
/// When there is no room.
pub fn zeros<T: bytemuck::Pod>(what: &'static str, len: usize) -> Result<Vec<T>, SearchError> {
    let bytes = (len as u128).saturating_mul(size_of::<T>() as u128);
    check(what, bytes)?;
    crate::zeros(len).map_err(|_| refused(what, bytes))
}

/// An empty list with room for `len`.
///
/// # Errors
/// When there is none.
pub fn reserved<T>(what: &'static str, len: usize) -> Result<Vec<T>, SearchError> {
    let bytes = (len as u128).saturating_mul(size_of::<T>() as u128);
    check(what, bytes)?;
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| refused(what, bytes))?;
    Ok(vec)
}

/// Makes room in a list for an eighth more, but from `least` to `most` numbers: one that doubles leaves half of its room unused.
///
/// # Errors
/// When there is none.
pub(crate) fn grow<T>(
    what: &'static str,
    list: &mut Vec<T>,
    least: usize,
    most: usize,
) -> Result<(), SearchError> {
    if list.capacity() - list.len() >= least {
        return Ok(());
    }
    let more = (list.len() / 8).clamp(least, most);
    let bytes = (list.len() as u128 + more as u128).saturating_mul(size_of::<T>() as u128);
    check(what, bytes)?;
    list.try_reserve_exact(more).map_err(|_| refused(what, bytes))
}

pub(crate) fn refused(what: &'static str, bytes: u128) -> SearchError {
    SearchError::NotEnoughMemory { what, bytes, available: available_memory().unwrap_or(0) }
}

/// Why a search ends without a result. Every message names the thing, its value and a remedy; vertices are counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SearchError {
    /// Distances do not exist.
    #[error(transparent)]
    NegativeCycle(#[from] NegativeCycle),
    /// A distance, or a number that it exceeds, is no number of the element type.
    #[error(
        "the distance from vertex {from} to vertex {to} (counted from 0) is {length}, and this library uses {element} up to {most}: \
         choose smaller weights or another element type"
    )]
    OutOfRange { element: ElementType, from: usize, to: usize, length: f64, most: f64 },
    /// There is no room for a result or a workspace.
    #[error(
        "{what} needs {bytes} bytes, but {available} bytes are available: free memory, or choose a smaller graph or fewer sources"
    )]
    NotEnoughMemory { what: &'static str, bytes: u128, available: u64 },
    /// The caller has cancelled the search.
    #[error("cancelled")]
    Cancelled,
}
