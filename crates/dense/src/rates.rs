//! How fast dense graphs are solved here, by small solves.
//!
//! On the CPU one small solve is timed, of 512 vertices on up to 15 threads, of more on more, or of n if there are fewer. Its rate is taken
//! for larger matrices as well: on two cores of a virtual machine theirs was 0.6 to 1.7 times that (`examples/dense_rates.rs`).
//!
//! On a GPU two solves are timed, and t(n) = c n² + a n + b n³ is laid through them: c n² are the copies, a n the rounds that follow each
//! other, and b n³ the tasks.

use crate::pieces::Parts;
use repro_graph::{DistanceMatrix, Element, ElementType, MatrixError};
use repro_solvers::{Vectorized, cpu_parallel};
use std::sync::Mutex;
use std::time::Instant;

/// The largest matrix that is solved on the CPU to learn its rate: 5 ms on two cores. More threads find too little to do in it, so that its
/// edge doubles with every four times as many of them.
fn probe(threads: usize) -> usize {
    512 << ((threads / 4).max(1).ilog2() / 2)
}

/// The two matrices that are solved on a GPU.
pub(crate) const DEVICE_PROBES: [usize; 2] = [1024, 4096];

/// What was measured, so that it is measured once: tasks a second by type and n on the CPU, and models by type of a device.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    cpu: Mutex<Vec<(ElementType, usize, usize, f64)>>,
    device: Mutex<Vec<(ElementType, Option<Model>)>>,
}

impl Rates {
    /// Tasks a second of the CPU at n vertices. None if there is no memory for a small matrix.
    pub fn cpu<T: Vectorized>(&self, n: usize) -> Option<f64> {
        let threads = rayon::current_num_threads();
        let probe = n.clamp(1, probe(threads)).next_power_of_two();
        let Ok(mut known) = self.cpu.lock() else { return None };
        let same = |(element, size, of, _): &&(ElementType, usize, usize, f64)| {
            (*element, *size, *of) == (T::TYPE, probe, threads)
        };
        if let Some((.., rate)) = known.iter().find(same) {
            return Some(*rate);
        }
        let rate = measure_cpu::<T>(probe).ok()?;
        known.push((T::TYPE, probe, threads, rate));
        Some(rate)
    }

    /// Tasks a second of a device at n vertices, by the model that `measure` finds the first time.
    pub fn device(
        &self,
        element: ElementType,
        n: usize,
        measure: impl FnOnce() -> Option<Model>,
    ) -> Option<f64> {
        let Ok(mut known) = self.device.lock() else { return None };
        let model = match known.iter().find(|(of, _)| *of == element) {
            Some((_, model)) => *model,
            None => {
                let model = measure();
                known.push((element, model));
                model
            }
        };
        model.map(|model| (n as f64).powi(3) / model.seconds(n))
    }
}

fn measure_cpu<T: Vectorized>(n: usize) -> Result<f64, MatrixError> {
    let graph = ring::<T>(n)?;
    let mut best = f64::INFINITY;
    // The first wakes the threads.
    for _ in 0..3 {
        let mut matrix = graph.clone();
        let started = Instant::now();
        cpu_parallel::solve(matrix.as_mut_slice(), n);
        best = best.min(started.elapsed().as_secs_f64());
    }
    Ok((n as f64).powi(3) / best.max(1e-9))
}

/// A graph whose distances come out of the last rounds. What is in a matrix hardly changes the time.
pub(crate) fn ring<T: Element>(n: usize) -> Result<DistanceMatrix<T>, MatrixError> {
    let mut graph = DistanceMatrix::without_edges(n)?;
    for tail in 0..n {
        let head = (tail + 1) % n;
        if head != tail {
            graph.add_edge(tail, head, T::from_f64(1.0));
        }
    }
    Ok(graph)
}

/// Seconds of a solve on a device: c n² + a n + b n³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Model {
    copies: f64,
    rounds: f64,
    tasks: f64,
}

impl Model {
    /// Through two solves, the larger one behind the smaller. Where the two do not fit together, all of the larger one's time is in tasks.
    pub fn through([(small, one), (large, two)]: [(usize, Parts); 2]) -> Self {
        let (small, large) = (small as f64, large as f64);
        let tasks = (two.kernels / large - one.kernels / small) / (large * large - small * small);
        let rounds = one.kernels / small - tasks * small * small;
        let copies = two.copies / (large * large);
        if tasks > 0.0 && rounds >= 0.0 {
            Self { copies, rounds, tasks }
        } else {
            Self { copies, rounds: 0.0, tasks: two.kernels / large.powi(3) }
        }
    }

    /// Of n vertices.
    pub fn seconds(&self, n: usize) -> f64 {
        let n = n as f64;
        self.copies * n * n + self.rounds * n + self.tasks * n.powi(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_goes_through_both_solves() {
        let [one, two] = [Parts { copies: 0.001, kernels: 0.0003 }, Parts { copies: 0.016, kernels: 0.005 }];
        let model = Model::through([(1024, one), (4096, two)]);
        assert!((model.seconds(1024) - 0.0013).abs() < 1e-12 && (model.seconds(4096) - 0.021).abs() < 1e-12);
        assert!(model.rounds > 0.0 && model.seconds(16_384) > 16.0 * 0.021);
    }

    #[test]
    fn solves_that_do_not_fit_together_still_make_a_model() {
        let slow = Parts { copies: 0.0, kernels: 1.0 };
        let model = Model::through([(1024, slow), (4096, slow)]);
        assert!((model.seconds(4096) - 1.0).abs() < 1e-12 && model.seconds(8192) > 7.9);
    }

    #[test]
    fn more_threads_are_measured_by_more_work() {
        assert_eq!([1, 2, 15, 16, 63, 64].map(probe), [512, 512, 512, 1024, 1024, 2048]);
    }

    #[test]
    fn a_rate_is_measured_once_for_each_type_and_size() {
        let rates = Rates::default();
        let first = rates.cpu::<u16>(40).unwrap();
        assert!(first > 0.0);
        assert_eq!(rates.cpu::<u16>(64), Some(first));
        assert_eq!(rates.cpu.lock().unwrap().len(), 1);
        let model = Model { copies: 0.0, rounds: 0.0, tasks: 1e-9 };
        assert_eq!(rates.device(ElementType::F32, 10, || Some(model)).map(f64::round), Some(1e9));
        assert_eq!(rates.device(ElementType::F32, 10, || None).map(f64::round), Some(1e9));
        assert_eq!(rates.device(ElementType::I32, 10, || None), None);
    }
}
