//! `shortest-paths` as a user calls it: files in, files out, exit codes.

mod edge_lists;
mod ends;
mod formats;
mod json;
mod paths;
mod place;
mod refusals;
mod shown;
