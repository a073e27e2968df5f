//! Steps of which each is one change to the one before, as a waterfall of seconds.

use super::context::{Context, Time};
use super::words::times;
use crate::lists::extremes;
use crate::report::figures::looks::look;
use crate::report::plot::palette::{GAIN, LOSS};
use crate::report::plot::{Axis, Bar, Chart, Key, Plot, Quantity, Row, Rows, Scale, seconds_text};

/// None when the experiment has no steps or fewer than two of them were timed at one n.
pub fn waterfall(context: &Context) -> Option<Plot> {
    let steps = &context.run.manifest.experiment.steps;
    let time = |step: &str, n: usize| context.time(context.columns.of(step)?, n);
    let timed = |n: usize| steps.iter().filter(|step| time(step, n).is_some()).count();
    // Most steps first, then the paper's usual size, then the largest.
    let n = context.columns.sizes().into_iter().max_by_key(|&n| (timed(n), n == 8192, n))?;
    if timed(n) < 2 {
        return None;
    }
    let mut before: Option<f64> = None;
    let mut rows = Vec::new();
    let mut gains: Vec<(String, f64)> = Vec::new();
    for step in steps {
        let Some(Time { median: seconds, low, high, facts }) = time(step, n) else { continue };
        let from = before.unwrap_or(0.0);
        let (ink, text, note) = match before {
            None => (look(step).ink, seconds_text(seconds), String::new()),
            Some(before) => {
                let gain = before / seconds;
                gains.push((step.clone(), gain));
                let ink = if gain >= 1.0 { GAIN } else { LOSS };
                let sign = if gain >= 1.0 { "−" } else { "+" };
                let change = seconds_text((before - seconds).abs());
                (ink, times(gain), format!("{sign}{change} → {}", seconds_text(seconds)))
            }
        };
        let bar = Bar { text, low, high, facts, ..Bar::new(from, seconds, ink, "seconds".into()) };
        rows.push(Row { label: step.clone(), note, bars: vec![bar], ..Row::default() });
        before = Some(seconds);
    }
    let (worst, best) = extremes(&gains)?;
    let gain = match best.1 >= 1.0 {
        true => format!("{} gains most ({})", best.0, times(best.1)),
        false => "No step gains".to_string(),
    };
    let title = match worst.1 < 1.0 {
        true => format!("{gain}; {} loses most ({})", worst.0, times(worst.1)),
        false => format!("{gain}; no step loses"),
    };
    let overall = times(rows.first()?.bars[0].to / rows.last()?.bars[0].to);
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
