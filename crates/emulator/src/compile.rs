//! From a kernel file to a library, kept on disk: preprocess, translate, compile, link.

use crate::cache::{append_hash, cache_key, kept};
use crate::directives::Texts;
use crate::object_file::{check_object, dynamic_memory, spelled};
use crate::options::{HEADERS, Instruments, Source, entry_name, plain_name};
use crate::toolchain::{COMPILER_VARIABLE, CompilerOutput, Toolchain, missing_header, undefined_name};
use crate::translate::{self, DeviceCode, HostDeclaration, Target, TranslationOutput};
use crate::{EmulatorError, Options, Signature, toolchain};
use include_dir::Dir;
use repro_base::files::{Scratch, own_folder, write_new};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources of the rules by which files are refused. A hash of them is part of each library's cache key.
const RULES: [&str; 6] = [
    include_str!("directives.rs"),
    include_str!("object_file.rs"),
    include_str!("translate/declaration.rs"),
    include_str!("translate/device_code.rs"),
    include_str!("translate/foreign.rs"),
    include_str!("translate/reserved_names.rs"),
];

/// Position-independent code whose only visible names are the entry points, with line numbers, and without tail calls: a place
/// in the code is known by its return address. A large frame touches each of its pages, so that it cannot jump over the guard
/// page at the stack's end.
const COMMON: [&str; 15] = [
    "-std=c++17",
    "-Werror=vla",
    "-fPIC",
    "-g1",
    "-w",
    "-fvisibility=hidden",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-strict-aliasing",
    "-fno-optimize-sibling-calls",
    "-fno-stack-protector",
    "-fstack-clash-protection",
    "-ffp-contract=off",
    "-ffunction-sections",
    "-U_FORTIFY_SOURCE",
];

/// GCC leaves room (a redzone) around each variable, and calls before each access. guards.rs and runtime.cpp have the same shadow offset.
const BOUNDS: [&str; 14] = [
    "-fno-builtin",
    "-fno-tree-dce",
    "-fno-tree-dse",
    "-fno-tree-sink",
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0x100000000000",
    "-fsanitize-sections=.emulated*",
    "--param",
    "asan-instrumentation-with-call-threshold=0",
    "--param",
    "asan-stack=1",
    "--param",
    "asan-globals=1",
    "-fsanitize-coverage=trace-pc",
];

/// A name that nothing defines is an error here, not at each load of the cached library. Functions that are inlined everywhere
/// are dropped.
const LINKING: [&str; 3] = ["-shared", "-Wl,-z,defs", "-Wl,--gc-sections"];

impl Toolchain {
    /// The library with the kernels of `source`, compiled now or earlier.
    ///
    /// # Errors
    /// When the compiler finds something wrong, or nothing can be written.
    pub(crate) fn library(
        &self,
        source: &Source,
        kernels: &[&str],
        options: &Options,
    ) -> Result<PathBuf, EmulatorError> {
        let texts = Texts::of(source)?;
        let flags = self.flags(options.instruments);
        let defines = defines(source, options);
        let program = self.program.to_string_lossy();
        let all_flags = [&COMMON[..], &LINKING, &flags.concat()].concat().join(" ");
        let (defined, headers, named) = (defines.join(" "), headers_hash(), kernels.join(" "));
        let mut parts = vec![
            &*texts.code,
            &named,
            &headers,
            &all_flags,
            &defined,
            &self.version,
            &program,
            std::env::consts::ARCH,
        ];
        parts.extend(texts.headers.iter().flat_map(|header| [&*header.name, &header.text]));
        make_cache(options)?;
        let path = options.cache.join(format!("{}.so", cache_key(&parts)));
        if kept(&path).is_none() {
            self.compile(
                &CompileJob { source, kernels, texts: &texts, flags: &flags, defines: &defines },
                options,
                &path,
            )?;
        }
        Ok(path)
    }

