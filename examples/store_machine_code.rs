//! Makes the machine code in `kernels/machine-code/`, and notes what was solved with it.
//!
//! `cargo run --example store_machine_code -- make` compiles, reorders and checks; it needs NVRTC and a disassembler (`scripts/fetch nvrtc`).
//! What was solved with code that comes out as before is kept, as after a change of comments.
//! `cargo run --example store_machine_code -- solved RUN...` adds the repeated solves of runs with that code, such as those of
//! `repro run frontier-repeats` on a GPU of compute capability 9.0. A test refuses code that was solved with too little, which
//! `cargo run --example store_machine_code -- drop` removes: those kernels are compiled.

use repro::device::cuda::{Nvrtc, find_nvrtc};
use repro::device::{KernelSource, code_hash};
use repro::implementation::reordering::in_both_orders;
use repro::implementation::stored::{FOLDER, INDEX, Index, Solved, StoredCode, hash_of_code, targets};
use repro::implementation::{Parameters, Problem, Target, find};
use repro::results::StoredRun;
use repro_machine_code::reorder::VERSION;
use std::error::Error;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["make"] => make(),
        ["solved", runs @ ..] if !runs.is_empty() => solved(runs),
        ["drop"] => drop_unproven(),
        _ => Err("usage: store_machine_code make | solved RUN... | drop".into()),
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(FOLDER)
}

/// As it is compiled.
fn source(target: Target) -> Result<KernelSource> {
    let implementation = find("register-blocked").ok_or("there is no register-blocked")?;
    let schedule = implementation.schedule().ok_or("it has no schedule")?;
    Ok(schedule.source(target, &Parameters::from([("stored", 0)])))
}

/// Compilations, at most, until code is as before: NVRTC does not give the same each time.
const COMPILATIONS: usize = 4;

fn make() -> Result<()> {
    let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found))?;
    std::fs::create_dir_all(folder())?;
    let before = read().unwrap_or_default();
    let mut index = Index::default();
    for (target, file) in targets() {
        let compiled = source(target)?;
        let known = before.code.iter().find(|code| code.file == file);
        let make = || {
            let mut compile = || Ok(nvrtc.compile_without_lines(&compiled, "sm_90")?.image);
            in_both_orders(&compiled.file, &mut compile).map(|(_, image)| image)
        };
        let is_known = |image: &Vec<u8>| known.is_some_and(|known| known.hash == code_hash(image));
        let mut image = make()?;
        for _ in 1..COMPILATIONS {
            if known.is_some() && !is_known(&image) {
                image = make()?;
            }
        }
        let solved = known.filter(|_| is_known(&image)).map(|known| known.solved.clone()).unwrap_or_default();
        let hash = code_hash(&image);
        println!(
            "{file}: {} bytes, {hash}, {}",
            image.len(),
            if is_known(&image) { "as before" } else { "new" }
        );
        std::fs::write(folder().join(&file), image)?;
        let compiler = format!("NVRTC {}", nvrtc.version());
        let pass = VERSION.to_string();
        index.code.push(StoredCode { file, source: compiled.hash(), hash, compiler, pass, solved });
    }
    write(&index)
}

fn read() -> Result<Index> {
    Ok(toml::from_str(&std::fs::read_to_string(folder().join(INDEX))?)?)
}

fn solved(runs: &[&str]) -> Result<()> {
    let mut index = read()?;
    for run in runs {
        let run = StoredRun::open(Path::new(run))?;
        let gpu = run.device().map(|device| device.info.name.clone()).ok_or("a run without a device")?;
        for row in &run.results.repeats {
            let graph = run.manifest.experiment.graph(&row.graph).ok_or("an unknown graph")?;
            let problem = Problem::one(row.n, graph.element, graph.source.weights());
            let target = Target::of(&problem);
            let parameters: Parameters = row.params.parse()?;
            let schedule = find(&row.implementation).ok_or("an unknown implementation")?;
            let schedule = schedule.schedule().ok_or("an implementation without a schedule")?;
            let hash = hash_of_code(&schedule.source(target, &parameters));
            let record =
                run.environment().and_then(|it| it.implementation((&row.implementation, &row.params)));
            let ran = |hash: &String| record.is_some_and(|record| record.stored_code.contains(hash));
            let Some(hash) = hash.filter(ran) else {
                println!("n = {}, {}, {:?}: no code of this build", row.n, row.params, row.graph);
                continue;
            };
            let code =
                index.code.iter_mut().find(|code| code.hash == hash).ok_or("code that is in no index")?;
            let solved = Solved { gpu: gpu.clone(), n: row.n, solves: row.solves, different: row.different };
            println!("{}: {solved:?}", code.file);
            code.solved.push(solved);
        }
    }
    write(&index)
}

fn drop_unproven() -> Result<()> {
    let (proven, others): (Vec<StoredCode>, _) = read()?.code.into_iter().partition(StoredCode::is_proven);
    for code in others {
        println!("{}: solved with too little", code.file);
        std::fs::remove_file(folder().join(code.file))?;
    }
    write(&Index { code: proven })
}

fn write(index: &Index) -> Result<()> {
    let start = "# Machine code for compute capability 9.0, made by examples/store_machine_code.rs: see docs/machine-code.md.\n\n";
    Ok(std::fs::write(folder().join(INDEX), format!("{start}{}", toml::to_string(index)?))?)
}
