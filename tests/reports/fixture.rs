//! Reports to render: the papers' real statements with invented measurements.

use repro::judge::{
    Change, ClaimResult, ClaimRow, Effect, Flip, Lack, Point, PointSubject, Published, Range, Unit, Verdict,
    share,
};
use repro::published::{ClaimKind, Contender, EvidenceKind, PublishedPaper, Test, published_papers};
use repro::report::{Block, Figure, Finding, Home, Lead, Machine, Report, Section, Table, Topic, What};
use repro::show::Grid;
use repro::timing::Estimate;

/// Pairs as the figures would have them.
pub const DARK: &[(&str, &str)] = &[("#FFFFFF", "#14171A"), ("#1B1F24", "#E4E7EA"), ("#0072B2", "#56B4E9")];

/// Text that would be markup, script or trouble if it were not taken as text.
pub const HOSTILE: &str = "<script>alert(1)</script> \"quoted\" 'it' & | κ Уоршелл </style> ]]>";

/// Nothing was measured and nothing is claimed.
pub fn empty() -> Report {
    Report {
        machines: Vec::new(),
        stated: None,
        ratios: None,
        hardware: Vec::new(),
        findings: Vec::new(),
        claims: Vec::new(),
        cells: Vec::new(),
        papers: Vec::new(),
        sections: Vec::new(),
        method: Vec::new(),
        notices: Vec::new(),
    }
}

/// All papers on `machines`, with every verdict.
pub fn full(machines: &[&str]) -> Report {
    let papers = published_papers().unwrap();
    let claims: Vec<ClaimRow> = papers.iter().flat_map(|paper| claims(paper, machines)).collect();
    let findings = machines.iter().map(|machine| Finding {
        machine: machine.to_string(),
        what: What::Ratios {
            stated: 12,
            by_verdict: vec![(Verdict::Reproduced, 3), (Verdict::InPart, 1), (Verdict::Differs, 8)],
            one_sided: 0,
            nowhere: 0,
        },
    });
    Report {
        machines: machines
            .iter()
            .map(|label| Machine {
                label: label.to_string(),
                dates: Some("2026-11-03 to 2026-11-05".to_string()),
                facts: facts(label),
                tally: repro::report::tally(label, &claims),
            })
            .collect(),
        stated: Some(figure("stated-speed-ups")),
        ratios: Some(figure("all-ratios")),
        hardware: Vec::new(),
        findings: findings.collect(),
        sections: machines.iter().enumerate().flat_map(|(place, label)| sections(place, label)).collect(),
        method: method(),
        notices: Vec::new(),
        cells: Vec::new(),
        claims,
        papers,
    }
}

/// [`HOSTILE`] wherever a record can bring in text.
pub fn hostile() -> Report {
    let text = || HOSTILE.to_string();
    let mut report = full(&["NVIDIA H200"]);
    report.notices = vec![text()];
    report.machines[0].label = text();
    report.machines[0].facts.push((text(), "very-long-name-of-a-graph-".repeat(12)));
    let row = &mut report.claims[0];
    (row.statement, row.of, row.run) = (text(), Some(text()), Some(text()));
    (row.place, row.published_on, row.short) = (text(), text(), Some(text()));
    (row.id, row.note, row.reading) = (text(), Some(text()), Some(text()));
    let result = &mut row.results[0];
    let contender = || Contender { kernel: Some(text()), ..Contender::plain(HOSTILE) };
    result.machine = text();
    row.tests = vec![Test { pairs: vec![(contender(), contender())], ..Test::default() }];
    result.runs = vec![text()];
    result.points[0].at = PointSubject {
        of: Some(contender()),
        over: Some(contender()),
        n: Some(1024),
        ..PointSubject::default()
    };
    report.papers[0].title = text();
    let section = &mut report.sections[0];
    (section.title, section.machine) = (text(), text());
    (section.intro, section.findings) = (vec![text()], vec![text()]);
    let figure = &mut section.figures[0];
    (figure.title, figure.shows) = (text(), text());
    (figure.caption, figure.alt) = (text(), text());
    let grid = &mut section.tables[0].grid;
    (grid.title, grid.header[1], grid.rows[0][1]) = (text(), text(), text());
    let topic = &mut report.method[0];
    topic.title = text();
    topic.blocks.push(Block::Text(text()));
    topic.blocks.push(Block::List(vec![text()]));
    topic.blocks.push(Block::Commands(vec![text(), "x".repeat(300)]));
    report
}

