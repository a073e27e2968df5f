//! Sentences with a number or a cause in README.md, docs/findings.md and ARTIFACT.md are what the committed runs show: each is written here
//! with what the runs give. A number or a cause outside of them, of tables and of blocks of commands, which other tests hold, is found, too.

mod documents;

use super::answers::run;
use super::artifact::MARK;
use super::{root, text_of};
use crate::common::place::Place;
use crate::common::stdout;
use crate::common::stored::{STRUCTURE, copy};
use crate::reports::reference_report::made;
use repro::judge::{ClaimRow, Verdict};
use repro::published::{PublishedPaper, is_beside, published_papers};
use repro::results::StoredRun;
use repro::timing::Scope;
use repro_base::CellId;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const MACHINES: [&str; 2] = ["h200", "h100"];
/// The graph of the experiments on Gaioso et al., and the sizes that their runs share.
const SPARSE: &str = "m=60n";
const SIZES: [usize; 4] = [1024, 2048, 4096, 8192];
/// The sizes of `phases-unrolling`.
const UNROLLED_SIZES: [usize; 9] = [1024, 2048, 3072, 4096, 5120, 6144, 7168, 8192, 16384];
/// The depths of stages of `stage-depth`; the last is a whole tile.
const DEPTHS: [usize; 4] = [4, 8, 16, 32];
const PHASES: [&str; 2] = ["two-phase", "katz-kider-1024"];

/// What a sentence speaks of: the committed claims, and the committed runs, each read once.
struct Committed {
    claims: Value,
    runs: RefCell<BTreeMap<String, Rc<StoredRun>>>,
}

impl Committed {
    fn open() -> Self {
        let text = std::fs::read_to_string(root().join("report/reference/claims.json")).unwrap();
        Self { claims: serde_json::from_str(&text).unwrap(), runs: RefCell::default() }
    }

    fn run(&self, name: &str) -> Rc<StoredRun> {
        let mut runs = self.runs.borrow_mut();
        Rc::clone(runs.entry(name.to_string()).or_insert_with(|| Rc::new(run(name))))
    }

    /// The median of a cell by the kernels' clock.
    fn seconds(&self, run: &str, implementation: &str, params: &str, graph: &str, n: usize) -> f64 {
        let cell = CellId::new(implementation, n, params, graph);
        self.run(run).cell(&cell).time(Scope::Kernel).unwrap_or_else(|| panic!("{run}: {cell:?}")).value
    }

    /// For each cell of an experiment on both machines that has both clocks, the first over the second.
    fn ratios(&self, experiment: &str, [of, over]: [Scope; 2]) -> Vec<(CellId, f64)> {
        let runs = MACHINES.map(|machine| self.run(&format!("{machine}/{experiment}")));
        let both = runs.iter().flat_map(|run| {
            run.results.times.by(of).filter_map(|(cell, timed)| {
                Some((cell.clone(), timed.seconds.value / run.cell(cell).time(over)?.value))
            })
        });
        both.collect()
    }

