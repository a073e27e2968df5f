//! `repro` reproduces, on the hardware at hand, what four papers claimed about Floyd-Warshall with CUDA.
//!
//! The rooms; a room uses only rooms below it in this list:
//!
//! - [`cli`]: arguments, one file a subcommand, exit codes.
//! - [`report`]: what stored records say, as figures, tables, sentences and pages: the one place where a number becomes text.
//! - [`inspect`]: one implementation on the emulated device, launch by launch.
//! - [`ranking`]: which implementation is fastest, from stored runs: places among comparable cells.
//! - [`judge`]: what the papers claim compared with what stored runs measured: verdicts, as a function of a claim and what it needs.
//! - [`regression`]: whether anything became slower: a baseline against a run, by a rule that knows the noise of the machine; what kernels
//!   cost without a clock against a committed baseline; histories of cells and their step changes.
//! - [`verify`]: right results without a clock.
//! - [`measure`]: the worker process that solves under clocks, the runner that asks it cell by cell.
//!
//! Below them are crates, under these names:
//!
//! - [`distributed`]: solves on several GPUs: the solver, and the processes that solve together.
//! - `protocol`: what the runner asks of its worker process and what that answers.
//! - [`store`]: the schema of samples and manifests, the journal of a run that is written, the digests of one that has finished.
//! - [`plan`]: from an experiment file to a plan of cells.
//! - [`published`]: what papers published, as typed data.
//! - [`external`]: user kernels, from files, on the emulated device: code of the host, in a confined process. Solves, and checks of one kernel.
//! - [`results`]: what stored runs say: one look-up for every cell, clock and count.
//! - [`timing`]: clocks and scopes, the sampling rule, statistics, ceilings.
//! - [`implementation`]: the catalogue of ways to compute all-pairs shortest paths, and their host schedules.
//! - [`device`]: memory, copies, launches and events on CUDA devices and on the emulated one, which checks and counts; NVRTC;
//!   NVML; what limits resident blocks on which GPU.
//! - [`graph`]: distance matrices, generators, readers, an independent shortest-path search, verification.
//! - `repro_base::terminal`: how commands talk: output, errors, exit codes, progress. `repro_solve`: the commands `solve` and `path`.

pub mod cli;
pub mod inspect;
pub mod judge;
pub mod measure;
pub mod ranking;
pub mod regression;
pub mod report;
pub mod verify;

pub use repro_device as device;
pub use repro_graph as graph;
pub use repro_records::{plan, published, results, store};
pub use repro_solvers::{self as implementation, distributed};
pub use repro_timing as timing;
pub use repro_user as external;

use repro_base::lists;
use repro_records::protocol;
