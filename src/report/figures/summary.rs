//! Every claim of two times on one axis: what its paper publishes, and what was measured.

use crate::judge::{ClaimResult, ClaimRow, Point, Range, Verdict};
use crate::lists::geometric_mean;
use crate::plot::palette::{BAND, GREEN, GREY, MUTED, ORANGE, SKY, VERMILLION};
use crate::plot::{
    Axis, Band, Chart, Facts, Guide, Ink, Key, Mark, Plot, Published, Quantity, Row, RowPoint, Rows, Scale,
    Shape, Source, Stroke, Trace,
};
use crate::published::{ClaimKind, PublishedPaper};
use crate::report::words;
use crate::show::words::{part, range_in_words, times};

/// Which claims have a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The speed-ups that papers state in numbers.
    Stated,
    /// Every claim that compares the seconds of two.
    All,
}

/// How a row's label is read.
const TITLE: &str = "A over B: how many times as fast A is";

/// One row for each of these claims, in the order of the papers, with a mark for each machine that compared it. None where fewer than two
/// of them were compared.
pub fn summary(
    which: Which,
    claims: &[ClaimRow],
    papers: &[PublishedPaper],
    machines: &[&str],
    source: Option<Source>,
) -> Option<Plot> {
    let claims = || claims.iter().filter(|row| which == Which::All || row.kind == ClaimKind::Ratio);
    let of_claim = |row| {
        let each = machines.iter().filter_map(|machine| Compared::of(row, machine));
        Some(each.collect::<Vec<_>>()).filter(|all| !all.is_empty())
    };
    let all: Vec<Vec<Compared>> = claims().filter_map(of_claim).collect();
    if all.len() < 2 {
        return None;
    }
    // A machine that compared none has no marks.
    let is_shown = |machine: &&str| all.iter().flatten().any(|one| one.result.machine == *machine);
    let machines: Vec<&str> = machines.iter().copied().filter(is_shown).collect();
    let labelled = claims().filter(|row| row.short.is_some()).count();
    let mut rows: Vec<Row> = Vec::new();
    for paper in papers {
        let of_paper = all.iter().filter(|one| one[0].row.paper == paper.id);
        let of_paper: Vec<Row> = of_paper.map(|one| drawn(one, &machines)).collect();
        if !of_paper.is_empty() {
            rows.push(Row::titled(title(paper)));
            rows.extend(of_paper);
        }
    }
    let counted: Vec<(Verdict, usize)> = Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict, all.iter().flatten().filter(|one| one.result.verdict == verdict).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    let mut keys = vec![Key::area("what the paper states", BAND)];
    keys.extend(counted.iter().map(|(verdict, _)| {
        let (ink, mark) = look(*verdict);
        Key { text: verdict.to_string(), ink, mark: Some(mark), stroke: Stroke::Solid }
    }));
    let furthest = all.iter().flatten().filter(|one| one.result.verdict == Verdict::Differs);
    let furthest = furthest.max_by(|a, b| a.distance().total_cmp(&b.distance()));
    let left_out = match labelled - all.len() {
        0 => String::new(),
        1 => " One more is not drawn: it was not measured here.".to_string(),
        many => format!(" {many} more are not drawn: they were not measured here."),
    };
    let measured_on = match &machines[..] {
        [one] => format!("Measured on {one}."),
        [first, rest @ ..] => {
            let below = rest.iter().map(|label| format!(", below it {}", words::short_label(label)));
            let below: String = below.collect();
            format!("In each row the upper mark is of {}{below}.", words::short_label(first))
        }
        [] => String::new(),
    };
    let stated = which == Which::Stated;
    Some(Plot {
        id: if stated { "stated-speed-ups" } else { "all-ratios" }.into(),
        title: furthest.map_or_else(
            || format!("No ratio differs from what its paper claims{}", part(all.len(), labelled, "ratios")),
            Compared::sentence,
        ),
        shows: match stated {
            true => "Speed-ups that the papers state in numbers, and what they are here",
            false => "Every ratio of two times that the papers claim, and what it is here",
        }
        .into(),
        caption: format!(
            "Grey is what the paper states, to the rounding of its last digit; a bound is open at one side. A mark is the geometric mean of \
             a claim's comparisons, and its line spans their intervals, which decide the verdict. {measured_on}{left_out}"
        ),
        alt: format!(
            "A row for each of {} claims on one logarithmic axis of ratios: the published range as a band, the measured ratio of each machine \
             as a mark with its interval, and the verdict.",
            all.len()
        ),
        source,
        chart: Chart::Rows(Rows {
            guides: vec![Guide::new(1.0, "equal times", "equal", GREY, Stroke::Solid)],
            dense: true,
            ..Rows::new(Axis::new(TITLE, Scale::Log, Quantity::Times), rows, keys)
        }),
    })
}