    fn claim(&self, id: &str) -> &Value {
        self.claims["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap()
    }

    fn results(&self, id: &str) -> &[Value] {
        self.claim(id)["results"].as_array().unwrap()
    }

    /// The runs by which the verdicts on a machine are decided.
    fn deciding_runs(&self, machine: &str) -> BTreeSet<String> {
        let claims = self.claims["claims"].as_array().unwrap();
        let results = claims.iter().flat_map(|claim| claim["results"].as_array().unwrap());
        let name = format!("NVIDIA {}", machine.to_uppercase());
        let is_here = |one: &&Value| one["machine"].as_str().unwrap().starts_with(&name);
        let decided = results.filter(is_here).filter(|one| one["points"] != Value::Array(Vec::new()));
        let runs = decided.flat_map(|one| one["runs"].as_array().unwrap()).map(|run| run.as_str().unwrap());
        // One that no other machine has is named without it.
        runs.map(|run| if run.contains('/') { run.to_string() } else { format!("{machine}/{run}") }).collect()
    }

    /// What every machine measured for a claim, with its n where it has one.
    fn measured(&self, id: &str) -> impl Iterator<Item = (f64, Option<u64>)> {
        let points = self.results(id).iter().flat_map(|one| one["points"].as_array().unwrap());
        points.map(|point| (point["measured"]["value"].as_f64().unwrap(), point["at"]["n"].as_u64()))
    }

    fn published(&self, id: &str, end: &str) -> f64 {
        self.claim(id)[end].as_f64().unwrap()
    }

    /// What the H200 shows beside a number of another GPU.
    fn shown(&self, id: &str) -> f64 {
        let result = &self.results(id)[0];
        assert_eq!(result["machine"], "NVIDIA H200");
        result["shown"]["value"].as_f64().unwrap()
    }

    /// That every machine has this verdict on a claim.
    fn assert_verdict(&self, id: &str, expected: Verdict) {
        let other = self.results(id).iter().find(|one| one["verdict"] != expected.to_string());
        assert_eq!(other, None, "{id} is not {expected}");
    }

    /// Two phases and three kernels in each of the ways to compile them, at n: the three's seconds over those of two phases.
    fn phases(&self, n: usize) -> Vec<f64> {
        let ways = (0..12).map(|way| ways(way / 6, way / 2 % 3, way % 2));
        let ratios = ways.flat_map(|params| {
            MACHINES.map(|machine| {
                let [two, three] =
                    PHASES.map(|of| self.seconds(&format!("{machine}/phases"), of, &params, SPARSE, n));
                three / two
            })
        });
        ratios.collect()
    }

    /// How much more time two phases take than three kernels, as a share.
    fn slower_two_phases(&self, n: usize) -> [f64; 2] {
        ends(self.phases(n).into_iter().map(|ratio| 1.0 / ratio - 1.0))
    }

    /// With as many blocks as are resident over one a multiprocessor: how much less time, as a share.
    fn one_block(&self, sizes: &[usize]) -> [f64; 2] {
        ends(sizes.iter().flat_map(|n| {
            MACHINES.map(|machine| {
                let of =
                    |params| self.seconds(&format!("{machine}/occupancy"), "two-phase", params, SPARSE, *n);
                1.0 - of("blocks-per-multiprocessor=1") / of("")
            })
        }))
    }

    /// By how much less time, as a share, the printed grid takes at most, in all ways of `phases-unrolling` and at these sizes.
    fn printed_grid(&self, sizes: &[usize]) -> f64 {
        let ways = [
            "element-loop=1;tile-place=1;unrolled=0",
            "element-loop=1;tile-place=1;unrolled=1",
            "tile-place=1;unrolled=0",
        ];
        let all = ways.iter().flat_map(|way| sizes.iter().map(move |n| (way, *n)));
        let less = |(way, n): (&&str, usize)| {
            MACHINES.map(|machine| {
                let run = format!("{machine}/phases-unrolling");
                let of = |params: &str| self.seconds(&run, "two-phase", params, SPARSE, n);
                1.0 - of(&format!("blocks-per-multiprocessor=1;{way}")) / of(way)
            })
        };
        ends(all.flat_map(less))[1]
    }

    /// The most that two phases gain with all else equal.
    fn gain_of_two_phases(&self) -> f64 {
        let equal = ["fewer-launches-faster", "loses-from-2048-kk"].into_iter();
        ends(equal.flat_map(|id| self.measured(id)).map(|(ratio, _)| ratio))[1]
    }

    /// What the best κ of the sweep gains over κ = 1, as a share.
    fn swept(&self, machine: &str) -> f64 {
        let kappas = self.kappas(machine);
        1.0 - ends(kappas.values().map(|of| of[0]))[0] / kappas[&1][0]
    }

    /// What the best κ above 1 gains, as a share, each κ at its best of these depths of stages.
    fn best_kappa(&self, threads: &str, stages: &[usize]) -> [f64; 2] {
        ends(MACHINES.iter().map(|machine| {
            let best = |kappas: &[usize]| {
                let all = kappas.iter().flat_map(|kappa| stages.iter().map(move |stage| (kappa, stage)));
                let run = format!("{machine}/stage-depth");
                ends(all.map(|(kappa, stage)| {
                    let params = format!("kappa={kappa};{threads}stage={stage}");
                    self.seconds(&run, "generalized-blocked", &params, "", 8192)
                }))[0]
            };
            1.0 - best(&[4, 10, 32]) / best(&[1])
        }))
    }

    /// What a change of `ablation` gains, at all sizes that both have.
    fn gained(&self, of: &str, over: &str) -> [f64; 2] {
        ends(MACHINES.iter().flat_map(|machine| {
            let run = self.run(&format!("{machine}/ablation"));
            let seconds = |name: &str| -> BTreeMap<usize, f64> {
                let of_it = run.results.summary.iter().filter(|row| row.implementation == name);
                of_it.filter_map(|row| Some((row.n, row.median_s?))).collect()
            };
            let (of, over) = (seconds(of), seconds(over));
            of.into_iter().filter_map(|(n, time)| Some(over.get(&n)? / time)).collect::<Vec<_>>()
        }))
    }

    /// Of κ at n = 8192 the seconds of a solve, and of its kernel of most tiles and of those before.
    fn kappas(&self, machine: &str) -> BTreeMap<usize, [f64; 3]> {
        let name = format!("{machine}/kappa-sweep");
        let mut all: BTreeMap<usize, [f64; 3]> = BTreeMap::new();
        for row in &self.run(&name).results.extra.kernel_times {
            let kappa = row.cell.params.strip_prefix("kappa=").and_then(|kappa| kappa.parse().ok());
            let Some(kappa) = kappa.filter(|_| row.cell.n == 8192) else { continue };
            let of = all.entry(kappa).or_default();
            of[0] = self.seconds(&name, &row.cell.implementation, &row.cell.params, "", 8192);
            of[if row.kernel == "rest_blocks" { 1 } else { 2 }] += row.seconds;
        }
        all
    }
}

/// Parameters of [`PHASES`].
fn ways(element_loop: usize, place: usize, unrolled: usize) -> String {
    format!("element-loop={element_loop};tile-place={place};unrolled={unrolled}")
}

pub(super) fn ends(values: impl IntoIterator<Item = f64>) -> [f64; 2] {
    let (least, most) = values
        .into_iter()
        .fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
    [least, most]
}

fn percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

fn percents(values: impl IntoIterator<Item = f64>) -> [String; 2] {
    ends(values).map(percent)
}

fn in_words(number: usize) -> String {
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"][number].to_string()
}

/// Papers and claims that the project is about, and those beside.
fn counted() -> [usize; 4] {
    let papers = published_papers().unwrap();
    let rows = repro::report::claims(&[run(STRUCTURE)], papers);
    let of = |beside: bool| {
        let is_of = |row: &&ClaimRow| row.evidence.is_some() && is_beside(papers, &row.paper) == beside;
        let of_papers = |paper: &&PublishedPaper| paper.beside == beside;
        [papers.iter().filter(of_papers).count(), rows.iter().filter(is_of).count()]
    };
    [of(false), of(true)].concat().try_into().unwrap()
}

/// Names and years.
const NAMES: [&str; 6] = ["H200", "H100", "Table 1", "(2010)", "(2013)", "(2019)"];
const NUMBERS: &str =
    "two three four five six seven eight nine ten half third quarter fifth twice hundred thousand";
const CAUSES: &str = "because since cause causes caused depends depending decides due therefore thus";

/// What a document says and nothing has given yet, on one line: without tables, blocks of commands, and what is made.
struct Prose {
    file: &'static str,
    left: String,
    wrong: Vec<String>,
}

impl Prose {
    fn of(file: &'static str) -> Self {
        let text = text_of(file);
        let (mut words, mut is_open) = (Vec::new(), false);
        for line in text.split(MARK).next().unwrap().lines() {
            is_open ^= line.starts_with("```");
            if !is_open && ["```", "|", "<!--", "!["].iter().all(|begin| !line.starts_with(begin)) {
                words.extend(line.split_whitespace());
            }
        }
        Self { file, left: words.join(" "), wrong: Vec::new() }
    }

