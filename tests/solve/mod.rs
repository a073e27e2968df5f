//! `repro solve` and `repro path` as a user calls them: files in, files out, exit codes.

mod ends;
mod formats;
mod paths;
mod place;
mod refusals;
mod shown;
