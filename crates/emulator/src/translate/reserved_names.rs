//! Names that belong to compilers: what begins with two underscores, or with one and a capital. Of those that a host compiler knows
//! without a declaration, a kernel file may use the ones that CUDA's compiler has too. The others may reach memory without being seen by
//! the checker (`__builtin_ia32_movnti`), or mean what no GPU does (`__thread`).

use super::lex::{TokenKind, TokenStream};
use std::collections::HashSet;

/// Functions of compilers that CUDA has in device code: those of the CUDA C++ Programming Guide, and those that `offsetof`, `va_arg`,
/// `INFINITY` and `NAN` expand to, which only name a value.
const FUNCTIONS: &[&str] = &[
    "__builtin_addressof",
    "__builtin_assume",
    "__builtin_assume_aligned",
    "__builtin_bit_cast",
    "__builtin_constant_p",
    "__builtin_expect",
    "__builtin_expect_with_probability",
    "__builtin_huge_val",
    "__builtin_huge_valf",
    "__builtin_inf",
    "__builtin_inff",
    "__builtin_is_constant_evaluated",
    "__builtin_launder",
    "__builtin_nan",
    "__builtin_nanf",
    "__builtin_offsetof",
    "__builtin_unreachable",
    "__builtin_va_arg",
    "__builtin_va_copy",
    "__builtin_va_end",
    "__builtin_va_list",
    "__builtin_va_start",
];

/// Words of the language that need no declaration.
const LANGUAGE: &[&str] = &[
    "_Bool",
    "_Static_assert",
    "__FUNCTION__",
    "__PRETTY_FUNCTION__",
    "__alignof",
    "__alignof__",
    "__asm",
    "__asm__",
    "__attribute",
    "__attribute__",
    "__block_size__",
    "__cluster_dims__",
    "__const",
    "__const__",
    "__constant__",
    "__device__",
    "__extension__",
    "__func__",
    "__global__",
    "__grid_constant__",
    "__host__",
    "__inline",
    "__inline__",
    "__int128",
    "__int128_t",
    "__launch_bounds__",
    "__managed__",
    "__maxnreg__",
    "__null",
    "__restrict",
    "__restrict__",
    "__shared__",
    "__signed__",
    "__typeof",
    "__typeof__",
    "__uint128_t",
    "__underlying_type",
    "__volatile",
    "__volatile__",
];

/// Prefixes of the type traits that compilers have built in.
const OF_TYPES: [&str; 2] = ["__is_", "__has_"];

/// Prefixes of functions that host compilers build in, and what to use instead. GCC keeps the first three for itself and
/// documents no others; Clang has the rest.
const BUILT_IN: [(&str, &str); 9] = [
    ("__builtin_ia32_", INSTRUCTION),
    ("__builtin_", "use CUDA's own function (memcpy, __popc, __clz and so on), or a loop"),
    ("__sync_", ATOMIC),
    ("__atomic_", ATOMIC),
    ("__c11_atomic_", ATOMIC),
    ("__hip_atomic_", ATOMIC),
    ("__opencl_atomic_", ATOMIC),
    ("__scoped_atomic_", ATOMIC),
    ("_mm", INSTRUCTION),
];
const INSTRUCTION: &str = "write it in CUDA C++, or as PTX in an asm statement";
const ATOMIC: &str = "use CUDA's atomic functions (atomicAdd, atomicCAS and so on) or cuda::atomic_ref";

/// Words that are not CUDA, and what to use instead: words of host compilers, and functions of warps that CUDA has removed.
const FOREIGN: &[(&str, &str)] = &[
    ("thread_local", "use a local variable, which every thread has one of"),
    ("_Thread_local", "use a local variable, which every thread has one of"),
    ("__thread", "use a local variable, which every thread has one of"),
    ("_Atomic", ATOMIC),
    ("__declspec", "remove it"),
    ("__label__", "use a loop or a plain label"),
    ("__seg_fs", "remove it"),
    ("__seg_gs", "remove it"),
    ("__shfl", "use __shfl_sync, with the mask of the lanes that take part"),
    ("__shfl_up", "use __shfl_up_sync, with the mask of the lanes that take part"),
    ("__shfl_down", "use __shfl_down_sync, with the mask of the lanes that take part"),
    ("__shfl_xor", "use __shfl_xor_sync, with the mask of the lanes that take part"),
    ("__ballot", "use __ballot_sync, with the mask of the lanes that take part"),
    ("__any", "use __any_sync, with the mask of the lanes that take part"),
    ("__all", "use __all_sync, with the mask of the lanes that take part"),
];

/// Which reserved names a unit declares, in its own text or in the emulator's headers.
pub struct DeclaredNames<'a>(HashSet<&'a str>);

impl<'a> DeclaredNames<'a> {
    pub fn of(lexed: &TokenStream<'a>) -> Self {
        let is_declared = |at: &usize| {
            let token = lexed.tokens[*at];
            token.kind == TokenKind::Word && is_reserved(lexed.text(*at)) && is_declaration(lexed, *at)
        };
        Self((0..lexed.tokens.len()).filter(is_declared).map(|at| lexed.text(at)).collect())
    }

