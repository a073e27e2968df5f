//! What a page's script answers questions from: every value with its interval, samples and published value, as compact JSON.
//!
//! Keys are single letters and columns are lists, since pages hold thousands of values; `report/charts.js` reads them.

use super::facts::Published;
use super::model::{Chart, Guide, Lines, Plot, Point, Series};
use super::scale::{Axis, Quantity, RATE_UNIT, Scale};
use super::scene::{Item, Scene, Value};
use super::svg::UNITS;
use serde::{Serialize, Serializer};

/// Digits of values: more than any interval leaves a meaning to.
const DIGITS: usize = 4;
/// Digits of what stands on the x axis: sizes and days are exact.
const EXACT: usize = 9;

/// The data of a plot, from its scenes wide and narrow. Holds no `<`, `&` or `'`, so that it may stand in an attribute in single
/// quotes. Empty where the plot has nothing to ask for.
pub fn json(plot: &Plot, scenes: [&Scene; 2]) -> String {
    let text = match &plot.chart {
        Chart::Lines(chart) => of_lines(chart, scenes).and_then(|data| serde_json::to_string(&data).ok()),
        Chart::Rows(chart) => {
            of_places(chart.x.quantity, scenes).and_then(|data| serde_json::to_string(&data).ok())
        }
        Chart::Heat(_) => {
            of_places(Quantity::Times, scenes).and_then(|data| serde_json::to_string(&data).ok())
        }
    };
    // These signs stand in strings alone, where JSON has another way to write them.
    text.unwrap_or_default().replace('<', "\\u003c").replace('&', "\\u0026").replace('\'', "\\u0027")
}

/// A chart of lines, which the script can draw anew on another scale.
#[derive(Serialize)]
struct LinesData<'a> {
    /// Axes.
    x: AxisData<'a>,
    y: AxisData<'a>,
    /// Of both layouts the frame of the chart in units of its SVG (left, top, right, bottom) and the ends of x and y.
    v: Vec<[Short; 8]>,
    /// Lists of x that series share.
    l: Vec<Vec<Short>>,
    s: Vec<SeriesData<'a>>,
    g: Vec<GuideData<'a>>,
}

#[derive(Serialize)]
struct AxisData<'a> {
    /// Title.
    t: &'a str,
    /// What numbers are of.
    q: &'static str,
    /// 1 where the scale is logarithmic.
    s: u8,
}

#[derive(Serialize)]
struct SeriesData<'a> {
    /// Name.
    n: &'a str,
    /// Colour.
    c: &'static str,
    /// Shape of its marks, in lower case where they are open; none where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    m: Option<&'static str>,
    /// Dashes, as SVG writes them; empty where it is solid, none where there is no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    d: Option<String>,
    /// 1 where it is drawn thinner.
    #[serde(skip_serializing_if = "is_zero")]
    t: u8,
    /// Which list of x.
    x: usize,
    y: Vec<Short>,
    /// Lower and upper ends of intervals; none where there is none at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<Vec<Option<Short>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<Vec<Option<Short>>>,
    /// Numbers of samples: one where it is the same of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<Samples>,
    /// Published values.
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<Vec<Option<PublishedData>>>,
    /// Places of estimates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    e: Vec<usize>,
    /// Places of jumps, and how large they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    j: Vec<(usize, Short)>,
}

#[derive(Serialize)]
struct GuideData<'a> {
    n: &'a str,
    c: &'static str,
    d: String,
    y: Short,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Samples {
    Same(usize),
    Each(Vec<Option<usize>>),
}

/// One number, or a lower and an upper end; null is an open end.
#[derive(Serialize)]
#[serde(untagged)]
enum PublishedData {
    Value(Short),
    Range(Short, Option<Short>),
}

/// A chart of anything else, whose values have places in both layouts.
#[derive(Serialize)]
struct PlacesData {
    /// What numbers are of.
    q: &'static str,
    /// Rows, and what stands in them.
    r: Vec<String>,
    n: Vec<String>,
    v: Vec<ValueData>,
}

/// Row, name, value, ends of the interval, samples, what is published, whether it is an estimate, and its places wide and
/// narrow, in units of their SVG.
#[derive(Serialize)]
struct ValueData(
    usize,
    usize,
    Short,
    Option<Short>,
    Option<Short>,
    Option<usize>,
    Option<PublishedData>,
    u8,
    [i64; 4],
);

/// A number with few digits.
#[derive(Clone, Copy, PartialEq)]
struct Short(f64);

impl Short {
    fn new(value: f64, digits: usize) -> Self {
        Self(format!("{value:.*e}", digits - 1).parse().unwrap_or(value))
    }
}

impl Serialize for Short {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            return serializer.serialize_i64(self.0 as i64);
        }
        serializer.serialize_f64(self.0)
    }
}

impl Quantity {
    /// What the script calls it, and what values are divided by: rates are written in their unit.
    fn key(self) -> (&'static str, f64) {
        match self {
            Self::Whole => ("whole", 1.0),
            Self::Seconds => ("seconds", 1.0),
            Self::TasksPerSecond => ("rate", RATE_UNIT),
            Self::GigabytesPerSecond => ("GB/s", 1.0),
            Self::Times => ("times", 1.0),
            Self::Bytes => ("bytes", 1.0),
            Self::Ways => ("ways", 1.0),
            Self::Percent => ("%", 1.0),
            Self::Joules => ("J", 1.0),
            Self::TasksPerJoule => ("rate/J", RATE_UNIT),
            Self::TasksPerByte => ("tasks/byte", 1.0),
            Self::Day => ("day", 1.0),
        }
    }

    fn short(self, value: f64) -> Short {
        Short::new(value / self.key().1, DIGITS)
    }

