//! Kernel files that would be more than kernels: host code, code that the checker does not see, files of others, what the emulator keeps
//! for itself.

use crate::common::emulator;
use repro_emulator::{
    ArgumentValue, Emulator, FindingKind, Header, Instruments, Launch, Options, PackedArguments, Source,
};
use std::path::Path;

fn refusal_of(source: &Source) -> Option<String> {
    let mut options = Options::new(Instruments::CHECK);
    options.cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    let device = Emulator::open(options).unwrap();
    device.load(source, &["k"]).err().map(|error| error.to_string())
}

/// Before a kernel that does as little as one can.
fn refused(before: &str, body: &str) -> Option<String> {
    let text = format!("{before}\nextern \"C\" __global__ void k(int *p, int n) {{\n{body}\n}}\n");
    refusal_of(&Source::new("k.cu", text))
}

#[track_caller]
fn is_refused(before: &str, body: &str, words: &str) {
    let error = refused(before, body);
    assert!(error.as_ref().is_some_and(|error| error.contains(words)), "{before} {body}: {error:?}");
}

#[test]
fn functions_of_the_host_cannot_be_called_by_any_name() {
    for (before, body, name) in [
        ("extern \"C\" __device__ void _exit(int);", "_exit(0);", "calls _exit,"),
        ("__device__ int f(const char *) asm(\"system\");", "p[0] = f(\"\");", "calls system,"),
        (
            "extern \"C\" __device__ int memcmp(const void *, const void *, size_t);",
            "p[0] = *(char *)&memcmp;",
            "calls memcmp,",
        ),
        ("namespace a { __device__ int missing(int); }", "p[0] = a::missing(1);", "calls a::missing(int),"),
        (
            "extern \"C\" __device__ void emulated_attach(void *);",
            "emulated_attach(p);",
            "k.cu:1: `emulated_attach`",
        ),
        (
            "extern \"C\" __device__ char *strcpy(char *, const char *);",
            "strcpy((char *)(p + n), \"abc\");",
            "calls strcpy,",
        ),
    ] {
        is_refused(before, body, name);
    }
}

#[test]
fn nothing_of_a_kernel_file_runs_when_it_is_loaded() {
    for (before, words) in [
        (
            "__device__ int f(); int x = f(); __device__ int f() { return 1; }",
            "runs when it is loaded (.init_array)",
        ),
        ("struct A { int a; __device__ ~A() { a = 1; } }; A a;", "which no"),
        ("extern \"C\" asm(\".incbin \\\"/etc/passwd\\\"\");", "k.cu:1: an asm label"),
        ("int f() asm(\"x\\n.incbin \\\"/etc/passwd\\\"\");", "k.cu:1: an asm label"),
        ("asm(\".incbin \\\"/etc/passwd\\\"\");", "outside of functions is not emulated"),
    ] {
        is_refused(before, "", words);
    }
}

#[test]
fn nothing_of_a_kernel_file_is_hidden_from_the_checker() {
    for before in [
        "#define JOIN(a, b) a##b\n__attribute__((JOIN(no_sani, tize)(\"thread\"))) __device__ int f(int *p) { return *p; }",
        "EMULATOR static __device__ int f(int *p) { return *p; }",
        "#line 1 \"cuda/mma.h\"\nEMULATOR static __device__ int f(int *p) { return *p; }",
        "#define __forceinline__ __attribute__((no_sanitize(\"thread\")))\n#include <cooperative_groups.h>\n__forceinline__ __device__ int f(int *p) { return *p; }",
    ] {
        is_refused(before, "p[0] = f(p + n);", "`__attribute__((no_sanitize))` is not part of a kernel");
    }
    is_refused(
        "# 1 \"cuda/mma.h\" 1 3\nEMULATOR static int f() { return 1; }",
        "",
        "k.cu:1: `#` before a number",
    );
}

#[test]
fn files_of_others_are_not_read_and_never_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "#error the secret words\nsecret words\n").unwrap();
    let secret = secret.to_str().unwrap();
    for (before, words) in [
        (format!("#include \"{secret}\""), "leads out of the folder".to_string()),
        (
            format!("#define FILE \"{secret}\"\n#include FILE"),
            "k.cu:2: `#include FILE` names its file by a macro".to_string(),
        ),
        ("#include \"kernel.cpp\"".to_string(), "nested".to_string()),
        (format!("#line 1 \"{secret}\"\nint a = undeclared;"), "undeclared".to_string()),
        ("#if __has_include(\"/etc/passwd\")\n#endif".to_string(), "k.cu:1: `__has_include`".to_string()),
        (
            "#define JOIN(a, b) a##b\n#if JOIN(__has_, include)(\"/etc/passwd\")\n#endif".to_string(),
            "does not compile".to_string(),
        ),
    ] {
        let error = refused(&before, "").unwrap_or_default();
        assert!(error.contains(&words) && !error.contains("secret words"), "{before}: {error}");
    }
}

