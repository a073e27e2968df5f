//! Privileges of root.
//!
//! Resource limits.

use crate::confine::limits::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};
use std::{fs, io, thread};

/// What root keeps: reading files of others, as those of a Python that another user installed.
const KEPT: CapabilitySet = CapabilitySet::DAC_READ_SEARCH;

/// Drops all capabilities but reading, for this process and what it executes. Returns whether it has none but those now.
pub(super) fn drop_all() -> bool {
    // Not every user may do this, nor needs to: it is for what gains privileges when executed, which the next line prevents as well.
    for capability in CapabilitySet::all().difference(KEPT).iter() {
        let _ = remove_capability_from_bounding_set(capability);
    }
    let _ = clear_ambient_capability_set();
    let can_gain_none = set_no_new_privs(true).is_ok();
    let Ok(own) = capabilities(None) else { return false };
    let kept = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    can_gain_none && set_capabilities(None, kept).is_ok()
}

const OPEN_FILES: u64 = 4096;
/// Virtual memory in addition to twice the resident limit: libraries and the reserve of allocators.
const RESERVED_BYTES: u64 = 8 << 30;
/// Virtual memory for each processor, as libraries start a thread on each: a stack and an arena.
const RESERVED_BYTES_A_PROCESSOR: u64 = 256 << 20;
/// The first that the system takes when memory is short.
const FIRST_TO_END: &str = "1000";

/// # Errors
/// When the system refuses one.
pub(super) fn limit(limits: &Limits) -> io::Result<()> {
    lower(Resource::Core, 0)?;
    lower(Resource::Fsize, limits.folder_bytes)?;
    lower(Resource::Nofile, OPEN_FILES)?;
    if !limits.gpu {
        let processors = thread::available_parallelism().map_or(1, usize::from) as u64;
        let reserve = RESERVED_BYTES + RESERVED_BYTES_A_PROCESSOR * processors;
        lower(Resource::As, limits.memory_bytes.saturating_mul(2).saturating_add(reserve))?;
    }
    // Some containers have no such file.
    let _ = fs::write("/proc/self/oom_score_adj", FIRST_TO_END);
    Ok(())
}

fn lower(resource: Resource, limit: u64) -> io::Result<()> {
    let most = getrlimit(resource).maximum.map_or(limit, |maximum| maximum.min(limit));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}
