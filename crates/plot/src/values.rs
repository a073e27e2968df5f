//! Every value of a plot as CSV.

use super::model::{Chart, Lines, Plot, Rows};

/// One row a value, under a header. Numbers are written so that they are read back as they were.
pub fn csv(plot: &Plot) -> String {
    let records = match &plot.chart {
        Chart::Lines(chart) => of_lines(chart),
        Chart::Rows(chart) => of_rows(chart),
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

fn header(names: [&str; 5]) -> Vec<String> {
    names.map(str::to_string).to_vec()
}

fn of_lines(chart: &Lines) -> Vec<Vec<String>> {
    let mut records = vec![header(["series", "x", "y", "low", "high"])];
    for series in &chart.series {
        records.extend(series.points.iter().map(|point| {
            vec![series.name.clone(), number(point.x), number(point.y), maybe(point.low), maybe(point.high)]
        }));
    }
    let guide = |at: f64, label: &str| {
        vec![label.to_string(), String::new(), number(at), String::new(), String::new()]
    };
    records.extend(chart.guides.iter().map(|one| guide(one.at, &one.label)));
    records
}

fn of_rows(chart: &Rows) -> Vec<Vec<String>> {
    let mut records = vec![header(["row", "what", "from", "low", "high"])];
    records[0].insert(3, "value".to_string());
    let record = |row: &str, what: String, numbers: [Option<f64>; 4]| {
        let mut record = vec![row.replace('\n', " "), what];
        record.extend(numbers.map(maybe));
        record
    };
    for row in &chart.rows {
        if let Some(band) = &row.band {
            records.push(record(&row.label, band.text.clone(), [None, None, band.low, band.high]));
        }
        for bar in &row.bars {
            records.push(record(&row.label, bar.name.clone(), [Some(bar.from), Some(bar.to), None, None]));
        }
        for trace in &row.traces {
            records.extend(trace.points.iter().map(|point| {
                let what = format!("{}, {}", trace.name, point.name);
                record(&row.label, what, [None, Some(point.x), point.low, point.high])
            }));
        }
    }
    records.extend(
        chart.guides.iter().map(|one| record("", one.label.clone(), [None, Some(one.at), None, None])),
    );
    records
}
