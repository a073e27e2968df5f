use super::*;
use crate::{Blocks, RandomGraph, generate, random_blocks};
use std::ops::Range;
use tempfile::TempDir;

const N: usize = 40;

fn identity() -> GraphIdentity {
    GraphIdentity { graph: "random, seed 1".into(), n: N, element: ElementType::F32 }
}

fn block(rows: Range<usize>, columns: Range<usize>) -> Block {
    Block { rows, columns }
}

/// A two by two grid of processes whose blocks are dealt out in turns, and one more that has nothing.
fn parts() -> Vec<Vec<Block>> {
    let cut = [0..16, 16..32, 32..40];
    let mut parts = vec![Vec::new(); 5];
    for (i, rows) in cut.iter().enumerate() {
        for (j, columns) in cut.iter().enumerate() {
            parts[i % 2 * 2 + j % 2].push(block(rows.clone(), columns.clone()));
        }
    }
    parts
}

fn numbers(graph: &dyn Blocks, block: &Block) -> Vec<u8> {
    let mut bytes = vec![0; block.entries().unwrap() * graph.element().bytes()];
    graph.read(block.rows.clone(), block.columns.clone(), block.columns.len(), &mut bytes).unwrap();
    bytes
}

/// Another matrix for each number of vertices.
fn graph(vertices: usize) -> RandomGraph {
    RandomGraph::complete(vertices as u64)
}

fn write_parts(dir: &Path, vertices: usize) -> Vec<PartRecord> {
    let blocks = random_blocks(&graph(vertices), N, ElementType::F32).unwrap();
    let write = |(rank, part): (usize, Vec<Block>)| {
        let mut writer = CheckpointWriter::begin(dir, vertices, rank).unwrap();
        part.iter().for_each(|block| writer.write(block, &numbers(&*blocks, block)).unwrap());
        writer.finish().unwrap()
    };
    parts().into_iter().enumerate().map(write).collect()
}

fn write(dir: &Path, vertices: usize) {
    let header = CheckpointHeader { identity: identity(), round: 8, vertices };
    commit_checkpoint(dir, header, write_parts(dir, vertices)).unwrap();
}

fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn vertices_of(latest: &Latest) -> Option<usize> {
    latest.checkpoint.as_ref().map(|checkpoint| checkpoint.header().vertices)
}

#[test]
fn any_block_of_a_checkpoint_is_what_was_written_however_it_was_shared() {
    let dir = TempDir::new().unwrap();
    assert!(Checkpoint::latest(&dir.path().join("none"), &identity()).unwrap().checkpoint.is_none());
    write(dir.path(), 8);
    let checkpoint = Checkpoint::latest(dir.path(), &identity()).unwrap().checkpoint.unwrap();
    assert_eq!(*checkpoint.header(), CheckpointHeader { identity: identity(), round: 8, vertices: 8 });
    let other = Checkpoint::at(dir.path(), 8, &identity()).unwrap();
    let whole = generate::<f32>(&graph(8), N).unwrap();
    for rows in [0..N, 0..1, 15..33, 31..32, 39..40, 7..7] {
        for columns in [0..N, 0..1, 15..17, 16..32, 31..40, 5..5] {
            let block = block(rows.clone(), columns);
            assert_eq!(numbers(&checkpoint, &block), numbers(&whole, &block), "{block:?}");
            assert_eq!(numbers(&other, &block), numbers(&whole, &block), "{block:?}");
        }
    }
}

#[test]
fn the_last_two_checkpoints_stay_and_what_was_not_completed_goes() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("mine"), "not a checkpoint").unwrap();
    write(dir.path(), 8);
    write(dir.path(), 16);
    write_parts(dir.path(), 20);
    write(dir.path(), 24);
    assert_eq!(names(dir.path()), ["mine", "vertices-000016", "vertices-000024"]);
    // A solve that began again writes earlier ones.
    write(dir.path(), 8);
    assert_eq!(names(dir.path()), ["mine", "vertices-000008", "vertices-000024"]);
    write(dir.path(), 8);
    assert_eq!(vertices_of(&Checkpoint::latest(dir.path(), &identity()).unwrap()), Some(24));
    std::fs::remove_dir_all(dir.path().join("vertices-000024")).unwrap();
    assert_eq!(vertices_of(&Checkpoint::latest(dir.path(), &identity()).unwrap()), Some(8));
}

#[test]
fn what_is_no_part_of_a_checkpoint_stays_in_a_folder_with_the_name_of_one() {
    let dir = TempDir::new().unwrap();
    write_parts(dir.path(), 4);
    let mine = dir.path().join("vertices-000004/thesis.txt");
    std::fs::write(&mine, "years of work").unwrap();
    write(dir.path(), 8);
    assert_eq!(names(mine.parent().unwrap()), ["thesis.txt"]);
}

type Tear = fn(&Path);

