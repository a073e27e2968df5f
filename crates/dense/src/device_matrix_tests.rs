use super::*;
use crate::DenseSolver;
use repro_device::Selection;
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

/// The distances are those that searches find; whether half of the tasks have sufficed.
fn agrees<T: Element>(solver: &DenseSolver, n: usize, weights: Vec<T>, zeros_absent: bool) -> bool {
    let given = Arc::new(weights.clone());
    let there = solver.solve_there(foreign(&given), n, T::TYPE, zeros_absent, &Control::default()).unwrap();
    assert_eq!(Arc::strong_count(&given), 1, "the weights went back to their owner");
    assert_eq!(*given, weights, "and are what they were");
    let clean = |(at, weight): (usize, T)| match () {
        () if at / n == at % n => T::ZERO,
        () if weight.is_absent() || zeros_absent && weight == T::ZERO => T::ABSENT,
        () => weight,
    };
    let clean = weights.into_iter().enumerate().map(clean).collect();
    let graph = DistanceMatrix::from_row_major(n, clean).unwrap();
    let options = Options { algorithm: Some(Algorithm::Dijkstra), ..Options::default() };
    let expected = solve(&graph, &options).unwrap().distances;
    let found = there.to_host::<T>(&Control::default()).unwrap();
    assert!(found.iter().zip(&expected).all(|(one, two)| one.bitwise_eq(*two)), "{} of n = {n}", T::TYPE);
    assert!(there.distance::<T>(n - 1, n / 2).unwrap().bitwise_eq(expected[(n - 1) * n + n / 2]));
    assert_eq!((there.n(), there.element(), there.device_info().emulated), (n, T::TYPE, true));
    assert_ne!(there.address(), 0);
    there.used_symmetry()
}

#[test]
fn weights_that_lie_on_a_device_are_solved_there_and_the_distances_stay() {
    let solver = solver();
    assert!(!agrees::<f32>(&solver, 31, weights(31), true));
    assert_eq!(left_on(&solver), 0);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn weights_of_every_type_are_solved_on_their_device_as_are_those_as_long_both_ways() {
        let solver = solver();
        let long = [0, 20_000, 32_767, 1, 0, 20_000, 1, 1, 0_u16];
        refuses(&solver, 3, &long, ["as long as 40000, ", "u16 holds distances up to 32766"]);
        let large = ["the weight at [0, 1] is 268435456, ", "no weight in i32"];
        refuses(&solver, 2, &[0, 1 << 28, 1, 0], large);
        for n in [1, 31, 64] {
            agrees::<f32>(&solver, n, weights(n), false);
            agrees::<i32>(&solver, n, weights(n), false);
            agrees::<u16>(&solver, n, weights(n), n == 31);
        }
        // As long both ways, and not.
        for both_ways in [true, false] {
            let weight = |i: usize, j: usize| match (i * j + i + j) % 13 {
                rest @ 0..4 => rest as f32 + if both_ways { 1.0 } else { i as f32 },
                _ => f32::INFINITY,
            };
            let weights = (0..66 * 66).map(|at| weight(at / 66, at % 66)).collect();
            assert_eq!(agrees(&solver, 66, weights, false), both_ways);
        }
        assert_eq!(left_on(&solver), 0);
    }
}

#[test]
fn distances_live_as_long_as_their_matrix_and_no_longer() {
    let solver = solver();
    let control = Control::default();
    let given = Arc::new(vec![0.0_f32, 3.0, 4.0, 0.0]);
    let solve = || solver.solve_there(foreign(&given), 2, ElementType::F32, false, &control).unwrap();
    let (one, two) = (solve(), solve());
    assert_eq!(left_on(&solver), 2);
    assert_ne!(one.address(), two.address());
    drop(one);
    assert_eq!(left_on(&solver), 1);
    // The solver itself may go first, and the last owner may be any thread.
    drop(solver);
    assert_eq!(two.to_host::<f32>(&control).unwrap(), *given);
    assert!(two.to_host::<u16>(&control).unwrap_err().to_string().contains("distances are f32, not u16"));
    assert!(two.distance::<f32>(0, 2).unwrap_err().to_string().contains("no entry [0, 2]"));
    std::thread::spawn(move || drop(two)).join().unwrap();
}

/// The error, after which nothing is left on the device and the weights are their owner's.
fn refused<T: Element>(solver: &DenseSolver, n: usize, weights: Vec<T>, control: &Control) -> DenseError {
    let given = Arc::new(weights);
    let found = solver.solve_there(foreign(&given), n, T::TYPE, false, control);
    // The thread has done by then what it had begun.
    assert_eq!(left_on(solver), 0);
    assert_eq!(Arc::strong_count(&given), 1);
    found.unwrap_err()
}

fn refuses<T: Element>(solver: &DenseSolver, n: usize, weights: &[T], parts: [&str; 2]) {
    let error = refused(solver, n, weights.to_vec(), &Control::default()).to_string();
    assert!(parts.iter().all(|part| error.contains(part)), "{error}");
}

#[test]
fn what_cannot_be_solved_there_is_refused_by_its_place_and_goes_back() {
    let solver = &solver();
    refuses(solver, 2, &[0.0, 1.0, f32::NAN, 0.0], ["the weight at [1, 0] is NaN, ", "no weight in f32"]);
    let negative = ["the weight at [1, 0] is -0.5, and", "to the host first"];
    refuses(solver, 2, &[0.0_f32, 1.0, -0.5, 0.0], negative);
    let long = [0.0, 3e38, f32::INFINITY, 1.0, 0.0, 3e38, 1.0, 1.0, 0.0];
    refuses(solver, 3, &long, ["", "which is no f32"]);
    refuses(solver, 1, &[0.0_f64], ["", "takes weights in f64"]);
    // A size that is not that of the memory.
    refuses(solver, 3, &[0; 8], ["", "no room for"]);
    let cycle = refused(solver, 2, vec![0.0_f32, 1.0, -1.0, -7.0], &Control::default());
    let DenseError::NegativeCycle(cycle) = cycle else { panic!("no cycle") };
    assert_eq!((cycle.cycle, cycle.weight), (vec![1], -7.0));
    let flag = AtomicBool::new(true);
    let ended = refused(solver, 300, weights::<f32>(300), &Control::default().cancelled_by(&flag));
    assert!(matches!(ended, DenseError::Search(SearchError::Cancelled)));
    let one = foreign(&Arc::new(vec![0]));
    let nowhere = DenseSolver::cpu().solve_there(one, 1, ElementType::I32, false, &Control::default());
    assert!(matches!(nowhere, Err(DenseError::NoDevice { element: ElementType::I32 })));
}
