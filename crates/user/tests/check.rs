//! `check-kernel`: one kernel of any file, with exit codes and lines that tell what is wrong with it.

#[path = "../../../tests/common/calls.rs"]
mod calls;
#[path = "check/whole_files.rs"]
mod whole_files;

use calls::{assert_refused, stderr, stdout};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A file of the emulator's own tests.
fn planted(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../emulator/tests/planted");
    folder.join(name).to_str().unwrap().to_string()
}

/// A kernel of such a file in a file of its own, which is compiled sooner.
fn alone(file: &str, kernel: &str) -> (tempfile::TempDir, String) {
    let text = std::fs::read_to_string(planted(file)).unwrap();
    let found = text.split("// === ").find(|part| part.lines().next() == Some(kernel)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alone.cu");
    std::fs::write(&path, format!("// {found}")).unwrap();
    (folder, path.to_str().unwrap().to_string())
}

fn check(file: &str, options: &[&str]) -> Output {
    calls::with_compiler(assert_cmd::cargo::cargo_bin!("check-kernel"))
        .arg(file)
        .args(options)
        .output()
        .unwrap()
}

/// With options in words parted by blanks.
fn check_with(file: &str, options: &str) -> Output {
    check(file, &options.split(' ').collect::<Vec<_>>())
}

const SHAPE: &str = "--grid 2 --block 64 --args numbers:16384 zeros:16384";

#[test]
fn of_a_right_kernel_nothing_is_said_but_in_how_many_orders() {
    let (_folder, file) = alone("right/barriers_and_tiles.cu", "reverse_in_place");
    let output = check_with(&file, &format!("--kernel reverse_in_place {SHAPE} --count"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("4 orders, no findings\n"), "{text}");
    // Three loads and two stores of each of 128 words.
    for part in [
        "Global memory, one launch",
        "loaded bytes                       1536",
        "stored bytes                       1024",
    ] {
        assert!(text.contains(part), "no '{part}' in: {text}");
    }
    assert!(!text.contains("a task"), "{text}");
}

#[test]
fn a_mistake_is_a_line_with_the_order_that_repeats_it() {
    let (_folder, file) = alone("wrong/missing_barriers.cu", "reverse_without_barrier");
    let output = check_with(&file, &format!("--kernel reverse_without_barrier {SHAPE} --orders 2"));
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    let found: Vec<&str> = text.lines().filter(|line| line.starts_with("order ")).collect();
    assert!(!found.is_empty() && found.iter().all(|line| line.contains("alone.cu:")), "{text}");
    assert!(text.lines().last().unwrap().starts_with("2 orders, "), "{text}");
    let options = format!("--kernel reverse_without_barrier {SHAPE} --order 1 --json");
    let again: Value = serde_json::from_slice(&check_with(&file, &options).stdout).unwrap();
    assert_eq!((&again["orders"][0], again["orders"].as_array().unwrap().len()), (&Value::from(1), 1));
    assert_eq!(again["findings"][0]["orders"][0], 1);
    assert_eq!(again["findings"][0]["kernel"], "reverse_without_barrier");
}

/// A folder with a kernel file and a header beside it.
fn own_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("value.cuh"), "#define VALUE (__CUDA_ARCH__ / 10)\n").unwrap();
    let file = folder.path().join("mine.cu");
    let text = "#include \"value.cuh\"\n\
                __global__ void fill(unsigned *out, int n) {\n\
                if (threadIdx.x < n && VALUE == 120) out[threadIdx.x] = VALUE;\n\
                }\n";
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

#[test]
fn a_file_with_a_header_is_compiled_for_the_capability_that_was_asked_for() {
    let (_folder, file) = own_file();
    let file = file.to_str().unwrap();
    // Only there does it write, past the end of eight words.
    let options = "--kernel fill --grid 1 --block 32 --args unwritten:32 int:32 --order 0";
    for (device, code) in [("emulated:7.5", 0), ("emulated:12.0", 1)] {
        let output = check_with(file, &format!("{options} --device {device}"));
        assert_eq!(output.status.code(), Some(code), "{device}: {}{}", stdout(&output), stderr(&output));
    }
    let wrong_size = check_with(file, "--kernel fill --grid 1 --block 32 --args zeros:32 zeros:32 --order 0");
    assert_refused(&wrong_size, &["argument 2 is an address of 8 bytes", "4"]);
    let too_large =
        check_with(file, "--kernel fill --grid 1 --block 32 --args matrix:9999999999 int:1 --order 0");
    assert_refused(&too_large, &["--args: buffers of", "make them smaller"]);
}

/// Checks a kernel `k` of one parameter, a buffer of 4,096 zeros, that does `body`.
fn check_body(before: &str, body: &str, options: &str) -> Output {
    let text = format!("{before}\nextern \"C\" __global__ void k(int *p) {{\n{body}\n}}\n");
    check_text(&text, &format!("--kernel k --grid 2 --block 32 --args zeros:4096 --order 0{options}"))
}

/// Checks a kernel of a file `own.cu` that holds `text`.
fn check_text(text: &str, options: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.cu");
    std::fs::write(&file, text).unwrap();
    check_with(file.to_str().unwrap(), options)
}

/// Whether this system cannot keep a kernel from it. Asked of the program: this one cannot hold another.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn could(what: &str) -> bool {
    static CHECKED: std::sync::LazyLock<Value> =
        std::sync::LazyLock::new(|| serde_json::from_slice(&check_body("", "", " --json").stdout).unwrap());
    CHECKED["unconfined"].as_array().unwrap().iter().any(|one| one.as_str().unwrap().starts_with(what))
}

