//! How much memory a matrix may take, asked before it is taken, and zeros that take it where they are first touched, in large pages where the
//! system has them.
//!
//! To touch a new page costs the kernel a trap, 262,144 of them a GiB at the usual size. Threads wait for each other there. Large pages
//! are asked for, not demanded: a system without them gives usual ones.

use bytemuck::Zeroable;
use std::collections::TryReserveError;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The bytes that can be allocated without swapping, inside this process's container if it has one; `None`
/// where the system does not provide it.
///
/// The kernel grants more than it has and ends the process on first touch, so a failed allocation alone does not
/// protect from a matrix that is too large.
pub fn available() -> Option<u64> {
    let system = System::new_with_specifics(
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
    )
    .ok()?;
    let machine = Some(system.available_memory()).filter(|bytes| *bytes > 0)?;
    // A container's own "free" counts the page cache as used, which the kernel would give back.
    let container = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    Some(container.map_or(machine, |bytes| bytes.min(machine)).min(below_limit().unwrap_or(u64::MAX)))
}

/// The bytes of addresses that this process may still use, if they are limited, as by `ulimit -v`.
fn below_limit() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').next()?.parse::<u64>().ok()?;
    Some(limit.saturating_sub(pages * rustix::param::page_size() as u64))
}

/// From so many bytes on, large pages are asked for.
const WORTH_IT: usize = 8 << 20;

/// A list of `len` zeros. The threads that fill it touch its memory first.
///
/// # Errors
/// When the address space has no room. Whether there is memory behind it, [`available_memory`](crate::available_memory) tells.
pub fn zeros<T: Zeroable + Copy>(len: usize) -> Result<Vec<T>, TryReserveError> {
    // `vec!` ends the process where there is no room, so room is asked for first.
    Vec::<T>::new().try_reserve_exact(len)?;
    let mut zeros = vec![T::zeroed(); len];
    if size_of_val(&*zeros) >= WORTH_IT {
        in_large_pages(&mut zeros);
    }
    Ok(zeros)
}

#[cfg(target_os = "linux")]
fn in_large_pages<T>(memory: &mut [T]) {
    use rustix::mm::{Advice, madvise};
    let page = rustix::param::page_size();
    let range = memory.as_mut_ptr_range();
    let first = (range.start as usize).next_multiple_of(page);
    let bytes = (range.end as usize / page * page).saturating_sub(first);
    let start = range.start.cast::<u8>().wrapping_add(first - range.start as usize);
    // SAFETY: whole pages within memory that this function alone can reach meanwhile. The advice changes how the kernel maps them, and no
    // byte that is in them.
    // A kernel that was built without them refuses, and usual pages do.
    let _ = unsafe { madvise(start.cast(), bytes, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages<T>(_: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_zero_whatever_its_size() {
        for len in [0, 1, 1000, WORTH_IT / 4 - 1, WORTH_IT / 4, WORTH_IT + 12_345] {
            let zeros = zeros::<u32>(len).unwrap();
            assert_eq!((zeros.len(), zeros.iter().find(|number| **number != 0)), (len, None));
        }
        assert!(zeros::<u64>(usize::MAX / 16).is_err());
    }
}
