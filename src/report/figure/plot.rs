//! A figure's data as a plot.

use super::data::{FigureData, PanelData, SeriesData, heading, in_words, text};
use super::implementation_style;
use super::quantity::{Records, number, shown, value_tip};
use super::read::Value;
use crate::lists::distinct;
use crate::plan::{Dimension, DimensionValue, FigureKind, Quantity};
use crate::report::draw::palette::{GREY, MUTED, PARTS};
use crate::report::draw::{
    Axis, Bar, Chart, Dot, Guide, Ink, LegendEntry, Lines, Mark, Panel, Plot, Point, Quantity as Unit, Row,
    Rows, Scale, Series, SeriesStyle, Stroke, look_unlike, series_style as look_at,
};
use crate::report::words::short_label;

/// The plot of a figure, with this `id`.
pub(super) fn plot(data: &FigureData, id: &str) -> Plot {
    let several = data.panels.len() > 1;
    let of_panel = |panel: &PanelData| Panel {
        heading: if several { short_label(&panel.machine) } else { String::new() },
        source: panel.source.clone(),
        chart: match data.spec.kind {
            FigureKind::Bars => Chart::Rows(bars(data, panel)),
            FigureKind::Dots => Chart::Rows(dots(data, panel)),
            FigureKind::Lines | FigureKind::Table => Chart::Lines(lines(data, panel)),
        },
    };
    Plot {
        id: id.to_string(),
        title: data.spec.title.clone(),
        caption: data.spec.caption.clone(),
        panels: data.panels.iter().map(of_panel).collect(),
    }
}

/// The axis of the quantity. A linear one includes 0, or 1 for ratios that are not bars. Bars are linear unless a figure says otherwise.
fn value_axis(data: &FigureData) -> Axis {
    let spec = data.spec;
    let shown = shown(spec.y[0]);
    let clock = match &spec.clock[..] {
        [only] if spec.y[0] == Quantity::Seconds => format!(", clock {only}"),
        _ => String::new(),
    };
    let is_log = shown.is_log && spec.kind != FigureKind::Bars;
    let scale = spec.y_scale.unwrap_or(if is_log { Scale::Log } else { Scale::Linear });
    let axis = Axis::new(&format!("{}{clock}", shown.heading), scale, shown.unit);
    match (scale, shown.unit) {
        (Scale::Log, _) => axis,
        (Scale::Linear, Unit::Times) if spec.kind != FigureKind::Bars => axis.including([1.0]),
        (Scale::Linear, _) => axis.including([0.0]),
    }
}

/// Lines to compare with: where ratios are 1 or shares 100%, and the machine's ceilings.
fn guides(data: &FigureData, panel: &PanelData) -> Vec<Guide> {
    let line = |at: f64, label: &str| Guide { at, label: label.into(), ink: GREY, stroke: Stroke::Solid };
    let mut guides = match data.spec.y[0] {
        Quantity::SpeedUp | Quantity::RelativeTime | Quantity::PublishedOverHere => vec![line(1.0, "equal")],
        Quantity::ShareOfTrueTime => vec![line(100.0, "the true time")],
        Quantity::Efficiency => vec![line(100.0, "nothing lost")],
        _ => Vec::new(),
    };
    for (at, what) in &panel.ceilings {
        let label = format!("{what}: {}", number(data.spec.y[0], *at));
        guides.push(Guide { at: *at, label, ink: MUTED, stroke: Stroke::Dashed });
    }
    guides
}

/// The looks of series, no two alike in a panel: the first series of an implementation has its usual look, further ones are dashed. Rows of
/// dots, which have labels, all have the looks of their implementations.
fn looks(data: &FigureData) -> impl Fn(&SeriesData) -> (SeriesStyle, Stroke) {
    let has_rows = data.spec.kind == FigureKind::Dots;
    let key = move |one: &SeriesData| match has_rows {
        true => vec![DimensionValue::Text(one.implementation.clone())],
        false => one.key.clone(),
    };
    let all = || data.panels.iter().flat_map(|panel| &panel.series);
    let keys = distinct(all().map(key));
    let of_keys = keys.iter().filter_map(|known| all().find(|one| key(one) == *known));
    let names: Vec<&str> = of_keys.map(|one| &*one.implementation).collect();
    let is_first = |at: usize| !names[..at].contains(&names[at]);
    let has_one = (1..names.len()).all(|at| !is_first(at));
    // An implementation that the catalogue does not know has no look of its own.
    let own = |at: usize| {
        Some(implementation_style(names[at])).filter(|own| is_first(at) && *own != look_at(usize::MAX))
    };
    let mut taken: Vec<SeriesStyle> = (0..names.len()).filter_map(own).collect();
    let of = |at: usize| {
        let style = own(at).unwrap_or_else(|| {
            taken.push(look_unlike(&taken));
            taken[taken.len() - 1]
        });
        (style, if has_one || is_first(at) { Stroke::Solid } else { Stroke::Dashed })
    };
    let looks: Vec<(SeriesStyle, Stroke)> = (0..names.len()).map(of).collect();
    move |one| looks[keys.iter().position(|known| *known == key(one)).unwrap_or(0)]
}

