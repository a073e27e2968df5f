//! Distances as a table in Parquet's columns.

use super::error::{WriteError, WriteProblem, unwritable};
use super::in_order::WriteRow;
use super::unfinished;
use crate::Weight;
use crate::read::Names;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use repro_files::NewFile;
use repro_graph::ElementType;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::sync::Arc;

/// Pairs from which on those collected are written as a row group.
const GROUP: usize = 1 << 20;

/// Values converted at once.
const BATCH: usize = 1 << 14;

/// Writes a Parquet file of three columns, `source`, `target` and `distance`, packed with Snappy. Where no path leads there is no entry.
///
/// Vertices are `int64`, by the numbers that the graph's file has, or strings where it has names ([`Names::Given`]). Distances are `float`, `double`,
/// `int32`, or `int32` marked as unsigned of 16 bits, by the type of the weights. Pairs are collected and written by groups of about a million, so
/// memory does not grow with the result: about 40 MB.
pub struct ParquetRows<'a, T> {
    begun: NewFile,
    writer: SerializedFileWriter<BufWriter<File>>,
    names: &'a Names,
    /// Of each vertex, where vertices have names.
    labels: Option<Vec<ByteArray>>,
    targets: Option<&'a [usize]>,
    n: usize,
    pairs: Pairs<T>,
    /// Why a group was not written: then the file must not be finished.
    failed: Option<String>,
}

/// What was collected for a row group.
struct Pairs<T> {
    sources: Vec<usize>,
    targets: Vec<usize>,
    distances: Vec<T>,
}

impl<T> std::fmt::Debug for ParquetRows<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("ParquetRows").field("path", &self.begun.path()).finish_non_exhaustive()
    }
}

impl<'a, T: Weight> ParquetRows<'a, T> {
    /// Makes the file, under its temporary name. Columns of a row are those of `targets`, or of all `n` vertices.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn begin(
        path: &Path,
        n: usize,
        targets: Option<&'a [usize]>,
        names: &'a Names,
    ) -> Result<Self, WriteError> {
        let (begun, file) = unfinished::begin(path)?;
        let labels = match names {
            Names::FromZero | Names::FromOne => None,
            Names::Given(names) => Some(names.iter().map(|name| ByteArray::from(&**name)).collect()),
        };
        let vertex = |column| match labels {
            None => format!("required int64 {column};"),
            Some(_) => format!("required binary {column} (STRING);"),
        };
        let distance = match T::TYPE {
            ElementType::F32 => "required float distance;",
            ElementType::F64 => "required double distance;",
            ElementType::I32 => "required int32 distance;",
            ElementType::U16 => "required int32 distance (INTEGER(16,false));",
        };
        let schema = format!("message distances {{ {} {} {distance} }}", vertex("source"), vertex("target"));
        // Of fractions hardly any comes twice, so a dictionary of them takes time for nothing.
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_column_dictionary_enabled(ColumnPath::from("distance"), T::TYPE.is_integer())
            .build();
        let writer = parse_message_type(&schema)
            .and_then(|schema| SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)))
            .map_err(of_parquet(path))?;
        let pairs = Pairs { sources: Vec::new(), targets: Vec::new(), distances: Vec::new() };
        Ok(Self { begun, writer, names, labels, targets, n, pairs, failed: None })
    }

    /// Gives the file its name when all of it is on the disk.
    ///
    /// # Errors
    /// When a row could not be written before, or the system cannot write the rest.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.write_group()?;
        let Self { begun, writer, .. } = self;
        let file = writer.into_inner().map_err(of_parquet(begun.path()))?;
        unfinished::finish(begun, file)
    }

    /// Writes what was collected.
    fn write_group(&mut self) -> Result<(), WriteError> {
        if let Some(reason) = &self.failed {
            return Err(WriteProblem::FailedBefore { reason: reason.clone() }.at(self.begun.path()));
        }
        if self.pairs.distances.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.try_write_group() {
            let error = of_parquet(self.begun.path())(error);
            self.failed = Some(error.problem.to_string());
            return Err(error);
        }
        self.pairs.sources.clear();
        self.pairs.targets.clear();
        self.pairs.distances.clear();
        Ok(())
    }

    fn try_write_group(&mut self) -> Result<(), ParquetError> {
        let Self { writer, names, labels, pairs, .. } = self;
        let mut group = writer.next_row_group()?;
        for vertices in [&pairs.sources, &pairs.targets] {
            if let Some(mut column) = group.next_column()? {
                write_vertices(&mut column, vertices, names, labels.as_deref())?;
                column.close()?;
            }
        }
        if let Some(mut column) = group.next_column()? {
            write_distances(&mut column, &pairs.distances)?;
            column.close()?;
        }
        group.close().map(|_| ())
    }
}

