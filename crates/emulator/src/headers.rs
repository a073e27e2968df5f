//! The headers that stand in for CUDA's.

use include_dir::{Dir, include_dir};

/// CUDA C++ for a host compiler, and what compiled kernels call.
pub static HEADERS: Dir = include_dir!("$CARGO_MANIFEST_DIR/cuda");
