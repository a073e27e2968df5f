//! lund-smith-2010 §5, the "CPU" column: Figure 1 as it is printed, on one core.

use repro_graph::{Element, ElementType, by_element};
use std::hint::black_box;

/// Floyd-Warshall as textbooks have it: for every k, i, j, `d[i][j] = min(d[i][j], d[i][k] + d[k][j])`.
///
/// `d` is the row-major n x n matrix of path lengths, in place; absent edges are [`Element::ABSENT`]. k is outermost, and there is no
/// blocking, no second core and no intrinsic. It defines the result that every other one is compared with: n³ tasks in the order of the
/// figure.
///
/// One copy of row k is made per k, because Rust will not lend row k and row i of one slice at once and
/// indexing `d` three times instead would test three bounds in every task. The copy costs n of the n² tasks of
/// a k, and changes nothing: without a negative cycle `d[k][k]` >= 0, so row k is not improved during its own k.
///
/// # Panics
/// When `d` does not hold n² numbers.
pub fn solve<T: Element>(d: &mut [T], n: usize) {
    solve_iterations(d, n, n);
}

/// The first `iterations` iterations of [`solve`]: k from 0 to `iterations` - 1. After them entry (i, j) is the length of the shortest path
/// from i to j whose intermediate vertices are all below `iterations`. A result of iterations spread evenly over k could not be verified.
///
/// # Panics
/// When `d` does not hold n² numbers, or `iterations` is more than n.
pub fn solve_iterations<T: Element>(d: &mut [T], n: usize, iterations: usize) {
    of_bytes(T::TYPE, bytemuck::cast_slice_mut(d), n, iterations, true);
}

/// [`solve_iterations`] without vector instructions: an instruction does one task. The results are the same in every bit.
///
/// # Panics
/// When `d` does not hold n² numbers, or `iterations` is more than n.
pub fn solve_unvectorized<T: Element>(d: &mut [T], n: usize, iterations: usize) {
    of_bytes(T::TYPE, bytemuck::cast_slice_mut(d), n, iterations, false);
}

/// Not generic, so that the loops are compiled here once for each type and not in every crate that calls them.
fn of_bytes(element: ElementType, bytes: &mut [u8], n: usize, iterations: usize, vectorized: bool) {
    if vectorized {
        by_element!(element, T => each_k::<T>(bytemuck::cast_slice_mut(bytes), n, iterations));
    } else {
        by_element!(element, T => each_k_unvectorized::<T>(bytemuck::cast_slice_mut(bytes), n, iterations));
    }
}

fn each_k<T: Element>(d: &mut [T], n: usize, iterations: usize) {
    loops(d, n, iterations, || {});
}

/// The loops of [`each_k`], in which nothing may be moved from one task to the next. A function of its own, so that a test finds its
/// machine code.
#[inline(never)]
fn each_k_unvectorized<T: Element>(d: &mut [T], n: usize, iterations: usize) {
    // `black_box` is no instruction, but to the compiler a memory access: it keeps the tasks on both sides apart.
    loops(d, n, iterations, || black_box(()));
}

