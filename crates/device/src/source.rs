//! Kernel files, embedded in the binary or given.

use include_dir::{Dir, include_dir};
use repro_base::ElementType;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

static KERNELS: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../kernels");

/// The texts of `kernels/`, by the names of their files.
pub fn embedded_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    KERNELS.files().filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
}

/// Headers of `kernels/`, which any kernel file may include, by the name it includes them with.
pub static HEADERS: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| embedded_files().filter(|(file, _)| file.ends_with(".cuh")).collect());

/// One CUDA C++ file and how it is to be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelSource {
    /// Its file name, for messages.
    pub file: Cow<'static, str>,
    pub text: Cow<'static, str>,
    /// Headers that lie next to it, by the names that it includes them with. A header with the name of an embedded one replaces it.
    pub headers: Vec<(String, String)>,
    /// A cubin, for one architecture alone, that GPUs run in place of what the text would compile to. The emulated device, which runs no
    /// machine code, takes the text, where there is one.
    pub cubin: Option<Arc<[u8]>>,
    /// Macros that are defined before its first line: names and values.
    pub defines: Vec<(String, String)>,
    /// Whether it uses what one architecture alone has (`sm_90a`), so that no newer one runs it.
    pub architecture_specific: bool,
}

impl KernelSource {
    /// A file from `kernels/` as it is.
    pub const fn embedded(file: &'static str, text: &'static str) -> Self {
        Self {
            file: Cow::Borrowed(file),
            text: Cow::Borrowed(text),
            headers: Vec::new(),
            cubin: None,
            defines: Vec::new(),
            architecture_specific: false,
        }
    }

    /// A file from elsewhere.
    pub fn new(file: String, text: String) -> Self {
        Self { file: file.into(), text: text.into(), ..Self::embedded("", "") }
    }

    /// This source with one macro more. A cubin beside a text is dropped: it was compiled without the macro.
    #[must_use]
    pub fn with_define(mut self, name: &str, value: &str) -> Self {
        self.cubin.take_if(|_| !self.text.is_empty());
        self.defines.push((name.to_string(), value.to_string()));
        self
    }

    /// This source for distances of this type, by the macro that `repro.cuh` reads.
    #[must_use]
    pub fn for_element(self, element: ElementType) -> Self {
        match element {
            ElementType::F32 => self,
            ElementType::I32 => self.with_define("DISTANCE_I32", "1"),
            ElementType::U16 => self.with_define("DISTANCE_U16", "1"),
            ElementType::F64 => self.with_define("DISTANCE_F64", "1"),
        }
    }

    /// What it may include: its own headers, and the embedded ones that none of its own replaces.
    pub fn all_headers(&self) -> Vec<(&str, &str)> {
        let own = self.headers.iter().map(|(name, text)| (&**name, &**text));
        let is_free = |name: &str| !self.headers.iter().any(|(own, _)| own == name);
        own.chain(HEADERS.iter().copied().filter(|(name, _)| is_free(name))).collect()
    }

    /// The hash of the file, of the headers it reaches and of how it is compiled, or of the machine code in place of that: code with the same
    /// hash computes the same.
    pub fn hash(&self) -> String {
        let code = self.cubin.as_deref().map(code_hash);
        let (text, code) = match code {
            Some(code) if self.text.is_empty() => (code, None),
            code => (source_hash(&self.text, &self.all_headers()), code),
        };
        let defines = self.defines.iter().map(|(name, value)| format!("#define {name} {value}\n"));
        let specific = self.architecture_specific.then(|| "specific".to_string());
        let how: String = defines.chain(specific).chain(code).collect();
        if how.is_empty() { text } else { source_hash(&format!("{text}\n{how}"), &[]) }
    }

    /// Its macros, then the file with each header that it reaches in the place of its first inclusion. `#line` directives say which
    /// file each line is from.
    pub fn expanded(&self) -> String {
        let mut whole: String =
            self.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        expand(&self.file, &self.text, &self.all_headers(), &mut Vec::new(), &mut whole);
        whole
    }

    /// Changes the row-major n x n matrix into what kernels work on, and back.
    pub const LAYOUT: KernelSource =
        KernelSource::embedded("layout.cu", include_str!("../../../kernels/layout.cu"));

    /// Trees of shortest paths by distances.
    pub const TREES: KernelSource = KernelSource::embedded(
        "shortest_path_trees.cu",
        include_str!("../../../kernels/shortest_path_trees.cu"),
    );

    /// Facts about weights that lie on a device: whether they are symmetric, which are refused or negative, and the largest.
    pub const WEIGHTS: KernelSource =
        KernelSource::embedded("weight_range.cu", include_str!("../../../kernels/weight_range.cu"));

    /// The register-only arithmetic that bounds every kernel.
    pub const CEILINGS: KernelSource =
        KernelSource::embedded("ceilings.cu", include_str!("../../../kernels/ceilings.cu"));

    /// How long a load of global memory takes.
    pub const LOAD_LATENCY: KernelSource =
        KernelSource::embedded("load_latency.cu", include_str!("../../../kernels/load_latency.cu"));
}

