use super::palette::{BAND, GRID, MUTED, PAPER, PARTS};
use super::scale::AxisRange;
use super::scene::{Anchor, Frame, Item, Scene, Text};
use super::*;
use std::collections::HashSet;

const HOSTILE: &str =
    "<script>alert(\"1\")</script> & a\u{1}name so long that no line has room for all of it";

fn lines(factor: f64, name: &str) -> Chart {
    let series = |at: usize| {
        let label = if at == 8 { name.to_string() } else { format!("implementation {at}, published") };
        let point = |step: i32| {
            // The first two have the same place.
            let step = step.max(1);
            let (x, y) = (1024.0 * f64::from(step + 1), factor * (at + 1) as f64 * 3f64.powi(step));
            let told = format!("{name}, n = {x}: {y} s");
            Point { x, y, low: Some(y * 0.8), high: Some(y * 1.2), told, single: step == 1 }
        };
        let points = (0..if at.is_multiple_of(3) { 4 } else { 8 }).map(point).collect();
        let mark = Some(Mark { shape: series_style(at).shape, filled: at < 4 });
        Series { label, points, ink: series_style(at).ink, mark, stroke: Stroke::Dotted, thin: at > 3 }
    };
    let guides = vec![Guide { at: 20.0, label: name.into(), ink: MUTED, stroke: Stroke::Dashed }];
    let y = Axis::new(name, Scale::Log, Quantity::Seconds);
    Chart::Lines(Lines { x: Axis::vertices(), y, series: (0..9).map(series).collect(), guides })
}

fn rows(factor: f64, name: &str) -> Chart {
    let row = |at: u32| {
        let (ink, mark, told) = (PARTS[1], Mark { shape: Shape::Up, filled: false }, name.to_string());
        let dot = |dot: u32| {
            let (x, within) = (f64::from(dot + at) * factor, f64::from(dot) / 4.0);
            Dot { x, low: Some(1.0), high: Some(f64::NAN), within, ink, mark, told: told.clone() }
        };
        let dots = (0..5).map(dot).collect();
        let band = Some(Band { low: None, high: Some(9.0), told: told.clone() });
        let label = if at == 3 { told.clone() } else { format!("row {at}") };
        let bars = vec![Bar { from: 0.0, to: 9.0, ink, text: label.clone(), told, lane: 1 }];
        let ends = Some(("1024".into(), "16384".into()));
        Row { label, note: "×1.2 to ×1.5".into(), band, bars, dots, ends }
    };
    let heading = Row { label: name.into(), ..Row::default() };
    let guide = Guide { at: 1.0, label: name.into(), ink: MUTED, stroke: Stroke::Solid };
    let key = LegendEntry { text: name.into(), ink: PARTS[0], mark: None, hollow: true };
    let rows = std::iter::once(heading).chain((0..4).map(row)).collect();
    let x = Axis::new(name, Scale::Linear, Quantity::Times);
    Chart::Rows(Rows { x, rows, guides: vec![guide; 2], keys: vec![key; 3] })
}

fn plot(chart: fn(f64, &str) -> Chart, name: &str) -> Plot {
    let panel = |factor| Panel { heading: name.into(), source: name.into(), chart: chart(factor, name) };
    let panels = [1.0, 7.0].map(panel).to_vec();
    Plot { id: "id".into(), title: name.into(), caption: String::new(), panels }
}

fn texts<'a>(scene: &'a Scene) -> Vec<&'a Text> {
    let text = |item: &'a Item| if let Item::Text(text) = item { Some(text) } else { None };
    scene.items.iter().filter_map(text).collect()
}

#[test]
fn every_text_lies_within_its_panel_and_on_no_other_whatever_names_are() {
    for (chart, name) in [(lines as fn(f64, &str) -> Chart, "n"), (lines, HOSTILE), (rows, HOSTILE)] {
        for scene in picture::scenes(&plot(chart, name).panels) {
            let within = Frame { left: 0.0, top: 0.0, right: scene.width, bottom: scene.height };
            let mut taken: Vec<(Frame, &str)> = Vec::new();
            for text in texts(&scene) {
                let frame = text.frame().grown(-1.0);
                assert!(within.encloses(&frame), "{name}: {:?} at {frame:?}", text.text);
                // Those of a line do not touch.
                let frame = Frame { left: frame.left - 2.5, right: frame.right + 2.5, ..frame };
                let hidden = taken.iter().find(|(other, _)| other.overlaps(&frame));
                assert_eq!(hidden, None, "{name}: {:?} at {frame:?}", text.text);
                taken.push((frame, &text.text));
            }
        }
    }
}

