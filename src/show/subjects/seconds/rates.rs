//! Tasks a second against n, under what the machine can do at best.

use super::figure::{keys, published};
use super::jumps;
use crate::graph::ElementType;
use crate::lists::{distinct, extent};
use crate::plot::palette::MUTED;
use crate::plot::{
    Axis, Chart, Guide, Lines, Mark, Plot, Point, Published, Quantity, Scale, Series, SeriesStyle, Shape,
    Stroke, rate_text, significant,
};
use crate::published::{Relation, Test};
use crate::results::StoredRun;
use crate::show::words::{of_these, percent, times};
use crate::show::{Column, Context};
use crate::timing::Scope;

/// None when nothing was timed at two sizes.
pub fn rates(context: &Context) -> Option<Plot> {
    let columns = context.timed_columns();
    let (first, others) = context.elements();
    let mut series: Vec<Series> = columns.iter().map(|column| marked(context, column, first)).collect();
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let mut limits: Vec<Guide> = limit(context, first, &series).into_iter().collect();
    let best = columns
        .iter()
        .zip(&series)
        .flat_map(|(column, one)| one.points.iter().map(move |point| (column, point)))
        .max_by(|a, b| a.1.y.total_cmp(&b.1.y));
    let (column, point) = best?;
    let mut title = format!("{} does {}", context.name(column), rate_text(point.y));
    if let Some(device) = context.device() {
        let (most, what) = match allowed(context.run, first).filter(|_| point.y > device.add_min_tasks_per_s)
        {
            Some(allowed) => (allowed, "what issue slots allow"),
            None => (device.add_min_tasks_per_s, "adds and minima in registers"),
        };
        title += &format!(", {} of {what}", percent(point.y / most));
    }
    let mut caption = format!("The most is at n = {}. ", point.x);
    for (element, stroke) in others.iter().zip([Stroke::Dashed, Stroke::Dotted, Stroke::Dotted]) {
        let Some(fastest) = fastest(context, &columns, *element) else { continue };
        limits.extend(limit(context, *element, std::slice::from_ref(&fastest)));
        series.push(Series { stroke, ..fastest });
    }
    if !others.is_empty() {
        caption +=
            &format!("Lines without a type are of {first}; of other types only the fastest is drawn. ");
    }
    // Copies limit nothing that comes near what issue slots allow.
    let fast = !limits.is_empty();
    let (guides, far): (Vec<Guide>, Vec<Guide>) =
        [ceilings(context, !fast), limits].concat().into_iter().partition(|guide| is_near(guide.at, &series));
    let far: Vec<String> = far.into_iter().map(|guide| guide.label).collect();
    caption += &of_these("Not drawn, since the highest mark is less than an eighth of it: ", &far, "");
    if fast && !guides.is_empty() {
        caption += "The dashed line is what was measured in the same run: adds and minima in registers; others are what issue slots \
                    allow at the highest clock. ";
    } else if guides.len() > 1 {
        caption += "Dashed lines are what was measured of the machine in the same run: adds and minima in registers, \
                    and the copy bandwidth over the bytes that a task moves by each model. ";
    }
    caption += &above(context);
    caption += &jumps::told(context, &columns);
    let halved = columns.iter().any(|column| context.tasks(column, 2, context.elements().0) < 8.0);
    caption += "A task is one relaxation: n³ a solve";
    caption += if halved {
        ", half of them where only one side of an undirected graph's diagonal is done"
    } else {
        ""
    };
    let of_each = columns.iter().any(|column| devices(context, column) > 1);
    caption += if of_each { ", divided among the devices that share it." } else { "." };
    let whose = if of_each { " of each device" } else { "" };
    let names: Vec<String> = series.iter().map(|one| one.name.clone()).collect();
    let published = published(context, |_, n, seconds| Some((n as f64).powi(3) / seconds));
    let keys = keys(!published.is_empty());
    let steps = claimed_steps(context, &series);
    series.splice(0..0, published);
    if !steps.is_empty() {
        caption += " Open marks: where the paper claims that time steps, so that the rate would fall.";
    }
    series.extend(steps);
    Some(Plot {
        id: "tasks-per-second".into(),
        title,
        shows: match guides.is_empty() {
            true => format!("Tasks a second{whose} by n"),
            false => format!("Tasks a second{whose} by n, and the machine's ceilings"),
        },
        caption,
        alt: match guides.len() {
            0 => format!("Tasks a second of {} against n.", names.join(", ")),
            many => format!(
                "Tasks a second of {} against n, with {many} ceilings of the machine as horizontal lines.",
                names.join(", ")
            ),
        },
        source: None,
        chart: Chart::Lines(Lines { keys, ..Lines::by_n(rate_axis(), series, guides) }),
    })
}

