//! A file that describes an implementation, with everything that it names, as records keep it. `repro-user` reads it and makes the
//! implementation.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What makes an implementation of a user's file, in whatever process: its text and what lies next to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImplementationFile {
    /// The file's own name, for messages.
    pub file: String,
    /// Where it lies, from the working folder where it is below that; programs are started from there.
    pub folder: PathBuf,
    /// The implementation's name.
    pub name: String,
    pub text: String,
    /// The kernel's source, and the headers next to it that it reaches, by their names.
    pub sources: Vec<(String, String)>,
    /// Machine code in the place of a source.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "hexadecimal")]
    pub cubin: Option<Vec<u8>>,
}

impl ImplementationFile {
    /// The first 128 bits of a BLAKE3 hash over all of it but its place, in hexadecimal.
    pub fn hash(&self) -> String {
        let names_and_texts = self.sources.iter().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
        let parts = [self.text.as_bytes()].into_iter().chain(names_and_texts).chain(self.cubin.as_deref());
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// Whether it is the adapter of a program that takes a GPU itself.
    pub fn is_program_on_gpu(&self) -> bool {
        let table: toml::Table = toml::from_str(&self.text).unwrap_or_default();
        let needs = table.get("program").and_then(|program| program.get("needs")?.get("gpu")?.as_bool());
        needs == Some(true)
    }
}

/// Bytes in records: two digits each.
mod hexadecimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "serde hands over a reference")]
    pub fn serialize<S: Serializer>(bytes: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = bytes.iter().flatten().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_some(&digits)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let byte = |at: usize| {
            let pair = digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
            pair.ok_or_else(|| D::Error::custom("machine code: expected two hexadecimal digits a byte"))
        };
        (0..digits.len()).step_by(2).map(byte).collect::<Result<_, _>>().map(Some)
    }
}
