//! The report in a real browser: what it loads, whether it fits, whether it can be read, and whether its controls work.

mod axe;
mod browser;
mod charts;

use crate::reports::{fixture, reference_report};
use base64::{Engine, prelude::BASE64_STANDARD};
use browser::Browser;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A report on disk, by its page.
fn page(name: &str, report: &repro::report::Report) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-browser").join(name);
    repro::report::write(report, &out, repro::report::dark_variants()).unwrap();
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

/// The front page and the page of all claims of each report that has both.
fn fronts_and_claims() -> Vec<(&'static str, PathBuf)> {
    let both = |(name, page): (&'static str, PathBuf)| {
        let claims = page.with_file_name("claims.html");
        [(name, page), (name, claims)]
    };
    reports().into_iter().flat_map(both).filter(|(_, page)| page.exists()).collect()
}

fn named(name: &str) -> PathBuf {
    reports().into_iter().find(|(one, _)| *one == name).map(|(_, page)| page).unwrap()
}

#[test]
#[ignore = "long"]
fn the_report_loads_nothing_and_breaks_nothing() {
    let command = browser::command();
    let mut browser = Browser::start(&command);
    browser.screen(1280, "light");
    for (name, page) in fronts_and_claims() {
        browser.open(&page);
        // Whatever waits for a later turn has had it.
        browser.eval("document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 200)))");
        let own = format!("file://{}", page.display());
        for request in browser.events("Network.requestWillBeSent") {
            let url = request["request"]["url"].as_str().unwrap();
            assert!(url == own || url.starts_with("data:"), "{name}: {url}");
        }
        for method in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
            assert_eq!(browser.events(method), Vec::<&Value>::new(), "{name}");
        }
        assert_eq!(browser.eval("document.fonts.check('400 16px Inter')"), true, "{name}: the font is there");
        let levels = "[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => +h.tagName[1])
            .filter((level, place, all) => level > (all[place - 1] ?? 0) + 1)";
        assert_eq!(browser.eval(levels), json!([]), "{name}: no level of headings is left out");
    }
}

const VISIBLE: &str =
    "[...document.querySelectorAll('.claim')].filter((c) => c.getBoundingClientRect().height > 0)";

#[test]
#[ignore = "long"]
fn claims_are_narrowed_and_sorted() {
    let command = browser::command();
    let mut browser = Browser::start(&command);
    browser.screen(1280, "light");
    for (name, page) in reports().into_iter().take(3) {
        browser.open(&page.with_file_name("claims.html"));
        let all = browser.eval(&format!("{VISIBLE}.length"));
        let text = |shown: &Value| format!("Showing {shown} of {all}");
        assert_eq!(browser.eval("shown.textContent"), text(&all), "{name}");
        let verdicts = "[...document.querySelectorAll('#controls [data-verdict]')].map((b) => b.dataset.verdict).slice(1)";
        let verdicts = browser.eval(verdicts);
        for verdict in verdicts.as_array().unwrap().iter().map(|verdict| verdict.as_str().unwrap()) {
            let button = format!("document.querySelector('#controls [data-verdict=\"{verdict}\"]')");
            browser.eval(&format!("{button}.click()"));
            let count = browser.eval(&format!("{VISIBLE}.length"));
            assert!(count.as_u64() > Some(0) && count.as_u64() < all.as_u64(), "{name}, {verdict}: {count}");
            // By the chips that a reader sees, not by what the script goes by.
            let others =
                format!("{VISIBLE}.filter((c) => !c.querySelector('summary .chip.{verdict}')).length");
            assert_eq!(browser.eval(&others), 0, "{name}, {verdict}");
            assert_eq!(browser.eval("shown.textContent"), text(&count), "{name}");
            assert_eq!(browser.eval(&format!("{button}.ariaPressed")), "true");
        }
        let choose = |what: &str, value: &str| {
            format!(
                "(() => {{ const s = document.querySelector('#controls select[{what}]'); s.value = '{value}';
                s.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
            )
        };
        browser.eval("document.querySelector('#controls [data-verdict=\"\"]').click()");
        browser.eval(&choose("data-by=evidence", "order"));
        let evidence = format!("[...new Set({VISIBLE}.map((c) => c.dataset.evidence))]");
        assert_eq!(browser.eval(&evidence), json!(["order"]));
        browser.eval(&choose("data-by=evidence", ""));
        browser.eval(&choose("data-by=kind", "ratio"));
        let kinds = format!("[...new Set({VISIBLE}.map((c) => c.dataset.kind))]");
        assert_eq!(browser.eval(&kinds), json!(["ratio"]));
        browser.eval(&choose("data-by=kind", ""));
        let first =
            browser.eval("document.querySelector('#controls select[data-by=paper]').options[1].value");
        browser.eval(&choose("data-by=paper", first.as_str().unwrap()));
        let papers =
            format!("[...new Set({VISIBLE}.map((c) => c.querySelector('.who').textContent))].length");
        assert_eq!(browser.eval(&papers), 1);
        browser.eval(&choose("data-by=kind", ""));
        browser.eval(&choose("data-by=paper", ""));
        assert_eq!(browser.eval(&format!("{VISIBLE}.length")), all);
        for (by, key) in [("verdict", "verdict"), ("rank", "rank"), ("paper", "paper"), ("main", "main")] {
            browser.eval(&choose("data-sort", by));
            let disorder =
                format!("{VISIBLE}.map((c) => +c.dataset.{key}).filter((v, i, a) => v < a[i - 1]).length");
            assert_eq!(browser.eval(&disorder), 0, "{name}, {by}");
        }
        // A count leads to its claims; an address of a claim that is not shown shows and opens it.
        browser.eval("document.querySelector('.counts a').click()");
        for of in ["evidence", "paper"] {
            let kinds = format!("new Set({VISIBLE}.map((c) => c.dataset.{of})).size");
            assert_eq!(browser.eval(&kinds), 1, "{name}: a count is of one paper and one kind of evidence");
        }
        let target = "document.querySelector('.claim[hidden]').id";
        let id = browser.eval(target);
        browser.eval(&format!("location.hash = {id}; new Promise((done) => setTimeout(done, 300))"));
        assert_eq!(browser.eval(&format!("document.getElementById({id}).hidden")), false);
        assert_eq!(browser.eval(&format!("document.getElementById({id}).open")), true);
    }
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
    }).map((text) => svg.closest('figure').id + ': ' + text.textContent))";

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
fn the_report_fits_and_can_be_read_on_every_screen() {
    let command = browser::command();
    let mut browser = Browser::start(&command);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, page) in fronts_and_claims() {
        let is_front = page.ends_with("index.html");
        for width in [390, 1280] {
            for scheme in ["light", "dark"] {
                browser.screen(width, scheme);
                browser.open(&page);
                browser.eval("document.fonts.ready.then(() => 1)");
                let of = page.file_stem().unwrap().to_str().unwrap();
                let picture = format!("{name}-{of}-{width}-{scheme}");
                if name == "real" || name == "two" {
                    screenshots(&mut browser, &folder, &picture, width);
                }
                if name == "real" && is_front {
                    // On a phone the answer for the first papers, and then the picture.
                    let (screen, answers) = if width == 390 { (844, 2) } else { (720, 4) };
                    let below = format!(
                        "[...document.querySelectorAll('.answer')].slice(0, {answers})
                        .filter((e) => e.getBoundingClientRect().bottom > {screen}).map((e) => e.textContent)"
                    );
                    // A busy machine lays the page out again a while after the picture was taken.
                    let until = Instant::now() + Duration::from_secs(5);
                    while browser.eval(&below) != json!([]) && Instant::now() < until {
                        std::thread::sleep(Duration::from_millis(100));
                    }
                    assert_eq!(
                        browser.eval(&below),
                        json!([]),
                        "{picture}: the answer is on the first screen"
                    );
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
                    .length !== 1).map((f) => f.id)";
                assert_eq!(browser.eval(unseen), json!([]), "{picture}: one drawing a figure");
                assert_eq!(browser.eval(CUT), json!([]), "{picture}");
            }
        }
    }
}