/// Marks where a claim says that time steps.
fn claimed_steps(context: &Context, series: &[Series]) -> Vec<Series> {
    let experiment = &context.experiment.name;
    let claims = context.paper.iter().flat_map(|paper| &paper.claims);
    let tests = claims.filter(|claim| claim.run.as_ref() == Some(experiment)).flat_map(|claim| &claim.tests);
    let sizes = tests.filter(|test| test.relation == Relation::Step).flat_map(Test::all_sizes);
    let mark = |n: usize| {
        let at = |one: &Series| Some((one.ink, *one.points.iter().find(|point| point.x == n as f64)?));
        let (ink, point) = series.iter().find_map(at)?;
        let looks = SeriesStyle { ink, shape: Shape::Diamond };
        let mark = Some(Mark { shape: Shape::Diamond, filled: false });
        let label = format!("n = {n}: a step?");
        Some(Series { mark, stroke: Stroke::None, ..Series::new(&label, vec![point], looks) })
    };
    sizes.filter_map(mark).collect()
}

/// Lines whose marks span less than this are flattened by a ceiling that is more than [`FAR`] times above them.
const FLAT: f64 = 2.0;
const FAR: f64 = 8.0;

/// Whether a ceiling leaves the marks enough of the axis to be told apart.
fn is_near(at: f64, series: &[Series]) -> bool {
    let marks = series.iter().flat_map(|one| &one.points).map(|point| point.y);
    extent(marks).is_none_or(|(least, most)| most / least >= FLAT || at <= most * FAR)
}

fn rate(context: &Context, column: &Column, n: usize, element: ElementType) -> Option<Point> {
    let graphs = context.graphs_of(element);
    let tasks = context.tasks(column, n, element) / devices(context, column) as f64;
    let mut point = context.time_on(column, n, Scope::Kernel, &graphs)?.rate(tasks).at(n as f64);
    let published = context.published(column, n).filter(|_| element == ElementType::F32);
    point.facts.published = published.map(|seconds| Published::value(tasks / seconds));
    Some(point)
}

/// The devices that share a matrix: what one of them does is what the ceilings are of.
fn devices(context: &Context, column: &Column) -> usize {
    context.run.results.facts.devices_sharing(column.variant())
}

/// The line of a column, with marks where it jumps.
fn marked(context: &Context, column: &Column, element: ElementType) -> Series {
    let mut series = context.series(column, |n| rate(context, column, n, element));
    jumps::mark(context, column, &mut series);
    series
}

/// The line of the column that reaches the highest rate with distances of this type.
fn fastest(context: &Context, columns: &[&Column], element: ElementType) -> Option<Series> {
    let most = |series: &Series| series.points.iter().map(|point| point.y).fold(0.0, f64::max);
    let of = |column: &&Column| {
        let series = context.series(column, |n| rate(context, column, n, element));
        let name = series.name.clone();
        Series {
            name: format!("{name}, {element}"),
            label: Some(format!("{name}\n{element}")),
            short: Some(format!("{name}\n{element}")),
            ..series
        }
    };
    let timed = columns.iter().map(of).filter(|series| !series.points.is_empty());
    timed.max_by(|one, other| most(one).total_cmp(&most(other)))
}