fn lines(data: &FigureData, panel: &PanelData) -> Lines {
    let spec = data.spec;
    let looks = looks(data);
    let series = panel.series.iter().map(|one| {
        let (style, stroke) = looks(one);
        let point = |(x, value): &(Vec<DimensionValue>, Value)| {
            let DimensionValue::Number(at) = x.first()? else { return None };
            let (low, high) = value.interval().unzip();
            let told = value_tip(one.quantity, value);
            Some(Point {
                x: *at as f64,
                y: value.estimate.value,
                low,
                high,
                told: format!("{}, {}: {told}", one.label, in_words(&spec.x[0], &x[0])),
                single: value.samples == Some(1),
            })
        };
        let label = if one.is_published { format!("{}, published", one.label) } else { one.label.clone() };
        Series {
            label: label.replace(", ", "\n"),
            points: one.values.iter().filter_map(point).collect(),
            ink: style.ink,
            mark: Some(Mark { shape: style.shape, filled: !one.is_published }),
            stroke: if one.is_published { Stroke::Dotted } else { stroke },
            thin: one.is_published,
        }
    });
    let title = if spec.x[0] == Dimension::N { "n, vertices".to_string() } else { heading(&spec.x[0]) };
    let x = Axis::new(&title, spec.x_scale.unwrap_or(Scale::Log), Unit::Whole);
    Lines { x, y: value_axis(data), series: series.collect(), guides: guides(data, panel) }
}

/// A row for each x and a bar for each series; parts of a whole are stacked end to end.
fn bars(data: &FigureData, panel: &PanelData) -> Rows {
    let quantity = data.spec.y[0];
    let is_stacked =
        shown(quantity).records == Records::KernelTimes && quantity != Quantity::MultiprocessorThroughput;
    let keys: Vec<&Vec<DimensionValue>> =
        distinct(data.panels.iter().flat_map(|panel| panel.series.iter().map(|one| &one.key)));
    let part =
        |one: &SeriesData| PARTS[keys.iter().position(|key| **key == one.key).unwrap_or(0) % PARTS.len()];
    let is_one = keys.len() == 1;
    let rows = data.xs(std::slice::from_ref(panel)).into_iter().map(|x| {
        let mut from = 0.0;
        let mut bars: Vec<Bar> = Vec::new();
        for (lane, one) in panel.series.iter().enumerate() {
            let Some((_, value)) = one.values.iter().find(|(at, _)| at == x) else { continue };
            let to = from + value.estimate.value;
            let told = format!("{} {}: {}", text(&x[0]), one.label, value_tip(quantity, value));
            let ink = match (&x[0], is_one) {
                (DimensionValue::Text(name), true) => implementation_style(name).ink,
                _ => part(one),
            };
            let text = if is_stacked { String::new() } else { number(quantity, to) };
            let lane = if is_stacked { 0 } else { lane };
            bars.push(Bar { from, to, ink, text, told, lane });
            from = if is_stacked { to } else { 0.0 };
        }
        if let Some(last) = bars.last_mut().filter(|_| is_stacked) {
            last.text = number(quantity, last.to);
        }
        let label = in_words(&data.spec.x[0], &x[0]);
        Row { label, bars, ..Row::default() }
    });
    let keys = panel.series.iter().map(|one| key(&one.label, part(one), None));
    let keys = if is_one { Vec::new() } else { keys.collect() };
    Rows { x: value_axis(data), rows: rows.collect(), guides: guides(data, panel), keys }
}

/// A row for each series, with a dot for each x.
fn dots(data: &FigureData, panel: &PanelData) -> Rows {
    let xs = data.xs(std::slice::from_ref(panel));
    let end = |x: Option<&&Vec<DimensionValue>>| x.map(|x| text(&x[0])).unwrap_or_default();
    let ends = (xs.len() > 1).then(|| (end(xs.first()), end(xs.last())));
    let looks = looks(data);
    let row = |one: &SeriesData| {
        let (style, _) = looks(one);
        let dot = |(at, value): &(Vec<DimensionValue>, Value)| {
            let (low, high) = value.interval().unzip();
            let place = xs.iter().position(|known| *known == at).unwrap_or(0);
            let told = value_tip(one.quantity, value);
            Dot {
                x: value.estimate.value,
                low,
                high,
                within: (place as f64 + 0.5) / xs.len() as f64,
                ink: style.ink,
                mark: Mark { shape: style.shape, filled: true },
                told: format!("{}, {}: {told}", one.label, in_words(&data.spec.x[0], &at[0])),
            }
        };
        let dots = one.values.iter().map(dot).collect();
        Row { label: one.label.clone(), dots, ends: ends.clone(), ..Row::default() }
    };
    let rows = panel.series.iter().map(row).collect();
    Rows { x: value_axis(data), rows, guides: guides(data, panel), keys: Vec::new() }
}

/// A key that explains a mark of this colour or, without a mark, an area.
pub(super) fn key(text: &str, ink: Ink, mark: Option<Mark>) -> LegendEntry {
    LegendEntry { text: text.into(), ink, mark, hollow: false }
}