    /// Takes a sentence out that the document has to have.
    fn says(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if self.left.contains(&sentence) {
            self.left = self.left.replace(&sentence, "·");
        } else {
            self.wrong.push(format!("{} should say: {sentence}", self.file));
        }
    }

    fn end(mut self) {
        let left = numbers_and_causes(&self.left);
        if !left.is_empty() {
            self.wrong.push(format!("{}: no test gives {left:?} in: {}", self.file, self.left));
        }
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
    }
}

/// The words of a text with a number or a cause, without names, code and addresses.
fn numbers_and_causes(text: &str) -> Vec<String> {
    let named = NAMES.iter().fold(text.to_string(), |text, name| text.replace(name, ""));
    let shown: String = named.split('`').step_by(2).collect();
    let mut parts = shown.split("](");
    let first = parts.next().unwrap_or_default().to_string();
    let shown = parts.fold(first, |text, part| text + part.split_once(')').map_or("", |(_, rest)| rest));
    let is_one = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        word.contains(|c: char| c.is_ascii_digit())
            || [NUMBERS, CAUSES].iter().any(|list| list.split(' ').any(|known| known == bare))
    };
    shown.split_whitespace().filter(is_one).map(String::from).collect()
}

/// Numbers in notes and readings of claims, which no test of the claim gives.
#[test]
fn notes_of_claims_have_the_numbers_of_the_committed_runs() {
    let all = Committed::open();
    let padded = |machine: &str, of: &str, params: &str, n: usize| {
        all.seconds(&format!("{machine}/residency"), of, params, "", n)
    };
    let forced = "padding-kib=215;tile-place=2";
    let alone = MACHINES.iter().flat_map(|machine| {
        let of = |params: &str, n| padded(machine, "optimized-blocked", params, n);
        [4096, 8192].map(|n| of(forced, n) / of("padding-kib=219;tile-place=0", n))
    });
    let staged = MACHINES.iter().flat_map(|machine| {
        let of = |kib: &str| padded(machine, "staged-load", &format!("padding-kib={kib}"), 8192);
        ["26", "55"].map(|kib| padded(machine, "optimized-blocked", forced, 8192) / of(kib))
    });
    let range = |[least, most]: [f64; 2]| format!("{least:.2} to {most:.2} times");
    let constant = format!("{:.1} times as fast", all.gained("katz-kider-shifts", "katz-kider")[1]);
    let grid = format!("up to {}% less", percent(all.printed_grid(&UNROLLED_SIZES)));
    assert!(all.printed_grid(&[8192, 16384]) < 5e-4, "no less where the CPU is compared");
    for (id, field, says) in [
        ("register-alone", "note", range(ends(alone))),
        ("staged-over-opt-as-resident", "note", range(ends(staged))),
        ("staged-over-kk", "reading", constant.clone()),
        ("kk-over-hn", "reading", constant),
        ("over-cpu", "reading", grid.clone()),
        ("over-cpu-16384", "reading", grid.clone()),
        ("over-kk", "reading", grid.clone()),
        ("over-hn", "reading", grid.clone()),
        ("over-hn-16384", "reading", grid),
    ] {
        assert!(all.claim(id)[field].as_str().unwrap().contains(&says), "{id}: {field} should say: {says}");
    }
}

