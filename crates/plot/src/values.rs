//! Every value of a plot as CSV.

use super::facts::Facts;
use super::heat::Heat;
use super::model::{Chart, Lines, Plot, Rows};

/// One row a value, under a header. Numbers are written so that they are read back as they were.
pub fn csv(plot: &Plot) -> String {
    let records = match &plot.chart {
        Chart::Lines(chart) => of_lines(chart),
        Chart::Rows(chart) => of_rows(chart),
        Chart::Heat(chart) => of_heat(chart),
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        // Writing to memory does not fail.
        let _ = writer.write_record(&record);
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

fn number(value: f64) -> String {
    format!("{value}")
}

fn maybe(value: Option<f64>) -> String {
    value.map_or(String::new(), number)
}

fn record(of: &[&str]) -> Vec<String> {
    of.iter().map(ToString::to_string).collect()
}

/// Ends of the interval, of which one sample has none, and what else is known, under [`FACTS`].
fn facts(low: Option<f64>, high: Option<f64>, facts: Facts) -> [String; 6] {
    let known = |end: Option<f64>| maybe(end.filter(|_| !facts.is_single()));
    let samples = facts.samples.map_or(String::new(), |samples| samples.to_string());
    let published = facts.published;
    [
        known(low),
        known(high),
        samples,
        if facts.estimated { "yes".to_string() } else { String::new() },
        maybe(published.map(|published| published.low)),
        maybe(published.and_then(|published| published.high)),
    ]
}

const FACTS: [&str; 6] = ["low", "high", "samples", "estimated", "published_low", "published_high"];

fn of_lines(chart: &Lines) -> Vec<Vec<String>> {
    let mut records = vec![record(&[&["series", "x", "y"][..], &FACTS].concat())];
    for series in &chart.series {
        records.extend(series.points.iter().map(|point| {
            let values = vec![series.name.clone(), number(point.x), number(point.y)];
            [values, facts(point.low, point.high, point.facts).to_vec()].concat()
        }));
    }
    let guide = |at: f64, label: &str| {
        let values = vec![label.to_string(), String::new(), number(at)];
        [values, facts(None, None, Facts::default()).to_vec()].concat()
    };
    records.extend(chart.guides.iter().map(|one| guide(one.at, &one.label)));
    records
}

fn of_heat(chart: &Heat) -> Vec<Vec<String>> {
    let mut records = vec![record(&[&["row", "column", "value"][..], &FACTS].concat())];
    for row in &chart.rows {
        records.extend(row.cells.iter().zip(&chart.columns).filter_map(|(cell, column)| {
            let cell = cell.as_ref()?;
            let values = vec![row.label.replace('\n', " "), column.clone(), number(cell.value)];
            Some([values, facts(cell.low, cell.high, cell.facts).to_vec()].concat())
        }));
    }
    records
}

fn of_rows(chart: &Rows) -> Vec<Vec<String>> {
    let mut records = vec![record(&[&["row", "what", "from", "value"][..], &FACTS].concat())];
    let record = |row: &str, what: String, [from, value]: [Option<f64>; 2], of: [String; 6]| {
        let values = vec![row.replace('\n', " "), what, maybe(from), maybe(value)];
        [values, of.to_vec()].concat()
    };
    let none = || facts(None, None, Facts::default());
    for row in &chart.rows {
        if let Some(band) = &row.band {
            let ends = facts(band.low, band.high, Facts::default());
            records.push(record(&row.label, band.text.clone(), [None, None], ends));
        }
        for bar in &row.bars {
            let known = facts(bar.low, bar.high, bar.facts);
            records.push(record(&row.label, bar.name.clone(), [Some(bar.from), Some(bar.to)], known));
        }
        for trace in &row.traces {
            records.extend(trace.points.iter().map(|point| {
                let what = format!("{}, {}", trace.name, point.name);
                record(&row.label, what, [None, Some(point.x)], facts(point.low, point.high, point.facts))
            }));
        }
    }
    records
        .extend(chart.guides.iter().map(|one| record("", one.label.clone(), [None, Some(one.at)], none())));
    records
}