    /// Lists the kernels that a whole file ([`Source::whole`]) defines.
    ///
    /// # Errors
    /// When it cannot be preprocessed.
    pub(crate) fn kernels(
        &self,
        source: &Source,
        options: &Options,
    ) -> Result<Vec<Signature>, EmulatorError> {
        let texts = Texts::of(source)?;
        let (flags, defines) = (self.flags(options.instruments), defines(source, options));
        let job = CompileJob { source, kernels: &[], texts: &texts, flags: &flags, defines: &defines };
        make_cache(options)?;
        let scratch =
            Scratch::within(&options.cache, "build").map_err(|error| unwritable(options, &error))?;
        let preprocessed = self.preprocess(&job, options, scratch.path())?;
        Ok(translate::device_code(&preprocessed, None).kernels)
    }

    /// C++ text with an entry point for each kernel, given its name and its expression in C++. It follows the preprocessed
    /// text, where no macro of a kernel file can change it.
    fn entries(source: &Source, kernels: &[(&str, String)]) -> String {
        let mut entries = format!("\n# 1 \"entries of {}\"\n", source.file);
        for (kernel, expression) in kernels {
            let (seen, of) = (
                "__attribute__((no_sanitize(\"thread\"), no_sanitize(\"address\"), no_sanitize_coverage, noinline, visibility(\"default\")))",
                "EmulatedEntry<decltype(&",
            );
            let kernel = entry_name(kernel);
            entries.push_str(&format!(
                "extern \"C\" {{ {seen} void emulated_start_{kernel}(void **arguments) {{ {of}({expression}))>::call(&({expression}), arguments, {of}({expression}))>::All()); }} \
                 {seen} int emulated_parameters_{kernel}(emulated_u64 *bytes) {{ return {of}({expression}))>::sizes(bytes); }} }}\n"
            ));
        }
        entries
    }

    /// How C++ names a kernel: as it is, or what its mangled name stands for.
    fn expression(&self, source: &Source, kernel: &str) -> Result<String, EmulatorError> {
        let is_of_names = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_expression = |c: char| is_of_names(c) || source.whole && ":<>, *&-+()".contains(c);
        if !kernel.is_empty() && !kernel.starts_with("_Z") && kernel.chars().all(is_expression) {
            return Ok(kernel.to_string());
        }
        let spelled = kernel.chars().all(is_of_names).then(|| demangle(kernel)).flatten();
        spelled.ok_or_else(|| {
            EmulatorError::refused(format!(
                "{} has no kernel {kernel}: give a kernel's name or its mangled name",
                source.file
            ))
        })
    }

    /// Flags in addition to [`COMMON`], and those for the kernels alone, which add a call at every access. They also keep the
    /// compiler from taking a function of a kernel file for a built-in, such as `strcpy`, whose accesses it would not report.
    fn flags(&self, instruments: Instruments) -> [Vec<&'static str>; 2] {
        let mut flags = vec![if instruments.any() { "-O1" } else { "-O2" }];
        // A message may name any file, so it shows no source lines. GCC's jump threading would copy a barrier for threads for
        // which a condition holds both before and after it. Clang does not, because of `convergent`.
        flags.extend(if self.clang {
            ["-fno-caret-diagnostics"].as_slice()
        } else {
            ["-fno-diagnostics-show-caret", "-fno-tree-sra", "-fno-thread-jumps"].as_slice()
        });
        if !instruments.any() {
            return [flags, vec!["-fno-builtin"]];
        }
        flags.push("-DREPRO_TRACED");
        if instruments.bounds {
            flags.push("-DREPRO_BOUNDS");
            return [flags, BOUNDS.to_vec()];
        }
        let mut tracing = vec!["-fno-builtin", "-fsanitize=thread"];
        // Finds an index beyond its array that still hits memory, by the array's type or by what a pointer is known to point
        // into. Not where accesses are counted: it keeps in memory what otherwise stays in a register, as on a GPU.
        if !instruments.count {
            // Clang's `bounds` has `local-bounds`, too, which ends the process.
            tracing.extend(if self.clang {
                ["-fsanitize=array-bounds"].as_slice()
            } else {
                // Keeps loads whose value is unused and stores that are overwritten, to check them. Where accesses are counted
                // they are dropped, as a GPU's compiler drops them.
                ["-fsanitize=bounds,object-size", "-fno-tree-dce", "-fno-tree-dse", "-fno-tree-sink"]
                    .as_slice()
            });
        }
        // Instruments loads and stores alone. Clang would leave out a load that is followed by a store to the same address.
        tracing.extend(if self.clang {
            [
                "-mllvm",
                "-tsan-instrument-func-entry-exit=0",
                "-mllvm",
                "-tsan-instrument-atomics=0",
                "-mllvm",
                "-tsan-instrument-read-before-write=1",
                "-mllvm",
                "-tsan-distinguish-volatile=1",
                "-fno-vectorize",
                "-fno-slp-vectorize",
            ]
            .as_slice()
        } else {
            ["--param", "tsan-instrument-func-entry-exit=0", "--param", "tsan-distinguish-volatile=1"]
                .as_slice()
        });
        [flags, tracing]
    }

