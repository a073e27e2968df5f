//! The registry: every implementation that this process knows, by name; and the files that describe some, with everything that they name, as
//! records keep them. `repro-user` reads such a file and makes the implementation.

use crate::Implementation;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use thiserror::Error;

static REGISTRY: LazyLock<RwLock<Vec<Arc<Implementation>>>> =
    LazyLock::new(|| RwLock::new(super::built_in().into_iter().map(Arc::new).collect()));

/// Two implementations of one name.
#[derive(Debug, Error, PartialEq)]
#[error("there is an implementation '{0}' already: register it under another name")]
pub struct DuplicateName(pub String);

/// Adds an implementation, from whatever crate: from here on it is found by its name, after the others. A program does this before anything
/// else, and in its worker processes too.
///
/// # Errors
/// When the name is taken.
pub fn register(implementation: Implementation) -> Result<(), DuplicateName> {
    let mut all = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if all.iter().any(|known| known.name == implementation.name) {
        return Err(DuplicateName(implementation.name.to_string()));
    }
    all.push(Arc::new(implementation));
    Ok(())
}

/// Makes an implementation known by its name alone and not in the catalogue: for an experiment that brings implementations of its own,
/// which other experiments do not see.
///
/// # Errors
/// When the name is taken.
pub fn register_unlisted(implementation: Implementation) -> Result<(), DuplicateName> {
    register(Implementation { is_listed: false, ..implementation })
}

/// The files of all implementations that were given by one, listed or not, in the order in which they were registered.
pub fn given_files() -> Vec<ImplementationFile> {
    all(|_| true).iter().filter_map(|known| known.given.clone()).collect()
}

/// All implementations, in the order in which tables show them, without what is known by its name alone.
pub fn catalogue() -> Vec<Arc<Implementation>> {
    all(|known| known.is_listed)
}

fn all(wanted: impl Fn(&Implementation) -> bool) -> Vec<Arc<Implementation>> {
    let all = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
    all.iter().filter(|known| wanted(known)).cloned().collect()
}

/// The implementation of this name.
pub fn find(name: &str) -> Option<Arc<Implementation>> {
    all(|known| known.name == name).pop()
}

/// The names of the catalogue, in its order.
pub fn names() -> Vec<String> {
    catalogue().iter().map(|implementation| implementation.name.to_string()).collect()
}

/// An implementation by its name, with the implementation itself where this process knows it. Written and read as the name.
#[derive(Clone)]
pub struct ImplementationRef {
    name: Arc<str>,
    known: Option<Arc<Implementation>>,
}

impl ImplementationRef {
    pub fn find(name: &str) -> Self {
        Self { name: name.into(), known: find(name) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// None where this process does not know it.
    pub fn known(&self) -> Option<&Arc<Implementation>> {
        self.known.as_ref()
    }

    /// Whether it is known to need a device.
    pub fn needs_device(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.needs_device())
    }
}

impl From<&Arc<Implementation>> for ImplementationRef {
    fn from(known: &Arc<Implementation>) -> Self {
        Self { name: (&*known.name).into(), known: Some(known.clone()) }
    }
}

impl PartialEq for ImplementationRef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for ImplementationRef {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

impl fmt::Display for ImplementationRef {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Serialize for ImplementationRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

impl<'de> Deserialize<'de> for ImplementationRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::find(&String::deserialize(deserializer)?))
    }
}

/// A user's file with all that makes an implementation of it, in whatever process: its text and what lies next to it.
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