fn facts(label: &str) -> Vec<(String, String)> {
    [
        ("Measured", "2026-11-03 to 2026-11-05"),
        ("Commit", "a92e84b"),
        ("Device", label),
        ("Driver and compiler", "580.159.04, NVRTC 13.0 (sm_90)"),
        ("Host", "Intel(R) Xeon(R) Processor, 16 threads"),
    ]
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .to_vec()
}

fn claims(paper: &PublishedPaper, machines: &[&str]) -> Vec<ClaimRow> {
    let row = |id: &str, kind, statement: &str, place: &str| ClaimRow {
        paper: paper.id.clone(),
        id: id.to_string(),
        kind,
        evidence: (kind != ClaimKind::Inconsistency).then_some(EvidenceKind::Order),
        statement: statement.to_string(),
        place: place.to_string(),
        published_on: paper.gpu.clone(),
        ..ClaimRow::default()
    };
    let columns = paper.columns_as_claims();
    let of_claims = columns.iter().chain(&paper.claims).enumerate().map(|(place, claim)| {
        let of = |(machine, label): (usize, &&str)| {
            result(Verdict::ALL[(place + machine) % Verdict::ALL.len()], label, place)
        };
        let published = |unit| Published {
            value: claim.value,
            low: claim.low,
            high: claim.high,
            bound: claim.bound,
            unit,
        };
        ClaimRow {
            published: claim.unit.map(published),
            note: claim.note.clone(),
            tests: claim.tests.clone(),
            run: claim.run.clone(),
            results: machines.iter().enumerate().map(of).collect(),
            ..row(&claim.id, claim.kind, &claim.statement, &claim.place)
        }
    });
    let against = |one: &repro::published::Inconsistency| {
        row(&one.id, ClaimKind::Inconsistency, &one.statement, &one.place)
    };
    of_claims.chain(paper.inconsistencies.iter().map(against)).collect()
}

fn result(verdict: Verdict, machine: &str, place: usize) -> ClaimResult {
    let point = |n: usize| Point {
        at: PointSubject {
            test: 0,
            of: Some(Contender::plain("staged-load")),
            over: Some(Contender::plain("katz-kider")),
            n: Some(n),
        },
        published: Range::new(5.0, 6.5),
        measured: Estimate { value: 5.214 + n as f64 * 1e-5, low: 5.1, high: 5.3999 },
        verdict,
    };
    let points: Vec<Point> = match verdict.is_decided() {
        false => Vec::new(),
        true => (1..=1 + place % 17).map(|step| point(1024 * step)).collect(),
    };
    let lack = match verdict {
        Verdict::NotMeasured => {
            Lack::Needs { met: 1, of: 3, gaps: Vec::new(), run: "table1 --sizes 1024".to_string() }
        }
        _ => Lack::OtherGpu { tested_by: vec!["constant".to_string()] },
    };
    ClaimResult {
        machine: machine.to_string(),
        verdict,
        share: share(points.iter().map(|point| point.verdict)),
        effect: Effect::of(&points),
        unit: Unit::Times,
        shown: None,
        lack: points.is_empty().then_some(lack),
        cause: None,
        sensitivity: vec![Flip { change: Change::Noise(2.0), verdict: Verdict::Ambiguous }],
        points,
        runs: vec!["table1".to_string(), "shared-memory-steps".to_string()],
        others: Vec::new(),
    }
}

fn sections(machine: usize, label: &str) -> Vec<Section> {
    let section = |name: &str, title: &str, paper: &str| {
        Section {
            run: None,
        home: Home::Experiment(name.to_string()),
        lead: Some(Lead { paper: Some(paper.to_string()), figures: 1, across: false }),
        id: format!("{name}-{machine}"),
        title: title.to_string(),
        machine: label.to_string(),
        intro: vec![
            "Measured on 3 November 2026 from commit a92e84b, after Lund & Smith 2010.".to_string(),
            "Every time was verified: each result was compared bit for bit with the reference before its time counted.".to_string(),
        ],
        figures: vec![figure(&format!("{name}-{machine}-seconds")), figure(&format!("{name}-{machine}-rate"))],
        findings: vec!["Staged Load is the fastest at every n from 2048 on.".to_string()],
        tables: vec![
            seconds(&format!("{name}-{machine}-table-seconds"), "Seconds (scope kernel): paper / here"),
            seconds(&format!("{name}-{machine}-table-rate"), "Here: 10⁹ tasks/s (effective GB/s)"),
        ],
    }
    };
    vec![
        section("table1", "Table 1: five implementations, 1,024 to 17,408 vertices", "lund-smith-2010"),
        section(
            "kappa-sweep",
            "Time against κ, launch by launch and as a CUDA graph",
            "likhoded-sipeyko-2019",
        ),
    ]
}

