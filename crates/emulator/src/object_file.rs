//! What a compiled kernel file may call, and what it may not have: code that runs when its library is loaded. How dynamic shared memory is
//! defined beside it.

use crate::EmulatorError;
use crate::options::{HEADERS, Source};
use crate::translate::{self, DYNAMIC_PREFIX};
use object::{Object, ObjectSection, ObjectSymbol, SymbolFlags, elf};
use std::collections::HashSet;
use std::process::Command;
use std::sync::LazyLock;

/// Something in an object file that no kernel has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForbiddenSymbol {
    /// A symbol that it calls and that is the host's.
    Calls(String),
    /// A section with functions that the loader calls.
    Starts(String),
    /// An indirect function (IFUNC), whose code is chosen while the library is loaded.
    Chooses(String),
}

/// Sections with functions that are called when a library is loaded or unloaded.
const STARTING: [&str; 6] = [".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".init"];
/// The section by which GCC has `__tsan_init` called, with one address in it, and the function that calls it.
const OF_GCC: (&str, &str) = (".init_array.00099", "_sub_I_00099_0");
/// GCC's functions that register and unregister the variables around which it left room.
const OF_BOUNDS: [&str; 2] = ["_sub_I_65535_1", "_sub_D_65535_0"];
/// Clang's function that calls `__tsan_init`.
const OF_CLANG: &str = "tsan.module_ctor";

/// What compilers call without being asked to, other than arithmetic.
const OF_COMPILERS: &[&str] = &[
    "",
    "_GLOBAL_OFFSET_TABLE_",
    "__tls_get_addr",
    "__stack_chk_fail",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "__cxa_guard_acquire",
    "__cxa_guard_release",
    "__cxa_guard_abort",
    "__cxa_pure_virtual",
    "__cxa_deleted_virtual",
    "__cxa_throw_bad_array_new_length",
    "__ubsan_handle_out_of_bounds",
    "__ubsan_handle_type_mismatch_v1",
    "__ubsan_handle_out_of_bounds_abort",
];

/// Functions of the host's mathematical library that CUDA has, too: those that the headers name in `EMULATED_MATH_` macros or
/// after `__builtin_`, and `sincos`, into which compilers merge two of them. A name may also end in `f`.
static MATHEMATICAL: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let texts =
        ["math.hpp", "special.hpp"].into_iter().filter_map(|name| HEADERS.get_file(name)?.contents_utf8());
    let words: Vec<&str> =
        texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let of_macros = words.windows(2).filter(|pair| pair[0].starts_with("EMULATED_MATH_")).map(|pair| pair[1]);
    let built_in =
        words.iter().filter_map(|word| word.strip_prefix("__builtin_").filter(|name| !name.is_empty()));
    of_macros.chain(built_in).chain(["sincos"]).collect()
});

/// What libgcc's arithmetic is called, between two underscores and the types.
const ARITHMETIC: &[&str] = &[
    "abs", "add", "ashl", "ashr", "bswap", "clz", "cmp", "ctz", "div", "divmod", "eq", "extend", "ffs",
    "fix", "fixuns", "float", "floatun", "floatuns", "ge", "gt", "le", "lshr", "lt", "mod", "mul", "mulo",
    "ne", "neg", "parity", "popcount", "powi", "sub", "trunc", "ucmp", "udiv", "udivmod", "umod", "unord",
];
const TYPES: [&str; 10] = ["qi", "hi", "si", "di", "ti", "bf", "hf", "sf", "df", "tf"];

/// Whether a kernel may call what it does not define.
fn is_of_devices(symbol: &str) -> bool {
    // The emulator itself attaches, and nobody else.
    let of_emulator = symbol.starts_with("emulated_") && symbol != "emulated_attach";
    of_emulator
        || symbol.starts_with("__tsan_")
        || symbol.starts_with("__asan_")
        || symbol == "__sanitizer_cov_trace_pc"
        || symbol.starts_with("__aarch64_")
        || OF_COMPILERS.contains(&symbol)
        || MATHEMATICAL.contains(symbol)
        || symbol.strip_suffix('f').is_some_and(|name| MATHEMATICAL.contains(name))
        || is_arithmetic(symbol)
}

/// Whether a symbol is libgcc's arithmetic, such as `__udivti3` and `__extendhfsf2`.
fn is_arithmetic(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("__") else { return false };
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let typed = |name: &str| TYPES.iter().find_map(|of| name.strip_suffix(of)).map(str::to_string);
    typed(name).is_some_and(|once| {
        ARITHMETIC.contains(&&*once) || typed(&once).is_some_and(|twice| ARITHMETIC.contains(&&*twice))
    })
}