/// The row of a claim with a mark for each machine that compared it, one below the other.
fn drawn(all: &[Compared], machines: &[&str]) -> Row {
    let first = &all[0];
    let mut verdicts: Vec<Verdict> = all.iter().map(|one| one.result.verdict).collect();
    verdicts.dedup();
    let place = |one: &Compared| {
        let at = machines.iter().position(|machine| *machine == one.result.machine).unwrap_or(0);
        (at as f64 + 0.5) / machines.len() as f64
    };
    let several = machines.len() > 1;
    Row {
        label: first.label.clone(),
        note: verdicts.iter().map(Verdict::to_string).collect::<Vec<_>>().join(" / "),
        note_ink: (verdicts.len() == 1).then(|| look(verdicts[0]).0),
        band: Some(Band {
            low: first.published.low,
            high: first.published.high,
            text: "published".to_string(),
        }),
        traces: all.iter().map(|one| one.trace(place(one), several)).collect(),
        ..Row::default()
    }
}

/// A claim with what was measured of it.
struct Compared<'a> {
    row: &'a ClaimRow,
    result: &'a ClaimResult,
    label: String,
    published: Range,
    /// The geometric mean of all comparisons.
    mean: f64,
    /// The ends of all their intervals.
    low: f64,
    high: f64,
}

impl<'a> Compared<'a> {
    /// None of a claim that compares something else, and where its comparisons have not one range that all share.
    fn of(row: &'a ClaimRow, machine: &str) -> Option<Self> {
        let label = row.short.clone()?;
        let result = row.results.iter().find(|one| one.machine == machine)?;
        let points: Vec<&Point> = result.points.iter().filter(|point| point.verdict.is_decided()).collect();
        let published = points.first()?.published;
        if points.iter().any(|point| point.published != published || point.measured.value <= 0.0) {
            return None;
        }
        let mean = geometric_mean(points.iter().map(|point| point.measured.value));
        let low = points.iter().map(|point| point.measured.low).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(|point| point.measured.high).fold(0.0, f64::max);
        Some(Self { row, result, label, published, mean, low, high })
    }

    /// Its mark, so far down in its row as `within` says.
    fn trace(&self, within: f64, several: bool) -> Trace {
        let (ink, mark) = look(self.result.verdict);
        let name = match self.result.points.len() {
            1 => "the one comparison".to_string(),
            many => format!("geometric mean of {many} comparisons"),
        };
        let published = self.published.low.map(|low| Published { low, high: self.published.high });
        let facts = Facts { published, ..Facts::default() };
        let point =
            RowPoint { x: self.mean, low: Some(self.low), high: Some(self.high), within, name, facts };
        let name = match several {
            true => format!("measured on {}", words::short_label(&self.result.machine)),
            false => "measured".to_string(),
        };
        Trace { name, points: vec![point], ink, mark, stroke: Stroke::None }
    }

    /// How far the mean is outside of what is published, as a logarithm.
    fn distance(&self) -> f64 {
        let above = self.published.high.map_or(0.0, |high| (self.mean / high).ln());
        let below = self.published.low.map_or(0.0, |low| (low / self.mean).ln());
        above.max(below)
    }

