//! Tasks a second against tasks a byte, under the bandwidth and the instruction rates of the machine.

use super::device_implementations;
use crate::graph::ElementType;
use crate::plot::palette::MUTED;
use crate::plot::{
    Axis, Chart, Guide, Key, Lines, Mark, Plot, Point, Quantity, Scale, Series, Shape, Stroke, rate_text,
    significant,
};
use crate::results::StoredRun;
use crate::show::Column;
use crate::show::look;
use crate::show::source;
use crate::show::subjects::counts::counted_last_kernel;
use crate::show::words::{list, percent, times};
use crate::show::{Context, Time};
use crate::store::CounterRow;
use crate::timing::{Ceilings, DeviceCeilings};

/// Lines are drawn so far beyond the outermost marks.
const ROOM: f64 = 1.6;

/// None where no copy was measured, or fewer than three kernels have a time and a number of bytes.
pub fn plot(contexts: &[Context], counted: &[&StoredRun]) -> Option<Plot> {
    let with_device =
        || contexts.iter().filter_map(|context| context.ceilings()).filter(|one| one.device.is_some());
    let best = with_device().fold(Ceilings::default(), |all, one| all.best_of(*one)).device?;
    let names = device_implementations(contexts);
    let kernels: Vec<Kernel> = names.iter().filter_map(|name| Kernel::of(contexts, counted, name)).collect();
    if kernels.len() < 3 {
        return None;
    }
    let measured: Vec<Measured> = contexts.iter().flat_map(Measured::all).collect();
    let element = contexts.first()?.elements().0;
    let copy = best.copy_gbs * 1e9;
    let guides = ceilings(contexts, &best, element);
    let peak = guides.iter().map(|guide| guide.at).fold(best.add_min_tasks_per_s, f64::max);
    let xs = || kernels.iter().map(|one| one.tasks_a_byte).chain(measured.iter().map(|one| one.tasks_a_byte));
    let (first, last) = (xs().fold(f64::INFINITY, f64::min) / ROOM, xs().fold(0.0, f64::max) * ROOM);
    // Beyond that nothing can be reached.
    let end = last.min(peak / copy);
    let bandwidth = Series {
        name: "copy bandwidth".into(),
        label: None,
        short: None,
        points: vec![Point::at(first, first * copy), Point::at(end, end * copy)],
        ink: MUTED,
        mark: None,
        stroke: Stroke::Dashed,
        thin: true,
    };
    let is_modelled = kernels.iter().any(|one| !one.counted);
    let key = |text: &str, filled| Key::circles(text, filled, MUTED, Stroke::None);
    let sloped = format!("sloped: a copy, {} GB/s", significant(best.copy_gbs, 4));
    let mut keys = vec![Key { stroke: Stroke::Dashed, ..Key::area(&sloped, MUTED) }];
    if !measured.is_empty() {
        keys.push(Key { mark: Some(MEASURED), ..key("bytes to DRAM, by the GPU's counters", true) });
    }
    if is_modelled || !measured.is_empty() {
        keys.extend([key("bytes counted", true), key("bytes by the kernel's own model", false)]);
    }
    let fastest = kernels.iter().max_by(|a, b| a.rate.median.total_cmp(&b.rate.median))?;
    let title = format!(
        "{} does {}, {} of what its roof allows",
        fastest.name,
        rate_text(fastest.rate.median),
        percent(fastest.share(copy, peak))
    );
    let caption =
        format!("{}{}", caption(&kernels, copy, element, is_modelled), of_counters(&measured, copy));
    let marks = kernels.iter().map(Kernel::series).chain(measured.iter().map(Measured::series));
    let series = marks.chain([bandwidth]).collect();
    Some(Plot {
        id: "roofline".into(),
        title,
        shows: "Roofline: tasks a second by tasks a byte".into(),
        alt: format!(
            "One mark for each of {} kernels: measured tasks a second against tasks for each byte of global memory, under the copy \
             bandwidth as a sloped line and {} instruction rates as horizontal lines.",
            kernels.len(),
            guides.len()
        ),
        caption,
        source: source::of_runs(&kernels.iter().map(|one| one.run).collect::<Vec<_>>())
            .map(|source| source.of_sizes(kernels.iter().map(|one| one.n))),
        chart: Chart::Lines(Lines {
            keys,
            ..Lines::new(
                Axis::new("tasks for each byte of global memory", Scale::Log, Quantity::TasksPerByte),
                Axis::new("10⁹ tasks/s, scope kernel", Scale::Log, Quantity::TasksPerSecond),
                series,
                guides,
            )
        }),
    })
}

