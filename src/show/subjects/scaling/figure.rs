//! What several devices gain over one.

use super::{Scaled, Scaling};
use crate::lists::distinct;
use crate::plot::palette::{BLUE, GREEN, MUTED, ORANGE, SKY};
use crate::plot::{
    Axis, Chart, Guide, Lines, Plot, Point, Quantity, Scale, Series, SeriesStyle, Shape, Stroke, significant,
};

/// One line each, from the smallest n to the largest.
const LOOKS: [SeriesStyle; 4] = [
    SeriesStyle { ink: SKY, shape: Shape::Circle },
    SeriesStyle { ink: GREEN, shape: Shape::Square },
    SeriesStyle { ink: BLUE, shape: Shape::Diamond },
    SeriesStyle { ink: ORANGE, shape: Shape::Up },
];

/// Efficiency and waiting against devices, a line an n. None where no n was measured on two numbers of devices.
pub fn figures(scaling: &Scaling) -> Vec<Plot> {
    efficiency(scaling).into_iter().chain(waiting(scaling)).collect()
}

/// A line for each n that has two points.
fn lines(scaling: &Scaling, y: impl Fn(&Scaled) -> Option<Point>) -> Vec<Series> {
    let of_n =
        |n: usize| -> Vec<Point> { scaling.cells.iter().filter(|cell| cell.n == n).filter_map(&y).collect() };
    let drawn = distinct(scaling.cells.iter().map(|cell| cell.n)).into_iter().map(|n| (n, of_n(n)));
    let drawn = drawn.filter(|(_, points)| points.len() > 1);
    drawn
        .enumerate()
        .map(|(at, (n, points))| Series::new(&format!("n = {n}"), points, LOOKS[at % 4]))
        .collect()
}

fn efficiency(scaling: &Scaling) -> Option<Plot> {
    let point = |cell: &Scaled| {
        let efficiency = cell.efficiency? * 100.0;
        let at = |seconds: f64| efficiency * cell.seconds / seconds;
        let (low, high) = cell.interval.map(|(low, high)| (at(high), at(low))).unzip();
        Some(Point { low, high, ..Point::at(cell.devices as f64, efficiency) })
    };
    let series = lines(scaling, point);
    let most = |series: &Series| series.points.last().map(|point| (point.x, point.y));
    let (last, (devices, at)) = series.last().and_then(|last| Some((last, most(last)?)))?;
    Some(Plot {
        id: "efficiency".into(),
        title: format!(
            "{devices} devices do {}% of what {devices} single ones would at {}",
            significant(at, 3),
            last.name
        ),
        shows: "Efficiency by the number of devices".into(),
        alt: format!("Efficiency against the number of devices, a line for each of {} n.", series.len()),
        caption: "Efficiency is the seconds on one device over as many times the seconds on these.".into(),
        source: None,
        chart: chart(
            "% of as many single devices",
            series,
            vec![Guide::new(100.0, "nothing lost", "nothing lost", MUTED, Stroke::Dashed)],
        ),
    })
}

fn waiting(scaling: &Scaling) -> Option<Plot> {
    let point = |cell: &Scaled| Some(Point::at(cell.devices as f64, cell.waiting? * 100.0));
    let series = lines(scaling, point);
    let most = series.iter().flat_map(|one| one.points.iter().map(move |point| (one, point)));
    let (line, point) = most.max_by(|a, b| a.1.y.total_cmp(&b.1.y))?;
    let title = format!(
        "Devices wait at most {}% of the time: at {} on {} devices",
        significant(point.y, 2),
        line.name,
        point.x
    );
    Some(Plot {
        id: "waiting".into(),
        title,
        shows: "Share of the time in which devices wait for panels, by their number".into(),
        alt: format!(
            "Share of the time spent waiting against devices, a line for each of {} n.",
            series.len()
        ),
        caption:
            "A device waits when it has no tile to work on until a panel arrives, by events on each device."
                .into(),
        source: None,
        chart: chart("% of the time of all devices", series, Vec::new()),
    })
}

fn chart(percent_of: &str, series: Vec<Series>, guides: Vec<Guide>) -> Chart {
    let devices = Axis::new("devices", Scale::Log, Quantity::Whole);
    Chart::Lines(Lines::new(devices, Axis::new(percent_of, Scale::Linear, Quantity::Percent), series, guides))
}
