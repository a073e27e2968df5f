//! Builds the crate anew when a paper changes: the papers are part of the program.

fn main() {
    println!("cargo:rerun-if-changed=../../experiments/published");
}
