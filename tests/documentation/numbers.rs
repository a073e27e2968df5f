//! Sentences with a number or a cause in README.md, docs/findings.md and ARTIFACT.md are what the committed runs show.
//!
//! A row of [`ROWS`] has a sentence with `{}` for each value and what gives the values, or says why the runs do not show it. A number or a
//! cause that stands outside of all rows, of tables and of blocks of commands, which other tests hold, is found, too.

use super::answers::{ceilings, rate, run};
use super::artifact::{MARK, claims, deciders};
use super::{root, text_of};
use crate::common::place::Place;
use crate::common::stdout;
use crate::common::stored::{STRUCTURE, copy};
use crate::reports::reference_report::made;
use repro::judge::{ClaimRow, Verdict};
use repro::published::{PublishedPaper, is_beside, published_papers};
use repro::results::StoredRun;
use repro::store::Environment;
use repro::timing::Scope;
use repro_base::CellId;
use repro_base::terminal::Exit;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const README: &str = "README.md";
const FINDINGS: &str = "docs/findings.md";
const ARTIFACT: &str = "ARTIFACT.md";
const MACHINES: [&str; 2] = ["h200", "h100"];
/// The graph of the experiments on Gaioso et al., and the sizes that their runs share.
const SPARSE: &str = "m=60n";
const SIZES: [usize; 4] = [1024, 2048, 4096, 8192];
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

    fn environment(&self, name: &str) -> Environment {
        self.run(name).environment().unwrap().clone()
    }

    /// The median of a cell by the kernels' clock.
    fn seconds(&self, run: &str, implementation: &str, params: &str, graph: &str, n: usize) -> f64 {
        let cell = CellId::new(implementation, n, params, graph);
        self.run(run).cell(&cell).time(Scope::Kernel).unwrap_or_else(|| panic!("{run}: {cell:?}")).value
    }

    /// For each cell of a run that has both clocks, the first over the second.
    fn ratios(&self, run: &str, [of, over]: [Scope; 2]) -> Vec<(CellId, f64)> {
        let run = self.run(run);
        let both = run.results.times.by(of).filter_map(|(cell, timed)| {
            Some((cell.clone(), timed.seconds.value / run.cell(cell).time(over)?.value))
        });
        both.collect()
    }

    /// [`Self::ratios`] on both machines, of the cells that are meant.
    fn on_both(&self, run: &str, of: [Scope; 2], is_meant: impl Fn(&CellId) -> bool) -> Vec<f64> {
        let all = MACHINES.iter().flat_map(|machine| self.ratios(&format!("{machine}/{run}"), of));
        all.filter(|(cell, _)| is_meant(cell)).map(|(_, ratio)| ratio).collect()
    }

    /// Seconds of the kernels of a run that are meant, by their cells' parameters.
    fn kernels(
        &self,
        run: &str,
        implementation: &str,
        n: usize,
        is_meant: impl Fn(&str) -> bool,
    ) -> BTreeMap<String, f64> {
        let mut seconds = BTreeMap::new();
        for row in &self.run(run).results.extra.kernel_times {
            if (row.cell.implementation.as_str(), row.cell.n) == (implementation, n) && is_meant(&row.kernel)
            {
                *seconds.entry(row.cell.params.clone()).or_default() += row.seconds;
            }
        }
        seconds
    }

    fn claim(&self, id: &str) -> &Value {
        self.claims["claims"].as_array().unwrap().iter().find(|claim| claim["id"] == id).unwrap()
    }

    /// What every machine measured for a claim, with its n where it has one.
    fn measured(&self, id: &str) -> Vec<(f64, Option<u64>)> {
        let results = self.claim(id)["results"].as_array().unwrap().iter();
        let points = results.flat_map(|one| one["points"].as_array().unwrap());
        points
            .map(|point| (point["measured"]["value"].as_f64().unwrap(), point["at"]["n"].as_u64()))
            .collect()
    }

    fn published(&self, id: &str, end: &str) -> f64 {
        self.claim(id)[end].as_f64().unwrap()
    }

    /// What the H200 shows beside a number of another GPU.
    fn shown(&self, id: &str) -> f64 {
        assert_eq!(self.claim(id)["results"][0]["machine"], "NVIDIA H200");
        self.claim(id)["results"][0]["shown"]["value"].as_f64().unwrap()
    }

    /// That every machine has this verdict on a claim.
    fn verdict(&self, id: &str, expected: Verdict) -> Found {
        let results = self.claim(id)["results"].as_array().unwrap();
        let other = results.iter().find(|one| one["verdict"] != expected.to_string());
        holds(other.is_none(), || format!("{id} is not {expected}: {other:?}"))
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

    /// With as many blocks as are resident over one a multiprocessor: how much less time, as a share.
    fn one_block(&self, sizes: &[usize]) -> (f64, f64) {
        ends(sizes.iter().flat_map(|n| {
            MACHINES.map(|machine| {
                let of =
                    |params| self.seconds(&format!("{machine}/occupancy"), "two-phase", params, SPARSE, *n);
                1.0 - of("blocks-per-multiprocessor=1") / of("")
            })
        }))
    }

    /// What the best κ above 1 gains, as a share, each κ at its best depth of stages.
    fn best_kappa(&self, threads: &str) -> (f64, f64) {
        ends(MACHINES.iter().map(|machine| {
            let best = |kappas: &[usize]| {
                let all = kappas.iter().flat_map(|kappa| [4, 8, 16, 32].map(|stage| (kappa, stage)));
                let run = format!("{machine}/stage-depth");
                ends(all.map(|(kappa, stage)| {
                    let params = format!("kappa={kappa};{threads}stage={stage}");
                    self.seconds(&run, "generalized-blocked", &params, "", 8192)
                }))
                .0
            };
            1.0 - best(&[4, 10, 32]) / best(&[1])
        }))
    }

    /// What a change of `ablation` gains, at all sizes that both have.
    fn gained(&self, of: &str, over: &str) -> (f64, f64) {
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

    /// Of κ at n = 8192 the seconds of a solve, and of the kernels that are meant.
    fn kappas(&self, machine: &str, is_meant: impl Fn(&str) -> bool) -> BTreeMap<usize, (f64, f64)> {
        let run = format!("{machine}/kappa-sweep");
        let kernels = self.kernels(&run, "generalized-blocked", 8192, is_meant);
        let of = kernels.into_iter().filter_map(|(params, seconds)| {
            let kappa = params.strip_prefix("kappa=")?.parse().ok()?;
            Some((kappa, (self.seconds(&run, "generalized-blocked", &params, "", 8192), seconds)))
        });
        of.collect()
    }
}

/// Parameters of [`PHASES`].
fn ways(element_loop: usize, place: usize, unrolled: usize) -> String {
    format!("element-loop={element_loop};tile-place={place};unrolled={unrolled}")
}

/// The values of a sentence, or in what the runs show something else.
type Found = Result<Vec<String>, String>;

fn holds(holds: bool, otherwise: impl FnOnce() -> String) -> Found {
    if holds { Ok(Vec::new()) } else { Err(otherwise()) }
}

fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    values.into_iter().fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)))
}