fn write_vertices(
    column: &mut SerializedColumnWriter,
    vertices: &[usize],
    names: &Names,
    labels: Option<&[ByteArray]>,
) -> Result<(), ParquetError> {
    for batch in vertices.chunks(BATCH) {
        match labels {
            Some(labels) => {
                let name = |v: &usize| match labels.get(*v) {
                    Some(label) => label.clone(),
                    None => ByteArray::from(&*names.name(*v)),
                };
                let values: Vec<ByteArray> = batch.iter().map(name).collect();
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
            }
            None => {
                let first = i64::from(*names == Names::FromOne);
                let values: Vec<i64> = batch.iter().map(|v| (*v as i64).saturating_add(first)).collect();
                column.typed::<Int64Type>().write_batch(&values, None, None)?;
            }
        }
    }
    Ok(())
}

fn write_distances<T: Weight>(
    column: &mut SerializedColumnWriter,
    distances: &[T],
) -> Result<(), ParquetError> {
    for batch in distances.chunks(BATCH) {
        match T::TYPE {
            ElementType::F32 => {
                column.typed::<FloatType>().write_batch(bytemuck::cast_slice(batch), None, None)?
            }
            ElementType::F64 => {
                column.typed::<DoubleType>().write_batch(bytemuck::cast_slice(batch), None, None)?
            }
            ElementType::I32 => {
                column.typed::<Int32Type>().write_batch(bytemuck::cast_slice(batch), None, None)?
            }
            ElementType::U16 => {
                let wide: Vec<i32> =
                    bytemuck::cast_slice::<_, u16>(batch).iter().map(|d| (*d).into()).collect();
                column.typed::<Int32Type>().write_batch(&wide, None, None)?
            }
        };
    }
    Ok(())
}

/// What `path` could not be written for.
fn of_parquet(path: &Path) -> impl Fn(ParquetError) -> WriteError + '_ {
    |error| {
        unwritable(path)(match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(error) => io::Error::other(error),
            },
            other => io::Error::other(other),
        })
    }
}

impl<T: Weight> WriteRow<T> for ParquetRows<'_, T> {
    fn write_row(&mut self, source: usize, distances: &[T]) -> Result<(), WriteError> {
        let expected = self.targets.map_or(self.n, <[usize]>::len);
        if distances.len() != expected {
            return Err(WriteProblem::RowLength { found: distances.len(), expected }.at(self.begun.path()));
        }
        if let Some(reason) = &self.failed {
            return Err(WriteProblem::FailedBefore { reason: reason.clone() }.at(self.begun.path()));
        }
        let Pairs { sources, targets, distances: collected } = &mut self.pairs;
        for (column, distance) in distances.iter().enumerate().filter(|(_, distance)| !distance.is_absent()) {
            sources.push(source);
            targets.push(self.targets.and_then(|targets| targets.get(column)).copied().unwrap_or(column));
            collected.push(*distance);
        }
        if self.pairs.distances.len() >= GROUP { self.write_group() } else { Ok(()) }
    }

    fn path(&self) -> &Path {
        self.begun.path()
    }
}