/// The first thing in an object file that no kernel has. None for a file that cannot be parsed, which cannot be linked either.
pub fn foreign(object: &[u8]) -> Option<ForbiddenSymbol> {
    let file = object::File::parse(object).ok()?;
    let named = |wanted: &str| file.symbols().any(|symbol| symbol.name() == Ok(wanted));
    for section in file.sections() {
        let name = section.name().unwrap_or_default();
        let starts = STARTING.iter().any(|start| {
            name.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        let of_gcc = name == OF_GCC.0 && named(OF_GCC.1);
        let of_bounds = OF_BOUNDS.into_iter().all(named);
        let of_clang = named(OF_CLANG) && name.starts_with(".init_array");
        if starts && section.size() > 0 && !((of_gcc || of_bounds || of_clang) && section.size() == 8) {
            return Some(ForbiddenSymbol::Starts(name.to_string()));
        }
    }
    for symbol in file.symbols() {
        let name = symbol.name().unwrap_or_default();
        let chooses = matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info.st_type() == elf::STT_GNU_IFUNC);
        if chooses {
            return Some(ForbiddenSymbol::Chooses(name.to_string()));
        }
        if symbol.is_undefined() && !is_of_devices(name) {
            return Some(ForbiddenSymbol::Calls(name.to_string()));
        }
    }
    None
}

/// Whether an object file calls a function that it does not define.
pub fn calls(object: &[u8], name: &str) -> bool {
    object::File::parse(object)
        .is_ok_and(|file| file.symbols().any(|symbol| symbol.is_undefined() && symbol.name() == Ok(name)))
}

/// The symbol as C++ spells it.
pub(crate) fn spelled(symbol: &str) -> Option<String> {
    // `c++filt` comes with the assembler and linker that the compiler needs.
    let output = Command::new("c++filt").arg("--").arg(symbol).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Refuses an object file that calls the host, or has code that runs when it is loaded.
pub(crate) fn check_object(source: &Source, object: &[u8], preprocessed: &str) -> Result<(), EmulatorError> {
    let spelled = |name: &str| spelled(name).unwrap_or_else(|| name.to_string());
    // Compilers also call these by themselves: they are refused only where the text names them.
    let by_name = ["memmove", "memcmp"]
        .into_iter()
        .find(|name| calls(object, name) && translate::names(preprocessed, name));
    let found = by_name.map(|name| ForbiddenSymbol::Calls(name.to_string())).or_else(|| foreign(object));
    let file = &source.file;
    Err(EmulatorError::refused(match found {
        None => return Ok(()),
        Some(ForbiddenSymbol::Calls(name)) => format!(
            "{file} calls {}, which no device has: define it in the file, or do without it",
            spelled(&name)
        ),
        Some(ForbiddenSymbol::Starts(section)) => format!(
            "{file} has code that runs when it is loaded ({section}), which no kernel has: give variables constant values, and \
             take constructors and destructors out of those outside of functions"
        ),
        Some(ForbiddenSymbol::Chooses(name)) => format!(
            "{file} chooses {} when it is loaded, which no kernel does: define it as a plain function",
            spelled(&name)
        ),
    }))
}

/// C++ text that defines dynamic shared memory under the names that kernels give it. Linked last, it lies after everything else
/// that is thread-local; the launch says how many bytes it has.
pub(crate) fn dynamic_memory(object: &[u8]) -> String {
    let memory = "extern \"C\" __attribute__((visibility(\"hidden\"), aligned(1024), used, retain)) __thread char emulated_dynamic[16] = {};\n";
    let Ok(elf) = object::File::parse(object) else { return memory.to_string() };
    let undefined =
        elf.symbols().filter(|symbol| symbol.is_undefined()).filter_map(|symbol| symbol.name().ok());
    let names: String = undefined
        .filter(|name| name.starts_with(DYNAMIC_PREFIX))
        .map(|name| {
            format!("asm(\".globl {name}\\n.hidden {name}\\n.type {name},@tls_object\\n.set {name}, emulated_dynamic\");\n")
        })
        .collect();
    memory.to_string() + &names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_devices_and_compilers_may_be_called_and_those_of_the_host_not() {
        for name in [
            "sinf",
            "lroundf",
            "sincosf",
            "__udivti3",
            "__extendhfsf2",
            "memcpy",
            "emulated_heap",
            "__tsan_read4",
        ] {
            assert!(is_of_devices(name), "{name}");
        }
        for name in [
            "_exit",
            "system",
            "getenv",
            "syscall",
            "__libc_start_main",
            "emulated_attach",
            "__cxa_atexit",
            "f",
            "__si",
            "environ",
        ] {
            assert!(!is_of_devices(name), "{name}");
        }
    }
}
