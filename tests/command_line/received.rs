//! A folder that somebody else has made: no command writes outside of it, waits for it, or loads code from it.

use crate::common::place::{Place, with_finished_run, within};
use crate::common::stored::{edit_manifest, unfinish};
use crate::common::{repro, repro_with_compiler, stderr, stdout};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::time::Duration;

/// With a run in `run` of which the last moment is missing, so that there is something left to do.
fn with_unfinished_run() -> Place {
    let place = with_finished_run();
    unfinish(&place.path("run"));
    place
}

#[test]
fn a_run_with_a_link_in_it_is_not_continued_and_what_the_link_leads_to_stays() {
    let place = with_unfinished_run();
    for name in ["manifest.json.new", "samples.csv", ".lock", "table.md.new", "report"] {
        place.copy("run", name);
        place.write("theirs/target", "theirs");
        let link = format!("{name}/{name}");
        let _ = std::fs::remove_file(place.path(&link));
        let to = if name == "report" { "theirs" } else { "theirs/target" };
        place.link(place.path(to), &link);
        place.refuse(&format!("run table1 --resume {name}"), &[name, "is a link", "remove it"]);
    }
}

#[test]
fn a_report_is_not_written_through_links() {
    let place = with_unfinished_run();
    place.succeed("report run --out page");
    std::fs::create_dir(place.path("theirs")).unwrap();
    for name in ["index.html.new", "figures"] {
        let (link, kept) = (format!("page/{name}"), place.path("kept"));
        let _ = std::fs::rename(place.path(&link), &kept);
        place.link(place.path(if name == "figures" { "theirs" } else { "theirs/new" }), &link);
        place.refuse("report run --out page", &[name, "is a link", "remove it"]);
        place.remove(&link);
        let _ = std::fs::rename(&kept, place.path(&link));
    }
}

#[test]
fn nothing_that_a_link_leads_to_is_kept() {
    let place = Place::new();
    place.write("private", "private words");
    place.succeed("new-kernel own --out kernel");
    place.edit("kernel/own.cu", |text| format!("#if 0\n#include \"inc.cuh\"\n#endif\n{text}"));
    place.link(place.path("private"), "kernel/inc.cuh");
    place.refuse("list --with kernel/own.toml", &["inc.cuh", "link that leads out of the folder"]);
}

#[test]
fn a_pipe_in_the_place_of_a_record_keeps_nobody_waiting() {
    let place = with_unfinished_run();
    for name in ["manifest.json", "samples.csv", "counts.csv"] {
        place.copy("run", name);
        let pipe = place.path(name).join(name);
        let _ = std::fs::remove_file(&pipe);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        for call in ["report RUN --out page", "compare RUN RUN", "rank RUN", "run table1 --resume RUN"] {
            let call = call.replace("RUN", name);
            let ended = within(Duration::from_secs(20), place.command(&call));
            assert!(ended.status.code().is_some_and(|code| code != 0), "{call}: {}", stderr(&ended));
            assert!(stderr(&ended).contains(name), "{call}: {}", stderr(&ended));
        }
    }
}

#[test]
fn kernels_are_not_loaded_from_a_folder_that_others_may_write_to() {
    let place = Place::new();
    // Without a home it is a folder of the user's own among the temporary files, which somebody else may have made before.
    let theirs = format!("repro-{}", rustix::process::geteuid().as_raw());
    let named = place.path("cache").display().to_string();
    for (folder, home, cache) in [("cache", "/tmp", &*named), (&*theirs, "/proc/nowhere", "")] {
        std::fs::create_dir(place.path(folder)).unwrap();
        place.set_mode(folder, 0o777);
        let run = "run table1 --device emulated --only harish-narayanan --sizes 16 --no-report --out run-of";
        let mut command = place.emulating(&format!("{run}-{folder}"));
        command.envs([("HOME", home), ("XDG_CACHE_HOME", ""), ("REPRO_CACHE", cache)]);
        let output = command.env("TMPDIR", place.path("")).output().unwrap();
        let text = stderr(&output);
        assert!(!output.status.success() && text.contains(folder), "{text}");
        assert!(text.contains("others may write to it") && text.contains("REPRO_CACHE"), "{text}");
        assert_eq!(place.files(folder).len(), 0);
    }
}

#[test]
fn a_terminal_finds_nothing_to_obey_in_what_is_shown_of_records_graphs_and_kernels() {
    let place = with_finished_run();
    // A title for the window, a colour in the one-character form, a delete, and a change of direction.
    let obeyed = "\u{1b}]0;owned\u{7}\u{9b}31m\u{7f}\u{202e}";
    edit_manifest(&place.path("run"), |manifest| {
        let processor = &mut manifest["environment"]["host"]["cpu"];
        assert!(processor.is_string(), "{processor}");
        *processor = format!("a processor{obeyed}").into();
    });
    place.write("graph.txt", "a b 1\nb c 2\n");
    place.write("owned.txt", &format!("a{obeyed} b 1\nb c{obeyed} 2\n"));
    let kernel = "extern \"C\" __global__ void one(int *to) { *to = 1; }";
    place.write("one.cu", &format!("static_assert(sizeof(int) == 1, \"wrong{obeyed}\");\n{kernel}"));
    place.succeed("solve graph.txt --out d.npy --paths predecessor");
    let check = "check one.cu --kernel one --grid 1 --block 1 --args zeros:4";
    let mut shown = 0;
    for call in [
        "report run --out page",
        "rank run",
        "rank run --json",
        "compare run run",
        "compare run run --format json",
        &format!("path d.npy a owned{obeyed}"),
        "solve owned.txt --out none.npy",
        check,
    ] {
        let program = if call == check { repro_with_compiler() } else { repro() };
        let output = place.with(program, call).output().unwrap();
        let text = format!("{}{}", stdout(&output), stderr(&output));
        let found = text.chars().find(|one| obeyed.contains(*one) && !one.is_ascii_graphic());
        assert_eq!(found, None, "{call}: {text:?}");
        assert!(call != check || text.contains("wrong"), "{text}");
        shown += usize::from(text.contains("owned"));
    }
    assert!(shown >= 5, "{shown} of the commands show it");
}
