//! Steps of which each is one change to the one before: what each gains, takes and moves, as a table and as a waterfall of seconds.

use super::counts::{counted_last_kernel, ways};
use crate::lists::extremes;
use crate::plot::palette::{GAIN, LOSS};
use crate::plot::{Axis, Bar, Chart, Key, Plot, Quantity, Row, Rows, Scale, seconds_text};
use crate::show::words::{part, times};
use crate::show::{Context, Grid, Time, digits, look};

/// A step that was timed at one n.
struct Step<'a> {
    name: &'a str,
    time: Time,
    /// The seconds of the last one before it that was timed.
    before: Option<f64>,
}

impl Step<'_> {
    fn gain(&self) -> Option<f64> {
        Some(self.before? / self.time.median)
    }
}

fn steps<'a>(context: &'a Context, n: usize) -> Vec<Step<'a>> {
    let mut before = None;
    let timed = context.experiment.steps.iter().filter_map(|name| {
        let time = context.time(context.of(name)?, n)?;
        Some(Step { name, time, before: before.replace(time.median) })
    });
    timed.collect()
}

/// One row a step. Gains are over the step before. Kernel figures are those of the kernel that an implementation launches last
/// in a round, which does nearly all tasks.
pub fn table(context: &Context) -> Option<Grid> {
    let by_size = context.sizes().into_iter().map(|n| (n, steps(context, n)));
    let by_size: Vec<(usize, Vec<Step>)> = by_size.filter(|(_, steps)| !steps.is_empty()).collect();
    let rows = context.experiment.steps.iter().map(|step| {
        let times = by_size.iter().map(|(_, steps)| {
            let here = steps.iter().find(|one| one.name == step)?;
            let gain = here.gain().map_or(String::new(), |gain| format!(" ({gain:.2}x)"));
            Some(format!("{}{gain}", digits(here.time.median)))
        });
        let taken = context.of(step).and_then(|column| context.main_kernel(column));
        let counted = counted_last_kernel(&context.run.results.counts, step);
        let shown = |figure: Option<String>| figure.unwrap_or("-".to_string());
        let figures = [
            taken.map(|kernel| kernel.resources.registers.to_string()),
            taken.map(|kernel| kernel.resources.shared_bytes.to_string()),
            taken.map(|kernel| kernel.resources.resident_blocks.to_string()),
            counted.as_ref().map(|counted| ways(counted.row.counts.shared_load.banks_16)),
            counted.as_ref().map(|counted| ways(counted.row.counts.shared_load.banks_32)),
            counted.as_ref().map(|counted| digits(counted.bytes_a_task)),
            counted.as_ref().map(|counted| digits(counted.sector_bytes_a_task)),
        ];
        std::iter::once(step.clone())
            .chain(times.map(Option::unwrap_or_default))
            .chain(figures.map(shown))
            .collect()
    });
    let figures = [
        "registers\na thread",
        "shared bytes\na block",
        "resident\nblocks",
        "loads, ways\nof 16 banks",
        "loads, ways\nof 32 banks",
        "global bytes\na task",
        "in sectors\nof 32 B",
    ];
    let times = by_size.iter().map(|(n, _)| format!("n = {n}: seconds\n(gain)"));
    Grid::new(
        "Steps: each changes the one above. Registers and what follows are of its last kernel; ways and bytes from the emulated device",
        std::iter::once("step".to_string()).chain(times).chain(figures.map(str::to_string)),
        rows,
    )
    .unless_empty()
}

/// None when the experiment has no steps or fewer than two of them were timed at one n.
pub fn figure(context: &Context) -> Option<Plot> {
    // Most steps first, then the paper's usual size, then the largest.
    let n = context.sizes().into_iter().max_by_key(|&n| (steps(context, n).len(), n == 8192, n))?;
    let steps = steps(context, n);
    if steps.len() < 2 {
        return None;
    }
    let row = |step: &Step| {
        let Time { median: seconds, low, high, facts } = step.time;
        let (ink, text, note) = match step.before.zip(step.gain()) {
            None => (look(step.name).ink, seconds_text(seconds), String::new()),
            Some((before, gain)) => {
                let (ink, sign) = if gain >= 1.0 { (GAIN, "−") } else { (LOSS, "+") };
                let change = seconds_text((before - seconds).abs());
                (ink, times(gain), format!("{sign}{change} → {}", seconds_text(seconds)))
            }
        };
        let from = step.before.unwrap_or(0.0);
        let bar = Bar { text, low, high, facts, ..Bar::new(from, seconds, ink, "seconds".into()) };
        Row { label: step.name.into(), note, bars: vec![bar], ..Row::default() }
    };
    let rows: Vec<Row> = steps.iter().map(row).collect();
    let gains: Vec<(&str, f64)> = steps.iter().filter_map(|step| Some((step.name, step.gain()?))).collect();
    let (worst, best) = extremes(&gains)?;
    let gain = match best.1 >= 1.0 {
        true => format!("{} gains most ({})", best.0, times(best.1)),
        false => "No step gains".to_string(),
    };
    let title = match worst.1 < 1.0 {
        true => format!("{gain}; {} loses most ({})", worst.0, times(worst.1)),
        false => format!("{gain}; no step loses"),
    } + &*part(steps.len(), context.experiment.steps.len(), "steps");
    let overall = times(steps.first()?.time.median / steps.last()?.time.median);
    Some(Plot {
        id: "steps".into(),
        shows: format!("What each step gains and loses, n = {n}"),
        alt: format!("A waterfall of seconds at n = {n}, a bar for each of {} steps. {title}.", rows.len()),
        title,
        caption: format!(
            "From the first step to the last: {overall}. Each bar leads from the median of the step above to its own, scope kernel; ×2 is twice as fast as the step above."
        ),
        source: Some(context.source([n])),
        chart: Chart::Rows(Rows {
            heading: "step".into(),
            note_heading: "change → seconds".into(),
            joined: true,
            ..Rows::new(
                Axis::new("Seconds of one solve, scope kernel", Scale::Linear, Quantity::Seconds)
                    .including([0.0]),
                rows,
                vec![Key::area("faster than the step above", GAIN), Key::area("slower", LOSS)],
            )
        }),
    })
}
