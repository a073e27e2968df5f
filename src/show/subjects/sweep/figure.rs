//! A swept parameter: seconds relative to its lowest value.

use super::{Family, Sweep, Timed, fastest};
use crate::lists::{distinct, extent, extremes};
use crate::plot::palette::{BLUE, GREEN, GREY, MUTED, ORANGE, SKY};
use crate::plot::{
    Axis, Chart, Guide, Lines, Plot, Quantity, Scale, Series, SeriesStyle, Shape, Stroke, rate_text,
    seconds_text, significant,
};
use crate::show::subjects::clocks::line;
use crate::show::subjects::procedures::Procedures;
use crate::show::words::{id, list, range, times};
use crate::show::{Column, Context, Time, look, over};

/// Times that differ by less than this factor are of a parameter that hardly matters.
const ALIKE: f64 = 1.05;

/// A figure for every swept parameter.
pub fn figures(context: &Context) -> Vec<Plot> {
    Sweep::drawn(context).iter().filter_map(figure).collect()
}

/// Unused shared memory, which does nothing but change how many blocks reside on a multiprocessor: that is what its axis has.
const PADDING: &str = "padding-kib";

impl<'a> Sweep<'a> {
    /// Every sweep, with what its axis has for values.
    pub fn drawn(context: &'a Context) -> Vec<Self> {
        let mut all = Self::all(context);
        for sweep in all.iter_mut().filter(|sweep| sweep.parameter == PADDING) {
            for family in &mut sweep.families {
                let blocks = |one: &Timed| Some(context.main_kernel(one.column)?.resources.resident_blocks);
                family.timed.retain_mut(|one| blocks(one).map(|blocks| one.value = blocks).is_some());
                family.timed.sort_by_key(|one| one.value);
            }
            sweep.families.retain(|family| !family.timed.is_empty());
        }
        all
    }

    /// How its parameter is written in text.
    pub fn sign(&self) -> &str {
        match self.parameter.as_str() {
            "kappa" => "κ",
            PADDING => "resident blocks",
            other => other,
        }
    }

    /// The n at which most values were timed: the sweep's own.
    pub fn main_size(&self) -> Option<usize> {
        let plain = self.families.iter().filter(|family| family.is_plain);
        Some(plain.max_by_key(|family| (family.timed.len(), family.n))?.n)
    }
}