fn percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

/// The least and the most of some values, both in a number of places behind the point.
fn both(values: impl IntoIterator<Item = f64>, places: usize) -> Vec<String> {
    let (least, most) = ends(values);
    [least, most].map(|value| format!("{value:.places$}")).into()
}

fn percents(values: impl IntoIterator<Item = f64>) -> Vec<String> {
    both(values.into_iter().map(|value| 100.0 * value), 0)
}

/// Three digits of a number of four or five.
fn three_digits(value: f64) -> String {
    let unit = 10_f64.powi(value.log10().floor() as i32 - 2);
    format!("{:.0}", (value / unit).round() * unit)
}

fn in_words(number: usize) -> String {
    ["no", "one", "two", "three", "four", "five"][number].to_string()
}

/// Papers and claims that the project is about, and those beside.
fn counted() -> [usize; 4] {
    let papers = published_papers().unwrap();
    let rows = repro::report::claims(&[run(STRUCTURE)], &papers);
    let of = |beside: bool| {
        let is_of = |row: &&ClaimRow| row.evidence.is_some() && is_beside(&papers, &row.paper) == beside;
        let of_papers = |paper: &&PublishedPaper| paper.beside == beside;
        [papers.iter().filter(of_papers).count(), rows.iter().filter(is_of).count()]
    };
    [of(false), of(true)].concat().try_into().unwrap()
}

