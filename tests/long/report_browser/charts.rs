//! Figures answer: by pointer, finger and keyboard, one line among others, on another scale, as a table.

use super::{Browser, Value, json, named};
use crate::common::missing_tool;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Finds the first chart of several lines, wherever the page has it, and what it knows.
const LINES: &str = "globalThis.picture = [...document.querySelectorAll('[data-chart]')]
    .find((one) => (JSON.parse(one.dataset.chart).s ?? []).length > 2);
    globalThis.figure = picture?.closest('figure'); globalThis.chart = picture && JSON.parse(picture.dataset.chart);
    globalThis.svg = () => [...picture.querySelectorAll('svg')].find((one) => one.getBoundingClientRect().width);
    globalThis.tip = () => [...picture.querySelectorAll('.tip')].filter((one) => !one.hidden).map((one) => one.innerText).join();
    globalThis.ring = () => { const one = svg().querySelector('.ring'); return one && [+one.getAttribute('cx'), +one.getAttribute('cy')]; };
    picture?.scrollIntoView({ block: 'center' }); Boolean(picture)";

/// All pages of the real report, the front page first.
fn pages() -> Vec<PathBuf> {
    let front = named("real");
    let mut below: Vec<PathBuf> = std::fs::read_dir(front.with_file_name("experiments"))
        .map(|all| all.map(|one| one.unwrap().path()).collect())
        .unwrap_or_default();
    below.sort();
    std::iter::once(front).chain(below).collect()
}

/// The first page with a chart of several lines, with that in sight.
fn opened(width: u32) -> Browser {
    let mut browser = Browser::start(width);
    let has_lines = |browser: &mut Browser, page: &PathBuf| {
        browser.open(page);
        browser.eval(LINES) == true
    };
    assert!(pages().iter().any(|page| has_lines(&mut browser, page)), "no page has a chart of lines");
    browser
}

/// Where the point `at` of line `line` lies on the screen, by the data and not by the script.
fn place(browser: &mut Browser, line: usize, at: usize) -> (f64, f64) {
    let place = browser.eval(&format!(
        "(() => {{ const narrow = !svg().parentElement.matches('.wide');
        const [left, top, right, bottom, x0, x1, y0, y1] = chart.v[+narrow], one = chart.s[{line}];
        const share = (v, a, b, log) => log ? Math.log(v / a) / Math.log(b / a) : (v - a) / (b - a);
        const x = left + share(chart.l[one.x][{at}], x0, x1, chart.x.s) * (right - left);
        const y = bottom - share(one.y[{at}], y0, y1, chart.y.s) * (bottom - top);
        const box = svg().getBoundingClientRect(), scale = box.width / svg().viewBox.baseVal.width;
        return [box.left + x * scale, box.top + y * scale]; }})()"
    ));
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

fn mouse(browser: &mut Browser, (x, y): (f64, f64)) {
    browser.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y }));
}

fn press(browser: &mut Browser, key: &str) {
    for kind in ["keyDown", "keyUp"] {
        browser.call("Input.dispatchKeyEvent", json!({ "type": kind, "key": key, "code": key }));
    }
}

fn click(browser: &mut Browser, selector: &str) {
    browser.eval(&format!("figure.querySelector('{selector}').click()"));
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// What `figures/ID.csv` has of the open figure: y by series and x, as texts.
fn csv(browser: &mut Browser) -> BTreeMap<(String, String), (f64, String)> {
    let path = browser.eval("new URL(figure.querySelector('a[href$=\".csv\"]').href).pathname");
    let path = Path::new(text(&path));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|one| one == name).unwrap();
    let (x, y, samples) = (column("x"), column("y"), column("samples"));
    let rows = reader.records().map(|row| row.unwrap()).filter(|row| !row[x].is_empty());
    rows.map(|row| {
        ((row[0].to_string(), row[x].to_string()), (row[y].parse().unwrap(), row[samples].to_string()))
    })
    .collect()
}

/// The number that a text begins with, in the unit of the file.
fn number(text: &str) -> f64 {
    let text = text.trim_start_matches(['≈', ' ', '×']);
    let (value, unit) = text.split_once(' ').unwrap_or((text, ""));
    let factor = match unit {
        "ms" => 1e-3,
        "µs" => 1e-6,
        "ns" => 1e-9,
        "× 10⁹ tasks/s" => 1e9,
        "s" | "" | "GB/s" | "bytes" | "ways" => 1.0,
        other => panic!("a unit that nobody knows: {other}"),
    };
    value.replace('−', "-").parse::<f64>().unwrap_or_else(|_| panic!("{text}")) * factor
}