/// The whole page, in parts that an image viewer can take.
fn screenshots(browser: &mut Browser, folder: &Path, name: &str, width: u32) {
    const PART: f64 = 4000.0;
    let height = browser.eval("document.documentElement.scrollHeight").as_f64().unwrap();
    for part in 0..(height / PART).ceil() as u32 {
        let top = f64::from(part) * PART;
        let clip =
            json!({ "x": 0, "y": top, "width": width, "height": (height - top).min(PART), "scale": 1 });
        let shot =
            browser.call("Page.captureScreenshot", json!({ "clip": clip, "captureBeyondViewport": true }));
        let png = BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(folder.join(format!("{name}-{part}.png")), png).unwrap();
    }
}

#[test]
#[ignore = "long"]
fn what_does_not_fit_or_is_pale_is_found() {
    let command = browser::command();
    let mut browser = Browser::start(&command);
    browser.screen(390, "light");
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
    let command = browser::command();
    let mut browser = Browser::start(&command);
    for width in [390, 1280] {
        browser.screen(width, "light");
        browser.scripts(false);
        for (name, page) in fronts_and_claims().into_iter().take(6) {
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
    let command = browser::command();
    let mut browser = Browser::start(&command);
    let front = named("real");
    let others =
        ["claims.html", "experiments/table1.html", "method.html"].map(|name| front.with_file_name(name));
    for page in [front.clone()].into_iter().chain(others) {
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
        if page == front {
            assert!(sheets <= 20, "{sheets} sheets of A4");
            let size = browser.eval("parseFloat(getComputedStyle(document.body).fontSize)");
            assert!(size.as_f64() >= Some(13.3), "10 pt are 13.33 px: {size}");
        }
    }
}

#[test]
#[ignore = "long"]
fn the_front_page_has_at_most_12_screens_and_600_kilobytes() {
    let command = browser::command();
    let mut browser = Browser::start(&command);
    let page = named("real");
    assert!(std::fs::metadata(&page).unwrap().len() <= 600_000);
    for (width, screen, screens) in [(390, 844, 24), (1280, 720, 12), (1920, 1080, 8)] {
        browser.screen(width, "light");
        browser.open(&page);
        browser.eval("document.fonts.ready.then(() => 1)");
        let height = browser.eval("document.documentElement.scrollHeight").as_u64().unwrap();
        assert!(height <= screens * screen, "{height} px at a width of {width}");
    }
}
