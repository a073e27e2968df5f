//! Kernel files, embedded in the binary.

/// Headers that any kernel file may include, by the name it includes them with.
pub const HEADERS: [(&str, &str); 3] = [
    ("repro.cuh", include_str!("../../kernels/repro.cuh")),
    ("blocked_three_tiles.cuh", include_str!("../../kernels/blocked_three_tiles.cuh")),
    ("doubly_tiled.cuh", include_str!("../../kernels/doubly_tiled.cuh")),
];

/// One CUDA C++ file from `kernels/`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelSource {
    /// Its file name, for messages.
    pub file: &'static str,
    pub text: &'static str,
}

impl KernelSource {
    /// The hash of the file and of the headers it reaches: code with the same hash computes the same.
    pub fn hash(&self) -> String {
        source_hash(self.text, &HEADERS)
    }

    /// The file and every embedded header, for those who look for a name in it.
    pub fn text_with_headers(&self) -> String {
        HEADERS.iter().fold(self.text.to_string(), |whole, (_, header)| whole + header)
    }

    /// Changes the row-major n x n matrix into what kernels work on, and back.
    pub const LAYOUT: KernelSource =
        KernelSource { file: "layout.cu", text: include_str!("../../kernels/layout.cu") };

    /// The register-only arithmetic that bounds every kernel.
    pub const CEILINGS: KernelSource =
        KernelSource { file: "ceilings.cu", text: include_str!("../../kernels/ceilings.cu") };
}

/// The first 128 bits of a BLAKE3 hash, in hexadecimal, over `text` and those of `headers` that it includes, directly or
/// through another; a header that it does not reach may change without changing the hash.
pub fn source_hash(text: &str, headers: &[(&str, &str)]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut pending = vec![text];
    let mut seen: Vec<&str> = Vec::new();
    while let Some(part) = pending.pop() {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
        for (name, content) in headers {
            if part.contains(&format!("#include \"{name}\"")) && !seen.contains(name) {
                seen.push(name);
                pending.push(content);
            }
        }
    }
    hasher.finalize().to_hex()[..32].to_string()
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
    fn every_include_in_a_header_names_an_embedded_header() {
        for (file, text) in HEADERS {
            for line in text.lines().filter(|line| line.starts_with("#include")) {
                let known = HEADERS.iter().any(|(name, _)| line == format!("#include \"{name}\""));
                assert!(known, "{file} includes what is not embedded: {line}");
            }
        }
    }
}