#[test]
fn a_number_or_a_cause_is_found_wherever_it_stands_and_names_and_code_are_none() {
    let text = "H200 (2010) `n = 8` [x](a4.md): 12%, Three of 1/n depend, because. [b](c)";
    assert_eq!(numbers_and_causes(text), ["12%,", "Three", "1/n", "because."]);
}

#[test]
fn a_run_the_command_claims_the_report_and_the_readme_count_the_same_claims() {
    let [papers, claims, beside, others] = counted();
    let all =
        format!("{claims} claims of {papers} papers, and apart from them {others} claims of {beside} paper");
    let place = Place::new();
    let listed = stdout(&place.succeed("claims"));
    assert_eq!(listed.lines().last(), Some(all.as_str()));
    let page = std::fs::read_to_string(made().join("claims.html")).unwrap();
    assert!(page.contains(&all), "claims.html should say: {all}");
    // What the tables of README.md and ARTIFACT.md count is in the row of claims above.
    copy(STRUCTURE, &place.path("run"));
    let ended = stdout(&place.succeed("run --no-report --resume run"));
    let of = format!(" of {claims} claims");
    // Where nothing was timed, it is said first.
    let counted = format!("{of}, by counts alone: ");
    assert!(ended.lines().next().is_some_and(|line| line.contains(&counted)), "{counted}: {ended}");
}
