//! Tests that take minutes together. A change is tried with some of them; `scripts/test` deals them out.

mod cheating_programs;
mod documented_commands;
mod from_file;
mod machine_code;
mod mutated_kernels;
mod nsight;
mod report_browser;
