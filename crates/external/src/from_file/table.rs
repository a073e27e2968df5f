//! A kernel file as it is written: tables and keys, each with its place.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A number, or an expression that gives one.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "expected a whole number or an expression in quotes")]
pub enum Formula {
    Number(i64),
    Expression(String),
}

/// How the matrix lies in device memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"row-major\", { padded = MULTIPLE } or { tiled = SIDE }")]
pub enum LayoutKind {
    /// As it was copied in: n x n.
    Named(RowMajor),
    /// Row-major, both sides rounded up to a multiple of this.
    Padded(Padded),
    /// Contiguous row-major tiles of this side.
    Tiled(Tiled),
}

/// The one layout that has no number.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowMajor {
    RowMajor,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Padded {
    pub padded: Formula,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tiled {
    pub tiled: Formula,
}

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelTable {
    pub name: Spanned<String>,
    pub summary: Spanned<String>,
    /// Where the kernel comes from.
    pub from: Spanned<String>,
    /// A CUDA C++ file next to this one.
    pub source: Option<Spanned<String>>,
    /// Machine code next to this file, in the place of a source.
    pub cubin: Option<Spanned<String>>,
    #[serde(default)]
    pub elements: Vec<Spanned<String>>,
    /// Row-major where there is none.
    pub layout: Option<Spanned<LayoutKind>>,
    /// Device memory in addition to the matrix.
    pub scratch_bytes: Option<Spanned<Formula>>,
    /// What must hold of n: other sizes are not run.
    pub requires: Option<Spanned<String>>,
    /// Whether it uses what one architecture alone has (`sm_90a`).
    #[serde(default)]
    pub architecture_specific: bool,
    #[serde(default)]
    pub parameters: BTreeMap<Spanned<String>, ParameterTable>,
    pub kernels: BTreeMap<Spanned<String>, EntryTable>,
    pub solve: SolveTable,
}

/// A parameter, which is a macro of the source and a name in expressions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterTable {
    pub meaning: String,
    pub values: Spanned<Vec<u32>>,
    pub default: Spanned<u32>,
}

/// An entry point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryTable {
    /// Of a block, in one to three dimensions.
    pub threads: Spanned<Shape>,
    /// Dynamic shared memory of a block.
    pub shared_bytes: Option<Spanned<Formula>>,
    /// Tasks that a block does.
    pub tasks_a_block: Option<Spanned<Formula>>,
    /// Blocks of a cluster, in one to three dimensions.
    pub cluster: Option<Spanned<Shape>>,
}

/// One to three extents.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a whole number, an expression in quotes, or a list of one to three of them"
)]
pub enum Shape {
    One(Formula),
    Several(Vec<Formula>),
}

impl Shape {
    pub fn formulas(&self) -> &[Formula] {
        match self {
            Self::One(formula) => std::slice::from_ref(formula),
            Self::Several(formulas) => formulas,
        }
    }
}

/// What the host does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveTable {
    pub script: Spanned<String>,
}
