//! Has a new header in `kernels/` embedded too.

fn main() {
    println!("cargo:rerun-if-changed=../../kernels");
}
