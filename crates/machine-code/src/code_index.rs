//! The index of the files in `kernels/machine-code/`: `tools/reorder` writes it, solvers read it.

use serde::{Deserialize, Serialize};

/// Its folder in `kernels/`.
pub const FOLDER: &str = "machine-code";

/// The file in [`FOLDER`] that says what the others are.
pub const INDEX: &str = "index.toml";

/// What [`INDEX`] holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    #[serde(default)]
    pub code: Vec<StoredCode>,
}

/// A file of machine code for compute capability 9.0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredCode {
    pub file: String,
    /// The hash of the kernel file, its headers and macros that it was compiled from.
    pub source: String,
    /// The hash of `file` itself.
    pub hash: String,
    /// For example "NVRTC 13.0".
    pub compiler: String,
    /// The version of the pass that reordered it.
    pub pass: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solved: Vec<ProofRun>,
}

/// Solves with machine code, one after another, each compared with the first, which the host verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofRun {
    pub gpu: String,
    pub n: usize,
    pub solves: u64,
    /// How many of them had a different result.
    pub different: u64,
}
