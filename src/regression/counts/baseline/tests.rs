use super::super::collect::Tools;
use super::*;

fn key(implementation: &str, kernel: &str) -> KernelKey {
    KernelKey { implementation: implementation.into(), params: "a=1;b=2".into(), kernel: kernel.into() }
}

fn baseline() -> Baseline {
    let one =
        [(Figure::Launches, Value::whole(3)), (Figure::LoopInstructionsATask, "188/64".parse().unwrap())];
    let other = [(Figure::Launches, Value::whole(5)), (Figure::Registers, Value::whole(56))];
    Baseline {
        n: N,
        architecture: ARCHITECTURE.into(),
        tools: Tool::ALL.map(|tool| (tool, "13.0".to_string())).into(),
        figures: [(key("x", "k"), one.into()), (key("y", "k"), other.into())].into(),
    }
}

fn collection(tools: [(Tool, Result<&str, &str>); 3], figures: KernelFigures) -> Collection {
    let owned = |result: Result<&str, &str>| result.map(str::to_string).map_err(str::to_string);
    let tools: Tools = tools.into_iter().map(|(tool, result)| (tool, owned(result))).collect();
    Collection { tools, figures, failed: Vec::new() }
}

#[test]
fn what_is_written_is_read_again_and_has_a_line_a_figure() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts/baseline.csv");
    baseline().write(&path).unwrap();
    assert_eq!(Baseline::read(&path).unwrap(), baseline());
    insta::assert_snapshot!(baseline().to_csv(), @"
    implementation,params,kernel,figure,value
    ,,,n,128
    ,,,architecture,sm_90
    ,,,c++-compiler,13.0
    ,,,nvrtc,13.0
    ,,,disassembler,13.0
    x,a=1;b=2,k,launches,3
    x,a=1;b=2,k,loop_instructions_a_task,188/64
    y,a=1;b=2,k,launches,5
    y,a=1;b=2,k,registers,56
    ");
}

#[test]
fn a_broken_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("baseline.csv");
    let refused = |text: String| {
        std::fs::write(&path, text).unwrap();
        Baseline::read(&path).unwrap_err().to_string()
    };
    let good = baseline().to_csv();
    let cases = [
        (good.replace("launches,3", "launches,three"), "line 7: 'three' is no value of launches"),
        (good.replace("launches,3", "seconds,3"), "line 7: 'seconds' is no figure"),
        (good.replace("launches,3", "launches"), "line 7: 4 fields"),
        (good.replace("y,a=1;b=2,k,launches,5", "x,a=1;b=2,k,launches,5"), "line 9: launches is there twice"),
        (good.replace("implementation,", "name,"), "line 1: expected implementation,params"),
        (good.replace(",,,n,128\n", ""), "no line for n"),
        (good.replace(",n,128", ",n,many"), "n is 'many'"),
        (good.replace(",,,nvrtc,", ",,,driver,"), "'driver'"),
    ];
    for (text, expected) in cases {
        let message = refused(text);
        assert!(message.contains(expected) && message.contains("--update"), "{expected}: {message}");
        assert!(!message.contains('\n'));
    }
    let missing = Baseline::read(&folder.path().join("none.csv")).unwrap_err().to_string();
    assert!(missing.contains("none.csv") && missing.contains("--update"), "{missing}");
}

#[test]
fn an_update_keeps_what_cannot_be_collected_and_drops_what_is_gone() {
    let old = baseline();
    let collected: KernelFigures = [(key("x", "k"), [(Figure::Launches, Value::whole(4))].into())].into();
    let without_nvrtc = collection(
        [(Tool::Emulated, Ok("g++")), (Tool::Nvrtc, Err("no NVRTC")), (Tool::Disassembler, Err("no NVRTC"))],
        collected.clone(),
    );
    let (new, notes) = Baseline::updated(Some(&old), &without_nvrtc, None).unwrap();
    assert_eq!(new.figures[&key("x", "k")][&Figure::Launches], Value::whole(4));
    assert_eq!(new.figures[&key("x", "k")][&Figure::LoopInstructionsATask], "188/64".parse().unwrap());
    assert_eq!(new.figures[&key("y", "k")].keys().collect::<Vec<_>>(), [&Figure::Registers]);
    assert_eq!(new.tools[&Tool::Emulated], "g++");
    assert_eq!(notes.len(), 2);
    assert!(notes[0].contains("kept") && notes[0].contains("no NVRTC"), "{notes:?}");
    // Of other machine code nothing can stay.
    let other_nvrtc = collection(
        [(Tool::Emulated, Ok("g++")), (Tool::Nvrtc, Ok("13.1")), (Tool::Disassembler, Err("none"))],
        collected,
    );
    let (new, notes) = Baseline::updated(Some(&old), &other_nvrtc, None).unwrap();
    assert!(!new.figures[&key("x", "k")].contains_key(&Figure::LoopInstructionsATask));
    assert!(!new.tools.contains_key(&Tool::Disassembler) && notes[0].contains("not in the new"), "{notes:?}");
}

#[test]
fn an_update_of_one_implementation_leaves_the_others_and_mixes_no_compilers() {
    let old = baseline();
    let only = BTreeSet::from(["x".to_string()]);
    let collected = |nvrtc| {
        collection(
            [(Tool::Emulated, Ok("g++")), (Tool::Nvrtc, Ok(nvrtc)), (Tool::Disassembler, Ok("13.2"))],
            [(key("x", "k"), [(Figure::Launches, Value::whole(4))].into())].into(),
        )
    };
    let (new, notes) = Baseline::updated(Some(&old), &collected("13.0"), Some(&only)).unwrap();
    assert_eq!(new.figures[&key("x", "k")], [(Figure::Launches, Value::whole(4))].into());
    assert_eq!(new.figures[&key("y", "k")], old.figures[&key("y", "k")]);
    assert_eq!(notes, [""; 0]);
    let mixed = Baseline::updated(Some(&old), &collected("13.1"), Some(&only)).unwrap_err().to_string();
    assert!(mixed.contains("13.0") && mixed.contains("13.1") && mixed.contains("update everything"));
}