    /// Why the word at a token may not be used, in words that begin with its name; None if it may.
    pub fn refusal(&self, lexed: &TokenStream, at: usize) -> Option<String> {
        let word = lexed.text(at);
        if word == "goto" {
            let jumps = "`goto *` jumps to a computed address, which CUDA has no way to do: use a switch";
            return (lexed.text(at + 1) == "*").then(|| jumps.to_string());
        }
        if !(is_reserved(word) || word.starts_with("_mm") || word == "thread_local") {
            return None;
        }
        if let Some((_, remedy)) = FOREIGN.iter().find(|(foreign, _)| *foreign == word) {
            return Some(format!("`{word}` is no word of CUDA device code: {remedy}"));
        }
        if FUNCTIONS.contains(&word) || LANGUAGE.contains(&word) {
            return None;
        }
        if let Some((_, remedy)) = BUILT_IN.iter().find(|(prefix, _)| word.starts_with(prefix)) {
            return Some(format!(
                "`{word}` is a function of host compilers that CUDA device code has not: {remedy}"
            ));
        }
        if OF_TYPES.iter().any(|prefix| word.starts_with(prefix)) || self.0.contains(word) {
            return None;
        }
        Some(format!(
            "`{word}` is neither part of CUDA on the emulated device nor declared in this file: use what CUDA has in its place"
        ))
    }
}

/// Whether C++ keeps a name for compilers and their libraries.
fn is_reserved(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next() == Some('_')
        && letters.next().is_some_and(|second| second == '_' || second.is_ascii_uppercase())
}

/// Whether a word stands where no word of the language can, but a name that is declared: after a type and before parentheses, or before
/// what ends a declarator.
fn is_declaration(lexed: &TokenStream, at: usize) -> bool {
    let next = lexed.text(at + 1);
    if matches!(next, "=" | "," | ";" | ")" | "]" | "}" | "[" | "{" | ":") {
        return true;
    }
    let Some(before) = at.checked_sub(1) else { return false };
    let previous = lexed.text(before);
    // A parameter of a template.
    if matches!(previous, "typename" | "class") && next == ">" {
        return true;
    }
    let is_type = match lexed.tokens[before].kind {
        TokenKind::Word => !NO_TYPES.contains(&previous),
        TokenKind::Mark => matches!(previous, "*" | "&" | ">" | "::"),
        _ => false,
    };
    is_type && matches!(next, "(" | "<")
}

/// Words that no type ends with.
const NO_TYPES: &[&str] = &[
    "case",
    "co_return",
    "constexpr",
    "delete",
    "do",
    "else",
    "explicit",
    "extern",
    "friend",
    "goto",
    "inline",
    "mutable",
    "new",
    "operator",
    "register",
    "return",
    "sizeof",
    "static",
    "throw",
    "typedef",
    "virtual",
    "__inline",
    "__inline__",
];

#[cfg(test)]
mod tests {
    use super::super::check_code;

    #[track_caller]
    fn refused(text: &str) -> String {
        check_code(&format!("# 4 \"k.cu\"\n\n{text}")).unwrap_err().to_string()
    }

    #[test]
    fn what_host_compilers_build_in_is_refused_by_its_name_with_what_to_use() {
        for (text, name, remedy) in [
            ("void f(int *p) { __builtin_ia32_movnti(p, 1); }", "__builtin_ia32_movnti", "PTX"),
            ("extern \"C\" void __builtin_ia32_movnti(int *, int);", "__builtin_ia32_movnti", "PTX"),
            ("void f(char *p) { __builtin_strcpy(p, \"abc\"); }", "__builtin_strcpy", "a loop"),
            ("int f(int n) { return __builtin_popcount(n); }", "__builtin_popcount", "__popc"),
            ("void *f(int n) { return __builtin_alloca(n); }", "__builtin_alloca", "a loop"),
            (
                "void f(int *p) { __builtin_nontemporal_store(1, p); }",
                "__builtin_nontemporal_store",
                "a loop",
            ),
            ("void f(int *p) { __sync_fetch_and_add(p, 1); }", "__sync_fetch_and_add", "atomicAdd"),
            ("void f(int *p) { __atomic_store_n(p, 1, 5); }", "__atomic_store_n", "atomicAdd"),
            ("void f(int *p) { __c11_atomic_store(p, 1, 5); }", "__c11_atomic_store", "atomicAdd"),
            ("extern \"C\" void _mm_clflush(const void *);", "_mm_clflush", "PTX"),
        ] {
            let error = refused(text);
            assert!(
                error.starts_with(&format!("k.cu:5: `{name}` ")) && error.contains(remedy),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn words_of_host_compilers_that_no_device_code_has_are_refused() {
        for text in [
            "static __thread int a;",
            "thread_local int a;",
            "_Thread_local int a;",
            "int f(int __seg_fs *p) { return *p; }",
            "_Atomic int a; int b;",
            "static _Atomic(int) a;",
            "__float128 a;",
            "void f() { __label__ a; }",
            "__auto_type a = 1;",
            "static __complex__ float a;",
            "void f(void *p) { goto *p; }",
            "__declspec(naked) void f();",
        ] {
            let error = refused(text);
            assert!(error.starts_with("k.cu:5: `"), "{text}: {error}");
        }
    }

    #[test]
    fn names_of_the_file_and_of_cuda_are_taken() {
        for text in [
            "template <class _U> struct __one { _U a; };",
            "template <class _T, int __n> struct __vector { _T __x[__n]; }; __vector<int, 3> v;",
            "static inline float __least(float a, float b) { return a < b ? a : b; } float c = __least(1, 2);",
            "enum { __A = 1, __B }; typedef int __word; __word w = __A; int *__f(int); int x = *__f(1);",
            "int f(const int *__restrict p) { return __builtin_expect(p != __null, 1) ? *p : 0; }",
            "static_assert(__is_same(int, int)); unsigned __int128 wide; const char *name() { return __func__; }",
            "int a; int f() { goto done; done: return __extension__ ({ int b = a; b; }); }",
            "extern \"C\" __global__ void __kernel(int *p);",
        ] {
            assert_eq!(check_code(text), Ok(()), "{text}");
        }
    }
}
