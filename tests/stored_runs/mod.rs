//! Folders of runs: what is written, sealed, resumed, exported and still read after years.

mod finished_runs;
mod formats;
mod history;
mod parts_files;
mod records;
mod resume;
mod resume_repairs;
mod seal;
