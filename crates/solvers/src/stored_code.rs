//! Machine code that is stored with the program, in `kernels/machine-code/`: compiled, reordered and proven by `tools/reorder`, and solved
//! with thousands of times before it was committed. docs/machine-code.md has how and why.

use crate::{DistanceSigns, Parameters, Solver, Target};
use repro_device::{KernelSource, code_hash, embedded};
use repro_graph::ElementType;
use repro_machine_code::code_index::{FOLDER, INDEX, Index, StoredCode};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

static STORED: LazyLock<Result<Index, String>> =
    LazyLock::new(|| read(embedded(&format!("{FOLDER}/{INDEX}")).unwrap_or_default()));

/// What is stored with this program.
///
/// # Errors
/// That its index is damaged, and what to do.
pub fn index() -> Result<&'static Index, String> {
    STORED.as_ref().map_err(Clone::clone)
}

fn read(file: &[u8]) -> Result<Index, String> {
    let text = std::str::from_utf8(file).ok();
    text.and_then(|text| toml::from_str(text).ok()).ok_or_else(|| damaged(INDEX))
}

fn damaged(file: &str) -> String {
    format!(
        "the stored machine code {FOLDER}/{file} is damaged: install this program anew, or have register-blocked compiled by --param stored=0"
    )
}

/// Machine code, or what is wrong with it.
type StoredCodeResult = Result<Arc<[u8]>, String>;

static BY_SOURCE: LazyLock<BTreeMap<&str, StoredCodeResult>> = LazyLock::new(|| {
    let image = |code: &StoredCode| embedded(&format!("{FOLDER}/{}", code.file)).unwrap_or_default();
    let all = index().map_or(&[][..], |index| &index.code);
    all.iter().map(|code| (&*code.source, intact(code, image(code)))).collect()
});

/// The image, if it is what the index says.
fn intact(code: &StoredCode, image: &[u8]) -> StoredCodeResult {
    if code_hash(image) == code.hash { Ok(image.into()) } else { Err(damaged(&code.file)) }
}

/// Checks that neither the index nor any stored machine code is damaged.
///
/// # Errors
/// What is damaged, and what to do.
pub fn check() -> Result<(), String> {
    index()?;
    BY_SOURCE.values().find_map(|code| code.as_ref().err()).map_or(Ok(()), |damaged| Err(damaged.clone()))
}

/// The targets that code of `register-blocked` is stored for, and the name of each one's file.
pub fn targets() -> impl Iterator<Item = (Target, String)> {
    use ElementType::{F32, I32, U16};
    let usual = Target::default();
    let of = move |element| {
        [("", false), ("-undirected", true)]
            .map(|(end, symmetric)| (end, Target { element, symmetric, ..usual }))
    };
    let of_signs = |end, signs| (end, Target { signs, ..usual });
    // The shift for weights that are whole numbers.
    let negative =
        [of_signs("-shifted", DistanceSigns::Shifted(8_388_608.0)), of_signs("-rounded", DistanceSigns::Any)];
    let all = [F32, I32, U16].into_iter().flat_map(of).chain(negative);
    all.map(|(end, target)| (target, format!("register_blocked-{}{end}.cubin", target.element)))
}

/// The machine code that is stored for exactly this text, these headers and macros; None for any other.
pub fn stored_code(source: &KernelSource) -> Option<Arc<[u8]>> {
    BY_SOURCE.get(&*source.hash())?.clone().ok()
}

/// The hash of the machine code that a source has in place of being compiled; None where it is compiled.
pub fn hash_of_code(source: &KernelSource) -> Option<String> {
    source.cubin.as_deref().map(code_hash)
}

