//! What a file calls its vertices.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use strum::{EnumString, VariantNames};

/// What a file calls its vertices, which a [`Graph`](crate::Graph) counts from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "vertices", content = "names", rename_all = "kebab-case")]
pub enum Names {
    /// By their numbers, from 0.
    FromZero,
    /// By their numbers and 1.
    FromOne,
    /// The name of each. Where all are numbers they ascend, and other names are in the order in which the file first mentions them.
    #[serde(rename = "named")]
    Given(Vec<Box<str>>),
}

/// How the vertices of a file are named. As a word, which is parsed and listed, it is `from-zero` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Numbering {
    /// By numbers from 0; those that the file does not mention are vertices without arcs.
    FromZero,
    /// By numbers from 1.
    FromOne,
    /// By any words; vertices are those that the file mentions.
    Named,
}

impl Names {
    /// How vertices are named.
    pub fn numbering(&self) -> Numbering {
        match self {
            Self::FromZero => Numbering::FromZero,
            Self::FromOne => Numbering::FromOne,
            Self::Given(_) => Numbering::Named,
        }
    }

    /// The name of a vertex; its number, counted from 0, if it is none of the graph.
    pub fn name(&self, vertex: usize) -> Cow<'_, str> {
        match self {
            Self::FromZero => vertex.to_string().into(),
            Self::FromOne => (vertex as u128 + 1).to_string().into(),
            Self::Given(names) => match names.get(vertex) {
                Some(name) => Cow::Borrowed(name),
                None => vertex.to_string().into(),
            },
        }
    }

    /// The vertex of this name among `n`. O(n) where names are given.
    pub fn vertex(&self, name: &str, n: usize) -> Option<usize> {
        let number = match self {
            Self::FromZero => name.parse().ok(),
            Self::FromOne => name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)),
            Self::Given(names) => names.iter().position(|given| **given == *name),
        };
        number.filter(|vertex| *vertex < n)
    }
}