#[test]
fn a_figure_tells_every_value_and_escapes_every_name() {
    let figure = draw(&plot(lines, HOSTILE));
    assert!(figure.svg.contains("xmlns") && figure.png.len() < 200_000, "{} bytes", figure.png.len());
    for svg in figure.panels.iter().map(|panel| &panel.svg) {
        assert!(!svg.contains("<script") && !svg.contains('\u{1}'), "{svg}");
        assert_eq!(svg.matches("<title>").count(), 60);
        assert!(svg.len() < 24_000, "{} bytes", svg.len());
    }
    let image = ::png::Decoder::new(std::io::Cursor::new(&figure.png)).read_info();
    assert_eq!(image.map(|image| image.info().width).ok(), Some(910));
}

#[test]
fn panels_of_a_plot_have_the_same_axes() {
    let ticks = picture::scenes(&plot(lines, "short").panels).into_iter().map(|scene| {
        let ticks = texts(&scene).into_iter().filter(|text| matches!(text.anchor, Anchor::Right));
        ticks.map(|text| format!("{} {:?}", text.text, text.at)).collect()
    });
    let ticks: Vec<Vec<String>> = ticks.collect();
    assert!(ticks[0].len() > 3 && ticks.iter().all(|one| *one == ticks[0]), "{ticks:?}");
}

#[test]
fn axes_of_any_numbers_have_few_ticks_that_ascend() {
    let range_of = |axis: Axis, value: f64| Axis::range_of([&axis].into_iter(), [value].into_iter());
    let extreme = [f64::MIN_POSITIVE, 1e-300, f64::MAX, -1.0, 0.0, 1e-99, 1e99, 0.5, 3.0, 17408.0, f64::NAN];
    let kinds =
        [(Scale::Linear, Quantity::Day), (Scale::Log, Quantity::Whole), (Scale::Log, Quantity::Times)];
    for (scale, quantity) in kinds {
        for (a, b) in extreme.iter().flat_map(|a| extreme.map(|b| (*a, b))) {
            let range = range_of(Axis::new("", scale, quantity).including([b]), a);
            let ticks = range.ticks(8);
            let is_sound = range.low < range.high && range.high.is_finite() && ticks.len() <= 9;
            assert!(is_sound && ticks.windows(2).all(|pair| pair[0] < pair[1]), "{range:?}: {ticks:?}");
        }
    }
    let range = range_of(Axis::vertices().including([1024.0]), 17408.0);
    assert_eq!(range.ticks(3), [1000.0, 3000.0, 10000.0]);
    assert_eq!(AxisRange { doubles: true, ..range }.ticks(3), [1024.0, 4096.0, 16384.0]);
    let texts = [4095.0, 16384.0, 1e5, 2.5e6, 33_554_432.0].map(|value| Quantity::Whole.text(value));
    assert_eq!(texts, ["4095", "16384", "10⁵", "2.5×10⁶", "3.36×10⁷"]);
    let texts = [0.0, 2.5e-6, 0.001, 0.07268, 145.2, 0.9999].map(|value| Quantity::Seconds.text(value));
    assert_eq!(texts, ["0", "2.5 µs", "1 ms", "72.7 ms", "145 s", "1 s"]);
    assert_eq!(Quantity::Day.text(20_778.4), "2026-11-21");
}

#[test]
fn colours_are_legible_on_light_and_on_dark_paper_and_looks_differ() {
    let luminance = |hex: &str| {
        let part = |at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
        let linear = |part: f64| ((part + 0.055) / 1.055).powf(2.4).max(part / 12.92);
        0.05 + 0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    };
    let contrast = |a: &str, b: &str| (luminance(a) / luminance(b)).max(luminance(b) / luminance(a));
    let variants = dark_variants();
    let (paper, dark_paper) = variants[0];
    let areas: Vec<Ink> = [PAPER, GRID, BAND].into_iter().chain(PARTS).collect();
    for (light, dark) in variants.iter().filter(|(light, _)| !areas.iter().any(|ink| ink.hex() == *light)) {
        assert!(contrast(light, paper) >= 4.0 && contrast(dark, dark_paper) >= 4.5, "{light} {dark}");
    }
    assert_eq!(variants.iter().map(|(light, _)| light).collect::<HashSet<_>>().len(), variants.len());
    let unlike = (0..35).fold(Vec::new(), |taken, _| [&taken[..], &[look_unlike(&taken)]].concat());
    assert_eq!(unlike.into_iter().collect::<HashSet<SeriesStyle>>().len(), 35);
    assert_eq!((0..23).map(series_style).collect::<HashSet<SeriesStyle>>().len(), 23);
}

#[test]
fn every_sign_that_pictures_use_is_in_both_fonts() {
    let inked = |sign: char, bold| {
        let mut inked = 0;
        let drawn = font::font(40.0, bold).draw(&sign.to_string(), (0, 0), |_, _, cover| {
            inked += usize::from(cover > 0.5);
            Ok::<(), ()>(())
        });
        drawn.map_or(0, |_| inked)
    };
    assert!("aW0κ×⁰¹²³⁴⁵⁶⁷⁸⁹−→≥≤µ–·°³Яж".chars().all(|sign| inked(sign, false) > 4 && inked(sign, true) > 4));
}
