//! What the emulated device counted of memory: bank conflicts and bytes a task, by access pattern.

use super::{CountedKernel, counted_last_kernel};
use crate::lists::{distinct, extremes};
use crate::plot::palette::{GREY, ORANGE, SKY};
use crate::plot::{Axis, Bar, Chart, Ink, Key, Plot, Quantity, Row, Rows, Scale, significant};
use crate::show::words::{of_these, so_many};
use crate::show::{Context, place, source};
use crate::store::spelled;

/// Two plots, where anything was counted: ways of bank conflicts, and bytes of global memory.
pub fn figures(context: &Context) -> Vec<Plot> {
    [conflicts(context), traffic(context)].into_iter().flatten().collect()
}

/// Implementations that were counted, in the order of the steps or else of the catalogue.
fn counted<'a>(context: &'a Context) -> Vec<&'a str> {
    let mut names = distinct(context.run.results.counts.iter().map(|row| row.cell.implementation.as_str()));
    let steps = &context.experiment.steps;
    names.sort_by_key(|name| (steps.iter().position(|step| step == name), place(name)));
    names
}

/// Bars under each other from a value, a name and a text each; the lower one is a frame.
fn two_bars(upper: Ink, bars: [(f64, &str, String); 2]) -> Vec<Bar> {
    let bar = |(lane, (to, name, text)): (usize, (f64, &str, String))| {
        let (ink, hollow) = if lane == 0 { (upper, false) } else { (SKY, true) };
        Bar { hollow, text, lane, ..Bar::new(0.0, to, ink, name.into()) }
    };
    bars.into_iter().enumerate().map(bar).collect()
}

/// What is shown of every implementation that was counted.
struct Patterns {
    rows: Vec<Row>,
    /// Which kernel was counted.
    kernel: String,
    /// The largest n.
    n: usize,
}

impl Patterns {
    /// The bars that `bars` makes of the kernel of each implementation. None of fewer than two, which a table says: one alone has
    /// nothing to be compared with.
    fn of(context: &Context, mut bars: impl FnMut(&str, &CountedKernel) -> Option<Vec<Bar>>) -> Option<Self> {
        let mut n = 0;
        let mut rows: Vec<Row> = counted(context)
            .into_iter()
            .filter_map(|name| {
                let found = counted_last_kernel(&context.run.results.counts, name)?;
                let bars = bars(name, &found)?;
                n = n.max(found.row.cell.n);
                Some(Row { label: name.into(), note: spelled(&found.row.kernel), bars, ..Row::default() })
            })
            .collect();
        if rows.len() < 2 {
            return None;
        }
        let kernel = one_kernel(&mut rows);
        Some(Self { rows, kernel, n })
    }

    fn chart(self, title: &str, quantity: Quantity, keys: [(&str, Ink); 2]) -> Chart {
        let has_notes = self.rows.iter().any(|row| !row.note.is_empty());
        let x = Axis::new(title, Scale::Linear, quantity).including([0.0]);
        let keys = keys.map(|(text, ink)| Key::area(text, ink)).to_vec();
        let note_heading = if has_notes { "kernel".into() } else { String::new() };
        Chart::Rows(Rows { note_heading, ..Rows::new(x, self.rows, keys) })
    }
}

/// Which kernel was counted, where it is the same of all; it then needs no notes.
fn one_kernel(rows: &mut [Row]) -> String {
    let first = rows.first().map_or(String::new(), |row| row.note.clone());
    if rows.iter().any(|row| row.note != first) {
        return "the kernel that does most tasks".to_string();
    }
    rows.iter_mut().for_each(|row| row.note.clear());
    format!("the kernel {first}, which does most tasks")
}

