//! The report in a real browser: what it loads, whether it fits, whether it can be read, and whether its controls work.

mod browser;

use crate::common::missing_tool;
use crate::reports::{fixture, reference_report};
use base64::{Engine, prelude::BASE64_STANDARD};
use browser::Browser;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A report on disk, by its page.
fn page(name: &str, report: &repro::report::Report) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-browser").join(name);
    repro::report::write(report, &out).unwrap();
    out.join("index.html")
}

/// Written once: the tests of this file run beside each other.
fn reports() -> Vec<(&'static str, PathBuf)> {
    static WRITTEN: OnceLock<Vec<(&str, PathBuf)>> = OnceLock::new();
    let of = |name, report| (name, page(name, &report));
    let write = || {
        vec![
            // That of the committed reference runs.
            ("real", reference_report::made().join("index.html")),
            of("one", fixture::of(fixture::ONE)),
            of("two", fixture::of(fixture::TWO)),
            of("hostile", fixture::hostile()),
            of("empty", fixture::empty()),
        ]
    };
    WRITTEN.get_or_init(write).clone()
}

/// One of each kind of page of every report.
fn kinds() -> Vec<(String, PathBuf)> {
    let kinds = ["", "claims", "method", "history", "experiments/table1", "experiments/ablation"];
    let of = |(name, front): (&'static str, PathBuf)| {
        kinds.map(|kind| match kind {
            "" => (name.to_string(), front.clone()),
            kind => (format!("{name} {kind}"), front.with_file_name(format!("{kind}.html"))),
        })
    };
    reports().into_iter().flat_map(of).filter(|(_, page)| page.exists()).collect()
}

fn named(name: &str) -> PathBuf {
    reports().into_iter().find(|(one, _)| *one == name).map(|(_, page)| page).unwrap()
}

const VISIBLE: &str =
    "[...document.querySelectorAll('.claim')].filter((c) => c.getBoundingClientRect().height > 0)";

#[test]
#[ignore = "long"]
fn claims_are_narrowed_and_sorted() {
    let mut browser = Browser::start(1280);
    browser.open(&named("real").with_file_name("claims.html"));
    let visible = format!("{VISIBLE}.length");
    let all = browser.eval(&visible);
    let text = |shown: &Value| format!("Showing {shown} of {all}");
    assert_eq!(browser.eval("shown.textContent"), text(&all));
    let verdicts = browser.eval(
        "[...document.querySelectorAll('#controls [data-verdict]')].map((b) => b.dataset.verdict).slice(1)",
    );
    let verdicts: Vec<&str> =
        verdicts.as_array().unwrap().iter().map(|verdict| verdict.as_str().unwrap()).collect();
    let button = |verdict: &str| format!("document.querySelector('#controls [data-verdict=\"{verdict}\"]')");
    for verdict in &verdicts {
        browser.eval(&format!("{}.click()", button(verdict)));
        let count = browser.eval(&visible);
        assert!(count.as_u64() > Some(0) && count.as_u64() < all.as_u64(), "{verdict}: {count}");
        // By the chips that a reader sees, not by what the script goes by.
        let others = format!("{VISIBLE}.filter((c) => !c.querySelector('summary .chip.{verdict}')).length");
        assert_eq!(browser.eval(&others), 0, "{verdict}");
        assert_eq!(browser.eval("shown.textContent"), text(&count), "{verdict}");
        assert_eq!(browser.eval(&format!("{}.ariaPressed", button(verdict))), "true");
    }
    let choose = |what: &str, value: &str| {
        format!(
            "(() => {{ const s = document.querySelector('#controls select[{what}]'); s.value = '{value}';
            s.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
        )
    };
    browser.eval(&format!("{}.click()", button("")));
    let paper = browser.eval("document.querySelector('#controls select[data-by=paper]').options[1].value");
    for (by, value, of_claim) in [
        ("evidence", "order", "c.dataset.evidence"),
        ("kind", "ratio", "c.dataset.kind"),
        ("paper", paper.as_str().unwrap(), "c.querySelector('.who').textContent"),
    ] {
        browser.eval(&choose(&format!("data-by={by}"), value));
        let left = browser.eval(&format!("[...new Set({VISIBLE}.map((c) => {of_claim}))]"));
        assert_eq!(left.as_array().map(Vec::len), Some(1), "{by}: {left}");
        assert!(by == "paper" || left[0] == value, "{by}: {left}");
        browser.eval(&choose(&format!("data-by={by}"), ""));
    }
    assert_eq!(browser.eval(&visible), all);
    for by in ["verdict", "rank", "paper", "main"] {
        browser.eval(&choose("data-sort", by));
        let sorted = format!("{VISIBLE}.map((c) => +c.dataset.{by})");
        assert_eq!(browser.eval(&format!("{sorted}.filter((v, i, a) => v < a[i - 1]).length")), 0, "{by}");
    }
    // An address of a claim that is not shown shows and opens it.
    browser.eval(&format!("{}.click()", button(verdicts[0])));
    let id = browser.eval("document.querySelector('.claim[hidden]').id");
    browser.eval(&format!("location.hash = {id}; new Promise((done) => setTimeout(done, 300))"));
    let state = format!("(({{ hidden, open }}) => [hidden, open])(document.getElementById({id}))");
    assert_eq!(browser.eval(&state), json!([false, true]));
}