    fn compile(&self, job: &CompileJob, options: &Options, path: &Path) -> Result<(), EmulatorError> {
        let source = job.source;
        let mut kernels = Vec::new();
        for kernel in job.kernels {
            kernels.push((*kernel, self.expression(source, kernel)?));
        }
        let unwritable = |error: &dyn Display| unwritable(options, error);
        let scratch = Scratch::within(&options.cache, "build").map_err(|error| unwritable(&error))?;
        let beside = scratch.path();
        let write = |name: &str, text: &str| {
            write_new(&beside.join(name), text.as_bytes()).map_err(|error| unwritable(&error))
        };
        let [flags, tracing] = job.flags;
        let common = [&COMMON[..], flags].concat();
        let mut preprocessed = self.preprocess(job, options, beside)?;
        let names: Vec<String> = kernels.iter().map(|(_, expression)| expression.clone()).collect();
        let mut code = translate::device_code(&preprocessed, source.whole.then_some(&names));
        if source.whole {
            preprocessed = std::mem::take(&mut code.text);
        }
        kernels
            .iter_mut()
            .try_for_each(|(kernel, expression)| find_kernel(source, kernel, expression, &code.kernels))?;
        let made = self.translate(job, options, &preprocessed)?;
        if let Some(unmarked) = code.of_host.iter().find(|one| one.is_unmarked && !source.whole) {
            return Err(EmulatorError::refused(format!(
                "{}:{}: the function {} runs on the host, which CUDA's run-time compiler refuses: write `__device__` before it, or take it out",
                unmarked.file, unmarked.line, unmarked.name
            )));
        }
        let whole = made.text + &Self::entries(source, &kernels);
        write("kernel.ii", &whole)?;
        // Clang knows by the suffix `.ii` that the file is preprocessed.
        let preprocessed_flag: &[&str] = if self.clang { &[] } else { &["-fpreprocessed"] };
        let compile =
            [&common[..], tracing, preprocessed_flag, &["-c", "kernel.ii", "-o", "kernel.o"]].concat();
        let checked = |ended: &CompilerOutput| {
            self.check_output(source, ended).map_err(|error| explained(error, &code, &job.texts.absent))
        };
        match toolchain::run(Command::new(&self.program).args(&compile), beside) {
            Ok(ended) if ended.exceeded.is_none() => checked(&ended)?,
            _ => {
                // It may have failed at a limit, by inlining calls within calls: tries again without `flatten`.
                std::fs::remove_file(beside.join("kernel.ii")).map_err(|error| unwritable(&error))?;
                write("kernel.ii", &whole.replace(translate::INLINING, ""))?;
                checked(&self.run(source, beside, &compile)?)?;
            }
        }
        let object = std::fs::read(beside.join("kernel.o")).unwrap_or_default();
        check_object(source, &object, &preprocessed)?;
        write("dynamic.cpp", &dynamic_memory(&object))?;
        let runtime = self.runtime(source, beside, &common)?;
        // Without the sanitizer's flags, which would link its own runtime.
        let linking =
            [&common[..], &LINKING, &["kernel.o", &runtime, "dynamic.cpp", "-o", "kernel.so"]].concat();
        self.step(source, beside, &linking)?;
        if !beside.join("kernel.so").exists() {
            return Err(self.made_nothing(source));
        }
        append_hash(&beside.join("kernel.so")).map_err(|error| unwritable(&error))?;
        std::fs::rename(beside.join("kernel.so"), path).map_err(|error| unwritable(&error))
    }

