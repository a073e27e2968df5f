//! Speed-ups of one implementation over another that papers state in numbers, next to measured ones on one axis.

use super::plot::key;
use crate::judge::{AcceptanceRange, ClaimResult, ClaimRow, Comparison, Verdict};
use crate::lists::extent;
use crate::published::{ClaimKind, PublishedPaper};
use crate::report::draw::palette::{BAND, GREEN, GREY, MUTED, ORANGE, SKY, VERMILLION};
use crate::report::draw::{
    Axis, Band, Chart, Dot, Guide, Ink, Mark, Panel, Plot, Quantity, Row, Rows, Scale, Shape, Stroke, draw,
};
use crate::report::page::author_year;
use crate::report::text::in_text;
use crate::report::words::short_label;
use crate::report::{Exhibit, words};

/// A row for each claim, a panel for each machine: the stated range in grey, and a mark at the geometric mean of the comparisons on a line
/// that spans all of their intervals. None if no machine compared at least two claims.
pub fn speed_ups(claims: &[ClaimRow], papers: &[PublishedPaper], machines: &[&str]) -> Option<Exhibit> {
    let of_machine = |machine: &&str| {
        let of_paper = |paper: &PublishedPaper| {
            let of_it = claims.iter().filter(|row| row.paper == paper.id && row.kind == ClaimKind::Ratio);
            let rows: Vec<Row> = of_it.filter_map(|row| drawn(row, machine)).collect();
            let heading = Row { label: format!("{}: {}", author_year(paper), paper.gpu), ..Row::default() };
            if rows.is_empty() { rows } else { [vec![heading], rows].concat() }
        };
        let rows: Vec<Row> = papers.iter().flat_map(of_paper).collect();
        let title = "A over B: how many times as fast A is";
        let mut keys = vec![key("what the paper states", BAND, None)];
        keys.extend(Verdict::all().filter(|one| one.is_decided()).map(|verdict| {
            let (ink, mark) = look(verdict);
            key(&verdict.to_string(), ink, Some(mark))
        }));
        let equal = Guide { at: 1.0, label: "equal times".into(), ink: GREY, stroke: Stroke::Solid };
        let x = Axis::new(title, Scale::Log, Quantity::Times);
        let chart = Chart::Rows(Rows { x, rows, guides: vec![equal], keys });
        Panel { heading: short_label(machine), source: String::new(), chart }
    };
    let has_several = |panel: &Panel| matches!(&panel.chart, Chart::Rows(rows) if rows.rows.len() > 2);
    let panels: Vec<Panel> = machines.iter().map(of_machine).filter(has_several).collect();
    let title = "Speed-ups that the papers state in numbers, and what they are here";
    let caption = "Grey is what the paper states; a mark is the geometric mean of a claim's comparisons, and its line spans their intervals, \
                   which decide the verdict.";
    let plot = Plot { id: "stated-speed-ups".into(), title: title.into(), caption: caption.into(), panels };
    let figure = (!plot.panels.is_empty()).then(|| draw(&plot))?;
    Some(Exhibit {
        figure: Some(figure),
        id: plot.id,
        title: plot.title,
        caption: plot.caption,
        ..Exhibit::default()
    })
}

/// The row of a claim. None if it has no short name, or if its comparisons have different published ranges.
fn drawn(row: &ClaimRow, machine: &str) -> Option<Row> {
    let label = row.short.clone()?;
    let result: &ClaimResult = row.results.iter().find(|one| one.machine == machine)?;
    let points: Vec<&Comparison> = result.points.iter().filter(|point| point.verdict.is_decided()).collect();
    let published: AcceptanceRange = points.first()?.published;
    if points.iter().any(|point| point.published != published || point.measured.value <= 0.0) {
        return None;
    }
    let mean = geometric_mean(points.iter().map(|point| point.measured.value));
    let (low, high) = extent(points.iter().flat_map(|point| [point.measured.low, point.measured.high]))?;
    let (ink, mark) = look(result.verdict);
    let told = format!(
        "{label}: {} by geometric mean of {} comparisons, {} to {}; {}",
        in_text(mean),
        points.len(),
        in_text(low),
        in_text(high),
        result.verdict
    );
    let dot = Dot { x: mean, low: Some(low), high: Some(high), within: 0.5, ink, mark, told };
    let band = Band {
        low: published.low,
        high: published.high,
        told: format!("published {}", words::published(row)),
    };
    let note = result.verdict.to_string();
    Some(Row { label, note, band: Some(band), dots: vec![dot], ..Row::default() })
}

fn look(verdict: Verdict) -> (Ink, Mark) {
    let (ink, shape, filled) = match verdict {
        Verdict::Reproduced => (GREEN, Shape::Circle, true),
        Verdict::Exceeds => (GREEN, Shape::Up, true),
        Verdict::HoldsWhereDecided => (GREEN, Shape::Circle, false),
        Verdict::InPart => (SKY, Shape::Diamond, true),
        Verdict::Differs => (VERMILLION, Shape::Square, true),
        Verdict::FailsWhereDecided => (VERMILLION, Shape::Square, false),
        Verdict::Ambiguous => (ORANGE, Shape::Up, false),
        Verdict::NotMeasured | Verdict::NotComparable => (MUTED, Shape::Circle, false),
    };
    (ink, Mark { shape, filled })
}

/// The geometric mean of positive numbers.
pub(super) fn geometric_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}
