use super::*;

fn read(text: &str) -> Result<Implementation, String> {
    let given = ImplementationFile {
        file: "own.toml".to_string(),
        folder: "/somewhere".into(),
        name: "a".to_string(),
        text: text.to_string(),
        sources: Vec::new(),
        cubin: None,
    };
    crate::implementation(&given).map_err(|error| error.to_string())
}

const HEAD: &str = "name = \"a\"\nsummary = \"b\"\nfrom = \"c\"\n";

#[test]
fn an_adapter_is_an_implementation_on_the_host_with_clocks_of_its_own() {
    let with =
        |program: &str| read(&format!("{HEAD}elements = [\"f32\", \"f64\"]\n[program]\n{program}")).unwrap();
    let speaking = with("command = [\"x\"]\nprotocol = true\ncubic = true");
    let parameters = repro_solvers::Parameters::default();
    let abilities = speaking.capabilities(&parameters);
    assert_eq!(abilities.scopes[..], repro_solvers::Scope::PROGRAM);
    assert!(abilities.is_cubic && !speaking.needs_device());
    assert_eq!(abilities.elements[..], [ElementType::F32, ElementType::F64]);
    let silent = with("command = [\"x\", \"{graph}\", \"{out}\"]");
    assert_eq!(silent.capabilities(&parameters).scopes[..], [repro_solvers::Scope::Program]);
    // The ceilings of the processor bind no work of a GPU.
    let gpu = with("command = [\"x\"]\nprotocol = true\ncubic = true\nneeds = { gpu = true }");
    assert!(!gpu.capabilities(&parameters).is_cubic);
}

#[test]
fn a_mistake_in_an_adapter_is_named() {
    let cases = [
        ("[program]\ncommand = []\nprotocol = true", "command: expected the name of a program"),
        ("[program]\ncommand = [\"x\"]", "command: has no {out}"),
        (
            "elements = [\"f16\"]\n[program]\ncommand = [\"x\"]\nprotocol = true",
            "unknown variant `f16`, expected one of `f32`, `i32`, `u16`, `f64`",
        ),
        (
            "[program]\ncommand = [\"x\"]\nprotocol = true\nneeds = { python = [\"scipy>=1\"] }",
            "is no package",
        ),
        ("[program]\ncommand = [\"x\"]\nprotocol = true\nmemory = { matrices = -1.0 }", "memory.matrices"),
        ("[program]\ncommand = [\"x\"]\nprotocl = true", "unknown field `protocl`"),
    ];
    for (rest, part) in cases {
        let error = read(&format!("{HEAD}{rest}")).err().unwrap();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_program_on_a_gpu_is_left_the_one_that_it_was_given_and_others_have_none() {
    let with = |needs: &str| {
        let text = format!(
            "name = \"a\"\nsummary = \"b\"\nfrom = \"c\"\n[program]\ncommand = [\"x\"]\nprotocol = true\n{needs}"
        );
        let file: ProgramFile = toml::from_str(&text).unwrap();
        let of = SourceText { file: "", text: &text };
        ExternalProgram::new(of, file, Path::new("/")).unwrap()
    };
    let named = |program: &ExternalProgram| -> Vec<String> {
        let all = program.environment().into_iter();
        all.filter(|(name, _)| name == "CUDA_VISIBLE_DEVICES").map(|(_, uuid)| uuid).collect()
    };
    let (gpu, cpu) = (with("needs = { gpu = true }"), with(""));
    let takes_gpu = |program: &ExternalProgram| program.capabilities(&Parameters::default()).takes_gpu;
    assert!(takes_gpu(&gpu) && !takes_gpu(&cpu) && named(&gpu).is_empty());
    gpu.take_gpu("GPU-1");
    cpu.take_gpu("GPU-1");
    assert_eq!((named(&gpu), named(&cpu).len()), (vec!["GPU-1".to_string()], 0));
}