#[test]
fn headers_that_were_given_and_those_of_cuda_are_found() {
    let text = "#if __has_include(\"1/own.cuh\")\n#include \"1/own.cuh\"\n#endif\n#if defined(__has_include) && __has_include(<none.h>)\n#error none\n#endif\n\
         extern \"C\" __global__ void k(int *p, int n) { p[0] = f(); }\n";
    let loaded = |name: &str, header: &str| {
        let header = Header { name: name.into(), file: "own.cuh".into(), text: header.into() };
        refusal_of(&Source { headers: vec![header], ..Source::new("k.cu", text) })
    };
    assert_eq!(loaded("1/own.cuh", "#pragma once\n__device__ int f() { return 1; }\n"), None);
    for (name, header, words) in [
        ("../own.cuh", "", "the header ../own.cuh leads out of its folder"),
        ("1/own.cuh", "\n#include \"/etc/passwd\"", "own.cuh:2: `/etc/passwd` leads out of the folder"),
        ("1/own.cuh", "__device__ int f() { return g; }", "own.cuh:1:"),
    ] {
        let error = loaded(name, header).unwrap();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(
        refused(
            "#if __has_include(<cuda_fp16.h>)\n#include <cuda_fp16.h>\n#endif\n#include <mma.h>\n#include <cooperative_groups.h>\n#include <cuda/barrier>",
            "half h = 1; p[0] = (int)h;"
        ),
        None
    );
}

#[test]
fn functions_of_the_host_are_refused_as_by_the_run_time_compiler() {
    for function in
        ["int f() { return 1; }", "struct f { f(int x) {} };", "template <class T> T f(T x) { return x; }"]
    {
        is_refused(function, "", "k.cu:1: the function f runs on the host");
    }
    is_refused("int main() { return 0; }", "", "or take it out");
}

/// Words that a kernel of one thread touches, of those at these distances, without a finding for an access outside.
fn unfound(text: &str, dynamic_shared_bytes: u32, words: impl Iterator<Item = i32>) -> Vec<i32> {
    let device = emulator(Instruments::CHECK, 0);
    let kernels = device.load(&Source::new("reach.cu", text), &["reach"]).unwrap();
    let (out, stream) = (device.allocate(64).unwrap(), device.stream());
    stream.upload(&[0; 64], &out, 0);
    words
        .filter(|&word| {
            let arguments = PackedArguments::new(&[ArgumentValue::Memory(&out), ArgumentValue::Int(word)]);
            let launch = Launch { dynamic_shared_bytes, ..Launch::new((1, 1, 1), (1, 1, 1)) };
            // SAFETY: the launch is checked, and what it touches is what is tested.
            unsafe { stream.launch(&kernels[0], launch, &arguments).unwrap() };
            let found = device.take_findings();
            !found.iter().any(|finding| finding.kind == FindingKind::OutOfBounds)
        })
        .collect()
}

#[test]
fn every_word_behind_and_before_shared_memory_is_outside() {
    let fixed = |access: &str| {
        format!(
            "extern \"C\" __global__ void reach(int *out, int n) {{ __shared__ int tile[64]; tile[0] = 0; \
             volatile int kept = 0; int *at = tile + n; {access}; out[0] = tile[0] + kept; }}"
        )
    };
    for access in ["*at = 1", "kept = *at"] {
        assert_eq!(unfound(&fixed(access), 0, (64..110).chain(-48..0)), [0; 0], "{access}");
    }
    let dynamic =
        "extern __shared__ int tile[]; extern \"C\" __global__ void reach(int *out, int n) { tile[n] = 1; }";
    assert_eq!(unfound(dynamic, 256, (64..110).chain(-48..0)), [0; 0]);
}

#[test]
fn what_lies_below_a_threads_stack_is_outside() {
    // Stacks lie at multiples of their size, with what belongs to the running thread at their start.
    let text = |access: &str| {
        format!(
            "extern \"C\" __global__ void reach(int *out, int n) {{ int local = n; volatile int kept = 0; \
             int *at = (int *)((unsigned long long)&local & ~0xfffffull) + n; {access}; out[0] = kept; }}"
        )
    };
    for access in ["*at = 1", "kept = *at", "*(volatile int *)at = 1"] {
        assert_eq!(unfound(&text(access), 0, 0..60), [0; 0], "{access}");
    }
}