/// Whether a tooltip has name, place and value of a point of the file, with its samples.
fn tells(browser: &mut Browser, tip: &str, line: usize, at: usize) {
    let known = csv(browser);
    let name = browser.eval(&format!("chart.s[{line}].n"));
    let x = browser.eval(&format!("String(chart.l[chart.s[{line}].x][{at}])"));
    let lines: Vec<&str> = tip.lines().collect();
    let (value, samples) = &known[&(text(&name).to_string(), text(&x).to_string())];
    assert!(lines[0].contains(text(&name)) && lines[0].ends_with(text(&x)), "{tip}");
    assert!((number(lines[1]) / value - 1.0).abs() < 1e-3, "{tip}: {value}");
    if !samples.is_empty() {
        let count = if samples == "1" { "one sample".to_string() } else { format!("{samples} samples") };
        assert!(tip.contains(&count), "{tip}: {samples}");
    }
}

#[test]
#[ignore = "long"]
fn the_nearest_point_answers_a_pointer_and_a_finger() {
    for width in [1280, 390] {
        let mut browser = opened(width);
        assert_eq!(browser.eval("tip()"), "");
        let last = browser.eval("chart.s.length - 1").as_u64().unwrap() as usize;
        for (line, at) in [(0, 0), (last, 1), (last, 3)] {
            let (x, y) = place(&mut browser, line, at);
            mouse(&mut browser, (x + 1.0, y - 1.0));
            let tip = browser.eval("tip()");
            assert_ne!(tip, "", "at {width} px, point {at} of line {line}");
            tells(&mut browser, text(&tip), line, at);
        }
        // Far from all points, and outside.
        mouse(&mut browser, (1.0, 1.0));
        assert_eq!(browser.eval("tip()"), "");
        let (x, y) = place(&mut browser, last, 2);
        let at = json!([{ "x": x, "y": y }]);
        browser.call("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": at }));
        let tip = browser.eval("tip()");
        assert_ne!(tip, "", "at {width} px by touch");
        tells(&mut browser, text(&tip), last, 2);
        let outside = "(() => { const box = picture.querySelector('.tip').getBoundingClientRect();
            return box.left < 0 || box.right > innerWidth; })()";
        assert_eq!(browser.eval(outside), false);
    }
}