/// Elements that reach beyond the screen, and are not inside something that scrolls.
const OVERFLOWING: &str = "[...document.querySelectorAll('body *')].filter((e) => {
    const box = e.getBoundingClientRect();
    if (!box.width || !box.height || e.closest('.skip, svg')) return false;
    for (let p = e.parentElement; p; p = p.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(p).overflowX)) return false;
    return box.right > innerWidth + 0.5 || box.left < -0.5;
}).map((e) => e.outerHTML.slice(0, 150))";

/// Texts of drawings that are shown and reach beyond them by more than half a pixel.
const CUT: &str = "[...document.querySelectorAll('figure svg')].filter((svg) => svg.getBoundingClientRect().width)
    .flatMap((svg) => [...svg.querySelectorAll('text')].filter((text) => {
        const box = text.getBBox(), whole = svg.viewBox.baseVal, slack = whole.width / svg.getBoundingClientRect().width / 2;
        return box.x < whole.x - slack || box.y < whole.y - slack || box.x + box.width > whole.x + whole.width + slack
            || box.y + box.height > whole.y + whole.height + slack;
    }).map((text) => svg.closest('[id]').id + ': ' + text.textContent))";

/// Texts whose contrast is below 4.5, with the ground that they stand on.
const PALE: &str = "(() => {
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = (colour) => colour.slice(0, 3).map((v) => v / 255)
        .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = (e) => { for (; e; e = e.parentElement) {
        const colour = rgb(getComputedStyle(e).backgroundColor);
        if (colour[3] !== 0) return colour;
    } return [255, 255, 255]; };
    const texts = [...document.querySelectorAll('body, body *')].filter((e) => !e.closest('svg, script, option, .anchor')
        && e.getBoundingClientRect().height && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
    const pale = texts.map((e) => { const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e));
        return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 100)]; });
    return pale.filter(([contrast]) => contrast < 4.5);
})()";

