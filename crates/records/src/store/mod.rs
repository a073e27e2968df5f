//! What is stored and how: the schema of samples and manifests, the journal of a run that is written, the digests of one that has finished.

mod environment;
mod files;
mod folder;
mod history;
mod host;
mod journal;
mod manifest;
mod read;
mod rows;
pub(crate) mod sample;
mod sample_file;

pub use environment::*;
pub use files::*;
pub use folder::*;
pub use history::*;
pub use host::*;
pub use journal::*;
pub use manifest::*;
pub use read::*;
pub use repro_solvers::distributed::{DeviceLinks, HostLinks};
pub use rows::*;
pub use sample::*;
pub use sample_file::*;
