//! lund-smith-2010 §5, the "CPU" column: Figure 1 as it is printed, on one core.

use super::Vectorized;
use repro_graph::Element;

/// Floyd-Warshall as a stranger knows it: for every k, i, j, `d[i][j] = min(d[i][j], d[i][k] + d[k][j])`.
///
/// `d` is the row-major n x n matrix of path lengths, in place; absent edges are [`Element::ABSENT`]. k is outermost, and
/// there is no blocking, no second core and no intrinsic. It is the meaning that every other implementation is
/// compared with: n³ tasks in the order of the figure.
///
/// One copy of row k is made per k, because Rust will not lend row k and row i of one slice at once and
/// indexing `d` three times instead would test three bounds in every task. The copy costs n of the n² tasks of
/// a k, and changes nothing: without a negative cycle `d[k][k]` >= 0, so row k is not improved during its own k.
///
/// # Panics
/// When `d` does not hold n² numbers.
pub fn solve<T: Vectorized>(d: &mut [T], n: usize) {
    solve_through(d, n, n, true);
}

/// The first `through` iterations of [`solve`]: k from 0 to `through` - 1. After them (i, j) is the shortest path from i to j whose
/// intermediate vertices are all below `through`. Iterations spread evenly over k would leave what nobody can verify. `vectorized`
/// leaves the inner loop to the compiler, which does several tasks in an instruction; otherwise it does one after the other, as
/// compilers did for the papers.
///
/// # Panics
/// When `d` does not hold n² numbers, or `through` is more than n.
pub fn solve_through<T: Vectorized>(d: &mut [T], n: usize, through: usize, vectorized: bool) {
    T::solve_naively(d, n, through, vectorized);
}

/// The tasks of row i in iteration k, of which `d_ik` is the distance from i to k.
pub(super) fn relax_row<T: Element>(row_i: &mut [T], row_k: &[T], d_ik: T) {
    for (d_ij, d_kj) in row_i.iter_mut().zip(row_k) {
        // Not `f32::min`, which promises more about NaN than the figure and costs three instructions.
        *d_ij = d_ik.plus(*d_kj).lesser(*d_ij);
    }
}

/// The same, one task after the other.
pub(super) fn relax_row_one_by_one<T: Element>(row_i: &mut [T], row_k: &[T], d_ik: T) {
    for (d_ij, d_kj) in row_i.iter_mut().zip(row_k) {
        // SAFETY: `d_kj` is a reference, so that it can be read. Reading it as volatile is what keeps the compiler from reading several
        // at once; it costs nothing else.
        let d_kj = unsafe { std::ptr::read_volatile(d_kj) };
        *d_ij = d_ik.plus(d_kj).lesser(*d_ij);
    }
}

pub(super) fn each_k<T: Element>(
    d: &mut [T],
    n: usize,
    through: usize,
    relax_row: impl Fn(&mut [T], &[T], T),
) {
    assert!(through <= n, "{n} vertices have no {through} iterations");
    assert_eq!(Some(d.len()), n.checked_mul(n), "an n x n matrix holds n * n numbers");
    if n == 0 {
        return;
    }
    let mut row_k = vec![T::ZERO; n];
    for k in 0..through {
        row_k.copy_from_slice(&d[k * n..][..n]);
        for row_i in d.chunks_exact_mut(n) {
            let d_ik = row_i[k];
            relax_row(row_i, &row_k, d_ik);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{solve, solve_through};

    const NONE: f32 = f32::INFINITY;

    #[test]
    fn a_path_over_two_edges_beats_a_longer_edge() {
        let mut d = [0.0, 2.0, 9.0, NONE, 0.0, 3.0, NONE, NONE, 0.0];
        solve(&mut d, 3);
        assert_eq!(d, [0.0, 2.0, 5.0, NONE, 0.0, 3.0, NONE, NONE, 0.0]);
    }

    #[test]
    fn a_negative_edge_shortens_and_does_not_connect_what_is_apart() {
        let mut d = [0.0, 4.0, 1.0, NONE, 0.0, NONE, NONE, -3.0, 0.0];
        solve(&mut d, 3);
        assert_eq!(d, [0.0, -2.0, 1.0, NONE, 0.0, NONE, NONE, -3.0, 0.0]);
    }

    #[test]
    fn after_some_iterations_paths_lead_through_as_many_vertices() {
        let mut d = [0.0, 2.0, 9.0, 1.0, 0.0, 3.0, NONE, 1.0, 0.0];
        solve_through(&mut d, 3, 0, true);
        assert_eq!(d, [0.0, 2.0, 9.0, 1.0, 0.0, 3.0, NONE, 1.0, 0.0]);
        solve_through(&mut d, 3, 1, false);
        assert_eq!(d, [0.0, 2.0, 9.0, 1.0, 0.0, 3.0, NONE, 1.0, 0.0]);
        solve_through(&mut d, 3, 2, true);
        assert_eq!(d, [0.0, 2.0, 5.0, 1.0, 0.0, 3.0, 2.0, 1.0, 0.0]);
    }

    #[test]
    #[should_panic(expected = "no 4 iterations")]
    fn more_iterations_than_vertices_are_refused() {
        solve_through(&mut [0.0_f32; 9], 3, 4, true);
    }

    #[test]
    fn one_vertex_stays_as_it_is() {
        let mut d = [0.0];
        solve(&mut d, 1);
        assert_eq!(d, [0.0]);
    }
}