#[test]
#[ignore = "long"]
fn the_report_loads_nothing_and_fits_and_can_be_read_on_every_screen() {
    let mut browser = Browser::start(1280);
    for (name, page) in kinds() {
        for width in [390, 1280] {
            for scheme in ["light", "dark"] {
                browser.screen(width, scheme);
                browser.open(&page);
                browser.eval("document.fonts.ready.then(() => 1)");
                let picture = format!("{name}, {width} px, {scheme}");
                if name == "real" {
                    // On a phone the answer for the first papers, and then the figure.
                    let (screen, answers, screens) = if width == 390 { (844, 2, 24) } else { (720, 4, 12) };
                    let height = browser.eval("document.documentElement.scrollHeight").as_u64().unwrap();
                    assert!(height <= screens * screen, "{picture}: {height} px");
                    let below = format!(
                        "[...document.querySelectorAll('.answer')].slice(0, {answers})
                        .filter((e) => e.getBoundingClientRect().bottom > {screen}).map((e) => e.textContent)"
                    );
                    assert_eq!(browser.eval(&below), json!([]), "{picture}: it is on the first screen");
                }
                let dark = browser.eval("matchMedia('(prefers-color-scheme: dark)').matches");
                assert_eq!(dark, scheme == "dark", "{picture}");
                browser.eval("document.querySelectorAll('details').forEach((one) => (one.open = true))");
                let beyond = browser.eval("document.documentElement.scrollWidth - innerWidth");
                assert!(beyond.as_f64() <= Some(0.0), "{picture}: {beyond}: {}", browser.eval(OVERFLOWING));
                assert_eq!(browser.eval(OVERFLOWING), json!([]), "{picture}");
                assert_eq!(browser.eval(PALE), json!([]), "{picture}");
                let unseen = "[...document.querySelectorAll('figure')].filter((f) => [...f.querySelectorAll('svg')]
                    .filter((svg) => svg.getBoundingClientRect().width > 200 && svg.getBoundingClientRect().height > 100)
                    .length !== 1).map((f) => f.closest('[id]').id)";
                assert_eq!(browser.eval(unseen), json!([]), "{picture}: one drawing a figure");
                assert_eq!(browser.eval(CUT), json!([]), "{picture}");
                let font = browser.eval("document.fonts.check('400 16px Inter')");
                assert_eq!(font, true, "{picture}: the font is there");
                browser.assert_quiet(&page);
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn what_does_not_fit_or_is_pale_is_found() {
    let mut browser = Browser::start(390);
    browser.open(&named("empty"));
    browser.eval(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=bad>pale and wide</p>')",
    );
    browser.eval("Object.assign(bad.style, { width: '600px', maxWidth: 'none', color: '#999999' })");
    let found = |list: Value| list.to_string().matches("id=\\\"bad\\\"").count();
    assert_eq!(found(browser.eval(OVERFLOWING)), 1);
    assert_eq!(found(browser.eval(PALE)), 1);
    let drawing = "<figure id=cut><svg viewBox='0 0 90 90'><text y=50 x=60>too wide</text></svg></figure>";
    browser.eval(&format!("document.querySelector('main').insertAdjacentHTML('beforeend', `{drawing}`)"));
    assert_eq!(browser.eval(CUT), json!(["cut: too wide"]));
    // What the page's policy keeps out is reported.
    browser.eval(
        "new Promise((done) => { const i = new Image(); i.onerror = done; i.src = 'http://127.0.0.1:9/'; })",
    );
    assert!(!browser.events("Log.entryAdded").is_empty());
}

#[test]
#[ignore = "long"]
fn without_script_everything_is_there_and_no_control_is_dead() {
    let mut browser = Browser::start(1280);
    for width in [390, 1280] {
        browser.screen(width, "light");
        browser.scripts(false);
        for (name, page) in kinds() {
            browser.open(&page);
            let hidden = format!("document.querySelectorAll('.claim').length - {VISIBLE}.length");
            assert_eq!(browser.eval(&hidden), 0, "{name}");
            let dead = "[...document.querySelectorAll('button, select, input')]
                .filter((e) => e.getBoundingClientRect().height).map((e) => e.outerHTML)";
            assert_eq!(browser.eval(dead), json!([]), "{name}");
        }
    }
}

/// Pages of A4 that a PDF has: each has an object of its own.
fn pages(pdf: &[u8]) -> usize {
    let is_page = |rest: &[u8]| rest.starts_with(b"/Type /Page") && !rest.starts_with(b"/Type /Pages");
    (0..pdf.len()).filter(|at| is_page(&pdf[*at..])).count()
}

#[test]
#[ignore = "long"]
fn on_paper_nothing_is_cut_or_a_control_and_the_front_page_has_at_most_20_sheets() {
    let mut browser = Browser::start(1280);
    let front = named("real");
    let others =
        ["claims.html", "experiments/table1.html", "method.html"].map(|name| front.with_file_name(name));
    for page in others.into_iter().chain([front.clone()]) {
        browser.screen(1280, "dark");
        browser.open(&page);
        browser.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
        let shown = "[...document.querySelectorAll('button, select, nav')].filter((e) => e.getBoundingClientRect().height).map((e) => e.outerHTML)";
        assert_eq!(browser.eval(shown), json!([]), "{}", page.display());
        let closed = "[...document.querySelectorAll('details:not(.claim) table')].filter((e) => !e.checkVisibility({ contentVisibilityAuto: true })
            || !e.getBoundingClientRect().height).map((e) => e.closest('[id]').id)";
        assert_eq!(browser.eval(closed), json!([]), "{}", page.display());
        // As wide as A4 between usual margins.
        let size = json!({ "width": 720, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        browser.call("Emulation.setDeviceMetricsOverride", size);
        let cut = "[...document.querySelectorAll('table, pre')].filter((e) => e.getBoundingClientRect().width)
            .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1)
            .map((e) => [e.closest('[id]').id, e.getBoundingClientRect().right, e.scrollWidth])";
        assert_eq!(browser.eval(cut), json!([]), "{}", page.display());
        let a4 = json!({ "paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": true });
        let pdf = browser.call("Page.printToPDF", a4);
        let pdf = BASE64_STANDARD.decode(pdf["data"].as_str().unwrap()).unwrap();
        let sheets = pages(&pdf);
        assert!(pdf.starts_with(b"%PDF") && sheets > 0);
        assert!(page != front || sheets <= 20, "{sheets} sheets of A4");
    }
    let size = browser.eval("parseFloat(getComputedStyle(document.body).fontSize)");
    assert!(size.as_f64() >= Some(13.3), "10 pt are 13.33 px: {size}");
}

/// Marks that tell nothing where a pointer is on their middle: neither themselves nor what lies upon them.
const SILENT: &str =
    "[...document.querySelectorAll('svg title')].map((title) => title.parentElement).filter((mark) => {
    mark.scrollIntoView({ block: 'center', behavior: 'instant' });
    const box = mark.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return !top?.querySelector(':scope > title')?.textContent.match(/[0-9]/);
}).map((mark) => mark.closest('[id]').id + ': ' + mark.textContent)";

#[test]
#[ignore = "long"]
fn every_mark_of_a_figure_tells_its_value_to_a_pointer() {
    let mut browser = Browser::start(1280);
    for name in ["index.html", "experiments/table1.html", "experiments/kappa-sweep.html", "history.html"] {
        for width in [1280, 390] {
            browser.screen(width, "light");
            browser.open(&named("real").with_file_name(name));
            let marks = browser.eval("document.querySelectorAll('svg title').length").as_u64();
            assert!(marks > Some(20), "{name}: {marks:?} marks");
            assert_eq!(browser.eval(SILENT), json!([]), "{name}, {width} px");
        }
    }
}

fn press(browser: &mut Browser, key: &str, text: &str) {
    for kind in ["keyDown", "keyUp"] {
        let key = json!({ "type": kind, "key": key, "code": key, "text": text, "windowsVirtualKeyCode": if key == "Tab" { 9 } else { 13 } });
        browser.call("Input.dispatchKeyEvent", key);
    }
}

#[test]
#[ignore = "long"]
fn a_keyboard_reaches_every_control_and_opens_what_is_folded_and_so_does_an_address() {
    let mut browser = Browser::start(1280);
    browser.open(&named("real").with_file_name("experiments/timers.html"));
    let controls = "[...document.querySelectorAll('a, summary, .scroll')].filter((e) => e.checkVisibility({ contentVisibilityAuto: true })).length";
    let controls = browser.eval(controls).as_u64().unwrap();
    let mut reached = 0;
    loop {
        press(&mut browser, "Tab", "");
        let focused = browser.eval("(() => { const e = document.activeElement, style = getComputedStyle(e);
            return e === document.body ? '' : e.outerHTML.slice(0, 80) + (style.outlineStyle === 'none' ? ' is not marked' : ''); })()");
        let focused = focused.as_str().unwrap();
        assert!(!focused.ends_with("is not marked"), "{focused}");
        if focused.is_empty() || reached > controls {
            break;
        }
        reached += 1;
    }
    assert_eq!(reached, controls);
    browser.eval("document.querySelector('summary').focus()");
    press(&mut browser, "Enter", "\r");
    assert_eq!(browser.eval("document.querySelector('details').open"), true);
    browser.open(&named("real"));
    let folded = "document.querySelector('details:not([open]) [id]')";
    browser.eval(&format!("globalThis.folded = {folded}; location.hash = folded.id; new Promise((done) => setTimeout(done, 300))"));
    let shown = "folded.checkVisibility() && folded.getBoundingClientRect().top < innerHeight";
    assert_eq!(browser.eval(shown), true);
}