/// The hashes of all machine code in place of a solver's sources, for graphs of these types on devices of this compute capability.
pub fn hashes_of_code(
    solver: &dyn Solver,
    compute_capability: (u32, u32),
    elements: &[ElementType],
    parameters: &Parameters,
) -> Vec<String> {
    let targets = targets().map(|(target, _)| Target { compute_capability, ..target });
    let targets = targets.filter(|target| elements.contains(&target.element));
    let sets = targets.filter_map(|target| solver.kernels(target, parameters));
    let hashes: BTreeSet<String> = sets.filter_map(|set| hash_of_code(&set.source)).collect();
    hashes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register_blocked::RegisterBlocked;

    /// Sizes at which code has to be solved with before it is used, and how often.
    const PROVEN_AT: [usize; 2] = [4096, 8192];
    const PROVEN_BY: u64 = 10_000;

    /// Whether it has been solved with often enough, and never with another result.
    fn is_proven(code: &StoredCode) -> bool {
        let solves =
            |n: usize| code.solved.iter().filter(|one| one.n == n).map(|one| one.solves).sum::<u64>();
        PROVEN_AT.iter().all(|&n| solves(n) >= PROVEN_BY) && code.solved.iter().all(|one| one.different == 0)
    }

    /// Sources of the kernels as they are, that code may be stored of.
    fn sources() -> Vec<KernelSource> {
        let source = |(target, _)| RegisterBlocked.source(target, &Parameters::from([("stored", 0)]));
        targets().map(source).collect()
    }

    #[test]
    fn all_that_is_stored_is_what_the_index_says_and_belongs_to_the_kernels_as_they_are_and_is_proven() {
        let remedy = "make it anew and solve with it, as docs/machine-code.md says";
        for code in &index().unwrap().code {
            let image =
                embedded(&format!("{FOLDER}/{}", code.file)).unwrap_or_else(|| panic!("{}", code.file));
            assert_eq!(code_hash(image), code.hash, "{}", code.file);
            let is_of = |source: &KernelSource| source.hash() == code.source;
            assert!(sources().iter().any(is_of), "{} is of another kernel: {remedy}", code.file);
            assert!(is_proven(code), "{} was solved with too little: {remedy}", code.file);
        }
        assert_eq!(check(), Ok(()));
        assert!(
            sources().iter().all(|source| stored_code(source).is_some()),
            "something is not stored: {remedy}"
        );
    }

    #[test]
    fn stored_code_of_which_a_byte_differs_or_lacks_is_refused_by_its_name() {
        for code in &index().unwrap().code {
            let image = embedded(&format!("{FOLDER}/{}", code.file)).unwrap();
            assert_eq!(intact(code, image).as_deref(), Ok(image), "{}", code.file);
            let places = (0..image.len()).step_by(image.len() / 100).chain([image.len() - 1]);
            let flipped = places.map(|at| {
                let mut bytes = image.to_vec();
                bytes[at] ^= 1 << (at % 8);
                bytes
            });
            for damaged in flipped.chain([image[1..].to_vec(), Vec::new()]) {
                let problem = intact(code, &damaged).unwrap_err();
                assert!(problem.contains(&code.file) && problem.contains("stored=0"), "{problem}");
            }
        }
        let problem = read(b"[[code]]\nfile = 1").unwrap_err();
        assert!(problem.contains(INDEX) && problem.contains("stored=0"), "{problem}");
    }

    #[test]
    fn code_is_stored_for_its_architecture_its_text_and_its_macros_and_for_no_other() {
        let stored = |target, parameters: &[(&str, u32)]| {
            let parameters = Parameters::from_iter(parameters.iter().copied());
            RegisterBlocked.source(target, &parameters).cubin
        };
        let usual = Target::default();
        let of_f32 = stored(usual, &[]).unwrap();
        assert_eq!(
            hash_of_code(&RegisterBlocked.source(usual, &Parameters::default())),
            Some(code_hash(&of_f32))
        );
        assert_ne!(stored(Target { symmetric: true, ..usual }, &[]), Some(of_f32.clone()));
        assert_eq!(stored(Target { symmetric: true, ..usual }, &[("half", 0)]), Some(of_f32));
        for other in [(8, 0), (9, 1), (10, 0)] {
            assert_eq!(stored(Target { compute_capability: other, ..usual }, &[]), None);
        }
        for parameters in [("stored", 0), ("omit", 2), ("omit", 3), ("omit", 4)] {
            assert_eq!(stored(usual, &[parameters]), None, "{parameters:?}");
        }
        let mut source = RegisterBlocked.source(usual, &Parameters::from([("stored", 0)]));
        assert!(stored_code(&source).is_some());
        source.text.to_mut().push('\n');
        assert_eq!(stored_code(&source), None);
    }
}