/// How many of so many kernels do what the verb says, with how much of it: a finding, and all of them where that names one of several.
fn where_found(verb: (&str, &str), found: &[(String, f64)], kernels: usize) -> (String, String) {
    let so_many = so_many(found.len(), kernels, "kernel", verb);
    match (found, extremes(found)) {
        ([(only, _)], _) => (format!("Only {only} {}", verb.0), String::new()),
        (_, Some((_, (worst, _)))) => {
            let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
            (format!("{so_many}, most {worst}"), of_these("These are ", &names, ""))
        }
        (_, None) => (so_many, String::new()),
    }
}

fn conflicts(context: &Context) -> Option<Plot> {
    let mut worst: Vec<(String, f64)> = Vec::new();
    let found = Patterns::of(context, |name, found| {
        let (load, store) = (found.row.counts.shared_load, found.row.counts.shared_store);
        if load.requests + store.requests == 0 {
            return None;
        }
        let (of_16, of_32) = (load.banks_16.worst, load.banks_32.worst);
        if of_16 > 1 || of_32 > 1 {
            worst
                .push((format!("{name} ({of_16} ways of 16 banks, {of_32} of 32)"), of_16.max(of_32) as f64));
        }
        let ways = |worst: u64, name| (worst as f64, name, worst.to_string());
        let ways = [ways(of_16, "loads, ways of 16 banks"), ways(of_32, "loads, ways of 32 banks")];
        Some(two_bars(ORANGE, ways))
    })?;
    let Patterns { rows, kernel, n } = &found;
    let (title, others) = where_found(
        ("has bank conflicts in its main kernel", "have bank conflicts in their main kernels"),
        &worst,
        rows.len(),
    );
    Some(Plot {
        id: "bank-conflicts".into(),
        shows: "Bank conflicts of loads from shared memory by access pattern".into(),
        caption: format!(
            "{others}Ways are the most steps that one load of a half-warp over 16 banks (compute capability 1.x) or of a warp \
             over 32 banks (2.0 and newer) takes: 1 without conflicts. Of {kernel}, counted on the \
             emulated device at n up to {n}."
        ),
        alt: format!(
            "Bars of the worst bank conflict over 16 and over 32 banks for {} kernels. {title}.",
            rows.len(),
        ),
        title,
        source: Some(source::of_counts(context.run)),
        chart: found.chart(
            "Steps of the worst load: 1 without conflicts",
            Quantity::Ways,
            [("16 banks", ORANGE), ("32 banks (frame)", SKY)],
        ),
    })
}

fn traffic(context: &Context) -> Option<Plot> {
    let mut wasted: Vec<(String, f64)> = Vec::new();
    let found = Patterns::of(context, |name, found| {
        let (asked, sectors) = (found.bytes_a_task, found.sector_bytes_a_task);
        if asked <= 0.0 {
            return None;
        }
        let (few, many) = (significant(asked, 3), significant(sectors, 3));
        if sectors > asked * 1.001 {
            wasted.push((format!("{name} ({many} bytes for {few})"), sectors / asked));
        }
        let bars =
            [(asked, "bytes asked for, a task", few), (sectors, "bytes in sectors of 32, a task", many)];
        Some(two_bars(GREY, bars))
    })?;
    let Patterns { rows, kernel, n } = &found;
    let verb = ("moves more than it asks for", "move more than they ask for");
    let (title, others) = where_found(verb, &wasted, rows.len());
    Some(Plot {
        id: "traffic".into(),
        shows: "Bytes of global memory a task by access pattern".into(),
        caption: format!(
            "{others}Bytes that threads load and store a task of {kernel}, and the sectors of 32 bytes \
             that they lie in, counted on the emulated device at n up to {n}; caches are not modelled."
        ),
        alt: format!(
            "Bars of bytes a task, asked for and moved in sectors, for {} kernels. {title}.",
            rows.len(),
        ),
        title,
        source: Some(source::of_counts(context.run)),
        chart: found.chart(
            "Bytes of global memory a task",
            Quantity::Bytes,
            [("asked for", GREY), ("in sectors of 32 bytes (frame)", SKY)],
        ),
    })
}