/// Where `scripts/fetch` puts it.
const AXE: &str = "target/tools/axe/node_modules/axe-core/axe.min.js";

/// Every finding of axe-core, of every level: the rule, what it says, and the first elements that break it.
///
/// # Panics
/// When axe-core is not there.
fn accessibility_findings(browser: &mut Browser) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(AXE);
    let script = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        missing_tool(format!("axe-core: {}: {error}; scripts/fetch axe gets it where npm is", path.display()))
    });
    browser.eval(&format!("{script};0"));
    browser.eval(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((one) =>
            [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))",
    )
}

#[test]
#[ignore = "long"]
fn accessibility_checks_find_nothing_on_any_kind_of_page() {
    let mut browser = Browser::start(1280);
    for (name, page) in kinds().into_iter().filter(|(name, _)| name.starts_with("real") || name == "hostile")
    {
        browser.open(&page);
        browser.eval("document.querySelectorAll('details:not(.claim), .claim:first-of-type').forEach((one) => (one.open = true))");
        assert_eq!(accessibility_findings(&mut browser), json!([]), "{name}");
    }
    // What it is there to find.
    browser.eval("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"data:,\"><button></button>')");
    let found = accessibility_findings(&mut browser);
    let rules: Vec<&Value> = found.as_array().unwrap().iter().map(|one| &one[0]).collect();
    assert_eq!(rules, ["button-name", "image-alt"]);
}
