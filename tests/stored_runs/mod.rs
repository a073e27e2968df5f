//! Folders of runs: what is written, resumed and read, and what is noticed.

mod digests;
mod finished_runs;
mod history;
mod parts_files;
mod records;
mod resume;
mod resume_repairs;