fn figure(sweep: &Sweep) -> Option<Plot> {
    let Sweep { context, implementation, parameter, families, .. } = sweep;
    let (main, sign) = (sweep.main_size()?, sweep.sign());
    let looks = look(implementation);
    let others = distinct(families.iter().map(|family| family.n).filter(|n| *n != main));
    let series: Vec<Series> = families
        .iter()
        .filter(|family| family.timed.len() > 1)
        .map(|family| {
            let of_main = family.n == main;
            if of_main {
                let filled = family.others.is_empty();
                let (ink, shape) = if filled { (looks.ink, Shape::Up) } else { (SKY, Shape::Circle) };
                return series(family, of_main, SeriesStyle { ink, shape });
            }
            let place = others.iter().position(|n| *n == family.n).unwrap_or(0);
            series(family, of_main, OTHER_SIZES[place % OTHER_SIZES.len()])
        })
        .collect();
    let plain = sweep.plain(main)?;
    let (Timed { value: first, time: first_time, .. }, rest) = plain.timed.split_first()?;
    let best = fastest(rest)?;
    let last = rest.last()?;
    let ratio = |time: &Time| time.median / first_time.median;
    let (least, most) = extent(plain.timed.iter().map(|one| ratio(&one.time)))?;
    let title = if most / least < ALIKE {
        format!("{sign} hardly matters at n = {main}: {} of the time of {first}", range(least, most))
    } else if ratio(&best.time) < 1.0 {
        let share = significant(ratio(&best.time), 3);
        format!("{sign} = {} takes {share} of the time of {sign} = {first} at n = {main}", best.value)
    } else {
        format!(
            "No {sign} is faster than {first} at n = {main}: {} takes {} as long",
            last.value,
            times(ratio(&last.time))
        )
    };
    let seconds = |one: &Timed| format!("{} at {sign} = {}", seconds_text(one.time.median), one.value);
    let mut told = vec![seconds(&plain.timed[0]), seconds(best)];
    told.extend((last.value != best.value).then(|| seconds(last)));
    let mut caption = format!("{}. ", list(&told));
    let variant = families.iter().find(|family| family.n == main && !family.others.is_empty());
    if let Some((variant, best)) = variant.and_then(|family| Some((family, fastest(&family.timed)?))) {
        let seconds = seconds_text(best.time.median);
        caption += &format!("Dashed: {}, best at {sign} = {} with {seconds}. ", variant.others, best.value);
    }
    caption += &format!("Each line is relative to its own {sign} = {first}.");
    Some(Plot {
        id: format!("sweep-{}", id(parameter)),
        title,
        shows: format!("{implementation}: time by {sign}, relative to {sign} = {first}"),
        alt: format!(
            "Time relative to {sign} = {first} against {sign} of {implementation}: at n = {main} lowest at {sign} = {}, {}.",
            best.value,
            significant(best.time.median / first_time.median, 3)
        ),
        caption,
        source: Some(context.source(families.iter().map(|family| family.n))),
        chart: Chart::Lines(Lines::new(
            Axis::new(sign, Scale::Log, Quantity::Whole),
            Axis::new(
                &format!("Time over that of {sign} = {first}, scope kernel"),
                Scale::Log,
                Quantity::Times,
            ),
            series,
            vec![Guide::new(
                1.0,
                format!("{sign} = {first}: the reference"),
                format!("{sign} = {first}"),
                MUTED,
                Stroke::Dashed,
            )],
        )),
    })
}

/// Of every swept parameter whose kernels have their bytes in a model, as papers plot it: seconds, tasks/s and GB/s at the sweep's own n.
/// Of one of which every value was measured in several ways, none of them the usual one: seconds, by which these are told apart.
pub fn absolute(context: &Context) -> Vec<Plot> {
    Sweep::drawn(context).iter().flat_map(absolute_of).collect()
}

