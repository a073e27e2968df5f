//! A kernel file becomes host code here. What would make it more than a kernel's code is refused: attributes and pragmas that
//! change how it is instrumented, linked or loaded, and files that are not its own.

use super::lex::{Kind, Lexed};
use super::output::Problem;
use super::reserved::Declared;

/// Attributes that change neither what is instrumented nor what runs, or that CUDA's compiler has itself.
const ATTRIBUTES: &[&str] = &[
    "align",
    "aligned",
    "alloc_size",
    "always_inline",
    "assume",
    "assume_aligned",
    "cold",
    "const",
    "constant",
    "convergent",
    "deprecated",
    "device",
    "device_builtin",
    "diagnose_if",
    "enable_if",
    "error",
    "fallthrough",
    "flatten",
    "format",
    "format_arg",
    "global",
    "host",
    "hot",
    "leaf",
    "likely",
    "malloc",
    "managed",
    "maybe_unused",
    "may_alias",
    "no_unique_address",
    "nodiscard",
    "noduplicate",
    "noinline",
    "nomerge",
    "nonnull",
    "noreturn",
    "nothrow",
    "nv_pure",
    "nv_weak_odr",
    "packed",
    "pure",
    "returns_nonnull",
    "shared",
    "unlikely",
    "unused",
    "used",
    "visibility",
    "warn_unused_result",
    "warning",
];

/// Pragmas that CUDA's compiler has, or that change nothing but messages and how loops are unrolled. Of those in a compiler's own
/// name, the second word decides.
const PRAGMAS: &[&str] = &[
    "diag_default",
    "diag_error",
    "diag_once",
    "diag_remark",
    "diag_suppress",
    "diag_warning",
    "endregion",
    "hd_warning_disable",
    "inline_depth",
    "ivdep",
    "message",
    "nounroll",
    "nv_abi",
    "nv_diag_default",
    "nv_diag_error",
    "nv_diag_once",
    "nv_diag_remark",
    "nv_diag_suppress",
    "nv_diag_warning",
    "nv_diagnostic",
    "nv_exec_check_disable",
    "once",
    "pack",
    "pop_macro",
    "push_macro",
    "region",
    "unroll",
];
const OF_COMPILERS: &[&str] = &["GCC", "clang"];
const TOLD_COMPILERS: &[&str] = &["diagnostic", "error", "ivdep", "loop", "poison", "unroll", "warning"];

/// Whether a symbol is of the emulator's own runtime or of the host's library.
pub fn is_of_host(symbol: &str) -> bool {
    symbol.starts_with("emulated_")
        || symbol.starts_with("__tsan_")
        || matches!(symbol, "memcpy" | "memmove" | "memset" | "memcmp")
}

/// Refuses attributes, pragmas and functions, wherever macros brought them from, that are not spelled in the emulator's headers.
pub fn check_code(lexed: &Lexed) -> Result<(), Problem> {
    for &(start, end) in &lexed.pragmas {
        if !lexed.is_own(start) {
            check_pragma(&lexed.source[start..end]).map_err(|words| Problem { at: start, words })?;
        }
    }
    let declared = Declared::of(lexed);
    let not_of_kernels = |name: String| {
        format!("`{name}` is not part of a kernel: CUDA's run-time compiler has no use for it, so remove it")
    };
    for (at, token) in lexed.tokens.iter().enumerate() {
        let refused = match lexed.source.as_bytes()[token.start] {
            b'_' | b'e' | b'g' | b't' if token.kind == Kind::Word => match lexed.text(at) {
                "__attribute__" | "__attribute" => attributes(lexed, at + 3).map(not_of_kernels),
                word @ ("emulated_host_asm" | "emulated_attach") => Some(not_of_kernels(word.to_string())),
                _ => declared.refusal(lexed, at),
            },
            b'[' if lexed.text(at + 1) == "[" => attributes(lexed, at + 2).map(not_of_kernels),
            _ => None,
        };
        if let Some(words) = refused.filter(|_| !lexed.is_own(token.start)) {
            return Err(Problem { at: token.start, words });
        }
    }
    Ok(())
}

