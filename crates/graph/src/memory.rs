//! How much memory a matrix may take, asked before it is taken.

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
    Some(container.map_or(machine, |bytes| bytes.min(machine)))
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn linux_says_how_much_memory_is_available() {
        assert!(super::available().unwrap() > 1 << 20);
    }
}