#[test]
fn a_checkpoint_torn_in_any_file_is_refused_and_the_one_before_is_used() {
    let tear: [(&str, Tear); 4] = [
        ("cut", |path| {
            let content = std::fs::read(path).unwrap();
            std::fs::write(path, &content[..content.len() / 2]).unwrap();
        }),
        ("longer", |path| {
            let content = std::fs::read(path).unwrap();
            std::fs::write(path, [&content[..], b"x"].concat()).unwrap();
        }),
        ("flipped", |path| {
            let mut content = std::fs::read(path).unwrap();
            if let Some(last) = content.iter_mut().rev().nth(3) {
                *last ^= 1;
            }
            std::fs::write(path, content).unwrap();
        }),
        ("missing", |path| std::fs::remove_file(path).unwrap()),
    ];
    let dir = TempDir::new().unwrap();
    let folder = folder_of(dir.path(), 16);
    write(dir.path(), 16);
    let files = names(&folder);
    assert_eq!(files.len(), 6);
    for file in files {
        for (how, tear) in tear {
            write(dir.path(), 8);
            write(dir.path(), 16);
            let path = folder.join(&file);
            let before = std::fs::read(&path).unwrap();
            tear(&path);
            let latest = Checkpoint::latest(dir.path(), &identity()).unwrap();
            if std::fs::read(&path).is_ok_and(|after| after == before) {
                assert!(before.is_empty(), "{file} {how}");
                continue;
            }
            assert_eq!(vertices_of(&latest), Some(8), "{file} {how}");
            assert_eq!(latest.refused.len(), 1);
            let note = latest.refused[0].to_string();
            let name = format!("{}", folder.display());
            assert!(note.contains(&name) && note.contains(&file), "{note}");
        }
    }
}

#[test]
fn a_checkpoint_whose_process_died_before_it_was_complete_is_refused() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), 8);
    write_parts(dir.path(), 16);
    let latest = Checkpoint::latest(dir.path(), &identity()).unwrap();
    assert_eq!(vertices_of(&latest), Some(8));
    assert_eq!(latest.refused[0].problem, "it was not completed: it has no checkpoint.json");
    let torn = Checkpoint::at(dir.path(), 16, &identity()).err().unwrap();
    assert!(matches!(torn, CheckpointError::Torn { .. }));
    // A part that is being written again.
    write(dir.path(), 16);
    CheckpointWriter::begin(dir.path(), 16, 0).unwrap().write(&block(0..1, 0..1), b"half").unwrap();
    assert_eq!(vertices_of(&Checkpoint::latest(dir.path(), &identity()).unwrap()), Some(16));
}

#[test]
fn a_checkpoint_of_another_graph_is_an_error_that_names_both() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), 8);
    for other in [
        GraphIdentity { graph: "random, seed 2".into(), ..identity() },
        GraphIdentity { n: 41, ..identity() },
        GraphIdentity { element: ElementType::I32, ..identity() },
    ] {
        let message = Checkpoint::latest(dir.path(), &other).err().unwrap().to_string();
        assert!(
            message.contains(&identity().to_string()) && message.contains(&other.to_string()),
            "{message}"
        );
    }
}

#[test]
fn parts_that_are_not_the_whole_matrix_complete_nothing() {
    let dir = TempDir::new().unwrap();
    let mut parts = write_parts(dir.path(), 8);
    let header = CheckpointHeader { identity: identity(), round: 8, vertices: 8 };
    let taken = parts.remove(1);
    let message = commit_checkpoint(dir.path(), header.clone(), parts.clone()).unwrap_err().to_string();
    assert!(message.contains("rows 0..16 and columns 16..32 are in no block"), "{message}");
    parts.extend([taken.clone(), taken]);
    let message = commit_checkpoint(dir.path(), header, parts).unwrap_err().to_string();
    assert!(message.contains("rows 0..16 and columns 16..32 are in several blocks"), "{message}");
    assert!(Checkpoint::latest(dir.path(), &identity()).unwrap().checkpoint.is_none());
}

#[test]
fn a_header_that_lies_is_refused_with_what_is_wrong() {
    let dir = TempDir::new().unwrap();
    write(dir.path(), 8);
    let path = folder_of(dir.path(), 8).join(HEADER);
    let right = std::fs::read_to_string(&path).unwrap();
    for (from, to, problem) in [
        ("\"format\": 1", "\"format\": 2", "has format 2"),
        ("\"byte_order\": \"little\"", "\"byte_order\": \"big\"", "big-endian"),
        ("\"vertices\": 8", "\"vertices\": 16", "is of 16 vertices"),
        ("part-00001.bin", "../x/part-00001.bin", "no file of this folder"),
        ("\"end\": 16", "\"end\": 18446744073709551615", "not in 40 x 40"),
        ("\"end\": 16", "\"end\": 17", "in several blocks"),
        ("\"round\"", "\"rounds\"", "malformed"),
    ] {
        assert!(right.contains(from), "{from}");
        std::fs::write(&path, right.replacen(from, to, 1)).unwrap();
        let latest = Checkpoint::latest(dir.path(), &identity()).unwrap();
        assert!(latest.checkpoint.is_none());
        assert!(latest.refused[0].problem.contains(problem), "{}", latest.refused[0]);
    }
}

#[cfg(unix)]
#[test]
fn no_part_is_written_and_no_folder_removed_through_a_link() {
    let place = TempDir::new().unwrap();
    let (dir, theirs) = (place.path().join("graph"), place.path().join("theirs"));
    std::fs::create_dir(&theirs).unwrap();
    std::os::unix::fs::symlink(&theirs, &dir).unwrap();
    let refused = CheckpointWriter::begin(&dir, 8, 0).err().unwrap().to_string();
    assert!(refused.contains("is a link"), "{refused}");
    std::fs::remove_file(&dir).unwrap();
    std::fs::create_dir(&dir).unwrap();
    std::os::unix::fs::symlink(&theirs, folder_of(&dir, 8)).unwrap();
    assert!(CheckpointWriter::begin(&dir, 8, 0).is_err());
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0);
}
