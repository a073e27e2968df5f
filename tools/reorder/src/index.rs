//! `kernels/machine-code/`: its files, and the index that says what they are.

use crate::ToolResult;
use crate::pass::VERSION;
use crate::reordered_code::Tools;
use repro_device::{KernelSource, code_hash};
use repro_machine_code::code_index::{FOLDER, INDEX, Index, ProofRun, StoredCode};
use repro_records::store::{CellRow, ImplementationRecord, Records};
use repro_solvers::register_blocked::RegisterBlocked;
use repro_solvers::stored_code::{hash_of_code, targets};
use repro_solvers::{Parameters, Problem, Target};
use std::path::{Path, PathBuf};

/// The kernel that does most tasks.
const LARGEST: &str = "solve_tiles_of_128";

/// Where the code is stored.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kernels").join(FOLDER)
}

/// As it is compiled.
pub fn source(target: Target) -> KernelSource {
    RegisterBlocked.source(target, &Parameters::from([("stored", 0)]))
}

/// # Errors
/// When it cannot be read.
pub fn read() -> ToolResult<Index> {
    let path = folder().join(INDEX);
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The code of each target as it comes out now, which is to be as in `index`: then what was solved with it stays.
fn made_anew(index: &Index) -> ToolResult<Vec<(StoredCode, Vec<u8>)>> {
    let tools = Tools::find()?;
    let mut all = Vec::new();
    for (target, file) in targets() {
        let source = source(target);
        let known = index.code.iter().find(|code| code.file == file);
        let made = tools.make(&source, known.map(|known| &*known.hash))?;
        let hash = code_hash(&made.image);
        let known = known.filter(|known| known.hash == hash);
        let outcome = if known.is_some() { "as before" } else { "NEW" };
        let [was, is] = made.clocks(LARGEST).ok_or_else(|| format!("{file} has no loop in {LARGEST}"))?;
        println!(
            "{file}: {outcome}; {was:.2} clocks for two tasks as compiled, {is:.2} reordered, by the model"
        );
        let compiler = format!("NVRTC {}", tools.nvrtc.version());
        let solved = known.map(|known| known.solved.clone()).unwrap_or_default();
        let (source, pass) = (source.hash(), VERSION.to_string());
        all.push((StoredCode { file, source, hash, compiler, pass, solved }, made.image));
    }
    Ok(all)
}

/// Makes the code again and compares it byte by byte with what is stored.
///
/// # Errors
/// When it cannot be made, or is another.
pub fn compare() -> ToolResult<()> {
    let index = read()?;
    for (code, image) in made_anew(&index)? {
        let stored = std::fs::read(folder().join(&code.file)).unwrap_or_default();
        if stored != image || !index.code.contains(&code) {
            let file = &code.file;
            return Err(format!(
                "{FOLDER}/{file} is not what comes out now: `make` makes it and the index anew"
            )
            .into());
        }
    }
    Ok(())
}

/// Makes the code and stores it.
///
/// # Errors
/// When it cannot be made or written.
pub fn make() -> ToolResult<()> {
    let made = made_anew(&read().unwrap_or_default())?;
    for (code, image) in &made {
        std::fs::write(folder().join(&code.file), image)?;
    }
    write(&Index { code: made.into_iter().map(|(code, _)| code).collect() })
}

/// Adds the repeated solves of these runs to the index.
///
/// # Errors
/// When a run cannot be read or the index not be written.
pub fn solved(runs: &[&str]) -> ToolResult<()> {
    let mut index = read()?;
    for run in runs {
        let Records { manifest, rows, .. } = repro_records::store::read(Path::new(run))?;
        let environment = manifest.environment.as_ref().ok_or_else(|| format!("{run} has no machine"))?;
        for CellRow { cell, of } in rows.repeats {
            let graph = manifest.experiment.graph(&cell.graph);
            let graph = graph.ok_or_else(|| format!("{run} has solves of no graph of its own"))?;
            let problem = Problem::one(cell.n, graph.element, graph.source.weights());
            let parameters: Parameters = cell.params.parse()?;
            let hash = hash_of_code(&RegisterBlocked.source(Target::of(&problem), &parameters));
            let is_of = |record: &&ImplementationRecord| {
                (&record.implementation, &record.params) == (&cell.implementation, &cell.params)
            };
            let record = environment.implementations.iter().find(is_of);
            let ran = |hash: &String| record.is_some_and(|record| record.stored_code.contains(hash));
            let code = hash.filter(ran).and_then(|hash| index.code.iter_mut().find(|code| code.hash == hash));
            let Some(code) = code else {
                println!("n = {}, {}, {:?}: no code of this build", cell.n, cell.params, cell.graph);
                continue;
            };
            let gpu = environment.model().to_string();
            let solved = ProofRun { gpu, n: cell.n, solves: of.solves, different: of.different };
            println!("{}: {solved:?}", code.file);
            code.solved.push(solved);
        }
    }
    write(&index)
}

fn write(index: &Index) -> ToolResult<()> {
    let start =
        "# Machine code for compute capability 9.0, made by tools/reorder: see docs/machine-code.md.\n\n";
    Ok(std::fs::write(folder().join(INDEX), format!("{start}{}", toml::to_string(index)?))?)
}
