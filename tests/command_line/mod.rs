//! What the program takes, prints and refuses, and the files around it that call it.

mod advice;
mod arguments;
mod bad_input;
mod containers;
mod environment;
mod kernel_files;
mod nightly;
mod orders;
mod paper_files;
mod received;
mod refusals;
mod release;
mod terminal;
mod tests_script;
mod workflows;
