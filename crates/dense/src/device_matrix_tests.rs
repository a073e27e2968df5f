use super::*;
use crate::DenseSolver;
use repro_device::Selection;
use repro_solvers::Vectorized;
use shortest_paths::{Algorithm, Element, Options, SearchError, solve};

fn solver() -> DenseSolver {
    DenseSolver::open(Selection::Emulated(None)).unwrap()
}

/// Weights as another library has them: with paths that there are not, and numbers on the diagonal.
fn weights<T: Element>(n: usize) -> Vec<T> {
    let weight = |at: usize| match (at * 7919 + at / n * 31) % 23 {
        rest @ 0..8 => T::from_f64(rest as f64 * 5.0),
        _ => T::ABSENT,
    };
    (0..n * n).map(weight).collect()
}

fn left_on(solver: &DenseSolver) -> usize {
    let matrix =
        solver.solve_there(foreign(&Arc::new(vec![0_i32])), 1, ElementType::I32, false, &Control::default());
    let allocation = matrix.unwrap().allocation;
    let number = allocation.number;
    let others = move |own: &mut DeviceState, _: &AtomicBool| {
        Ok(Some(own.left.keys().filter(|key| **key != number).count()))
    };
    allocation.device.ask(&Control::default(), others).unwrap()
}

fn foreign<T: Element>(weights: &Arc<Vec<T>>) -> ForeignMemory {
    ForeignMemory::of_host(weights.clone())
}

fn agrees<T: Element + Vectorized>(solver: &DenseSolver, n: usize, zeros_absent: bool) {
    let given = Arc::new(weights::<T>(n));
    let there = solver.solve_there(foreign(&given), n, T::TYPE, zeros_absent, &Control::default()).unwrap();
    assert_eq!(Arc::strong_count(&given), 1, "the weights went back to their owner");
    assert_eq!(*given, weights::<T>(n), "and are what they were");
    let clean = |(at, weight): (usize, T)| match () {
        () if at / n == at % n => T::ZERO,
        () if weight.is_absent() || zeros_absent && weight == T::ZERO => T::ABSENT,
        () => weight,
    };
    let clean = given.iter().copied().enumerate().map(clean).collect();
    let graph = DistanceMatrix::from_row_major(n, clean).unwrap();
    let options = Options { algorithm: Some(Algorithm::Dijkstra), ..Options::default() };
    let expected = solve(&graph, &options).unwrap().distances;
    let found = there.to_host::<T>(&Control::default()).unwrap();
    assert!(found.iter().zip(&expected).all(|(one, two)| one.bitwise_eq(*two)), "{} of n = {n}", T::TYPE);
    assert!(there.distance::<T>(n - 1, n / 2).unwrap().bitwise_eq(expected[(n - 1) * n + n / 2]));
    assert_eq!((there.n(), there.element(), there.device_info().emulated), (n, T::TYPE, true));
    assert_ne!(there.address(), 0);
}

#[test]
fn weights_that_lie_on_a_device_are_solved_there_and_the_distances_stay() {
    let solver = solver();
    for n in [1, 31, 64] {
        agrees::<f32>(&solver, n, false);
        agrees::<i32>(&solver, n, false);
        agrees::<u16>(&solver, n, n == 31);
    }
    assert_eq!(left_on(&solver), 0);
}

#[test]
fn weights_on_a_device_that_are_as_long_both_ways_are_solved_by_half_of_the_tasks() {
    let solver = solver();
    let n = 66;
    let of = |both_ways: bool| {
        let weight = |i: usize, j: usize| match (i * j + i + j) % 13 {
            rest @ 0..4 => rest as f32 + if both_ways { 1.0 } else { i as f32 },
            _ => f32::INFINITY,
        };
        let given = Arc::new((0..n * n).map(|at| weight(at / n, at % n)).collect::<Vec<f32>>());
        let there =
            solver.solve_there(foreign(&given), n, ElementType::F32, false, &Control::default()).unwrap();
        let mut expected = given.to_vec();
        expected.iter_mut().step_by(n + 1).for_each(|stay| *stay = 0.0);
        repro_solvers::cpu_naive::solve(&mut expected, n);
        assert_eq!(there.to_host::<f32>(&Control::default()).unwrap(), expected);
        there.halved()
    };
    assert!(of(true) && !of(false));
}

