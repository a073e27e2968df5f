//! What holds of every picture: finite, legible, told apart, reproducible, safe.

use super::*;
use crate::results::Times;

#[test]
fn all_that_is_drawn_is_finite_named_once_and_has_words() {
    for name in ALL {
        let mut ids = BTreeSet::new();
        for plot in of_run(&reference(name), &papers()) {
            assert!(ids.insert(plot.id.clone()), "{name}: {} comes twice", plot.id);
            let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(plot.id.chars().all(letters));
            assert!(
                !plot.title.is_empty()
                    && !plot.shows.is_empty()
                    && plot.caption.ends_with('.')
                    && plot.alt.ends_with('.'),
                "{name} {}",
                plot.id
            );
            for text in [&plot.title, &plot.shows, &plot.caption, &plot.alt] {
                assert!(!text.contains("NaN") && !text.contains("inf") && !text.contains("  "), "{text}");
            }
            let values: Vec<f64> = match &plot.chart {
                Chart::Lines(chart) => {
                    let points = chart.series.iter().flat_map(|series| &series.points);
                    points
                        .flat_map(|point| [Some(point.x), Some(point.y), point.low, point.high])
                        .flatten()
                        .collect()
                }
                Chart::Rows(chart) => {
                    let bars = chart.rows.iter().flat_map(|row| &row.bars).flat_map(|bar| [bar.from, bar.to]);
                    let points =
                        chart.rows.iter().flat_map(|row| &row.traces).flat_map(|trace| &trace.points);
                    bars.chain(points.map(|point| point.x)).collect()
                }
                Chart::Heat(_) => panic!("{} is not of one run", plot.id),
            };
            assert!(!values.is_empty() && values.iter().all(|value| value.is_finite()), "{name} {}", plot.id);
        }
    }
}

#[test]
fn no_text_leaves_its_picture_or_covers_another() {
    let mut wrong = Vec::new();
    for name in ALL {
        for plot in of_run(&reference(name), &papers()) {
            for layout in Layout::ALL {
                wrong.extend(illegible(&plot, layout).into_iter().map(|what| format!("{name} {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_colour_has_a_dark_variant() {
    let known: BTreeSet<&str> = dark_variants().iter().map(|(light, _)| *light).collect();
    for plot in ["ablation", "kappa-sweep"].iter().flat_map(|name| of_run(&reference(name), &papers())) {
        let svg = draw(&plot).wide;
        let unknown = svg.split('"').find(|part| part.starts_with('#') && !known.contains(part));
        assert_eq!(unknown, None, "{}", plot.id);
    }
}

#[test]
fn a_run_of_nothing_of_one_cell_or_of_impossible_times_is_drawn_as_far_as_it_goes() {
    let all_drawn = |run: &StoredRun, papers: &[PublishedPaper]| {
        let plots = of_run(run, papers);
        for plot in &plots {
            assert!(!draw(plot).png.is_empty());
            Layout::ALL.iter().for_each(|layout| assert_eq!(illegible(plot, *layout), [""; 0]));
        }
        plots.len()
    };
    let cell = |n| fixtures::measured(fixtures::cell("staged-load", "", n), &[0.5, 1.0, 2.0]);
    assert_eq!(all_drawn(&fixture(Vec::new()), &papers()), 0);
    assert_eq!(all_drawn(&fixture(vec![cell(1024)]), &papers()), 1);
    assert_eq!(all_drawn(&fixture(vec![cell(1024)]), &[]), 0);
    assert!(all_drawn(&fixture(vec![cell(1024), cell(2048)]), &papers()) >= 2);
    let zero = fixtures::measured(fixtures::cell("staged-load", "", 1024), &[0.0, 0.0]);
    let other = fixtures::measured(fixtures::cell("staged-load", "", 2048), &[0.0, 1.0, 1.0]);
    all_drawn(&fixture(vec![zero, other]), &papers());
    let mut run = reference("timers");
    run.results.times = Times::default();
    run.results.summary.iter_mut().for_each(|row| row.median_s = None);
    assert_eq!(all_drawn(&run, &papers()), 0);
}

#[test]
fn what_users_name_is_written_as_text_and_never_as_markup() {
    let mut plot = plot("table1", "seconds");
    plot.alt = "\"><script>alert(1)</script>".into();
    let Chart::Lines(chart) = &mut plot.chart else { panic!() };
    chart.series[0].label = Some("<script>&\"".into());
    chart.series[0].short = Some("<script>&\"".into());
    chart.y.title = "<b>".into();
    let figure = draw(&plot);
    for svg in [&figure.wide, &figure.narrow, &figure.svg] {
        assert!(!svg.contains("<script>") && !svg.contains("<b>"));
        assert!(svg.contains("&lt;script&gt;&amp;&quot;"));
    }
    assert!(figure.svg.contains("aria-label=\"&quot;&gt;&lt;script&gt;"));
    assert!(figure.data.contains("\\u003cb>") && !figure.data.contains('<'));
}