    fn published(self, published: Published) -> PublishedData {
        let Published { low, high } = published;
        match high {
            Some(high) if high == low => PublishedData::Value(self.short(low)),
            high => PublishedData::Range(self.short(low), high.map(|high| self.short(high))),
        }
    }
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}

fn axis(of: &Axis) -> AxisData<'_> {
    AxisData { t: &of.title, q: of.quantity.key().0, s: u8::from(of.scale == Scale::Log) }
}

fn of_lines<'a>(chart: &'a Lines, scenes: [&Scene; 2]) -> Option<LinesData<'a>> {
    let of = chart.y.quantity;
    let mut l: Vec<Vec<Short>> = Vec::new();
    let s: Vec<SeriesData> = chart
        .series
        .iter()
        .map(|series| {
            let x: Vec<Short> = series.points.iter().map(|point| Short::new(point.x, EXACT)).collect();
            let place = l.iter().position(|known| *known == x).unwrap_or_else(|| {
                l.push(x);
                l.len() - 1
            });
            series_data(series, place, of)
        })
        .collect();
    let v: Vec<[Short; 8]> = scenes.into_iter().filter_map(|scene| view(scene, of)).collect();
    let guide = |guide: &'a Guide| GuideData {
        n: &guide.label,
        c: guide.ink.hex(),
        d: dashes(guide.stroke.dashes()),
        y: of.short(guide.at),
    };
    let g = chart.guides.iter().map(guide).collect();
    let has_values = v.len() == 2 && s.iter().any(|one| !one.y.is_empty());
    has_values.then(|| LinesData { x: axis(&chart.x), y: axis(&chart.y), v, l, s, g })
}

/// Where the chart lies in a layout.
fn view(scene: &Scene, of: Quantity) -> Option<[Short; 8]> {
    scene.items.iter().find_map(|item| match item {
        Item::Ends { frame, x, y } => {
            let exact = |value: f64| Short::new(value, EXACT);
            let pixels =
                [frame.left, frame.top, frame.right, frame.bottom].map(|at| exact((at * UNITS).round()));
            let [left, top, right, bottom] = pixels;
            let y = [y.0, y.1].map(|end| exact(end / of.key().1));
            Some([left, top, right, bottom, exact(x.0), exact(x.1), y[0], y[1]])
        }
        _ => None,
    })
}

fn dashes(of: Option<(f64, f64)>) -> String {
    of.map_or(String::new(), |(dash, gap)| format!("{} {}", dash * UNITS, gap * UNITS))
}

fn series_data(series: &Series, x: usize, of: Quantity) -> SeriesData<'_> {
    let points = || series.points.iter();
    let ends = |end: fn(&Point) -> Option<f64>| -> Option<Vec<Option<Short>>> {
        let has_ends = points().any(|point| end(point).is_some() && !point.facts.is_single());
        let end = |point: &Point| Some(of.short(end(point).filter(|_| !point.facts.is_single())?));
        has_ends.then(|| points().map(end).collect())
    };
    let samples: Vec<Option<usize>> = points().map(|point| point.facts.samples).collect();
    let same =
        samples.first().copied().flatten().filter(|first| samples.iter().all(|one| *one == Some(*first)));
    let k = match same {
        Some(same) => Some(Samples::Same(same)),
        None => samples.iter().any(Option::is_some).then_some(Samples::Each(samples)),
    };
    let p: Vec<Option<PublishedData>> =
        points().map(|point| Some(of.published(point.facts.published?))).collect();
    let is_line = series.stroke != super::model::Stroke::None;
    SeriesData {
        n: &series.name,
        c: series.ink.hex(),
        m: series.mark.map(|mark| mark.letter()),
        d: is_line.then(|| dashes(series.stroke.dashes())),
        t: u8::from(series.thin),
        x,
        y: points().map(|point| of.short(point.y)).collect(),
        a: ends(|point| point.low),
        b: ends(|point| point.high),
        k,
        p: p.iter().any(Option::is_some).then_some(p),
        e: points().enumerate().filter(|(_, point)| point.facts.estimated).map(|(at, _)| at).collect(),
        j: points()
            .enumerate()
            .filter_map(|(at, point)| Some((at, Short::new(point.facts.jump?, 3))))
            .collect(),
    }
}

fn of_places(of: Quantity, scenes: [&Scene; 2]) -> Option<PlacesData> {
    let [wide, narrow] = scenes.map(|scene| -> Vec<&Value> {
        let values = scene.items.iter().filter_map(|item| match item {
            Item::Value(value) => Some(value),
            _ => None,
        });
        values.collect()
    });
    let (mut r, mut n) = (Vec::new(), Vec::new());
    let place = |known: &mut Vec<String>, text: &str| {
        let text = text.replace('\n', " ");
        known.iter().position(|one| *one == text).unwrap_or_else(|| {
            known.push(text);
            known.len() - 1
        })
    };
    let unit = |pixels: f64| (pixels * UNITS).round() as i64;
    let v: Vec<ValueData> = wide
        .iter()
        .zip(&narrow)
        .map(|(one, on_phone)| {
            let known = |end: Option<f64>| Some(of.short(end.filter(|_| !one.facts.is_single())?));
            ValueData(
                place(&mut r, &one.row),
                place(&mut n, &one.name),
                of.short(one.value),
                known(one.low),
                known(one.high),
                one.facts.samples,
                one.facts.published.map(|published| of.published(published)),
                u8::from(one.facts.estimated),
                [one.at.0, one.at.1, on_phone.at.0, on_phone.at.1].map(unit),
            )
        })
        .collect();
    (!v.is_empty()).then(|| PlacesData { q: of.key().0, r, n, v })
}
