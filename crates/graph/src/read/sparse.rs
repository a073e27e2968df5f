//! Sparse matrices that `scipy.sparse.save_npz` stores in compressed sparse rows.

use super::npz::Archive;
use super::{Names, Read, ReadOptions, ReadProblem, StoredGraph};
use crate::npy::{Array, NO_COUNT, NpyHeader, count};
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
    let (rows, columns) = (shape[0], shape[1]);
    if rows != columns {
        return Err(ReadProblem::NotSquare { rows, columns });
    }
    let offsets = counts(archive, "indptr.npy", rows.saturating_add(1))?;
    let m = offsets.last().copied().unwrap_or(0);
    let heads = line(archive.array("indices.npy")?, m)?;
    let heads = heads.all(NO_COUNT, |head| u32::try_from(count(head)?).ok())?;
    let weights = line(archive.array("data.npy")?, m)?.weights()?;
    let (arcs, dropped) = Arcs::from_csr(offsets, heads, weights, options.undirected)?;
    Ok((StoredGraph::Arcs(arcs), Names::FromZero, dropped))
}

/// The name of the format: a single text of bytes, or of letters of four.
fn format(archive: &mut Archive) -> Result<String, ReadProblem> {
    let mut member = archive.member("format.npy")?;
    NpyHeader::read(&mut member).map_err(|problem| problem.in_array("format.npy"))?;
    let mut text = Vec::new();
    member.by_ref().take(LONGEST_FORMAT).read_to_end(&mut text).map_err(ReadProblem::Archive)?;
    text.retain(|byte| *byte != 0);
    Ok(text.escape_ascii().to_string())
}

fn counts(archive: &mut Archive, name: &str, length: usize) -> Result<Vec<usize>, ReadProblem> {
    line(archive.array(name)?, length)?.all(NO_COUNT, count)
}

/// The array, if it is one of this length.
fn line<R: std::io::Read>(array: Array<R>, length: usize) -> Result<Array<R>, ReadProblem> {
    if array.header.shape == [length] {
        Ok(array)
    } else {
        Err(array.header.unshapely(&array.name, &format!("({length},)")))
    }
}