/// The mark of bytes that the GPU's counters have, unlike those of implementations.
const MEASURED: Mark = Mark { shape: Shape::Diamond, filled: true };

/// An implementation at the largest n at which the GPU's counters say how many bytes reached DRAM.
struct Measured {
    name: String,
    n: usize,
    /// Tasks/s.
    rate: Time,
    tasks_a_byte: f64,
}

impl Measured {
    /// Those of a run, of each implementation the fastest.
    fn all(context: &Context) -> Vec<Self> {
        let counters = &context.run.results.counters;
        let mut all: Vec<Self> = Vec::new();
        for column in &context.columns {
            let is_of_it = |n: usize| {
                move |row: &&CounterRow| {
                    (row.implementation.as_str(), row.params.as_str(), row.n)
                        == (column.implementation.as_str(), column.params.as_str(), n)
                }
            };
            let of_n = |n: usize| -> Option<Self> {
                let bytes: u64 = counters.iter().filter(is_of_it(n)).map(|row| row.dram_bytes).sum();
                let tasks = context.tasks(column, n, context.elements().0);
                let rate = context.time(column, n)?.rate(tasks);
                let tasks_a_byte = tasks / bytes as f64;
                (bytes > 0).then(|| Self { name: column.implementation.clone(), n, rate, tasks_a_byte })
            };
            let Some(found) = context.sizes().into_iter().rev().find_map(of_n) else { continue };
            match all.iter_mut().find(|known| known.name == found.name) {
                Some(known) if (known.n, known.rate.median) < (found.n, found.rate.median) => *known = found,
                Some(_) => {}
                None => all.push(found),
            }
        }
        all
    }

    fn series(&self) -> Series {
        let name = format!("{}, to DRAM", self.name);
        Series {
            mark: Some(MEASURED),
            stroke: Stroke::None,
            ..Series::new(&name, vec![self.rate.at(self.tasks_a_byte)], look(&self.name))
        }
    }
}

/// What the counters say, where they were read.
fn of_counters(measured: &[Measured], copy: f64) -> String {
    if measured.is_empty() {
        return String::new();
    }
    let share = |one: &Measured| one.rate.median / one.tasks_a_byte / copy;
    let each = measured.iter().map(|one| format!("{} at n = {} {}", one.name, one.n, percent(share(one))));
    format!(
        " Diamonds have the bytes that reached DRAM by the GPU's counters, for which alone the line of the copy is a roof. Of the copy \
         they use: {}.",
        list(&each.collect::<Vec<_>>())
    )
}

/// One kernel at the largest n that it was timed at.
struct Kernel<'a> {
    name: String,
    run: &'a StoredRun,
    n: usize,
    /// Tasks/s.
    rate: Time,
    tasks_a_byte: f64,
    /// Whether the bytes were counted, and at which n.
    counted: bool,
}

