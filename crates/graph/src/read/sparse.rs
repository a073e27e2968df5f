//! Sparse matrices that `scipy.sparse.save_npz` stores in compressed sparse rows.

use super::error::ExpectedNumber;
use super::npz::Archive;
use super::{Names, Read, ReadOptions, ReadProblem, StoredGraph};
use crate::npy::{Array, NpyHeader, count};
use crate::{Arcs, Element};
use std::io::Read as _;

/// The longest name of a format, as text of four bytes a letter, and more.
const LONGEST_FORMAT: u64 = 64;

/// Reads the arrays of the archive, in any order that they lie in.
pub(super) fn read<T: Element>(archive: &mut Archive, options: &ReadOptions) -> Read<T> {
    let format = format(archive)?;
    if format != "csr" {
        return Err(ReadProblem::NotCsr { found: format });
    }
    let shape = counts(archive, "shape.npy", 2)?;
    let [n, columns] = shape[..] else {
        return Err(ReadProblem::Shape { array: "shape.npy".into(), shape, expected: "two numbers".into() });
    };
    if n != columns {
        let expected = "as many rows as columns".to_string();
        return Err(ReadProblem::Shape { array: "the matrix".into(), shape, expected });
    }
    let offsets = counts(archive, "indptr.npy", n.saturating_add(1))?;
    let m = offsets.last().copied().unwrap_or(0);
    let heads = line(archive.array("indices.npy")?, m)?;
    let head = |numbers, bytes: &[u8]| count(numbers, bytes).and_then(|head| u32::try_from(head).ok());
    let heads = heads.all(ExpectedNumber::Count, head)?;
    let weights = line(archive.array("data.npy")?, m)?.weights()?;
    let (arcs, dropped) = Arcs::from_csr(offsets, heads, weights, options.undirected)?;
    Ok((StoredGraph::Arcs(arcs), Names::FromZero, dropped))
}

/// The name of the format: a single text of bytes, or of letters of four.
fn format(archive: &mut Archive) -> Result<String, ReadProblem> {
    let mut member = archive.member("format.npy")?;
    let problem = |problem| ReadProblem::Array { array: "format.npy".into(), problem };
    NpyHeader::read(&mut member).map_err(problem)?;
    let mut text = Vec::new();
    member.by_ref().take(LONGEST_FORMAT).read_to_end(&mut text).map_err(ReadProblem::Archive)?;
    text.retain(|byte| *byte != 0);
    Ok(text.escape_ascii().to_string())
}

fn counts(archive: &mut Archive, name: &str, length: usize) -> Result<Vec<usize>, ReadProblem> {
    line(archive.array(name)?, length)?.all(ExpectedNumber::Count, count)
}

/// The array, if it is one of this length.
fn line<R: std::io::Read>(array: Array<R>, length: usize) -> Result<Array<R>, ReadProblem> {
    if array.header.shape == [length] {
        Ok(array)
    } else {
        Err(array.header.unshapely(&array.name, &format!("({length},)")))
    }
}