fn absolute_of(sweep: &Sweep) -> Vec<Plot> {
    let Sweep { context, implementation, parameter, .. } = sweep;
    let (Some(n), sign) = (sweep.main_size(), sweep.sign()) else { return Vec::new() };
    // Bytes that a solve loads and stores by the model of its launches.
    let bytes =
        |column: &Column| Procedures::of(context, column, n)?.moved_bytes().filter(|bytes| *bytes > 0.0);
    let families: Vec<&Family> = sweep.families.iter().filter(|family| family.n == n).collect();
    let is_plain = |one: &&&Family| one.others.is_empty();
    let is_modelled =
        families.iter().filter(is_plain).flat_map(|one| &one.timed).any(|one| bytes(one.column).is_some());
    let is_told_apart = families.iter().all(|family| !family.others.is_empty())
        && (2..=OTHER_LOOKS.len() + 1).contains(&families.len());
    if !is_modelled && !is_told_apart {
        return Vec::new();
    }
    let tasks = (n as f64).powi(3);
    let line_of = |family: &Family, of: &dyn Fn(&Timed) -> Option<Time>| {
        let points = family.timed.iter().filter_map(|one| Some(of(one)?.at(f64::from(one.value))));
        let is_plain = family.is_plain;
        let place = families.iter().filter(|one| !one.is_plain).position(|one| one.others == family.others);
        let looks = match place {
            Some(place) => OTHER_LOOKS[place % OTHER_LOOKS.len()],
            None => SeriesStyle { shape: Shape::Up, ..look(implementation) },
        };
        let label = if is_told_apart { family.others.clone() } else { family.label() };
        line(&label, &label, points.collect(), looks, is_plain)
    };
    let of_paper = match context.paper {
        Some(paper) if paper.figures.iter().all(|figure| figure.table.is_none()) => {
            " The paper plots its own, and its text has none of the values."
        }
        _ => "",
    };
    let plot = |id_of: &str,
                what: &str,
                axis: &str,
                quantity,
                of: &dyn Fn(&Timed) -> Option<Time>,
                (does, text): (&str, fn(f64) -> String)| {
        let series: Vec<Series> = families
            .iter()
            .filter(|family| family.timed.len() > 1)
            .map(|family| line_of(family, of))
            .filter(|series| series.points.len() > 1)
            .collect();
        let marks =
            series.iter().flat_map(|one| one.points.iter().map(move |point| ((&one.name, point.x), point.y)));
        let (least, most) = extremes(&marks.collect::<Vec<_>>())?;
        let ((name, value), best) = if does.ends_with("least") { least } else { most };
        Some(Plot {
            id: format!("sweep-{}-{id_of}", id(parameter)),
            title: format!("{sign} = {value} {does} at {name}: {}", text(best)),
            shows: format!("{implementation}: {} by {sign}, n = {n}", what.to_lowercase()),
            alt: format!("{what} of {implementation} against {sign} at n = {n}."),
            caption: format!("Medians of one solve with their intervals.{of_paper}"),
            source: Some(context.source([n])),
            chart: Chart::Lines(Lines::new(
                Axis::new(sign, Scale::Log, Quantity::Whole),
                Axis::new(axis, Scale::Linear, quantity).including([0.0]),
                series,
                Vec::new(),
            )),
        })
    };
    let seconds = plot(
        "seconds",
        "Seconds",
        "Seconds, scope kernel",
        Quantity::Seconds,
        &|one| Some(one.time),
        ("takes least", seconds_text),
    );
    let rate = plot(
        "tasks-per-second",
        "Tasks a second",
        "10⁹ tasks/s, scope kernel",
        Quantity::TasksPerSecond,
        &|one| Some(one.time.rate(tasks)),
        ("does most", rate_text),
    );
    let traffic = plot(
        "bandwidth",
        "Modelled bytes a second",
        "GB/s by the model, scope kernel",
        Quantity::GigabytesPerSecond,
        &|one| Some(one.time.rate(bytes(one.column)? * 1e-9)),
        ("moves most", |gbs| format!("{} GB/s", significant(gbs, 4))),
    );
    let others = [rate, traffic].into_iter().filter(|_| is_modelled);
    std::iter::once(seconds).chain(others).flatten().collect()
}

/// Thin lines of other sizes than the sweep's own, ascending in n: told apart by mark and colour.
const OTHER_SIZES: [SeriesStyle; 4] = [
    SeriesStyle { ink: ORANGE, shape: Shape::Square },
    SeriesStyle { ink: GREEN, shape: Shape::Diamond },
    SeriesStyle { ink: GREY, shape: Shape::Down },
    SeriesStyle { ink: BLUE, shape: Shape::Circle },
];

/// Lines of other parameters at the sweep's own n.
const OTHER_LOOKS: [SeriesStyle; 4] = [
    SeriesStyle { ink: SKY, shape: Shape::Circle },
    SeriesStyle { ink: GREEN, shape: Shape::Diamond },
    SeriesStyle { ink: GREY, shape: Shape::Down },
    SeriesStyle { ink: BLUE, shape: Shape::Square },
];

fn series(family: &Family, of_main: bool, looks: SeriesStyle) -> Series {
    let label = family.label();
    let points = family.timed.iter().map(|one| {
        // The reference is drawn as a line without an interval.
        let reference = family.timed[0].time;
        let against = Time { facts: reference.facts, ..Time::exact(reference.median) };
        over(one.time, against).at(f64::from(one.value))
    });
    let points = points.collect();
    let filled = family.others.is_empty();
    Series { thin: !of_main, ..line(&label, &label, points, looks, filled) }
}