/// The first name in a list of attributes, from `at` up to its closing bracket, that is not a known one.
fn attributes(lexed: &Lexed, mut at: usize) -> Option<String> {
    let mut wanted = true;
    let mut depth = 0_u32;
    loop {
        let text = lexed.text(at);
        match text {
            "" => return None,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return None,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => wanted = true,
            // A namespace: the name follows. `using` has one, too.
            "using" | ":" | "::" => wanted = true,
            _ if depth == 0 && wanted && lexed.tokens[at].kind == Kind::Word => {
                wanted = false;
                let is_namespace = matches!(lexed.text(at + 1), "::" | ":");
                let plain = text.trim_start_matches('_').trim_end_matches('_');
                if !is_namespace && !ATTRIBUTES.contains(&plain) {
                    return Some(format!("__attribute__(({plain}))"));
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Refuses a pragma by its line, from the `#` on.
pub fn check_pragma(line: &str) -> Result<(), String> {
    let text = line.trim_start_matches('#').trim_start();
    let mut words = text["pragma".len()..]
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty());
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let of_compiler = OF_COMPILERS.contains(&first);
    let is_known = if of_compiler { TOLD_COMPILERS.contains(&second) } else { PRAGMAS.contains(&first) };
    if !is_known && !first.is_empty() {
        let name = if of_compiler { format!("{first} {second}") } else { first.to_string() };
        return Err(format!("`#pragma {name}` is not part of CUDA C++: remove it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::check_code;

    #[test]
    fn attributes_that_hide_code_or_run_it_at_load_are_refused_however_they_are_written() {
        for attribute in [
            "__attribute__((no_sanitize(\"thread\")))",
            "__attribute__((noinline, __no_sanitize_thread__))",
            "__attribute((aligned(4), no_instrument_function))",
            "[[gnu::no_sanitize(\"thread\")]]",
            "[ [ noreturn, clang::no_sanitize(\"thread\") ] ]",
            "[[using gnu: pure, constructor(101)]]",
            "__attribute__((constructor))",
            "__attribute__((section(\".init_array\"), used))",
            "__attribute__((alias(\"f\")))",
            "__attribute__((ifunc(\"f\")))",
            "__attribute__((weakref(\"system\")))",
            "__attribute__((optimize(\"O0\")))",
            "__attribute__((disable_sanitizer_instrumentation))",
            "__attribute__((vector_size(32)))",
            "__attribute__((ext_vector_type(4)))",
            "__attribute__((cleanup(f)))",
            "__attribute__((naked))",
            "__attribute__((target(\"avx2\")))",
            "__attribute__((address_space(257)))",
            "__attribute__((tls_model(\"initial-exec\")))",
        ] {
            let error =
                check_code(&format!("# 4 \"k.cu\"\n\n{attribute} void g();")).unwrap_err().to_string();
            assert!(error.starts_with("k.cu:5: "), "{attribute}: {error}");
        }
    }

    #[test]
    fn attributes_of_kernels_are_taken() {
        for text in [
            "__attribute__((aligned(16))) int a; [[nodiscard]] int f(); int b = c[d[1]];",
            "[[gnu::always_inline, deprecated(\"no_sanitize\")]] int f(); struct __attribute__((__packed__)) P {};",
            "#pragma unroll 4\n#pragma GCC unroll 4\n#pragma nv_diag_suppress 177\n#pragma\n",
        ] {
            assert_eq!(check_code(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn pragmas_that_change_how_code_is_compiled_are_refused() {
        for pragma in [
            "GCC optimize(\"O0\")",
            "clang attribute push(x)",
            "weak f = g",
            "redefine_extname f system",
            "GCC push_options",
            "GCC target(\"avx2\")",
            "clang fp contract(fast)",
            "STDC FENV_ACCESS ON",
            "omp parallel for",
        ] {
            let error = check_code(&format!("int a;\n#pragma {pragma}\n")).unwrap_err().to_string();
            assert!(error.contains("is not part of CUDA C++"), "{error}");
        }
    }

    #[test]
    fn only_what_is_spelled_in_a_header_of_the_emulator_may_hide() {
        let hidden = "__attribute__((no_sanitize(\"thread\"))) int f();";
        let header = format!(
            "# 1 \"k.cpp\"\n# 1 \"cuda/mma.h\" 1 3\n# 4 \"cuda/mma.h\" 3\n{hidden}\n# 2 \"k.cpp\" 2\n"
        );
        assert_eq!(check_code(&header), Ok(()));
        for text in [
            // Its macro in a kernel file; a name that `#line` gave; a macro of the kernel in a header; a header of somebody else.
            format!("# 1 \"k.cu\"\n# 1 \"k.cu\" 3\n{hidden}"),
            format!("# 1 \"cuda/mma.h\"\n# 1 \"cuda/mma.h\" 3\n{hidden}"),
            format!("# 1 \"cuda/mma.h\" 1 3\n# 4 \"cuda/mma.h\"\n{hidden}"),
            format!("# 1 \"cuda/../mma.h\" 1 3\n{hidden}"),
        ] {
            assert!(check_code(&text).is_err(), "{text}");
        }
    }
}