/// The text of a kernel that calls bytes which are part of a number, as code of an x86-64 processor: it makes a folder.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn code_that_a_kernel_hides_in_a_number_does_no_harm() {
    if could("write outside of its folder") {
        eprintln!("skipped: this system has no landlock, which keeps programs from writing files");
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let made = outside.path().join("made");
    // mov eax, 83 (mkdir); syscall; ret
    let before = format!(
        "static __device__ const char path[] = \"{}\";\n\
         static __device__ __noinline__ unsigned long long hidden(unsigned long long n) {{ return n ^ 0xc3050f00000053b8ull; }}",
        made.display()
    );
    let body = "const unsigned char *at = (const unsigned char *)&hidden;\n\
                if (threadIdx.x + blockIdx.x > 0 || hidden(*p) == 1) return;\n\
                while (!(at[0] == 0xb8 && at[1] == 0x53 && at[7] == 0xc3)) at++;\n\
                p[0] = 1 + (((long (*)(const char *, int))at)(path, 0755) == 0);";
    let output = check_body(&before, body, "");
    assert!(!made.exists(), "{}{}", stdout(&output), stderr(&output));
    // It was reached, and came back with a refusal.
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

/// A function of three arguments that makes this system call: its code is a number in the text.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn hidden(name: &str, number: u64) -> String {
    // mov eax, number; syscall; ret
    let code = 0xc305_0f00_0000_00b8 | number << 8;
    format!(
        "static __device__ __noinline__ unsigned long long {name}_code(unsigned long long n) {{ return n ^ {code:#x}ull; }}\n\
         static __device__ long {name}(const void *a, const void *b, const void *c) {{\n\
         const unsigned char *at = (const unsigned char *)&{name}_code;\n\
         while (!(at[0] == 0xb8 && at[1] == {low} && at[2] == {high} && at[5] == 0x0f && at[7] == 0xc3)) at++;\n\
         return ((long (*)(const void *, const void *, const void *))at)(a, b, c);\n}}\n",
        low = number & 0xff,
        high = number >> 8,
    )
}