impl<'a> Kernel<'a> {
    fn of(contexts: &[Context<'a>], counted: &[&StoredRun], name: &str) -> Option<Self> {
        let counts = counted.iter().filter_map(|run| counted_last_kernel(&run.results.counts, name));
        let counts = counts.max_by_key(|one| one.row.cell.n);
        let counted_as = counts.as_ref().map(|one| one.row.cell.params.as_str());
        let largest = |context: &Context<'a>, column: &Column| {
            let sizes = context.sizes().into_iter().rev();
            let (n, time) = sizes.filter_map(|n| Some((n, context.time(column, n)?))).next()?;
            Some((
                n,
                time.rate(context.tasks(column, n, context.elements().0)),
                column.params.clone(),
                context.run,
            ))
        };
        let of_run = |context: &Context<'a>| -> Vec<(usize, Time, String, &'a StoredRun)> {
            let columns = context.columns.iter().filter(|column| column.implementation == name);
            columns.filter_map(|column| largest(context, column)).collect()
        };
        // Of several at the largest n what was counted, and of that the fastest.
        let is_counted = |params: &str| counted_as == Some(params);
        let all = contexts.iter().flat_map(of_run);
        let (n, rate, params, run) = all.max_by(|(n, rate, params, _), (other, its, of, _)| {
            let known = |n: &usize, params: &str| (*n, is_counted(params));
            known(n, params).cmp(&known(other, of)).then(rate.median.total_cmp(&its.median))
        })?;
        // Other parameters may move other bytes.
        let counts = counts.filter(|one| one.row.cell.params == params).map(|one| one.sector_bytes_a_task);
        let bytes = counts.or_else(|| Some(run.results.facts.variant((name, &params))?.bytes_per_task))?;
        (bytes.is_finite() && bytes > 0.0).then(|| Self {
            name: name.to_string(),
            run,
            n,
            rate,
            tasks_a_byte: 1.0 / bytes,
            counted: counts.is_some(),
        })
    }

    fn series(&self) -> Series {
        let looks = look(&self.name);
        Series {
            mark: Some(Mark { shape: looks.shape, filled: self.counted }),
            stroke: Stroke::None,
            ..Series::new(&self.name, vec![self.rate.at(self.tasks_a_byte)], looks)
        }
    }

    /// Tasks/s over the lower of what the copy and the instructions allow, which are `copy` bytes/s and `peak` tasks/s.
    fn share(&self, copy: f64, peak: f64) -> f64 {
        self.rate.median / (copy * self.tasks_a_byte).min(peak)
    }
}

/// What the instructions allow, as horizontal lines: measured in registers, and by the issue slots.
fn ceilings(contexts: &[Context], best: &DeviceCeilings, element: ElementType) -> Vec<Guide> {
    let mut guides: Vec<Guide> = Vec::new();
    let mut add = |at: f64, label: &str, short: &str, stroke| {
        let is_new = guides.iter().all(|known: &Guide| (known.at / at - 1.0).abs() > 0.02);
        if is_new {
            let rate = Quantity::TasksPerSecond.text(at);
            guides.push(Guide::new(at, format!("{label}: {rate}"), format!("{short} {rate}"), MUTED, stroke));
        }
    };
    add(best.add_min_tasks_per_s, "add + min in registers", "add + min", Stroke::Dashed);
    if let Some(fastest) = best.arithmetic.get(element) {
        add(fastest.tasks_per_s, "best loop measured in registers", "best loop in registers", Stroke::Dashed);
    }
    let infos = contexts.iter().filter_map(|context| context.run.device());
    if let Some(slots) =
        infos.filter_map(|device| best.tasks_per_s(element, &device.info, None)).reduce(f64::max)
    {
        add(slots, "issue slots", "issue slots", Stroke::Solid);
    }
    guides
}

/// Who is above the line of the copy, `copy` bytes/s, and what the bytes are.
fn caption(kernels: &[Kernel], copy: f64, element: ElementType, is_modelled: bool) -> String {
    let above: Vec<String> = kernels
        .iter()
        .filter(|one| one.rate.median > copy * one.tasks_a_byte)
        .map(|one| format!("{} ({})", one.name, times(one.rate.median / (copy * one.tasks_a_byte))))
        .collect();
    let above = match above.is_empty() {
        true => "No kernel is above the line of the copy. ".to_string(),
        false => {
            format!("Above the line of the copy, since caches serve part of the bytes: {}. ", list(&above))
        }
    };
    let modelled = match is_modelled {
        true => {
            " Open marks have the bytes of the implementation's own model instead, since it was not counted."
        }
        false => "",
    };
    format!(
        "The roof is the lower of what a copy and the uppermost line allow. {above}One mark a kernel in {element} at the largest n that it was timed at, from the fastest of the runs that have it. Its bytes are 32-byte sectors of global memory a \
         task, counted at a small n on the emulated device, without caches, of the kernel that does most tasks.{modelled} Ceilings \
         are the best that any run on this machine measured."
    )
}
