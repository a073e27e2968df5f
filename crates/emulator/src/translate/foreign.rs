//! A kernel file becomes host code here. What would make it more than a kernel's code is refused: attributes that
//! change how it is instrumented, linked or loaded, and names of the host.
//!
//! Also refuses what CUDA has and the emulated device has not, where it is used, by its name and with what to do: a host's compiler would
//! say no more than that it knows no such name.

use super::declaration::Reader;
use super::lex::{TokenKind, TokenStream};
use super::output::SourceError;
use super::reserved_names::DeclaredNames;

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

/// Whether a symbol is of the emulator's own runtime or of the host's library.
pub fn is_of_host(symbol: &str) -> bool {
    symbol.starts_with("emulated_")
        || symbol.starts_with("__tsan_")
        || matches!(symbol, "memcpy" | "memmove" | "memset" | "memcmp")
}

/// Refuses attributes and functions that no kernel may use, also from macros, unless they are spelled in the emulator's headers.
pub fn check_code(lexed: &TokenStream) -> Result<(), SourceError> {
    let declared = DeclaredNames::of(lexed);
    let not_of_kernels = |name: String| {
        format!("`{name}` is not part of a kernel: CUDA's run-time compiler has no use for it, so remove it")
    };
    for (at, token) in lexed.tokens.iter().enumerate() {
        let refused = match lexed.source.as_bytes()[token.start] {
            b'_' | b'e' | b'g' | b't' if token.kind == TokenKind::Word => match lexed.text(at) {
                "__attribute__" | "__attribute" => attributes(lexed, at + 3).map(not_of_kernels),
                word @ ("emulated_host_asm" | "emulated_attach") => Some(not_of_kernels(word.to_string())),
                _ => declared.refusal(lexed, at),
            },
            b'[' if lexed.text(at + 1) == "[" => attributes(lexed, at + 2).map(not_of_kernels),
            _ => None,
        };
        if let Some(words) = refused.filter(|_| !lexed.is_own(token.start)) {
            return Err(SourceError { at: token.start, words });
        }
    }
    Ok(())
}

/// The first name in a list of attributes, from `at` up to its closing bracket, that is not a known one.
fn attributes(lexed: &TokenStream, mut at: usize) -> Option<String> {
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
            _ if depth == 0 && wanted && lexed.tokens[at].kind == TokenKind::Word => {
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

const TEXTURE: &str = "needs a texture or surface, which are not emulated: reach the data through a pointer, \
                       at least under `#ifdef REPRO_EMULATED`";
const LIBRARY: &str = "is of a library that the emulated device does not have: write this part in CUDA C++, \
                       at least under `#ifdef REPRO_EMULATED`";
const RUNTIME: &str = "is a call of the CUDA runtime, which is not emulated in kernels: let the host do it";
const LAUNCH: &str = "is a launch from a kernel, which is not emulated: launch from the host, or make the \
                      other kernel a `__device__` function and call it";

/// Names, with `*` for any ending; what must follow one; and what to do. `call`: a call, maybe with template arguments; `(`: a plain call;
/// `<`: a type that begins a declaration; `::`: a namespace; empty: anything.
const NAMES: &[(&[&str], &str, &str)] = &[
    (&["tex1D*", "tex2D*", "tex3D*", "texCubemap*"], "call", TEXTURE),
    (&["surf1D*", "surf2D*", "surf3D*", "surfCubemap*"], "call", TEXTURE),
    (&["texture", "surface"], "<", TEXTURE),
    (&["cub", "cute", "cutlass", "thrust"], "::", LIBRARY),
    (&["curand*"], "(", LIBRARY),
    (&["curandState*"], "", LIBRARY),
    (&["cudaLaunch*"], "(", LAUNCH),
    (&["cuda*"], "(", RUNTIME),
];

/// Why the token at `at` may not stand there, if it may not.
pub fn refusal(reader: &Reader, at: usize) -> Option<String> {
    let (text, lexed) = (|at| reader.text(at), reader.lexed);
    let glued = |at: usize| text(at + 1) == "<" && lexed.tokens[at].end == lexed.tokens[at + 1].start;
    let (name, why) = if text(at) == "<" {
        let opens = glued(at) && glued(at + 1) && at > 0 && text(at - 1) != "operator";
        ("<<<", opens.then_some(LAUNCH)?)
    } else {
        let before = text(at.wrapping_sub(1));
        let begins = matches!(before, ";" | "{" | "}" | "static" | "extern" | "typedef" | "const");
        let is_behind = |behind: &str| match text(at + 1) {
            "(" => matches!(behind, "call" | "("),
            "<" => behind == "call" || behind == "<" && begins,
            next => behind == next,
        };
        let is_this = |(names, behind, _): &&(&[&str], &str, &str)| {
            (behind.is_empty() || is_behind(behind)) && names.iter().any(|name| is_name(name, text(at)))
        };
        (text(at), NAMES.iter().find(is_this)?.2)
    };
    let member = at > 1 && (text(at - 1) == "." || text(at - 1) == ">" && text(at - 2) == "-");
    (!member && !is_declared(reader, name) && !lexed.is_own(lexed.tokens[at].start))
        .then(|| format!("`{name}` {why}"))
}

fn is_name(name: &str, word: &str) -> bool {
    let begun = name.strip_suffix('*').and_then(|start| word.strip_prefix(start));
    begun.map_or(word == name, |rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// Whether a file has something of its own by this name.
fn is_declared(reader: &Reader, word: &str) -> bool {
    let text = |at| reader.text(at);
    (1..reader.lexed.tokens.len()).filter(|&at| text(at) == word).any(|at| match text(at - 1) {
        "namespace" | "struct" | "class" | "union" => true,
        "return" | "else" | "do" | "case" => false,
        _ => text(at + 1) == "(" && (reader.is_word(at - 1) || text(reader.after_group(at + 1)) == "{"),
    })
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
        ] {
            assert_eq!(check_code(text), Ok(()), "{text}");
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