/// Kernels that answer in the words of the process that checks, of themselves or by a program that they execute in its place; so many of them.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn no_answer_of_a_kernel_is_believed(tried: usize) {
    if could("change the clock") {
        eprintln!("skipped: this system has no seccomp, which keeps processes from executing programs");
        return;
    }
    let launched = r#"{"Ok":{"capability":[9,0],"findings":[],"counts":null,"printed":""}}"#;
    let forged = format!("{launched}\n{{\"secret\":0,\"says\":{launched}}}\n");
    let script = format!("#!/bin/sh\ncat <<'END'\n{forged}END\n");
    let calls = [
        ("write", 1),
        ("open", 2),
        ("close", 3),
        ("nanosleep", 35),
        ("fork", 57),
        ("vfork", 58),
        ("execve", 59),
        ("exit_group", 231),
        ("memfd_create", 319),
    ];
    let before = format!(
        "{}static __device__ const char forged[] = {forged:?}, script[] = {script:?}, sh[] = \"/bin/sh\", c[] = \"-c\", own[] = \"own\";\n\
         #define N(n) ((const void *)(size_t)(n))\n\
         static __device__ void become(const char *program, const char *first, const char *second) {{\n\
         const char *words[] = {{program, first, second, 0}};\nexecve(program, words, 0);\n}}\n\
         static __device__ void wait() {{ long second[] = {{1, 0}}; nanosleep(second, 0, 0); }}\n",
        calls.map(|(name, number)| hidden(name, number)).concat()
    );
    let written = "write(N(file), script, N(sizeof script - 1)); close(N(file), 0, 0);";
    // Kernels, and whether one may end in an answer that is none. Where an attack comes to nothing, the next one of its kernel follows.
    let attacks = [
        ("for (long to = 0; to < 64; to++) write(N(to), forged, N(sizeof forged - 1));".to_string(), true),
        (
            "if (fork(0, 0, 0) == 0) { write(N(1), forged, N(sizeof forged - 1)); exit_group(0, 0, 0); } wait();"
                .to_string(),
            true,
        ),
        (
            format!(
                "if (vfork(0, 0, 0) == 0) {{ become(sh, c, script); exit_group(0, 0, 0); }}\n\
                 if (fork(0, 0, 0) == 0) {{ become(sh, c, script); exit_group(0, 0, 0); }} wait();\n\
                 become(sh, c, script);\n\
                 {{ long file = open(own, N(0101), N(0755)); {written} become(own, 0, 0); }}\n\
                 // What is in memory alone has a path, too.\n\
                 long file = memfd_create(own, 0, 0); {written} char at[] = \"/proc/self/fd/0\"; at[14] += file; if (file > 0) become(at, 0, 0);"
            ),
            false,
        ),
    ];
    let believed = attacks.iter().take(tried).filter_map(|(attack, may_answer)| {
        let body = format!("if (threadIdx.x + blockIdx.x == 0) {{ {attack} }}\np[5000] = 1;");
        let output = check_body(&before, &body, "");
        let told = format!("{}{}", stdout(&output), stderr(&output));
        let found = output.status.code() == Some(1) && told.contains("order 0: access outside of every");
        // Where nothing else is executed.
        let unlike =
            *may_answer && output.status.code() == Some(2) && told.contains("printed what is no answer");
        (!found && !unlike).then(|| format!("{attack}: {told}"))
    });
    let believed: Vec<String> = believed.collect();
    assert!(believed.is_empty(), "{}", believed.join("\n"));
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_kernel_that_answers_for_the_checker_is_not_believed() {
    no_answer_of_a_kernel_is_believed(1);
}

#[test]
fn what_never_ends_is_a_finding_with_its_line() {
    let body = "for (unsigned i = 1; i; i += 2) asm volatile(\"\" ::: \"memory\");";
    let output = check_body("", body, " --time-limit 1");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    for words in ["launch that did not end in time: kernel k", "thread (", "), own.cu:"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn where_the_compiler_does_not_tell_what_leaves_an_array_the_output_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, file) = alone("right/barriers_and_tiles.cu", "reverse_in_place");
    let compiler = folder.path().join("compiler");
    let script = "#!/bin/sh\ncase \"$*\" in *kernel-address*) echo error: not that >&2; exit 1;; esac\nexec c++ \"$@\"\n";
    std::fs::write(&compiler, script).unwrap();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = calls::with_compiler(assert_cmd::cargo::cargo_bin!("check-kernel"))
        .env("REPRO_CXX", &compiler)
        .arg(file)
        .args(format!("--kernel reverse_in_place {SHAPE}").split(' '))
        .output()
        .unwrap();
    let told = stderr(&output);
    assert!(output.status.success() && stdout(&output).ends_with("4 orders, no findings\n"), "{told}");
    let words = "accesses beyond local arrays and tables of constants were not looked for to the end: ";
    assert!(told.contains(words) && told.contains("error: not that"), "{told}");
}