fn expand<'a>(
    file: &str,
    text: &str,
    headers: &[(&'a str, &'a str)],
    seen: &mut Vec<&'a str>,
    whole: &mut String,
) {
    whole.push_str(&format!("#line 1 \"{file}\"\n"));
    for (number, line) in text.lines().enumerate() {
        let header = included(line).and_then(|wanted| headers.iter().find(|(name, _)| *name == wanted));
        if let Some((name, content)) = header {
            if !seen.contains(name) {
                seen.push(name);
                expand(name, content, headers, seen, whole);
            }
            whole.push_str(&format!("#line {} \"{file}\"\n", number + 2));
        } else {
            // The pragma would be about the whole expanded file.
            whole.push_str(if line.trim() == "#pragma once" { "" } else { line });
            whole.push('\n');
        }
    }
}

/// The first 128 bits of a BLAKE3 hash of machine code, in hexadecimal.
pub fn code_hash(code: &[u8]) -> String {
    blake3::hash(code).to_hex()[..32].to_string()
}

/// The file at this path within `kernels/`.
pub fn embedded(path: &str) -> Option<&'static [u8]> {
    KERNELS.get_file(path).map(|file| file.contents())
}

/// The first 128 bits of a BLAKE3 hash, in hexadecimal, over `text` and those of `headers` that it includes, directly or
/// through another; a header that it does not reach may change without changing the hash.
pub fn source_hash(text: &str, headers: &[(&str, &str)]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in reachable_headers(text, headers) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_string()
}

/// The file that a line includes by its name in quotes.
pub fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    rest.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name)
}

/// `text`, and each of `headers` that it includes, directly or through another, once.
fn reachable_headers<'a>(text: &'a str, headers: &[(&str, &'a str)]) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let mut pending = vec![text];
    let mut seen: Vec<&str> = Vec::new();
    while let Some(part) = pending.pop() {
        parts.push(part);
        let wanted: Vec<&str> = part.lines().filter_map(included).collect();
        for (name, content) in headers {
            if wanted.contains(name) && !seen.contains(name) {
                seen.push(name);
                pending.push(content);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_counts_when_it_is_reached_and_only_then() {
        let text = "#include \"a.cuh\"\nint x;";
        let with = |a, b| source_hash(text, &[("a.cuh", a), ("b.cuh", b)]);
        assert_eq!(with("1", "1"), with("1", "2"));
        assert_ne!(with("1", "1"), with("2", "1"));
        assert_ne!(with("#include \"b.cuh\"", "1"), with("#include \"b.cuh\"", "2"));
    }

    #[test]
    fn a_header_is_expanded_once_and_every_line_keeps_its_file_and_number() {
        let text = "// first\n#include \"doubly_tiled.cuh\"\n#include \"doubly_tiled.cuh\"\nlast\n";
        let whole = KernelSource::embedded("x.cu", text).expanded();
        assert!(whole.starts_with("#line 1 \"x.cu\"\n// first\n#line 1 \"doubly_tiled.cuh\"\n"), "{whole}");
        assert_eq!(whole.matches("tile_start(int").count(), 1);
        assert!(!whole.contains("#pragma once") && !whole.contains("#include"));
        assert!(whole.ends_with("#line 3 \"x.cu\"\n#line 4 \"x.cu\"\nlast\n"), "{whole}");
    }

    #[test]
    fn an_include_is_found_with_blanks_and_a_comment_and_no_other_line_is_one() {
        for line in ["#include \"a.cuh\"", "  #  include \"a.cuh\" // ours", "#include\"a.cuh\"\t"] {
            assert_eq!(included(line), Some("a.cuh"), "{line}");
        }
        for line in ["// #include \"a.cuh\"", "#include <a.cuh>", "#include \"a.cuh", "include \"a.cuh\""] {
            assert_eq!(included(line), None, "{line}");
        }
        let given = |header: &str| KernelSource {
            headers: vec![("a.cuh".to_string(), header.to_string())],
            ..KernelSource::new("x.cu".to_string(), "# include \"a.cuh\"  // ours\nint x;\n".to_string())
        };
        assert!(given("int a;").expanded().contains("\nint a;\n#line 2 \"x.cu\"\nint x;"));
        assert_ne!(given("int a;").hash(), given("int b;").hash());
    }

    #[test]
    fn another_macro_or_machine_code_is_another_source() {
        let plain = KernelSource::embedded("x.cu", "int x;");
        let hashes = ElementType::ALL.map(|element| plain.clone().for_element(element).hash());
        assert_eq!(hashes[0], plain.hash());
        assert!((1..4).all(|at| !hashes[..at].contains(&hashes[at])), "{hashes:?}");
        assert_eq!(hashes[0], source_hash("int x;", &HEADERS));
        assert!(plain.for_element(ElementType::U16).expanded().starts_with("#define DISTANCE_U16 1\n"));
        // So is machine code in place of compiling it, and another text with the same.
        let with = |text: &'static str, code: &[u8]| KernelSource {
            cubin: Some(code.into()),
            ..KernelSource::embedded("x.cu", text)
        };
        let sources =
            [with("int x;", b"a"), with("int x;", b"b"), with("int y;", b"a")].map(|one| one.hash());
        assert!((0..3).all(|at| sources[at] != hashes[0] && !sources[..at].contains(&sources[at])));
        assert_eq!(with("", b"a").hash(), code_hash(b"a"));
        assert_eq!(with("int x;", b"a").with_define("A", "1").cubin, None);
    }
}
