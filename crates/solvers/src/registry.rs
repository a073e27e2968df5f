//! The registry: every implementation that this process knows, by name.

use super::{Implementation, ImplementationFile, Parameters};
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
    if all.iter().any(|known| known.name == implementation.name) {
        return Err(AlreadyRegistered(implementation.name.to_string()));
    }
    all.push(Arc::new(implementation));
    Ok(())
}

/// Makes an implementation known by its name alone and not in the catalogue: for an experiment that brings its own implementations along, which are
/// nothing to other experiments.
///
/// # Errors
/// When the name is taken.
pub fn register_unlisted(implementation: Implementation) -> Result<(), AlreadyRegistered> {
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

/// `parameters` of the implementation of this name without those that are what they would be anyway; all of one that is not known.
pub fn non_default(name: &str, parameters: &Parameters) -> Parameters {
    find(name).map_or_else(|| parameters.clone(), |known| parameters.without(&known.defaults()))
}

/// All names, separated by commas, for messages.
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
