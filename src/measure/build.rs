//! What this program was built from.

use crate::store::Build;

/// As the build script found it.
pub fn this_build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_string(),
        commit: env!("REPRO_COMMIT").to_string(),
        dirty: env!("REPRO_DIRTY") == "true",
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_string(),
    }
}
