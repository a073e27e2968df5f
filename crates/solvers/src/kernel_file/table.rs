//! A kernel file as it is written: tables and keys, each with its place, and where in it something is wrong.

use repro_base::text::{foreign_quote, foreign_text, hides};
use repro_base::{ElementType, Parameters};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;
use toml::Spanned;

/// A number, or an expression that gives one.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, expecting = "expected a whole number or an expression in quotes")]
pub enum Formula {
    Number(i64),
    Expression(String),
}

/// The name of an implementation: see [`check_kernel_name`](super::check_kernel_name).
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Name(pub String);

impl TryFrom<String> for Name {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        super::check_kernel_name(&name)
            .map_err(|expected| format!("name = {}: {expected}", foreign_quote(&name, 80)))?;
        Ok(Self(name))
    }
}

/// A text that fits on one line of tables and pages.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct SingleLine(pub String);

impl TryFrom<String> for SingleLine {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        const LONGEST: usize = 200;
        let line = text.trim();
        if line.is_empty() || line.chars().count() > LONGEST || line.contains(hides) {
            return Err(format!("expected one line of 1 to {LONGEST} characters without control characters"));
        }
        Ok(Self(line.to_string()))
    }
}

/// How the matrix lies in device memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutKind {
    /// As it was copied in: n x n.
    RowMajor,
    /// Tiles of 32 x 32 and in them of 4 x 4 (lund-smith-2010, section 4.3).
    DoublyTiled,
    /// Row-major, both sides rounded up to a multiple of this.
    Padded(Formula),
    /// Contiguous row-major tiles of this side.
    Tiled(Formula),
}

/// The layout of a file. The enum is untagged so that each mistake is answered with all that is allowed.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"row-major\", { padded = MULTIPLE } or { tiled = SIDE }")]
pub enum LayoutValue {
    Kind(LayoutKind),
}

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelTable {
    pub name: Name,
    pub summary: SingleLine,
    /// Where the kernel comes from.
    pub from: SingleLine,
    /// A CUDA C++ file next to this one.
    pub source: Option<Spanned<String>>,
    /// Machine code next to this file, in the place of a source.
    pub cubin: Option<Spanned<String>>,
    #[serde(default)]
    pub elements: Vec<Spanned<ElementType>>,
    /// Row-major where there is none.
    pub layout: Option<Spanned<LayoutValue>>,
    /// Device memory in addition to the matrix.
    pub scratch_bytes: Option<Spanned<Formula>>,
    /// What must hold of n: other sizes are not run.
    pub requires: Option<Spanned<String>>,
    /// What to do about other sizes, with expressions in curly brackets.
    pub remedy: Option<Spanned<String>>,
    /// Whether it uses what one architecture alone has (`sm_90a`).
    #[serde(default)]
    pub architecture_specific: bool,
    #[serde(default)]
    pub parameters: BTreeMap<Spanned<String>, ParameterTable>,
    pub kernels: BTreeMap<Spanned<String>, EntryTable>,
    pub solve: SolveTable,
    /// Conditions that parameters, each in range, must fulfil together.
    #[serde(default)]
    pub rules: Vec<Spanned<String>>,
    /// In place of a macro for each parameter: macros that are defined where their expressions give a number.
    pub macros: Option<BTreeMap<Spanned<String>, Spanned<Formula>>>,
    /// Parameters to verify with, in place of each value of each parameter.
    pub verified_with: Option<Vec<Parameters>>,
    /// After how many launches the host waits for the device; 0: never.
    pub launches_per_sync: Option<Spanned<Formula>>,
    pub traffic: Option<TrafficTable>,
    /// The place among the implementations of this program, in tables; the last where none is given.
    pub place: Option<u32>,
}

/// Words of global memory that `tasks` tasks of an element take.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficTable {
    pub words: Spanned<Formula>,
    pub tasks: Spanned<Formula>,
    /// The reason of the numbers, with expressions in curly brackets.
    pub model: Spanned<SingleLine>,
    /// What the paper counts where it differs.
    pub paper: Option<Box<TrafficTable>>,
}