struct Row {
    file: &'static str,
    says: &'static str,
    found: fn(&Committed) -> Found,
}

const fn row(file: &'static str, says: &'static str, found: fn(&Committed) -> Found) -> Row {
    Row { file, says, found }
}

const ROWS: &[Row] = &[
    row(README, "repeats the measurements of {} papers", |_| Ok(vec![in_words(counted()[0])])),
    row(README, "You need Rust {};", |_| Ok(vec![env!("CARGO_PKG_RUST_VERSION").into()])),
    row(
        README,
        "running several blocks on a multiprocessor still hides latency, beyond the warps of then by {} to {}% (H100).",
        |all| {
            all.verdict("blocks-hide-latency", Verdict::Reproduced)?;
            Ok(percents(all.measured("warps-hide-latency").into_iter().map(|(value, _)| value - 1.0)))
        },
    ),
    row(
        README,
        "Staged Load is {} to {} times as fast as Katz & Kider for n from {} to {}, not {} times.",
        |all| {
            let of = || all.measured("staged-over-kk").into_iter();
            let (times, sizes) = (of().map(|(value, _)| value), of().map(|(_, n)| n.unwrap() as f64));
            let published = all.published("staged-over-kk", "high").to_string();
            Ok([both(times, 1), both(sizes, 0), vec![published]].concat())
        },
    ),
    row(
        README,
        "By the {} bytes a task that the paper's {} GB/s imply it moves {} GB/s on an H200, by its own count of {} {}; a copy {}, there {}.",
        |all| {
            let by_paper = all.published("staged-bandwidth", "value");
            let own = all.run("h200/table1").results.facts.any("staged-load").unwrap().bytes_per_task;
            Ok(vec![
                format!("{:.3}", by_paper * 1e9 / all.published("staged-rate", "value")),
                by_paper.to_string(),
                three_digits(all.shown("staged-bandwidth")),
                own.to_string(),
                three_digits(own * rate("h200/table1", "staged-load", 4096, "", "")),
                three_digits(all.shown("memcpy")),
                all.published("memcpy", "value").to_string(),
            ])
        },
    ),
    row(
        README,
        "two phases gain nothing with all else equal, and lose up to {}% at n = 1024. With one block a multiprocessor, as printed, they take up to {}% less than with two.",
        |all| {
            // As much as medians of one cell differ.
            let (_, gain) = ends(SIZES.iter().flat_map(|n| all.phases(*n)));
            holds(gain < 1.007, || format!("two phases are {gain} times as fast"))?;
            Ok(vec![percent(1.0 - ends(all.phases(1024)).0), percent(all.one_block(&SIZES).1)])
        },
    ),
    row(
        README,
        "updating several tiles together still takes less time: {}% with 1,024 threads a block, {} to {}% with 64, each with its best stages.",
        |all| {
            let (many, few) = (all.best_kappa(""), all.best_kappa("rest-threads=64;"));
            holds(percent(many.0) == percent(many.1), || format!("1,024 threads: {many:?}"))?;
            Ok([many.0, few.0, few.1].map(percent).into())
        },
    ),
    row(
        README,
        "with a launch a k, a clock that does not wait for the GPU reads {} to {}% of the true time from n = 2048 on: 1 - 1024/n.",
        |all| {
            // Readings below the true time; what is above it is the copy that follows.
            let of = all.measured("unsynced-is-wrong").into_iter();
            let readings = of.filter(|(value, n)| *value < 1.0 && n.unwrap() >= 2048);
            Ok(percents(readings.map(|(value, _)| value)))
        },
    ),
    row(README, "for each of {} claims.", |_| Ok(vec![counted()[1].to_string()])),
    row(
        README,
        "The fastest kernel here, [`register-blocked`](docs/register-blocked.md), does {} billion steps a second reordered, {} as compiled (`f32`, n = 32768): {} and {}% of the [hardware's limit](docs/measuring.md#ceilings).",
        |all| {
            let peers = all.run("h200/peers");
            let of = |name: &str, row: &&repro::results::SummaryRow| {
                row.implementation == name && row.graph.is_empty()
            };
            let rows = || peers.results.summary.iter().filter(|row| row.median_s.is_some());
            for row in rows().filter(|row| !of("register-blocked", row)) {
                let fastest = rows().find(|one| of("register-blocked", one) && one.n == row.n).unwrap();
                let is_faster = row.implementation == "register-blocked" || row.median_s > fastest.median_s;
                holds(is_faster, || format!("{} is faster at n = {}", row.implementation, row.n))?;
            }
            let [reordered, compiled] = ["stored=1", "stored=0"]
                .map(|params| rate("h200-x4/frontier-large", "register-blocked", 32768, params, ""));
            let [_, limit] = ceilings("h200-x4/frontier-large");
            let rates = [reordered, compiled].map(three_digits);
            Ok(rates.into_iter().chain([reordered, compiled].map(|rate| percent(rate / limit))).collect())
        },
    ),
    row(README, "[Two GPUs](docs/several-gpus.md) do {} as compiled at n = {}.", |_| {
        let rate = rate("h200-x2/scaling", "distributed-blocked", 131_072, "devices=2", "m=16n");
        Ok(vec![three_digits(rate), 131_072.to_string()])
    }),
    row(
        ARTIFACT,
        "This page has each of the {} claims of the {} papers, and of {} of one beside them,",
        |_| {
            let [papers, claims, beside, others] = counted();
            holds(beside == 1, || format!("{beside} papers are beside"))?;
            Ok(vec![claims.to_string(), in_words(papers), others.to_string()])
        },
    ),
    row(ARTIFACT, "You need Linux, Rust {},", |_| Ok(vec![env!("CARGO_PKG_RUST_VERSION").into()])),
    row(ARTIFACT, "a few matrices of {}n² bytes.", |_| Ok(vec![size_of::<f32>().to_string()])),
    row(ARTIFACT, "NVIDIA GPU of compute capability {} or newer", |_| {
        // The first that there is a model of.
        let refused = "emulated:0.0".parse::<repro::device::Selection>().unwrap_err().to_string();
        let first = refused.split(|c: char| c.is_whitespace() || c == ',').find(|word| {
            word.split_once('.').is_some_and(|(major, minor)| major != "0" && minor.parse::<u8>().is_ok())
        });
        Ok(vec![first.ok_or(refused.clone())?.to_string()])
    }),
    row(
        ARTIFACT,
        "`repro doctor` ends with {} where GPU runs are possible, {} with only emulation, {} with only the CPU.",
        |_| Ok([Exit::Success, Exit::Failed, Exit::Inconclusive].map(|exit| (exit as u8).to_string()).into()),
    ),
    row(ARTIFACT, "Expect exit code {}.", |_| Ok(vec![(Exit::Success as u8).to_string()])),
    row(
        ARTIFACT,
        "are counted on the emulated device in less than a minute. The last line fails unless all {} claims whose needs this run meets are REPRODUCED.",
        |_| {
            let minutes = deciders(root())[STRUCTURE].minutes;
            holds(minutes == 1, || format!("the run took {minutes} minutes"))?;
            let rows = repro::report::claims(&[run(STRUCTURE)], &published_papers().unwrap());
            let verdicts = rows.iter().flat_map(|row| &row.results).map(|result| result.verdict);
            let decided: Vec<Verdict> = verdicts.filter(|verdict| verdict.is_decided()).collect();
            let others = decided.iter().filter(|verdict| **verdict != Verdict::Reproduced).count();
            holds(others == 0, || format!("{others} are not REPRODUCED"))?;
            let asked = format!("[ \"$reproduced\" = {} ]", decided.len());
            holds(text_of(ARTIFACT).contains(&asked), || format!("the last line is not: {asked}"))?;
            Ok(vec![decided.len().to_string()])
        },
    ),
    row(ARTIFACT, "These runs decide all that are tested", |_| {
        let text = text_of(ARTIFACT);
        let named = text.split("for experiment in ").nth(1).unwrap().split(';').next().unwrap();
        let named: BTreeSet<&str> = named.split(' ').collect();
        let (all, _) = claims();
        let needed: BTreeSet<&str> =
            all.iter().filter(|claim| claim.is_headline).filter_map(|claim| claim.run.as_deref()).collect();
        holds(named == needed, || format!("{named:?} for {needed:?}"))
    }),
    row(
        FINDINGS,
        "The papers' experiments are of {} commit on {} H200s and of {} on {} H100s, with the same kernels; no comparison mixes two GPUs.",
        |all| {
            let names = std::fs::read_dir(root().join("results/reference/h100")).unwrap();
            let names = names.map(|one| one.unwrap().file_name().into_string().unwrap());
            let of_paper = |run: &Rc<StoredRun>| run.manifest.experiment.paper.is_some();
            let names: Vec<String> =
                names.filter(|name| of_paper(&all.run(&format!("h100/{name}")))).collect();
            let (mut found, mut sources) = (Vec::new(), BTreeSet::new());
            for machine in MACHINES {
                let (mut commits, mut gpus) = (BTreeSet::new(), BTreeSet::new());
                for run in names.iter().map(|name| all.run(&format!("{machine}/{name}"))) {
                    commits.insert(run.manifest.build.commit.clone());
                    let environment = run.environment().unwrap();
                    gpus.extend(environment.device.iter().map(|device| device.info.uuid.clone()));
                    let of = environment.implementations.iter();
                    sources.extend(of.map(|one| {
                        ([one.implementation.clone(), one.params.clone()], one.source_hash.clone())
                    }));
                }
                found.extend([commits.len(), gpus.len()].map(in_words));
            }
            let names: BTreeSet<&[String; 2]> = sources.iter().map(|(name, _)| name).collect();
            holds(names.len() == sources.len(), || format!("kernels differ: {sources:?}"))?;
            Ok(found)
        },
    ),
    row(
        FINDINGS,
        "Staging lets {} blocks reside on a multiprocessor of the C1060, not {}. On the H200 {} do without it.",
        |all| {
            let environment = all.environment("h200/residency");
            let of = |one: &&repro::store::ImplementationRecord| {
                one.implementation == "optimized-blocked" && one.params == "padding-kib=0"
            };
            let unstaged = environment.implementations.iter().find(of).unwrap();
            let tiles =
                unstaged.kernels.iter().find(|one| one.resources.kernel == "doubly_dependent").unwrap();
            let blocks = ["blocks-staged", "blocks-kk"].map(|id| all.published(id, "value") as usize);
            Ok(vec![blocks[0].to_string(), in_words(blocks[1]), tiles.resources.resident_blocks.to_string()])
        },
    ),
    row(
        FINDINGS,
        "The cyclic order of k avoids bank conflicts on 16 banks. On the 32 banks of today the plain order has none, and is faster (`ablation`).",
        |all| {
            let conflicts = |name: &str| {
                let run = all.run("emulated/structure-ablation");
                let of = |row: &&repro::store::CountRow| {
                    row.cell.implementation == name && row.kernel == "doubly_dependent"
                };
                let loads = run.results.extra.counts.iter().find(of).unwrap().counts.shared_load;
                [loads.banks_16, loads.banks_32].map(|banks| banks.steps > banks.parts)
            };
            let (cyclic, plain) = (conflicts("staged-load"), conflicts("staged-plain-order"));
            holds(cyclic == [false, false] && plain == [true, false], || format!("{cyclic:?}, {plain:?}"))?;
            all.verdict("cyclic-order-faster", Verdict::Differs)
        },
    ),
    row(
        FINDINGS,
        "Unrolling ({} to {} times), tiles of 4 x 4 ({} to {}) and a constant tile in Katz & Kider ({}) gain most.",
        |all| {
            let unrolling = all.gained("optimized-blocked", "katz-kider-shifts");
            let tiles = all.gained("staged-plain-order", "staged-row-major");
            let constant = all.gained("katz-kider-shifts", "katz-kider");
            for (of, over) in [
                ("tile-in-registers-256", "optimized-blocked"),
                ("tile-in-registers", "tile-in-registers-256"),
                ("staged-row-major", "tile-in-registers"),
                ("staged-load", "staged-plain-order"),
                ("staged-load-256", "staged-load"),
            ] {
                let (_, gain) = all.gained(of, over);
                holds(gain < constant.0, || format!("{of} gains {gain}"))?;
            }
            let [least, most] = [constant.0, constant.1].map(|times| format!("{times:.2}"));
            holds(least == most, || format!("a constant tile: {constant:?}"))?;
            Ok([both([unrolling.0, unrolling.1], 1), both([tiles.0, tiles.1], 1), vec![most]].concat())
        },
    ),
    row(
        FINDINGS,
        "With all else equal (`phases`) two phases gain nothing: they lose {} to {}% at n = 1024, and nothing measurable at 8192.",
        |all| {
            let (least, _) = ends(all.phases(8192));
            holds(least > 0.993, || format!("at n = 8192 they are {least} times as fast"))?;
            let losses = SIZES.map(|n| 1.0 - ends(all.phases(n)).0);
            holds(losses.is_sorted_by(|one, next| one > next), || format!("they lose {losses:?}"))?;
            Ok(percents(all.phases(1024).into_iter().map(|ratio| 1.0 - ratio)))
        },
    ),
    row(
        FINDINGS,
        "With one block a multiprocessor, as Algorithm 3 has it, they take {} to {}% less up to n = 4096 (`occupancy`).",
        |all| {
            let (least, most) = all.one_block(&[1024, 2048, 3072, 4096]);
            Ok([least, most].map(percent).into())
        },
    ),
    row(
        FINDINGS,
        "From κ = 2 to {} (`kappa-sweep`) all are faster than κ = 1 at n = 8192; κ = {} is slower. Most tiles are updated in less time, but the three procedures before take longer, by {} ms a tile.",
        |all| {
            let found = MACHINES.map(|machine| {
                let rest = all.kappas(machine, |kernel| kernel == "rest_blocks");
                let before = all.kappas(machine, |kernel| kernel != "rest_blocks");
                let is_less = rest.range(2..).all(|(_, (_, seconds))| *seconds < rest[&1].1);
                holds(is_less, || format!("{machine}: most tiles are updated in more time"))?;
                let lost = before.range(8..=128);
                let mut a_tile: Vec<f64> =
                    lost.map(|(kappa, (_, time))| (time - before[&1].1) / (kappa - 1) as f64).collect();
                a_tile.sort_by(f64::total_cmp);
                let (median, (least, most)) = (a_tile[a_tile.len() / 2], ends(a_tile));
                holds(0.9 * median < least && most < 1.1 * median, || {
                    format!("{machine}: {least} to {most} s")
                })?;
                let slower = before.range(2..).find(|(_, (time, _))| *time > before[&1].0).unwrap().0;
                let last = before.range(..slower).next_back().unwrap().0;
                Ok(vec![last.to_string(), slower.to_string(), format!("{:.1}", 1e3 * median)])
            });
            let [one, other]: [Found; 2] = found;
            holds(one == other, || format!("{one:?} and {other:?}"))?;
            one
        },
    ),
    row(
        FINDINGS,
        "All this is with 1,024 threads a block; with 64, which are faster, the best κ gains {} to {}% and not {}%, each with its best stages (`stage-depth`).",
        |all| {
            for (machine, kappa, stage) in MACHINES.iter().flat_map(|machine| {
                [1, 4, 10, 32].into_iter().flat_map(move |k| [4, 8, 16, 32].map(|s| (machine, k, s)))
            }) {
                let [few, many] = ["rest-threads=64;", ""].map(|threads| {
                    let params = format!("kappa={kappa};{threads}stage={stage}");
                    all.seconds(&format!("{machine}/stage-depth"), "generalized-blocked", &params, "", 8192)
                });
                holds(few < many, || format!("{machine}: κ = {kappa} with stages of {stage}"))?;
            }
            let few = all.best_kappa("rest-threads=64;");
            Ok([few.0, few.1, all.best_kappa("").0].map(percent).into())
        },
    ),
    row(
        FINDINGS,
        "With a launch a k, a clock that does not wait for the GPU reads 1 - 1024/n of the true time from n = 2048 on (`timers`, within 1%). With few launches (`staged-load`) it reads {} to {}% at n = 8192.",
        |all| {
            let clocks = [Scope::HostUnsynced, Scope::HostSynced];
            for machine in MACHINES {
                let readings = all.ratios(&format!("{machine}/timers"), clocks);
                for (cell, share) in
                    readings.iter().filter(|(cell, _)| is_a_launch_a_k(cell) && cell.n >= 2048)
                {
                    let expected = 1.0 - 1024.0 / cell.n as f64;
                    let is_so = (share / expected - 1.0).abs() < 0.01;
                    holds(is_so, || format!("{machine}, {cell:?}: {share} for {expected}"))?;
                }
            }
            let is_staged = |cell: &CellId| (cell.implementation.as_str(), cell.n) == ("staged-load", 8192);
            Ok(percents(all.on_both("timers", clocks, is_staged)))
        },
    ),
    row(
        FINDINGS,
        "ECL-APSP, the fastest of the others, has a [data race](peers.md#ecl-apsp); its results were right, and without the race it takes as long from n = 4096 on (one H100, `peers-mended`).",
        |all| {
            let peers = all.run("h200/peers");
            for (cell, timed) in peers.results.times.by(Scope::ProgramSolve) {
                let ecl = CellId::new("ecl-apsp", cell.n, "", "i32");
                let ecl = peers.cell(&ecl).time(Scope::ProgramSolve).unwrap().value;
                holds(timed.seconds.value >= ecl, || format!("{cell:?} is faster than ECL-APSP"))?;
            }
            let wrong = peers.samples.iter().find(|row| row.implementation == "ecl-apsp" && !row.verified);
            holds(wrong.is_none(), || format!("{wrong:?}"))?;
            let mended = all.run("h100/peers-mended");
            let large = mended.results.times.by(Scope::ProgramSolve).filter(|(cell, _)| cell.n >= 4096);
            let more = large.filter_map(|(cell, timed)| {
                let of = CellId::new("ecl-apsp", cell.n, &cell.params, &cell.graph);
                Some(timed.seconds.value / mended.cell(&of).time(Scope::ProgramSolve)?.value - 1.0)
            });
            let (least, most) = ends(more);
            holds(-0.01 < least && most < 0.01, || format!("without the race: {least} to {most} more"))
        },
    ),
];

