//! Measures the rates that `choose` estimates by, on one thread: how many arcs a search looks at in a second, and how many steps it takes
//! in its heap; and how often potentials look at each arc. Run it optimized:
//!
//! ```text
//! cargo run --release -p repro-shortest-paths --example rates
//! ```
//!
//! Graphs have 20,000 vertices with 2 to 256 arcs each to vertices anywhere. The rates are those that fit best, in the sense of least relative
//! squares, to seconds = m / arcs + n (1 + ln(m / n)) log2 n / steps. Seconds are those of the processor where Linux counts them, so that other
//! programs on the machine matter less.

use shortest_paths::{Arcs, ArcsBuilder, Control, Element, Progress, SearchContext};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const VERTICES: usize = 20_000;

fn main() -> Result<(), Box<dyn Error>> {
    measure::<f32>()?;
    measure::<f64>()?;
    measure::<i32>()?;
    measure::<u16>()?;
    for degree in [2, 4, 16, 64, 256] {
        rounds(degree)?;
    }
    Ok(())
}

/// How often potentials look at each arc of a graph with negative weights and no negative cycle.
fn rounds(degree: usize) -> Result<(), Box<dyn Error>> {
    let graph = graph::<i32>(degree)?;
    // What is added is the difference of two heights, so it adds up to 0 on every cycle.
    let height = |vertex: usize| (vertex * 7919 % 101) as i32;
    let mut builder = ArcsBuilder::with_vertices(graph.n())?;
    for tail in 0..graph.n() {
        for at in graph.offsets()[tail]..graph.offsets()[tail + 1] {
            let head = graph.heads()[at] as usize;
            builder.add(tail, head, graph.weights()[at] + height(tail) - height(head))?;
        }
    }
    let (graph, _) = builder.build()?;
    let rounds = AtomicU64::new(0);
    let count = |progress: Progress| rounds.store(progress.done, Ordering::Relaxed);
    let start = Seconds::now();
    SearchContext::new(&graph, &Control::default().with_progress(&count))?;
    let seconds = start.passed();
    let rounds = rounds.into_inner();
    println!("potentials: {} arcs: {rounds} rounds, {:.3} ms", graph.m(), seconds * 1e3);
    Ok(())
}

fn measure<T: Element>() -> Result<(), Box<dyn Error>> {
    let steps = |m: f64| VERTICES as f64 * (1.0 + (m / VERTICES as f64).ln()) * (VERTICES as f64).log2();
    let mut measured = Vec::new();
    // Sums of the normal equations of x m / t + y steps / t = 1.
    let (mut mm, mut ms, mut ss, mut m1, mut s1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for degree in [2, 4, 16, 64, 256] {
        let graph = graph::<T>(degree)?;
        let rows = 200 / degree.min(20);
        let searches = SearchContext::new(&graph, &Control::default())?;
        let start = Seconds::now();
        for source in 0..rows {
            std::hint::black_box(searches.row(source * 97, &Control::default())?);
        }
        let seconds = start.passed() / rows as f64;
        println!("{}: {} vertices, {} arcs: {:.3} ms a row", T::TYPE, VERTICES, graph.m(), seconds * 1e3);
        let (m, s) = (graph.m() as f64 / seconds, steps(graph.m() as f64) / seconds);
        measured.push((m, s));
        mm += m * m;
        ms += m * s;
        ss += s * s;
        m1 += m;
        s1 += s;
    }
    let determinant = mm * ss - ms * ms;
    let (arcs, steps) = (determinant / (m1 * ss - s1 * ms), determinant / (s1 * mm - m1 * ms));
    let ratios: Vec<String> = measured.iter().map(|(m, s)| format!("{:.2}", m / arcs + s / steps)).collect();
    println!("{}: estimates by measured seconds {}", T::TYPE, ratios.join(" "));
    println!("{}: {arcs:.3e} arcs/s, {steps:.3e} heap steps/s", T::TYPE);
    Ok(())
}

/// Arcs to vertices drawn by a linear congruence, with weights from 1 to 100.
fn graph<T: Element>(degree: usize) -> Result<Arcs<T>, Box<dyn Error>> {
    let mut state = 20_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut builder = ArcsBuilder::with_vertices(VERTICES)?;
    builder.reserve(VERTICES * degree)?;
    for tail in 0..VERTICES {
        for _ in 0..degree {
            builder.add(tail, draw(VERTICES), T::from_f64((1 + draw(100)) as f64))?;
        }
    }
    Ok(builder.build()?.0)
}

/// Seconds that this thread was on a processor, or, where nobody counts them, on the clock.
enum Seconds {
    OnProcessor(f64),
    OnClock(Instant),
}

impl Seconds {
    fn now() -> Self {
        on_processor().map_or_else(|| Self::OnClock(Instant::now()), Self::OnProcessor)
    }

    fn passed(&self) -> f64 {
        match self {
            Self::OnProcessor(start) => on_processor().unwrap_or(*start) - start,
            Self::OnClock(start) => start.elapsed().as_secs_f64(),
        }
    }
}

fn on_processor() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