/// Tasks/s that the device's issue slots allow with distances of this type.
pub fn allowed(run: &StoredRun, element: ElementType) -> Option<f64> {
    let device = run.environment()?.ceilings.device?;
    device.tasks_per_s(element, &run.device()?.info, None)
}

/// A line at the tasks/s that issue slots allow, where something is faster than an addition and a minimum a task can be.
fn limit(context: &Context, element: ElementType, series: &[Series]) -> Option<Guide> {
    let device = context.device()?;
    let mut points = series.iter().flat_map(|one| &one.points);
    points.any(|point| point.y > device.add_min_tasks_per_s).then_some(())?;
    Some(limit_line(element, allowed(context.run, element)?))
}

/// What issue slots allow with distances of this type, tasks/s, as a line.
pub fn limit_line(element: ElementType, allowed: f64) -> Guide {
    let rate = rate_text(allowed);
    let label = format!("{element}, what its issue slots allow: {rate}");
    Guide::new(
        allowed,
        label,
        format!("{element}, issue slots {}", Quantity::TasksPerSecond.text(allowed)),
        MUTED,
        Stroke::Solid,
    )
}

/// Tasks a second, upwards.
pub fn rate_axis() -> Axis {
    Axis::new("10⁹ tasks/s, scope kernel", Scale::Log, Quantity::TasksPerSecond)
}

/// Bytes a task by the models of the GPU implementations that were timed.
fn models(context: &Context) -> Vec<f64> {
    let columns = context.timed_columns().into_iter();
    let on_device = columns.filter(|column| context.run.is_on_device(&column.implementation));
    let models = on_device.filter_map(|column| context.bytes_a_task(column));
    distinct(models.filter(|bytes| *bytes > 0.0))
}

fn ceilings(context: &Context, with_copies: bool) -> Vec<Guide> {
    let mut guides = Vec::new();
    let mut add = |at: f64, label: &str, short: &str| {
        let rate = rate_text(at);
        guides.push(Guide::new(
            at,
            format!("{label}: {rate}"),
            format!("{short} {}", Quantity::TasksPerSecond.text(at)),
            MUTED,
            Stroke::Dashed,
        ));
    };
    let Some(ceilings) = context.ceilings() else { return guides };
    if let Some(device) = ceilings.device {
        add(device.add_min_tasks_per_s, "GPU, add + min in registers", "GPU add + min");
        for bytes in models(context).into_iter().filter(|_| with_copies) {
            let label = format!("copy bandwidth at {} bytes a task", significant(bytes, 3));
            add(device.copy_gbs * 1e9 / bytes, &label, &format!("copy at {} B/task", significant(bytes, 3)));
        }
    }
    let on_cpu = |name: &str| context.timed_columns().iter().any(|column| column.implementation == name);
    if let Some(all) = ceilings.cpu_tasks_per_s.filter(|_| on_cpu("cpu-parallel")) {
        add(all, "CPU, add + min, all cores", "CPU, all cores");
    }
    if let Some(core) =
        ceilings.cpu_core_tasks_per_s.filter(|_| on_cpu("cpu-naive") || on_cpu("cpu-parallel"))
    {
        add(core, "CPU, add + min, one core", "CPU, one core");
    }
    guides
}

/// Which implementations exceed the ceiling of their own traffic model.
fn above(context: &Context) -> String {
    let Some(device) = context.device() else { return String::new() };
    let said: Vec<String> = context
        .timed_columns()
        .iter()
        .filter_map(|column| {
            let ceiling = device.copy_gbs * 1e9 / context.bytes_a_task(column)?;
            let element = context.elements().0;
            let rate = |n: usize| Some(context.tasks(column, n, element) / context.time(column, n)?.median);
            let most = context.sizes().into_iter().filter_map(rate).fold(0.0, f64::max);
            (context.run.is_on_device(&column.implementation) && most > ceiling)
                .then(|| format!("{} ({})", context.name(column), times(most / ceiling)))
        })
        .collect();
    let above =
        "Above the copy bandwidth of its own model, since caches serve part of what the model counts: ";
    of_these(above, &said, "")
}
