//! Tasks a second against n, under what the machine can do at best.

use super::context::Context;
use super::words::times;
use crate::lists::distinct;
use crate::record::{bytes_a_task, runs_on_device};
use crate::report::plot::palette::MUTED;
use crate::report::plot::{Axis, Chart, Guide, Lines, Plot, Quantity, Scale, Stroke, significant};

/// None when nothing was timed at two sizes.
pub fn plot(context: &Context) -> Option<Plot> {
    let columns = context.timed_columns();
    let series: Vec<_> = columns
        .iter()
        .map(|column| {
            context.series(column, |n| Some(context.time(column, n)?.rate((n as f64).powi(3)).point(n)))
        })
        .collect();
    if series.iter().all(|one| one.points.len() < 2) {
        return None;
    }
    let guides = ceilings(context);
    let best = series
        .iter()
        .flat_map(|one| one.points.iter().map(move |point| (one, point)))
        .max_by(|a, b| a.1.y.total_cmp(&b.1.y));
    let mut caption = String::new();
    if let Some((series, point)) = best {
        caption += &format!(
            "The most is {} tasks/s, by {} at n = {}",
            Quantity::TasksPerSecond.text(point.y),
            series.name,
            point.x
        );
        if let Some(device) = context.ceilings().and_then(|ceilings| ceilings.device) {
            let share = point.y / device.add_min_tasks_per_s * 100.0;
            caption += &format!(
                ", {}% of what the GPU does with adds and minima in registers",
                significant(share, 2)
            );
        }
        caption += ". ";
    }
    if guides.len() > 1 {
        caption += "Dashed lines are what was measured of the machine in the same run: adds and minima in registers, \
                    and the copy bandwidth over the bytes that a task moves by each model. ";
    }
    caption += &above(context);
    caption += "A task is one relaxation: n³ a solve.";
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    Some(Plot {
        id: "tasks-per-second".into(),
        title: "Tasks a second against n, and the machine's ceilings".into(),
        caption,
        alt: format!(
            "Tasks a second of {} against n, with {} ceilings of the machine as horizontal lines.",
            names.join(", "),
            guides.len()
        ),
        chart: Chart::Lines(Lines::new(
            Axis::vertices(),
            Axis::new("tasks/s, scope kernel (T = 10¹², G = 10⁹)", Scale::Log, Quantity::TasksPerSecond),
            series,
            guides,
        )),
    })
}

/// Bytes a task by the models of the GPU implementations that were timed.
fn models(context: &Context) -> Vec<f64> {
    let columns = context.timed_columns().into_iter();
    let on_device = columns.filter(|column| runs_on_device(&column.implementation));
    let models = on_device.filter_map(|column| bytes_a_task(&column.implementation, &column.params));
    distinct(models.filter(|bytes| *bytes > 0.0))
}

fn ceilings(context: &Context) -> Vec<Guide> {
    let mut guides = Vec::new();
    let mut add = |at: f64, label: &str, short: &str| {
        let rate = Quantity::TasksPerSecond.text(at);
        guides.push(Guide::new(
            at,
            format!("{label}: {rate} tasks/s"),
            format!("{short} {rate}"),
            MUTED,
            Stroke::Dashed,
        ));
    };
    let Some(ceilings) = context.ceilings() else { return guides };
    if let Some(device) = ceilings.device {
        add(device.add_min_tasks_per_s, "GPU, add + min in registers", "GPU add + min");
        for bytes in models(context) {
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
    let Some(device) = context.ceilings().and_then(|ceilings| ceilings.device) else { return String::new() };
    let said: Vec<String> = context
        .timed_columns()
        .iter()
        .filter_map(|column| {
            let ceiling = device.copy_gbs * 1e9 / bytes_a_task(&column.implementation, &column.params)?;
            let rate = |n: usize| Some((n as f64).powi(3) / context.time(column, n)?.median);
            let most = context.columns.sizes().into_iter().filter_map(rate).fold(0.0, f64::max);
            (runs_on_device(&column.implementation) && most > ceiling)
                .then(|| format!("{} ({})", context.name(column), times(most / ceiling)))
        })
        .collect();
    if said.is_empty() {
        return String::new();
    }
    format!(
        "Above the copy bandwidth of its own model, since caches serve part of what the model counts: {}. ",
        super::words::list(&said)
    )
}