#[inline(always)]
fn loops<T: Element>(d: &mut [T], n: usize, iterations: usize, after_each: impl Fn()) {
    assert!(iterations <= n, "{n} vertices have no {iterations} iterations");
    assert_eq!(Some(d.len()), n.checked_mul(n), "an n x n matrix holds n * n numbers");
    if n == 0 {
        return;
    }
    let mut row_k = vec![T::ZERO; n];
    for k in 0..iterations {
        row_k.copy_from_slice(&d[k * n..][..n]);
        for row_i in d.chunks_exact_mut(n) {
            let d_ik = row_i[k];
            for (d_ij, d_kj) in row_i.iter_mut().zip(&row_k) {
                // Not `f32::min`, which promises more about NaN than the figure and costs three instructions.
                *d_ij = d_ik.plus(*d_kj).shorter(*d_ij);
                after_each();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{solve_iterations, solve_unvectorized};
    use repro_graph::{DistanceMatrix, Element, RandomGraph, generate};

    const NONE: f32 = f32::INFINITY;

    #[test]
    fn after_some_iterations_paths_lead_through_as_many_vertices() {
        let mut d = [0.0, 2.0, 9.0, 1.0, 0.0, 3.0, NONE, 1.0, 0.0];
        solve_iterations(&mut d, 3, 0);
        assert_eq!(d, [0.0, 2.0, 9.0, 1.0, 0.0, 3.0, NONE, 1.0, 0.0]);
        solve_iterations(&mut d, 3, 1);
        assert_eq!(d, [0.0, 2.0, 9.0, 1.0, 0.0, 3.0, NONE, 1.0, 0.0]);
        solve_iterations(&mut d, 3, 2);
        assert_eq!(d, [0.0, 2.0, 5.0, 1.0, 0.0, 3.0, 2.0, 1.0, 0.0]);
    }

    #[test]
    #[should_panic(expected = "no 4 iterations")]
    fn more_iterations_than_vertices_are_refused() {
        solve_iterations(&mut [0.0_f32; 9], 3, 4);
    }

    #[test]
    fn without_vectors_the_numbers_are_the_same_in_every_type() {
        fn check<T: Element>() {
            let graph = RandomGraph { density: 0.3, max_weight: 90, ..RandomGraph::complete(5) };
            let matrix: DistanceMatrix = generate(&graph, 41).unwrap();
            let weights: Vec<T> =
                matrix.as_slice().iter().map(|&weight| T::from_f64(weight.into())).collect();
            for iterations in [0, 1, 17, 41] {
                let mut both = [weights.clone(), weights.clone()];
                let [one, other] = &mut both;
                solve_iterations(one, 41, iterations);
                solve_unvectorized(other, 41, iterations);
                assert_eq!(one, other);
            }
        }
        check::<f32>();
        check::<i32>();
        check::<u16>();
        check::<f64>();
    }

    /// Reads the machine code of this very program.
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    #[test]
    fn without_vectors_no_instruction_adds_or_compares_several_numbers() {
        use object::{Object, ObjectSection, ObjectSymbol};
        // So that it is compiled.
        solve_unvectorized(&mut [0.0_f32], 1, 1);
        let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let program = object::File::parse(&*program).unwrap();
        let instances = program.symbols().filter(|symbol| {
            symbol.size() > 0 && symbol.name().is_ok_and(|name| name.contains("each_k_unvectorized"))
        });
        let codes: Vec<&[u8]> = instances
            .map(|symbol| {
                let section = program.section_by_index(symbol.section_index().unwrap()).unwrap();
                section.data_range(symbol.address(), symbol.size()).unwrap().unwrap()
            })
            .collect();
        assert_eq!(codes.len(), 4, "one for each type");
        let has = |code: &[u8], bytes: &[u8]| code.windows(bytes.len()).any(|window| window == bytes);
        let mut scalar = 0;
        for code in codes {
            for (at, window) in code.windows(2).enumerate() {
                // Additions and minima of floats are of one number where this prefix stands before them.
                if matches!(window, [0x0f, 0x58 | 0x5d]) {
                    let before = &code[at.saturating_sub(2)..at];
                    assert!(
                        before.iter().any(|byte| matches!(byte, 0xf2 | 0xf3)),
                        "{:02x?}",
                        &code[at - 2..at + 6]
                    );
                    scalar += 1;
                }
            }
            // Of integers: additions of 16 and 32 bits, and comparisons, of vectors.
            for packed in [[0x66, 0x0f, 0xfd], [0x66, 0x0f, 0xfe], [0x66, 0x0f, 0x65], [0x66, 0x0f, 0x66]] {
                assert!(!has(code, &packed), "{packed:02x?}");
            }
        }
        assert!(scalar >= 4, "an addition and a minimum for each type of floats, not {scalar}");
    }
}
