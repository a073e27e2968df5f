//! Sparse matrices that `scipy.sparse.save_npz` stores in compressed sparse rows.

use super::arrays::{Array, count};
use super::error::{ArrayPosition, Wanted};
use super::npz::Archive;
use super::{Names, Read, ReadOptions, ReadProblem, Stored};
use crate::{Arcs, ArcsBuilder, Weight};
use repro_graph::NpyArray;
use std::io::Read as _;

/// The longest name of a format, as text of four bytes a letter, and more.
const LONGEST_FORMAT: u64 = 64;

/// Reads the arrays of the archive, in any order that they lie in.
pub(super) fn read<T: Weight>(archive: &mut Archive, options: &ReadOptions) -> Read<T> {
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
    let firsts = counts(archive, "indptr.npy", n.saturating_add(1))?;
    let m = firsts.last().copied().unwrap_or(0);
    let heads = line(archive.array("indices.npy")?, m)?;
    let heads = heads.all(
        Wanted::Count,
        |_, head| count(head).and_then(|head| u32::try_from(head).ok()),
        ArrayPosition::Index,
    )?;
    let weights = line(archive.array("data.npy")?, m)?;
    let weights = weights.all(
        Wanted::Weight(T::TYPE),
        |numbers, weight| numbers.weight::<T>(weight),
        ArrayPosition::Index,
    )?;
    let (arcs, dropped) = if options.undirected {
        there_and_back(firsts, heads, weights)?
    } else {
        Arcs::from_csr(firsts, heads, weights)?
    };
    Ok((Stored::Arcs(arcs), Names::FromZero, dropped))
}

fn there_and_back<T: Weight>(
    firsts: Vec<usize>,
    heads: Vec<u32>,
    weights: Vec<T>,
) -> Result<(Arcs<T>, crate::Dropped), ReadProblem> {
    if firsts.first() != Some(&0) || !firsts.is_sorted() {
        // It says what is wrong.
        return Ok(Arcs::from_csr(firsts, heads, weights)?);
    }
    let mut builder = ArcsBuilder::with_vertices(firsts.len().saturating_sub(1))?.undirected(true);
    builder.reserve(heads.len())?;
    for (tail, row) in firsts.windows(2).enumerate() {
        let row = row[0]..row[1];
        let arcs =
            heads.get(row.clone()).unwrap_or_default().iter().zip(weights.get(row).unwrap_or_default());
        for (head, weight) in arcs {
            builder.add(tail, *head as usize, *weight)?;
        }
    }
    // Room for what comes.
    drop((firsts, heads, weights));
    Ok(builder.build()?)
}

/// The name of the format: a single text of bytes, or of letters of four.
fn format(archive: &mut Archive) -> Result<String, ReadProblem> {
    let mut member = archive.member("format.npy")?;
    let problem = |problem| ReadProblem::Array { array: "format.npy".into(), problem };
    NpyArray::read(&mut member).map_err(problem)?;
    let mut text = Vec::new();
    member.by_ref().take(LONGEST_FORMAT).read_to_end(&mut text).map_err(ReadProblem::Archive)?;
    text.retain(|byte| *byte != 0);
    Ok(text.escape_ascii().to_string())
}

fn counts(archive: &mut Archive, name: &str, length: usize) -> Result<Vec<usize>, ReadProblem> {
    line(archive.array(name)?, length)?.all(Wanted::Count, |_, number| count(number), ArrayPosition::Index)
}

/// The array, if it is one of this length.
fn line<R: std::io::Read>(array: Array<R>, length: usize) -> Result<Array<R>, ReadProblem> {
    if array.header.shape == [length] { Ok(array) } else { Err(array.unshapely(format!("({length},)"))) }
}