#[test]
fn what_a_kernel_prints_is_shown_without_commands_to_the_terminal() {
    let body = "if (threadIdx.x + blockIdx.x == 0) printf(\"one %d\\n\\033[31mtwo\\n\", p[0]);";
    let output = check_body("", body, "");
    assert_eq!(stdout(&output), "one 0\n [31mtwo\n1 order, no findings\n", "{}", stderr(&output));
}

#[test]
fn help_and_documents_begin_with_what_nothing_holds_back() {
    let help = calls::alone(assert_cmd::cargo::cargo_bin!("check-kernel")).arg("-h").output().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &&str| std::fs::read_to_string(root.join(name)).unwrap();
    let documents = ["docs/programs.md", "docs/emulated-device.md", "crates/user/README.md"];
    for text in documents.iter().map(read).chain([stdout(&help)]) {
        let paragraph = text.split("\n\n").find(|part| !part.starts_with('#')).unwrap();
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        assert!(words.join(" ").contains(repro_user::confine::NOT_HELD), "{paragraph}");
    }
}

#[test]
fn wrong_use_is_refused_in_one_line() {
    let without_compiler = |options: &str| {
        calls::alone(assert_cmd::cargo::cargo_bin!("check-kernel")).args(options.split(' ')).output().unwrap()
    };
    for (options, parts) in [
        ("none.cu --kernel k --grid 1 --block 1", &["cannot read none.cu"][..]),
        ("none.cu --kernel k --grid 1", &["--block"]),
        ("none.cu --kernel k --grid 0 --block 1", &["--grid", "'0'"]),
        ("none.cu --kernel k --grid 1 --block 1x1x1x1", &["--block", "16x16"]),
        (
            "none.cu --kernel k --grid 1 --block 1 --args ones:4",
            &["--args", "unknown kind 'ones'", "zeros:BYTES"],
        ),
        ("none.cu --kernel k --grid 1 --block 1 --orders 0", &["--orders", "'0'"]),
        ("none.cu --kernel k --grid 1 --block 1 --orders 2 --order 1", &["--order"]),
        ("none.cu --kernel k --grid 1 --block 1 --device cuda", &["--device", "'cuda'", "emulated:C.C"]),
        ("none.cu --kernel k --grid 1 --block 1 --device emulated:7.0", &["'7.0'", "7.5, 8.0", "12.1"]),
        ("Cargo.toml --kernel k --grid 1 --block 1 --include none", &["--include", "'none'", "No such file"]),
        ("Cargo.toml --kernel k --grid 1 --block 1", &["REPRO_CXX"]),
    ] {
        assert_refused(&without_compiler(options), parts);
    }
}

/// Mistakes that show with some data alone: a kernel that does not store where nothing is to be changed has no race there. Each has a line `BARRIER` that keeps it right. They take data and the number of its elements, which a block has threads for.
const KERNELS: [(&str, &str); 2] = [
    (
        "bubble sort",
        "__shared__ int s[64]; int i = threadIdx.x; s[i] = d[i]; __syncthreads();
         for (int r = 0; r < n; r++) { int a = 2 * i + r % 2;
             if (a + 1 < n && s[a] > s[a + 1]) { int t = s[a]; s[a] = s[a + 1]; s[a + 1] = t; }
             BARRIER }
         __syncthreads(); d[i] = s[i];",
    ),
    (
        "Floyd-Warshall, in place",
        "__shared__ int s[8][8]; int x = threadIdx.x % 8, y = threadIdx.x / 8; s[y][x] = d[threadIdx.x]; __syncthreads();
         for (int k = 0; k < 8; k++) { int c = s[y][k] + s[k][x]; BARRIER
             if (c < s[y][x]) s[y][x] = c;
             BARRIER }
         d[threadIdx.x] = s[y][x];",
    ),
];