/// A parameter, which is a macro of the source and a name in expressions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterTable {
    pub meaning: String,
    pub values: Option<Spanned<Vec<u32>>>,
    /// The least and the greatest value, in place of all values.
    pub range: Option<Spanned<[u32; 2]>>,
    pub default: Spanned<u32>,
}

/// A kernel, by its entry point in the source.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryTable {
    /// Threads of a block, in one to three dimensions.
    pub threads: Spanned<LaunchExtent>,
    /// Dynamic shared memory of a block.
    pub shared_bytes: Option<Spanned<Formula>>,
    /// Tasks that a block does.
    pub tasks_a_block: Option<Spanned<Formula>>,
    /// Blocks of a cluster, in one to three dimensions.
    pub cluster: Option<Spanned<LaunchExtent>>,
    /// Shared memory of a block that the source declares.
    pub declared_shared_bytes: Option<Spanned<Formula>>,
    /// The paper's figures.
    pub paper: Option<PaperTable>,
}

/// A kernel's resources as a paper states them, on its GPU.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// Shared memory a block; 0 where it states none.
    pub shared_bytes: Spanned<Formula>,
    pub resident_blocks: u32,
    pub threads: u32,
}

/// One to three extents.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a whole number, an expression in quotes, or a list of one to three of them"
)]
pub enum LaunchExtent {
    One(Formula),
    Several(Vec<Formula>),
}

impl LaunchExtent {
    pub fn formulas(&self) -> &[Formula] {
        match self {
            Self::One(formula) => std::slice::from_ref(formula),
            Self::Several(formulas) => formulas,
        }
    }
}

/// How the host solves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveTable {
    pub script: Spanned<String>,
}

/// What is wrong with a file that describes an implementation.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FileError {
    /// A mistake with its place in the file.
    #[error("{0}")]
    Placed(String),
    /// A name that is taken, by the file `by` or by an implementation of this program.
    #[error(
        "{file}:{line}: name = {name:?}: {} has this name already, choose another",
        .by.as_deref().unwrap_or("an implementation of repro's own")
    )]
    Taken { file: String, line: usize, name: String, by: Option<String> },
}

/// A message cut to a few lines, whatever text the file puts into it.
pub fn short(problem: impl AsRef<str>) -> String {
    const MOST_BYTES: usize = 600;
    foreign_text(problem.as_ref(), MOST_BYTES)
}

/// A file's name and text, by which positions become lines.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    pub file: &'a str,
    pub text: &'a str,
}

impl SourceText<'_> {
    /// The line of a position, from 1.
    pub fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// The line in which the content of the string at `span` begins: a text in three quotes begins after the line break.
    pub fn first_line_of(&self, span: &Range<usize>) -> usize {
        let written = self.text.get(span.clone()).unwrap_or_default();
        let begins_below = ["\"\"\"", "'''"].iter().any(|quotes| {
            written.strip_prefix(quotes).is_some_and(|rest| rest.trim_start_matches('\r').starts_with('\n'))
        });
        self.line(span.start) + usize::from(begins_below)
    }

    pub fn error(&self, span: &Range<usize>, problem: impl AsRef<str>) -> FileError {
        self.error_in_line(self.line(span.start), problem)
    }

    pub fn error_in_line(&self, line: usize, problem: impl AsRef<str>) -> FileError {
        FileError::Placed(format!("{}:{line}: {}", self.file, short(problem)))
    }

    /// An error in no line in particular.
    pub fn error_in_whole(&self, problem: impl AsRef<str>) -> FileError {
        FileError::Placed(format!("{}: {}", self.file, short(problem)))
    }

    /// What a TOML reader did not accept.
    pub fn unreadable(&self, error: &toml::de::Error) -> FileError {
        let problem = error.message().trim().replace('\n', ", ");
        match error.span() {
            Some(span) => self.error(&span, problem),
            None => self.error_in_whole(problem),
        }
    }
}
