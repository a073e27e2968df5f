//! Privileges of root.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

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