#[test]
#[ignore = "long"]
fn the_keyboard_goes_along_lines_and_between_them_and_is_read_aloud() {
    let mut browser = opened(1280);
    // By the keyboard alone: from the last button before the picture.
    browser.eval(
        "[...figure.querySelectorAll('.tools button, .tools summary')].filter((one) => one.checkVisibility()).at(-1).focus()",
    );
    browser.call(
        "Input.dispatchKeyEvent",
        json!({ "type": "keyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9 }),
    );
    assert_eq!(browser.eval("document.activeElement === picture"), true);
    assert_eq!(
        browser.eval("getComputedStyle(picture).outlineStyle"),
        "solid",
        "where the keyboard is can be seen"
    );
    let said = "picture.querySelector('[role=status]').textContent";
    let of_line = |browser: &mut Browser| browser.eval("tip().split('\\n')[0]");
    press(&mut browser, "ArrowRight");
    let first = of_line(&mut browser);
    let tip = browser.eval("tip()").as_str().unwrap().to_string();
    let aloud = browser.eval(said);
    assert!(tip.lines().all(|line| text(&aloud).contains(line)), "{aloud}: {tip}");
    press(&mut browser, "ArrowRight");
    let second = of_line(&mut browser);
    let name = |of: &Value| text(of).rsplit_once(',').unwrap().0.to_string();
    assert!(first != second && name(&first) == name(&second), "{first} {second}");
    // To the next line below: at the same place a smaller value.
    let before = browser.eval("ring()[1]");
    press(&mut browser, "ArrowDown");
    let other = of_line(&mut browser);
    assert_ne!(name(&other), name(&second));
    assert!(browser.eval("ring()[1]").as_f64() > before.as_f64());
    press(&mut browser, "ArrowUp");
    assert_eq!(of_line(&mut browser), second);
    press(&mut browser, "End");
    let line = format!("chart.s.findIndex((one) => one.n === {})", json!(name(&second)));
    let (line, last) = (browser.eval(&line), browser.eval(&format!("chart.s[{line}].y.length - 1")));
    let tip = browser.eval("tip()");
    tells(&mut browser, text(&tip), line.as_u64().unwrap() as usize, last.as_u64().unwrap() as usize);
    press(&mut browser, "Escape");
    assert_eq!(browser.eval(&format!("[tip(), {said}, ring()]")), json!(["", "", null]));
}

#[test]
#[ignore = "long"]
fn every_figure_with_values_answers_to_the_keyboard_without_an_error() {
    let mut browser = Browser::start(1280);
    let mut figures = BTreeMap::new();
    for page in pages() {
        browser.open(&page);
        let answers = browser.eval(ANSWERS);
        for answer in answers.as_array().unwrap() {
            let told = text(&answer[1]);
            assert!(told.contains(char::is_numeric) && answer[2] == 1, "{answer}");
            assert!(
                !["NaN", "undefined", "null", "Infinity"].iter().any(|bad| told.contains(bad)),
                "{answer}"
            );
            figures.insert(text(&answer[0]).to_string(), text(&answer[3]).to_string());
        }
        browser.assert_quiet(&page);
    }
    assert!(!figures.is_empty());
    let words: BTreeSet<&String> = figures.values().collect();
    assert_eq!(words.len(), figures.len(), "figures with the same words: {figures:#?}");
}

/// Of each figure with values its id, what it reads aloud after some keys, how many points it marks, and title, what it shows, caption and source.
const ANSWERS: &str = "[...document.querySelectorAll('[data-chart]')].map((one) => {
    const key = (key) => one.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const figure = one.closest('figure'), press = () => figure.querySelectorAll('.tools button').forEach((one) => one.click());
    ['ArrowRight', 'ArrowRight', 'ArrowDown', 'End'].forEach(key);
    const told = one.querySelector('[role=status]').textContent, ringed = one.querySelectorAll('.ring').length;
    press(); key('ArrowLeft'); press(); key('Escape');
    const words = ['h3', '.shows', 'figcaption', '.source'].map((part) => figure.querySelector(part).firstChild.textContent);
    return [figure.id, told, ringed, words.join('|')]; })";

#[test]
#[ignore = "long"]
fn the_legend_singles_out_a_line() {
    let mut browser = opened(1280);
    let pressed = "[...figure.querySelectorAll('.legend button')].filter((one) => one.ariaPressed === 'true').map((one) => one.textContent)";
    let faint = "[...new Set([...svg().querySelectorAll('[data-s]')].filter((one) => +getComputedStyle(one).opacity < 0.5).map((one) => +one.dataset.s))].sort((a, b) => a - b)";
    assert_eq!(browser.eval(&format!("[{pressed}, {faint}]")), json!([[], []]));
    click(&mut browser, ".legend button:nth-child(2)");
    assert_eq!(browser.eval(&format!("{pressed}[0] === chart.s[1].n")), true);
    assert_eq!(browser.eval(faint), browser.eval("chart.s.map((_, at) => at).filter((at) => at !== 1)"));
    // Only its points answer.
    let (x, y) = place(&mut browser, 0, 0);
    mouse(&mut browser, (x, y));
    let tip = browser.eval("tip()");
    assert!(text(&tip).is_empty() || text(&tip).starts_with(text(&browser.eval("chart.s[1].n"))), "{tip}");
    click(&mut browser, ".legend button:nth-child(2)");
    assert_eq!(browser.eval(&format!("[{pressed}, {faint}]")), json!([[], []]));
}