    /// What the preprocessor makes of a job, in a folder that has nothing else.
    fn preprocess(
        &self,
        job: &CompileJob,
        options: &Options,
        beside: &Path,
    ) -> Result<String, EmulatorError> {
        let unwritable = |error: &dyn Display| unwritable(options, error);
        std::fs::create_dir_all(beside.join("cuda"))
            .and_then(|()| HEADERS.extract(beside.join("cuda")))
            .map_err(|error| unwritable(&error))?;
        write_new(&beside.join("kernel.cpp"), job.texts.code.as_bytes())
            .map_err(|error| unwritable(&error))?;
        for header in &job.texts.headers {
            let path = beside.join("included").join(&header.name);
            std::fs::create_dir_all(path.parent().unwrap_or(beside))
                .and_then(|()| write_new(&path, header.text.as_bytes()))
                .map_err(|error| unwritable(&error))?;
        }
        let defines: Vec<&str> = job.defines.iter().map(String::as_str).collect();
        let arguments = [
            &COMMON[..],
            &job.flags[0],
            &defines,
            &["-nostdinc", "-Iincluded", "-isystem", "cuda", "-E", "kernel.cpp"],
        ];
        let ended = self.run(job.source, beside, &arguments.concat())?;
        self.check_output(job.source, &ended)?;
        if ended.stdout.is_empty() {
            return Err(self.made_nothing(job.source));
        }
        Ok(String::from_utf8_lossy(&ended.stdout).into_owned())
    }

    /// Compiles what kernels call, runtime.cpp, or finds it in the cache; returns its path from the folder `beside`. It is
    /// cached apart, since it takes a third of the time of a small kernel, and all libraries have the same.
    fn runtime(&self, source: &Source, beside: &Path, flags: &[&str]) -> Result<String, EmulatorError> {
        let program = self.program.to_string_lossy();
        let parts = [&*headers_hash(), &flags.join(" "), &self.version, &program, std::env::consts::ARCH];
        let name = format!("../{}.o", cache_key(&parts));
        let kept = beside.join(&name);
        if crate::cache::kept(&kept).is_some() {
            return Ok(name);
        }
        self.step(source, beside, &[flags, &["-c", "cuda/runtime.cpp", "-o", "runtime.o"]].concat())?;
        let made = beside.join("runtime.o");
        // If it cannot be cached, it is linked from here; if it was not made, linking fails.
        Ok(match append_hash(&made).and_then(|()| std::fs::rename(&made, kept)) {
            Ok(()) => name,
            Err(_) => "runtime.o".to_string(),
        })
    }

    /// Translates what the preprocessor made, and refuses what NVRTC would not find.
    fn translate(
        &self,
        job: &CompileJob,
        options: &Options,
        preprocessed: &str,
    ) -> Result<TranslationOutput, EmulatorError> {
        translate::check_code(preprocessed).map_err(|refusal| EmulatorError::refused(refusal.to_string()))?;
        let target = Target {
            capability: options.capability,
            accelerated: job.source.architecture_specific,
            // Not where banks are counted, which depend on where variables lie.
            guarded: options.instruments.check && !options.instruments.count,
        };
        let made = translate::translate(preprocessed, target)
            .map_err(|refusal| EmulatorError::refused(refusal.to_string()))?;
        Ok(made)
    }

    fn made_nothing(&self, source: &Source) -> EmulatorError {
        EmulatorError::unavailable(format!(
            "{} made no library of {}: set {COMPILER_VARIABLE} to a C++ compiler",
            self.program.display(),
            source.file
        ))
    }

    fn step(&self, source: &Source, folder: &Path, arguments: &[&str]) -> Result<(), EmulatorError> {
        self.check_output(source, &self.run(source, folder, arguments)?)
    }