    /// The claim with both figures, as a title.
    fn sentence(&self) -> String {
        let published = match words::published(self.row) {
            text if text.is_empty() => {
                range_in_words(self.published.low, self.published.high, times).unwrap_or_default()
            }
            text => text,
        };
        format!(
            "Furthest of those that differ: {}, published {published}, here {}",
            self.label,
            times(self.mean)
        )
    }
}

/// Who, when and on which GPU; of more than two authors only the first.
fn title(paper: &PublishedPaper) -> String {
    let authors = match paper.authors.split(", ").collect::<Vec<_>>()[..] {
        [first, _, _, ..] => format!("{first} et al."),
        _ => paper.authors.clone(),
    };
    let year = paper.year.map_or(String::new(), |year| format!(" ({year})"));
    format!("{authors}{year}: {}", paper.gpu)
}

/// The colour and the mark of a verdict, which differ in shape wherever they differ in colour.
fn look(verdict: Verdict) -> (Ink, Mark) {
    let (ink, shape, filled) = match verdict {
        Verdict::Reproduced => (GREEN, Shape::Circle, true),
        Verdict::Exceeds => (GREEN, Shape::Up, true),
        Verdict::InPart => (SKY, Shape::Diamond, true),
        Verdict::Differs => (VERMILLION, Shape::Square, true),
        Verdict::FailsWhereDecided => (VERMILLION, Shape::Square, false),
        Verdict::Ambiguous => (ORANGE, Shape::Up, false),
        Verdict::NotMeasured | Verdict::NotComparable => (MUTED, Shape::Circle, false),
    };
    (ink, Mark { shape, filled })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Evidence, PointSubject, evaluate};
    use crate::published::{ClaimKind, Figure, Relation, published_papers};
    use crate::timing::Estimate;

    /// A claim as if these had been measured.
    fn claim(paper: &str, id: &str, measured: &[f64], published: Range) -> ClaimRow {
        let papers = published_papers().unwrap();
        let rows = evaluate(&papers, &[&Evidence::new("GPU", &[], &[])]);
        let row = rows.into_iter().find(|row| row.paper == paper && row.id == id).unwrap();
        let point = |value: &f64| {
            let at = PointSubject { n: Some(1024), ..PointSubject::default() };
            Point::of(at, Estimate::exact(*value).widened(0.1), published)
        };
        let points: Vec<Point> = measured.iter().map(point).collect();
        let verdict = crate::judge::decide(points.iter().map(|point| point.verdict));
        let verdict = verdict.unwrap_or(Verdict::NotMeasured);
        let result = ClaimResult { verdict, lack: None, points, ..row.results[0].clone() };
        ClaimRow { results: vec![result], ..row }
    }

    #[test]
    fn there_is_no_figure_of_a_machine_with_one_ratio_or_none() {
        let papers = published_papers().unwrap();
        let claims = [claim("gaioso-2013", "over-hn", &[4.0], Range::new(3.5, 4.5))];
        assert_eq!(summary(Which::Stated, &claims, &papers, &["GPU"], None), None);
        let two = [claims[0].clone(), claim("gaioso-2013", "over-cpu", &[200.0], Range::at_least(149.0))];
        assert!(summary(Which::Stated, &two, &papers, &["GPU"], None).is_some());
        assert_eq!(summary(Which::All, &two, &papers, &["another"], None), None);
    }

    #[test]
    fn every_claim_that_is_tested_by_the_times_of_two_has_a_label_and_no_other_has_one() {
        for claim in published_papers().unwrap().iter().flat_map(|paper| &paper.claims) {
            let is_of_two = claim.tests.iter().any(|test| {
                let is_time = matches!(test.figure, Figure::Seconds | Figure::KernelSeconds);
                let is_of_two = matches!(test.relation, Relation::Ratio | Relation::AcrossGraphs);
                is_time && is_of_two
            });
            let is_tested = !claim.tests.is_empty();
            assert!(!is_tested || is_of_two == claim.short.is_some(), "{}", claim.id);
            assert!(claim.kind != ClaimKind::Ratio || claim.short.is_some(), "{}", claim.id);
        }
    }
}