#[test]
#[ignore = "long"]
fn an_axis_is_drawn_anew_on_the_other_scale_and_comes_back() {
    for width in [1280, 390] {
        let mut browser = opened(width);
        assert_eq!(browser.eval("chart.y.s"), 1, "the first chart has a logarithmic axis");
        let shown = "[...svg().querySelectorAll('path, text')].filter((one) => one.getBoundingClientRect().width).map((one) => one.outerHTML).join()";
        let before = browser.eval(shown);
        click(&mut browser, "[data-axis=y]");
        assert_eq!(browser.eval("figure.querySelector('[data-axis=y]').ariaPressed"), "false");
        assert_ne!(browser.eval(shown), before);
        // On a linear axis, heights are as values: of three points of the line that reaches highest.
        let line = "chart.s.map((one, at) => [Math.max(...one.y), at]).sort((a, b) => b[0] - a[0])[0][1]";
        let line = browser.eval(line).as_u64().unwrap();
        let heights = browser.eval(&format!(
            "(() => {{ figure.querySelectorAll('.legend button')[{line}].click();
            const key = (key) => picture.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true }}));
            key('Home'); key('Home');
            return chart.s[{line}].y.map((value) => {{ const at = [value, ring()[1]]; key('ArrowRight'); return at; }}); }})()"
        ));
        let points: Vec<(f64, f64)> = heights
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one[0].as_f64().unwrap(), one[1].as_f64().unwrap()))
            .collect();
        let (first, last) = (points[0], points[points.len() - 1]);
        let slope = (last.1 - first.1) / (last.0 - first.0);
        assert!(slope < 0.0 && points.len() > 2, "{points:?}");
        assert!(
            points.iter().all(|(value, y)| (first.1 + slope * (value - first.0) - y).abs() < 3.0),
            "{points:?}"
        );
        browser.eval(&format!("figure.querySelectorAll('.legend button')[{line}].click()"));
        let ticks = "[...svg().querySelectorAll('.redrawn text')].length";
        assert!(browser.eval(ticks).as_u64() > Some(5));
        click(&mut browser, "[data-axis=y]");
        assert_eq!(browser.eval(shown), before, "as it was drawn");
    }
}

#[test]
#[ignore = "long"]
fn the_table_has_every_value_of_the_file() {
    let mut browser = opened(1280);
    let known = csv(&mut browser);
    assert_eq!(browser.eval("figure.querySelectorAll('table').length"), 0);
    click(&mut browser, "[aria-controls]");
    assert_eq!(browser.eval("figure.querySelector('[aria-controls]').ariaExpanded"), "true");
    let rows = browser.eval("[...figure.querySelectorAll('table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), known.len());
    for row in rows {
        let (value, samples) = &known[&(text(&row[0]).to_string(), text(&row[1]).to_string())];
        assert!((number(text(&row[2])) / value - 1.0).abs() < 1e-3, "{row}: {value}");
        assert!(row.as_array().unwrap().iter().any(|cell| text(cell) == samples), "{row}: {samples}");
    }
    let heads = "[...figure.querySelectorAll('table th')].every((th) => th.scope === (th.closest('thead') ? 'col' : 'row'))";
    assert_eq!(browser.eval(heads), true);
    click(&mut browser, "[aria-controls]");
    assert_eq!(browser.eval("figure.querySelector('table').checkVisibility()"), false);
}

/// Where `scripts/fetch` puts it.
const AXE: &str = "target/tools/axe/node_modules/axe-core/axe.min.js";

/// Every finding of axe-core, of every level, below `element`: the rule, what it says, and the first elements that break it.
///
/// # Panics
/// When axe-core is not there.
fn accessibility_findings(browser: &mut Browser, element: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(AXE);
    let script = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        missing_tool(format!("axe-core: {}: {error}; scripts/fetch axe gets it where npm is", path.display()))
    });
    browser.eval(&format!("{script};0"));
    browser.eval(&format!(
        "axe.run({element}, {{ resultTypes: ['violations'] }}).then(({{ violations }}) => violations.map((one) =>
            [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"
    ))
}

#[test]
#[ignore = "long"]
fn accessibility_checks_find_nothing_on_the_page_with_its_charts_in_use() {
    let mut browser = Browser::start(1280);
    browser.open(&named("real"));
    assert_eq!(accessibility_findings(&mut browser, "document"), json!([]), "the front page");
    let mut browser = opened(1280);
    // A line singled out, another scale, an open table and a shown value.
    click(&mut browser, "[data-axis=y]");
    click(&mut browser, "[aria-controls]");
    browser.eval("picture.focus(); picture.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))");
    assert_ne!(browser.eval("tip()"), "");
    assert_eq!(accessibility_findings(&mut browser, "document"), json!([]));
    // What it is there to find.
    browser.eval("figure.insertAdjacentHTML('beforeend', '<img src=\"data:,\"><button></button>')");
    let found = accessibility_findings(&mut browser, "figure");
    let rules: Vec<&str> = found.as_array().unwrap().iter().map(|one| text(&one[0])).collect();
    assert_eq!(rules, ["button-name", "image-alt"]);
}