fn is_a_launch_a_k(cell: &CellId) -> bool {
    ["global-memory", "shared-buffer"].contains(&cell.implementation.as_str())
}

/// What has a number or a word of a cause, and is no result.
const NO_RESULTS: [(&str, &str); 6] = [
    (README, "## Two commands"),
    (README, "between every two of n vertices of a graph, in n³ steps"),
    (README, "`repro track table1 --against OLD_BINARY` times two builds in turn."),
    (README, "MIT or Apache-2.0."),
    (FINDINGS, "κ tiles on the diagonal are updated together; κ = 1 is the classic blocked algorithm."),
    (ARTIFACT, "AMBIGUOUS may become a neighbouring verdict and the reverse, since the noise decides."),
];
/// Names and years.
const NAMES: [&str; 6] = ["H200", "H100", "Table 1", "(2010)", "(2013)", "(2019)"];
const NUMBERS: &str =
    "two three four five six seven eight nine ten half third quarter fifth twice hundred thousand";
const CAUSES: &str = "because since cause causes caused depends depending decides due therefore thus";

/// The sentences of a file, on one line: without tables, blocks of commands, and what is made.
fn prose(file: &str) -> String {
    let text = text_of(file);
    let (mut words, mut is_open) = (Vec::new(), false);
    for line in text.split(MARK).next().unwrap().lines() {
        is_open ^= line.starts_with("```");
        if !is_open && ["```", "|", "<!--", "!["].iter().all(|begin| !line.starts_with(begin)) {
            words.extend(line.split_whitespace());
        }
    }
    words.join(" ")
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

#[test]
fn every_sentence_with_a_number_or_a_cause_is_what_the_committed_runs_show() {
    let all = Committed::open();
    let mut wrong = Vec::new();
    for file in [README, FINDINGS, ARTIFACT] {
        let mut text = prose(file);
        for row in ROWS.iter().filter(|row| row.file == file) {
            let sentence = (row.found)(&all).map(|values| {
                let mut values = values.iter();
                let parts: Vec<&str> = row.says.split("{}").collect();
                let filled = parts.iter().skip(1).map(|part| format!("{}{part}", values.next().unwrap()));
                let sentence = format!("{}{}", parts[0], filled.collect::<String>());
                assert_eq!(values.next(), None, "{}: more values than places", row.says);
                sentence
            });
            match sentence {
                Ok(sentence) if text.contains(&sentence) => text = text.replace(&sentence, "·"),
                Ok(sentence) => wrong.push(format!("{file} should say: {sentence}")),
                Err(reason) => wrong.push(format!("{file}: {}: the runs show otherwise: {reason}", row.says)),
            }
        }
        for (_, sentence) in NO_RESULTS.iter().filter(|(of, _)| *of == file) {
            assert!(text.contains(sentence), "{file} no longer says: {sentence}");
            text = text.replace(sentence, "·");
        }
        let left = numbers_and_causes(&text);
        if !left.is_empty() {
            wrong.push(format!("{file}: no row of this test gives {left:?} in: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numbers in notes and readings of claims, which no test of the claim gives.
#[test]
fn notes_of_claims_have_the_numbers_of_the_committed_runs() {
    let all = Committed::open();
    let padded = |machine: &str, of: &str, params: &str, n: usize| {
        all.seconds(&format!("{machine}/residency"), of, params, "", n)
    };
    let at = |sizes: &'static [usize]| {
        MACHINES.iter().flat_map(move |machine| sizes.iter().map(move |n| (*machine, *n)))
    };
    let forced = "padding-kib=215;tile-place=2";
    let alone = at(&[4096, 8192]).map(|(machine, n)| {
        let of = |params: &str| padded(machine, "optimized-blocked", params, n);
        of(forced) / of("padding-kib=219;tile-place=0")
    });
    let staged = at(&[8192]).flat_map(|(machine, n)| {
        [26, 55].map(|kib| {
            padded(machine, "optimized-blocked", forced, n)
                / padded(machine, "staged-load", &format!("padding-kib={kib}"), n)
        })
    });
    // Of phases-unrolling on the H100, which has the printed grid in every way.
    let ways = [
        "element-loop=1;tile-place=1;unrolled=0",
        "element-loop=1;tile-place=1;unrolled=1",
        "tile-place=1;unrolled=0",
    ];
    let grid = ways
        .iter()
        .flat_map(|way| SIZES.iter().chain(&[3072, 5120, 6144, 7168, 16384]).map(move |n| (way, *n)));
    let (_, grid) = ends(grid.map(|(way, n)| {
        let of = |params: &str| all.seconds("h100/phases-unrolling", "two-phase", params, SPARSE, n);
        1.0 - of(&format!("blocks-per-multiprocessor=1;{way}")) / of(way)
    }));
    let claim = |id: &str, field: &str| all.claim(id)[field].as_str().unwrap().to_string();
    let range = |values: Vec<String>| format!("{} to {} times", values[0], values[1]);
    for (text, says) in [
        (claim("register-alone", "note"), range(both(alone, 2))),
        (claim("staged-over-opt-as-resident", "note"), range(both(staged, 2))),
        (
            claim("staged-over-kk", "reading"),
            format!("{:.2} times as fast", all.gained("katz-kider-shifts", "katz-kider").1),
        ),
        (
            claim("kk-over-hn", "reading"),
            format!("{:.2} times as fast", all.gained("katz-kider-shifts", "katz-kider").1),
        ),
    ] {
        assert!(text.contains(&says), "{says} is not in: {text}");
    }
    assert!((1.0 / 10.0..1.0 / 9.0).contains(&grid), "up to a ninth less: {grid}");
    assert!(
        ["over-kk", "over-hn", "over-hn-16384"]
            .iter()
            .all(|id| claim(id, "reading").contains("up to a ninth less"))
    );
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
    // It has one claim of the paper beside.
    copy("h200/table1", &place.path("timed"));
    let ended = stdout(&place.call("run --no-report --resume timed"));
    let apart = format!("; apart from them 1 of {others}.");
    assert!(
        ended.lines().next().is_some_and(|line| line.contains(&(of + ": ")) && line.ends_with(&apart)),
        "{ended}"
    );
}