fn figure(id: &str) -> Figure {
    Figure {
        id: id.to_string(),
        title: "Every published time is beaten, by ×14 to ×178".to_string(),
        shows: "Seconds by n, both axes logarithmic".to_string(),
        caption: "Medians with their intervals; scope kernel. The paper's own values are hollow.".to_string(),
        alt: "Five rising lines, of which Staged Load is the lowest.".to_string(),
        wide: drawing(896, 480),
        narrow: drawing(350, 320),
        source: "NVIDIA H200 · table1 · n = 1024 to 17408 · 2026-11-03 · commit a92e84b · repro".to_string(),
        svg: drawing(896, 480),
        data: String::new(),
        png: vec![0x89, b'P', b'N', b'G'],
        csv: "n,seconds\n1024,0.0006\n".to_string(),
    }
}

fn drawing(width: u32, height: u32) -> String {
    let mut svg = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\" stroke=\"none\"/>\n"
    );
    for (line, colour) in ["#0072B2", "#D55E00", "#009E73"].iter().enumerate() {
        let start = height - 60 - 40 * line as u32;
        svg += &format!(
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"50,{start} {},{}\"/>\n",
            width - 60,
            20 + 50 * line
        );
    }
    let text = |x: u32, y: u32, content: &str| {
        format!(
            "<text x=\"{x}\" y=\"{y}\" font-family=\"Inter\" font-size=\"14\" fill=\"#1B1F24\">{content}</text>\n"
        )
    };
    let (first, last) = (text(50, height - 12, "n = 1024"), text(width - 90, height - 12, "n = 17408"));
    format!("{svg}{first}{last}</svg>\n")
}

fn seconds(id: &str, title: &str) -> Table {
    let header = [
        "n",
        "cpu-naive",
        "harish-narayanan",
        "katz-kider",
        "optimized-blocked",
        "staged-load",
        "staged-load\nover katz-kider",
        "remark",
    ];
    let row = |n: usize| {
        let seconds = |rate: f64| format!("{:.4} / {:.4}", n as f64 / 30.0 * rate, n as f64 / 900.0 * rate);
        let mut row = vec![n.to_string()];
        row.extend([
            if n < 5000 { seconds(3.0) } else { String::new() },
            seconds(2.0),
            seconds(0.5),
            seconds(0.2),
            seconds(0.1),
        ]);
        row.extend(["5.1".to_string(), "all verified".to_string()]);
        row
    };
    let rows: Vec<_> = (1..=17).map(|step| row(1024 * step)).collect();
    Table { id: id.to_string(), grid: Grid::new(title, header, rows) }
}

fn method() -> Vec<Topic> {
    let topic =
        |id: &str, title: &str, blocks| Topic { id: id.to_string(), title: title.to_string(), blocks };
    let text = |text: &str| Block::Text(text.to_string());
    vec![
        topic(
            "measuring",
            "How it was measured",
            vec![
                text(
                    "Each cell is verified before it is timed, and every sample after it. The input is restored outside of the clock's window; the median of all samples stands with a confidence interval that orders of samples give.",
                ),
                Block::List(vec![
                    "kernel: CUDA events around all launches of one solve".to_string(),
                    "total: with both copies".to_string(),
                ]),
            ],
        ),
        topic(
            "rule",
            "How a verdict is reached",
            vec![
                text(
                    "A claim is REPRODUCED if the whole interval of every comparison lies in what the paper states, DIFFERS if one lies outside of it, AMBIGUOUS if one straddles an end.",
                ),
                Block::Table(Table {
                    id: "noise".to_string(),
                    grid: Grid::new(
                        "Noise by which intervals were widened",
                        ["machine", "noise"],
                        vec![["NVIDIA H200", "0.8%"].map(String::from).to_vec()],
                    ),
                }),
            ],
        ),
        topic(
            "repeat",
            "How to repeat it",
            vec![Block::Commands(vec![
                "cargo run --release -- run table1".to_string(),
                "cargo run --release -- report results/runs/* --out report/out".to_string(),
            ])],
        ),
    ]
}