    /// Runs the compiler to its end; to run into a limit is an error.
    fn run(
        &self,
        source: &Source,
        folder: &Path,
        arguments: &[&str],
    ) -> Result<CompilerOutput, EmulatorError> {
        let ended = toolchain::run(Command::new(&self.program).args(arguments), folder).map_err(|error| {
            EmulatorError::unavailable(format!(
                "{} cannot be run ({error}): set {COMPILER_VARIABLE} to a C++ compiler",
                self.program.display()
            ))
        })?;
        match ended.exceeded {
            Some(limit) => Err(EmulatorError::refused(format!(
                "{} takes {} more than {limit} to compile: make its templates and includes smaller",
                source.file,
                self.program.display()
            ))),
            None => Ok(ended),
        }
    }

    /// Returns what a compiler that failed said was wrong.
    fn check_output(&self, source: &Source, output: &CompilerOutput) -> Result<(), EmulatorError> {
        if output.status.success() {
            return Ok(());
        }
        let printed = String::from_utf8_lossy(&output.stderr);
        if let Some(name) = printed.lines().find_map(undefined_name) {
            return Err(EmulatorError::refused(format!(
                "{} uses {name}, which neither it nor the emulated device defines: define it, or do without it",
                source.file
            )));
        }
        if let Some((place, header)) = printed.lines().find_map(missing_header) {
            return Err(EmulatorError::refused(format!(
                "{place} includes {header}, which neither NVRTC nor the emulated device has: put it next to the kernel file if it \
                 is yours, CUDA's own types and functions need no header"
            )));
        }
        let telling = |line: &&str| line.contains("error:");
        let first = printed.lines().find(telling).or_else(|| printed.lines().next());
        Err(EmulatorError::refused(format!(
            "{} does not compile with {}: {}",
            source.file,
            self.program.display(),
            first.unwrap_or("it did not say why").trim()
        )))
    }
}

/// Makes the folder for compiled kernels, from which code is loaded.
fn make_cache(options: &Options) -> Result<(), EmulatorError> {
    own_folder(&options.cache).map(drop).map_err(|error| {
        EmulatorError::refused(format!(
            "emulated kernels cannot be cached: {error}: set REPRO_CACHE to a folder of your own"
        ))
    })
}

/// Why compiled kernels cannot be kept.
fn unwritable(options: &Options, error: &dyn Display) -> EmulatorError {
    EmulatorError::refused(format!(
        "cannot write emulated kernels to {} ({error}): set REPRO_CACHE to a folder that can be written",
        options.cache.display()
    ))
}

/// The C++ name that a mangled name stands for, without the parameters.
fn demangle(mangled: &str) -> Option<String> {
    let spelled = spelled(mangled)?;
    let spelled = spelled.strip_prefix("void ").unwrap_or(&spelled);
    // The parameters come after all template arguments.
    let mut depth = 0;
    let end = spelled.char_indices().find_map(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    });
    Some(spelled[..end?].to_string())
}

/// Checks that a kernel is in the file, and is found by this name. Adds its namespaces to `expression` if only one kernel has
/// the name. Whether a mangled name fits exactly is left to the compiler.
fn find_kernel(
    source: &Source,
    kernel: &str,
    expression: &mut String,
    known: &[Signature],
) -> Result<(), EmulatorError> {
    let (name, file) = (plain_name(expression), &source.file);
    let found: Vec<_> = known.iter().filter(|kernel| plain_name(&kernel.name) == name).collect();
    let Some(first) = found.first() else {
        let mut all: Vec<&str> = known.iter().map(|kernel| kernel.name.as_str()).collect();
        all.dedup();
        return Err(EmulatorError::refused(match &all[..] {
            [] => format!("{file} has no kernel {kernel}, nor any other: write one with __global__"),
            all => format!("{file} has no kernel {kernel}: it has {}", all.join(", ")),
        }));
    };
    let is_mangled = kernel.starts_with("_Z");
    if !source.whole && !is_mangled && !first.extern_c {
        return Err(EmulatorError::refused(format!(
            "{}:{}: the kernel {name} is not found by this name: declare it extern \"C\", or ask for its mangled name",
            first.file, first.line
        )));
    }
    if found.iter().all(|kernel| !kernel.template_parameters.is_empty()) && !expression.contains('<') {
        return Err(EmulatorError::refused(format!(
            "{}:{}: the kernel {name} is a template of <{}>: name its arguments, too, as in '{name}<...>'",
            first.file, first.line, first.template_parameters
        )));
    }
    if !expression.contains("::") && found.iter().all(|kernel| kernel.name == first.name) {
        *expression = expression.replacen(name, &first.name, 1);
    }
    Ok(())
}