/// The exit code and all that is printed of a check with these arguments.
fn check_own(body: &str, barrier: &str, arguments: &str) -> (Option<i32>, String) {
    let body = body.replace("BARRIER", barrier);
    let text = format!("extern \"C\" __global__ void own(int *d, int n) {{\n{body}\n}}\n");
    let output = check_text(&text, &format!("--kernel own --grid 1 --block 64 --args {arguments}"));
    (output.status.code(), format!("{}{}", stdout(&output), stderr(&output)))
}

/// Without the barriers there is a finding with random data, and with them there is none.
fn assert_told_apart((name, body): (&str, &str)) {
    let (code, told) = check_own(body, "", "random:260 int:64");
    assert_eq!(code, Some(1), "{name}: {told}");
    let (code, told) = check_own(body, "__syncthreads();", "random:260 int:64");
    assert_eq!(code, Some(0), "{name}: {told}");
    let expected = "4 orders on random data of seed 1 (other data in orders 2, 3), no findings\n";
    assert_eq!(told, expected, "{name}");
}

#[test]
fn random_data_shows_what_sorted_and_constant_data_hide() {
    let (code, told) = check_own(KERNELS[0].1, "", "random:260 int:64");
    assert_eq!(code, Some(1), "{told}");
    let (code, told) = check_own(KERNELS[0].1, "", "numbers:260 int:64 --count");
    assert!(code == Some(0) && told.contains("Shared memory, one launch"), "{told}");
    assert!(told.contains("rising numbers") && told.contains("random:BYTES"), "{told}");
}

#[test]
fn values_and_files_are_what_a_kernel_gets() {
    let folder = tempfile::tempdir().unwrap();
    let words: Vec<u8> = (0..64_i32).flat_map(|i| (7 - i).to_le_bytes()).collect();
    let (raw, npy) = (folder.path().join("data"), folder.path().join("data.npy"));
    std::fs::write(&raw, &words).unwrap();
    let head = "{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }\n";
    let header = [&b"\x93NUMPY\x01\x00"[..], &(head.len() as u16).to_le_bytes(), head.as_bytes()].concat();
    std::fs::write(&npy, [header, words].concat()).unwrap();
    let [raw, npy] = [raw, npy].map(|path| path.display().to_string());
    let trapped = |parameters: &str, wrong: &str, arguments: &str| {
        let body = format!("int i = threadIdx.x; if ({wrong}) d[1 << 20] = 0;");
        let text = format!("extern \"C\" __global__ void own(int *d{parameters}) {{\n{body}\n}}\n");
        let options = format!("--kernel own --grid 1 --block 64 --order 0 --args {arguments}");
        let output = check_text(&text, &options);
        (output.status.code(), format!("{}{}", stdout(&output), stderr(&output)))
    };
    let (code, told) = trapped(
        ", int *e, int *f, int *g",
        "d[i] != -1 || e[i] != 0x3f000000 || f[i] != 7 - i || g[i] != 7 - i",
        &format!("value:256:-1 value:256:0.5 raw:{raw} npy:{npy}"),
    );
    assert!(code == Some(0) && told.starts_with("1 order, no findings\n"), "{told}");
    assert!(told.contains("value: was taken for int -1, float 0.5;"), "{told}");
    let (code, told) = trapped("", "d[i] != 0", "matrix:8");
    assert!(code == Some(1), "a matrix of zeros alone: {told}");
}

mod long {
    use super::*;

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    #[ignore = "long"]
    fn a_kernel_that_answers_for_the_checker_by_a_process_or_a_program_is_not_believed() {
        no_answer_of_a_kernel_is_believed(3);
    }

    #[test]
    #[ignore = "long"]
    fn random_data_tells_every_kernel_with_its_barriers_from_that_without() {
        KERNELS.into_iter().for_each(assert_told_apart);
        let (code, told) = check_own(KERNELS[1].1, "", "symmetric:8:5 int:64");
        assert!(code == Some(1) && told.contains("seed 5"), "{told}");
    }
}
