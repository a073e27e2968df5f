//! The registry: every implementation that this process knows, by name.

use super::{FileError, GivenFile, Implementation, Parameters};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};
use thiserror::Error;

static REGISTRY: LazyLock<RwLock<Vec<Arc<Implementation>>>> =
    LazyLock::new(|| RwLock::new(super::built_in().into_iter().map(Arc::new).collect()));

/// Two implementations of one name.
#[derive(Debug, Error, PartialEq)]
#[error("there is an implementation '{0}' already: register it under another name")]
pub struct AlreadyRegistered(pub String);

/// Adds an implementation, from whatever crate: from here on it is found by its name, behind the others. A program does this before
/// anything else, and in its worker processes too.
///
/// # Errors
/// When the name is taken.
pub fn register(implementation: Implementation) -> Result<(), AlreadyRegistered> {
    let mut all = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    let is_taken = |known: &Arc<Implementation>| known.name == implementation.name;
    if all.iter().chain(&unlisted()).any(is_taken) {
        return Err(AlreadyRegistered(implementation.name.into_owned()));
    }
    all.push(Arc::new(implementation));
    Ok(())
}

/// Registers what a file describes. One that is known already by the same file stays.
///
/// # Errors
/// What is wrong with the file, or that its name is taken.
pub fn register_given(file: &GivenFile) -> Result<(), FileError> {
    if let Some(known) = find(&file.name) {
        return match known.method.given() {
            Some(known) if known.hash() == file.hash() => Ok(()),
            known => Err(file.name_is_taken(known)),
        };
    }
    register(file.implementation()?).map_err(|_| file.name_is_taken(None))
}

/// The files of all implementations that were given by one, in the order in which they were registered.
pub fn given_files() -> Vec<GivenFile> {
    catalogue().iter().filter_map(|known| known.method.given().cloned()).collect()
}

/// All implementations, in the order in which tables show them; not the faults for tests.
pub fn catalogue() -> Vec<Arc<Implementation>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Implementations that misbehave on purpose: known by name, listed nowhere.
fn unlisted() -> Vec<Arc<Implementation>> {
    #[cfg(feature = "fault-injection")]
    return super::fault_injection::FAULTS.clone();
    #[cfg(not(feature = "fault-injection"))]
    Vec::new()
}

/// The implementation of this name.
pub fn find(name: &str) -> Option<Arc<Implementation>> {
    catalogue().into_iter().chain(unlisted()).find(|implementation| implementation.name == name)
}

/// `parameters` of the implementation of this name without those that are what they would be anyway; all of one that is not known.
pub fn beyond_defaults(name: &str, parameters: &Parameters) -> Parameters {
    find(name).map_or_else(|| parameters.clone(), |known| parameters.beyond_defaults(&known.parameters))
}

/// All names, separated by commas, for messages.
pub fn names() -> Vec<String> {
    catalogue().iter().map(|implementation| implementation.name.to_string()).collect()
}

/// An implementation by its name, with the implementation itself where this process knows it. Written and read as the name.
#[derive(Clone)]
pub struct Named {
    name: Arc<str>,
    known: Option<Arc<Implementation>>,
}

impl Named {
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

impl From<&Arc<Implementation>> for Named {
    fn from(known: &Arc<Implementation>) -> Self {
        Self { name: (&*known.name).into(), known: Some(known.clone()) }
    }
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Debug::fmt(&self.name, f)
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::find(&String::deserialize(deserializer)?))
    }
}