/// Adds to an error what a compiler cannot know: that a name is the host's, or may be declared in an absent header.
fn explained(error: EmulatorError, code: &DeviceCode, absent: &[String]) -> EmulatorError {
    let EmulatorError::Refused(words) = &error else { return error };
    let mut quoted = words.split(['\'', '`', '\u{2018}', '\u{2019}']).skip(1).step_by(2);
    let of_host = quoted.find_map(|name| code.of_host.iter().find(|one| one.name == name));
    // Headers in angle brackets are the system's.
    let own: Vec<&str> = absent.iter().map(String::as_str).filter(|name| name.starts_with('"')).collect();
    match of_host {
        Some(HostDeclaration { name, file, line, .. }) => EmulatorError::refused(format!(
            "{words}: {name} belongs to the host ({file}:{line}): write `__device__` before it if kernels use it"
        )),
        None if !own.is_empty() => EmulatorError::refused(format!(
            "{words}; these headers were not found: {}: name their folders with --include if kernels need them",
            own.join(", ")
        )),
        None => error,
    }
}

/// What is compiled, and how.
struct CompileJob<'a> {
    source: &'a Source<'a>,
    kernels: &'a [&'a str],
    texts: &'a Texts,
    flags: &'a [Vec<&'static str>; 2],
    defines: &'a [String],
}

/// Macros by which kernels ask for what device they are compiled.
fn defines(source: &Source, options: &Options) -> Vec<String> {
    let (major, minor) = options.capability;
    let mut defines =
        vec![format!("-D__CUDA_ARCH__={}", major * 100 + minor * 10), "-DREPRO_EMULATED=1".to_string()];
    if source.architecture_specific {
        defines.push(format!("-D__CUDA_ARCH_FEAT_SM{major}{minor}_ALL"));
        defines.push(format!("-D__CUDA_ARCH_SPECIFIC__={}", major * 100 + minor * 10));
    }
    defines
}

/// One hash for the headers and the rules.
fn headers_hash() -> String {
    fn add(hasher: &mut blake3::Hasher, dir: &Dir) {
        for file in dir.files() {
            hasher.update(file.path().to_string_lossy().as_bytes());
            hasher.update(file.contents());
        }
        dir.dirs().for_each(|dir| add(hasher, dir));
    }
    static HASH: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    HASH.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        add(&mut hasher, &HEADERS);
        RULES.iter().for_each(|rules| {
            hasher.update(rules.as_bytes());
        });
        hasher.finalize().to_hex().to_string()
    })
    .clone()
}

#[cfg(test)]
mod tests {
    use crate::{Emulator, Instruments, Options, Source};

    #[test]
    fn libraries_share_what_their_kernels_call_until_it_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let emulator =
            Emulator::open(Options { cache: folder.path().into(), ..Options::new(Instruments::CHECK) })
                .unwrap();
        let load = |name: &str| {
            let text = format!("extern \"C\" __global__ void {name}(int *to) {{ *to = 1; }}");
            emulator.load(&Source::new("one.cu", &text), &[name]).unwrap();
        };
        let kept = |ending: &str| {
            let all = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            all.filter(|path| path.extension().is_some_and(|one| one == ending)).collect::<Vec<_>>()
        };
        ["first", "second"].into_iter().for_each(load);
        assert_eq!((kept("so").len(), kept("o").len()), (2, 1));
        let [runtime] = &kept("o")[..] else { unreachable!() };
        let made = std::fs::metadata(runtime).unwrap().modified().unwrap();
        std::fs::write(runtime, "no object").unwrap();
        load("third");
        assert!(kept("so").len() == 3 && crate::cache::kept(runtime).is_some());
        let mended = std::fs::metadata(runtime).unwrap().modified().unwrap();
        load("fourth");
        assert_eq!(std::fs::metadata(runtime).unwrap().modified().unwrap(), mended);
        assert_ne!(made, mended);
    }
}