#[test]
fn distances_live_as_long_as_their_matrix_and_no_longer() {
    let solver = solver();
    let control = Control::default();
    let given = Arc::new(vec![0_u16, 3, 4, 0]);
    let solve = || solver.solve_there(foreign(&given), 2, ElementType::U16, false, &control).unwrap();
    let (one, two) = (solve(), solve());
    assert_eq!(left_on(&solver), 2);
    assert_ne!(one.address(), two.address());
    drop(one);
    assert_eq!(left_on(&solver), 1);
    // The solver itself may go first, and the last owner may be any thread.
    drop(solver);
    assert_eq!(two.to_host::<u16>(&control).unwrap(), *given);
    assert!(two.to_host::<f32>(&control).unwrap_err().to_string().contains("distances are u16, not f32"));
    assert!(two.distance::<u16>(0, 2).unwrap_err().to_string().contains("no entry [0, 2]"));
    std::thread::spawn(move || drop(two)).join().unwrap();
}

/// The error, after which nothing is left on the device and the weights are their owner's.
fn refused<T: Element>(solver: &DenseSolver, n: usize, weights: Vec<T>) -> DenseError {
    let given = Arc::new(weights);
    let found = solver.solve_there(foreign(&given), n, T::TYPE, false, &Control::default());
    assert_eq!(Arc::strong_count(&given), 1);
    assert_eq!(left_on(solver), 0);
    found.unwrap_err()
}

#[test]
fn what_cannot_be_solved_there_is_refused_by_its_place_and_goes_back() {
    let solver = solver();
    let message = |error: DenseError| error.to_string();
    let error = message(refused(&solver, 2, vec![0.0, 1.0, f32::NAN, 0.0]));
    assert!(error.starts_with("the weight at [1, 0] is NaN, which is no weight in f32"), "{error}");
    let error = message(refused(&solver, 2, vec![0, 1 << 28, 1, 0]));
    assert!(error.starts_with("the weight at [0, 1] is 268435456, which is no weight in i32"), "{error}");
    let error = message(refused(&solver, 2, vec![0.0_f32, 1.0, -0.5, 0.0]));
    assert!(
        error.starts_with("the weight at [1, 0] is -0.5, and") && error.ends_with("to the host first"),
        "{error}"
    );
    let DenseError::NegativeCycle(cycle) = refused(&solver, 2, vec![0, 1, -1, -7]) else {
        panic!("no cycle")
    };
    assert_eq!((cycle.cycle, cycle.weight), (vec![1], -7.0));
    let long = vec![0, 20_000, 32_767, 1, 0, 20_000, 1, 1, 0_u16];
    assert!(
        message(refused(&solver, 3, long)).contains("as long as 40000, and u16 holds distances up to 32766")
    );
    let long = [0.0, 3e38, f32::INFINITY, 1.0, 0.0, 3e38, 1.0, 1.0, 0.0].to_vec();
    assert!(message(refused(&solver, 3, long)).contains("which is no f32"));
    let error = message(refused(&solver, 1, vec![0.0_f64]));
    assert!(error.contains("takes weights in f64"), "{error}");
    // A size that is not that of the memory.
    assert!(message(refused(&solver, 3, vec![0; 8])).contains("no room for"));
    let nowhere = DenseSolver::cpu().solve_there(
        foreign(&Arc::new(vec![0])),
        1,
        ElementType::I32,
        false,
        &Control::default(),
    );
    assert!(matches!(nowhere, Err(DenseError::NoDevice { element: ElementType::I32 })));
}

#[test]
fn a_solve_that_is_cancelled_leaves_nothing_behind() {
    let solver = solver();
    let given = Arc::new(weights::<i32>(300));
    let flag = AtomicBool::new(true);
    let control = Control::default().cancelled_by(&flag);
    let ended = solver.solve_there(foreign(&given), 300, ElementType::I32, false, &control);
    assert!(matches!(ended, Err(DenseError::Search(SearchError::Cancelled))));
    // The thread has done by then what it had begun.
    assert_eq!(left_on(&solver), 0);
    assert_eq!(Arc::strong_count(&given), 1);
}
