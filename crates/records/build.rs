//! Has a new experiment in `experiments` embedded too.

fn main() {
    println!("cargo:rerun-if-changed=../../experiments");
}
