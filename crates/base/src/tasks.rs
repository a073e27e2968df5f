//! Tasks of solves.

/// Tasks of a solve of `n` vertices that does each pair of a symmetric matrix once, a vertex and itself included.
pub fn halved(n: usize) -> f64 {
    let n = n as f64;
    n * n * (n + 1.0) / 2.0
}
