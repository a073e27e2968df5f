//! Has a new paper in `experiments/published` embedded too.

fn main() {
    println!("cargo:rerun-if-changed=../../experiments/published");
}
