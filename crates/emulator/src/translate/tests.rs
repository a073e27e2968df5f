use super::*;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Of this compute capability.
fn of(major: u32, minor: u32) -> Target {
    Target { capability: (major, minor), ..Target::default() }
}

fn translated(source: &str) -> TranslationOutput {
    translate(source, of(9, 0)).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// With runs of spaces as one, so that a test says only what matters.
fn text(source: &str) -> String {
    translated(source).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn refusal(source: &str) -> String {
    translate(source, of(9, 0)).map(|translated| translated.text).expect_err("refused").to_string()
}

fn in_kernel(body: &str) -> String {
    format!("extern \"C\" __global__ void k(unsigned *p, int n) {{ {body} }}")
}

/// Compilers ignore the name that is given to a declaration within a template.
#[test]
fn dynamic_shared_arrays_of_templates_are_references_to_one_outside() {
    let made = translated(
        "template <class T> __global__ void f(T *p) { extern __shared__ T tile[]; p[0] = tile[0]; }",
    );
    assert_eq!(made.dynamic, ["tile"]);
    let (outside, within) = made.text.split_once('\n').unwrap();
    let within = within.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(outside, "extern \"C\" __thread char emulated_array_tile[];");
    assert!(
        within.contains("typedef T emulated_type_1[]; auto &tile = *(emulated_type_1 *)emulated_array_tile;"),
        "{within}"
    );
}

#[test]
fn the_bounds_of_kernels_are_exported() {
    let made = translated(
        "# 7 \"a.cu\"\nextern \"C\" __global__ void __launch_bounds__(128, 2) a(int *p) {}\n\
         template <int B> __global__ void __launch_bounds__(B) b(int *p) {}\n\
         template __global__ void b<3>(int *);\n\
         namespace n { __global__ void __cluster_dims__(2, 1, 1) c(); }\n\
         extern \"C\" { __global__ void __launch_bounds__(2 * 64) d() {} }\n",
    );
    for (symbol, values) in [("bounds_a", "128, 2, 0"), ("cluster_c", "2, 1, 1")] {
        let values = values.split(", ").map(|value| format!("(unsigned)({value})")).collect::<Vec<_>>();
        let exported =
            format!("emulated_{symbol}[3] = {{{}}}", values.join(", ").replace("(unsigned)(0)", "0"));
        assert!(made.text.contains(&exported), "{}", made.text);
    }
    assert!(!made.text.contains("emulated_bounds_b"), "{}", made.text);
    assert!(made.text.contains("emulated_bounds_d[3] = {(unsigned)(2 * 64), 0, 0}"), "{}", made.text);
}

#[test]
fn what_is_not_emulated_is_refused_by_name_where_it_is_used_unless_the_file_has_it() {
    for (code, name, remedy) in [
        ("*p = tex2D<float>(n, 1, 1);", "tex2D", "through a pointer"),
        ("*p = tex1Dfetch(t, 1);", "tex1Dfetch", "through a pointer"),
        ("texture<float, 2> t;", "texture", "through a pointer"),
        ("surf2Dread(p, n, 1, 1);", "surf2Dread", "through a pointer"),
        ("curandState_t s;", "curandState_t", "in CUDA C++"),
        ("*p = curand_uniform4(0);", "curand_uniform4", "in CUDA C++"),
        ("typedef ::cub::BlockReduce<int, 32> B;", "cub", "in CUDA C++"),
        ("*p = thrust::max(*p, 1);", "thrust", "in CUDA C++"),
        ("k<<<1, 32>>>(p, n);", "<<<", "from the host"),
        ("cudaLaunchDevice(k, 0, 1, 1, 0, 0);", "cudaLaunchDevice", "from the host"),
        ("cudaMalloc(&p, 4);", "cudaMalloc", "let the host"),
    ] {
        let error = refusal(&format!("# 1 \"k.cu\"\n{}", in_kernel(&format!("\n{code}"))));
        assert!(
            error.starts_with(&format!("k.cu:2: `{name}` ")) && error.contains(remedy),
            "{code}: {error}"
        );
    }
    let own = "namespace cub { int f(); } template <class T> struct texture { int tex1D(int); }; int *tex2D(int *p) { return p; }";
    let used = "texture<int> t; cudaTextureObject_t o; int curand = cub::f() + *tex2D(p) + t.tex1D(1) + (curand < 2);";
    translated(&format!("{own} {}", in_kernel(used)));
}

#[test]
fn what_a_kernel_or_a_variable_cannot_be_is_refused() {
    for (text, words) in [
        ("__global__ int k() { return 1; }", "must return void"),
        ("__global__ void __launch_bounds__(3) __maxnreg__(32) k() {}", "cannot go together"),
        ("__global__ auto k() {}", "deduced"),
        ("struct A { static __global__ void k(); };", "member"),
        ("__device__ void f() { __shared__ int s = 3; }", "cannot have an initializer"),
        ("struct A { __shared__ int s; };", "does not apply here"),
        ("__device__ void f(__shared__ int s) {}", "does not apply here"),
        ("__device__ void f() { __device__ int x; }", "automatic variable"),
    ] {
        assert!(refusal(text).contains(words), "{text}: {}", refusal(text));
    }
}

#[test]
fn pragmas_go_but_for_those_that_say_how_members_lie() {
    let all = [
        "GCC optimize(\"O0\")",
        "clang attribute push(x)",
        "weak f = g",
        "omp parallel for",
        "unroll 4",
        "pack(push, 1)",
    ];
    let made = text(&all.map(|pragma| format!("int a;\n# pragma {pragma}\n")).concat());
    assert_eq!(made, "int a; int a; int a; int a; int a; int a; # pragma pack(push, 1)");
}

#[test]
fn a_spin_loop_keeps_its_labels_apart() {
    let wait = "asm volatile(\"{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra WAIT; }\" :: \"r\"(n), \"r\"(0));";
    let made = text(&in_kernel(&format!("if (n) {wait} else {wait}")));
    assert!(
        made.contains("emulated_label_1_1_WAIT: ;") && made.contains("emulated_label_2_1_WAIT: ;"),
        "{made}"
    );
    assert!(made.contains("if (emulated_r1_p == 0) { goto emulated_label_1_1_WAIT; }"), "{made}");
    assert!(made.contains("} else {"), "{made}");
}

#[test]
fn numbers_in_ptx_are_joined_as_in_c() {
    for (ptx, cpp) in [
        ("4 * 3 + 2", "(4ull * 3ull + 2ull)"),
        ("10 - 4 - 3", "(10ull - 4ull - 3ull)"),
        ("-(1<<4)", "( - (1ull << 4ull))"),
    ] {
        let made = text(&in_kernel(&format!("asm(\"mov.u32 %0, {ptx};\" : \"=r\"(n));")));
        assert!(made.contains(&format!("emulated_0 = {cpp};")), "{ptx} became {made}");
    }
}

#[test]
fn what_is_not_known_is_refused_by_name_and_line() {
    let message = refusal(&format!("# 4 \"k.cu\"\n{}", in_kernel("\nasm(\"wmma.mma %0;\" : \"+r\"(n));")));
    assert!(message.starts_with("k.cu:5: PTX instruction wmma.mma is not emulated"), "{message}");
    for (asm, words) in [
        ("asm(\"add.s32 %0, %0\" : \"+r\"(n));", "`;` is expected"),
        ("asm(\"add.s32 %0, %0, %2;\" : \"+r\"(n));", "this asm statement has 1 operands"),
        ("asm(\"bra AWAY;\");", "no label here"),
        ("asm(\"add.s32 x, x, 1;\" ::: );", "names x"),
        ("asm(\"mov.u32 %%r, 1;\");", "takes the text as it is"),
        ("asm(\"\" : \"=m\"(n));", "not emulated"),
        ("asm volatile(\"setmaxnreg.inc.sync.aligned.u32 240;\");", "needs compute capability 9.0a, and 9.0"),
        ("asm(\"ld.global.u32 %0, [%0];\" : \"+r\"(n));", "have 64"),
        ("asm(\"mov.b32 %0, {};\" : \"+r\"(n));", "a group of 0 registers does not make 32 bits"),
        ("asm(\"shl.sat.b32 %0, %0, 3;\" : \"+r\"(n));", "shl.sat.b32 is not emulated"),
        (
            "asm(\"st.async.global.mbarrier::complete_tx::bytes.u32 [%0], 1, [%0];\" :: \"r\"(n));",
            "not emulated",
        ),
        ("asm(\"add.pred %0, %0, %0;\" : \"+r\"(n));", "has no type pred"),
        ("asm(\"mul24.u32 %0, %0, 3;\" : \"+r\"(n));", "it needs one of .lo, .hi"),
        ("asm(\"mov.u32 %0, 4 + %0;\" : \"+r\"(n));", "of whole numbers"),
    ] {
        let message = refusal(&in_kernel(asm));
        assert!(message.contains(words), "{asm}: {message}");
    }
    let old = translate(&in_kernel("asm volatile(\"cp.async.wait_all;\");"), of(7, 5));
    assert!(old.expect_err("refused").words.contains("needs compute capability 8.0"));
}

// PTX instructions on numbers at the edges of their types, against what an H200 computed. Each line of `values.txt` is an instruction:
// the digest of its 256 results there, the constraint of its result, those of its operands, its text. `X` is an operand from 0 to 31,
// `Y` one from -3 to 3.

const ROWS: &str = "rlhfd";
const TYPES: [&str; 5] = ["unsigned", "unsigned long long", "unsigned short", "float", "double"];

fn kernel_of(instructions: &[Vec<&str>]) -> String {
    let mut text = "#define N 31\ntypedef unsigned long long u64;\n".to_string();
    for (row, name) in ROWS.chars().zip(TYPES) {
        let bits = ["unsigned", "u64", "unsigned short", "unsigned", "u64"][ROWS.find(row).unwrap()];
        writeln!(
            text,
            "__device__ {name} as_{row}(u64 x) {{ return __builtin_bit_cast({name}, ({bits})x); }}"
        )
        .unwrap();
        writeln!(text, "__device__ u64 bits({name} x) {{ return __builtin_bit_cast({bits}, x); }}").unwrap();
    }
    for (at, instruction) in instructions.iter().enumerate() {
        let [_, result, operands, ptx] = instruction[..] else { panic!("four columns") };
        let mut inputs = Vec::new();
        for (place, letter) in operands.trim_matches('-').chars().enumerate() {
            inputs.push(match ROWS.find(letter) {
                Some(row) => format!(
                    "\"{letter}\"(as_{letter}(numbers[{row} * N + (t * {} + t / {} + {}) % N]))",
                    [1, 7, 13, 29][place],
                    [1, 9, 5, 3][place],
                    place * 3
                ),
                None if letter == 'X' => "\"r\"(t % 32)".to_string(),
                None => "\"r\"((t % 7) - 3)".to_string(),
            });
        }
        let kind = TYPES[ROWS.find(result).unwrap()];
        writeln!(
            text,
            "__device__ __attribute__((noinline)) void i{at}(u64 *out, int t, const u64 *numbers) {{ {kind} x; asm volatile(\"{ptx}\" : \"={result}\"(x) : {}); out[{at} * 256 + t] = bits(x); }}",
            inputs.join(", ")
        )
        .unwrap();
    }
    text += "extern \"C\" __global__ void values(const u64 *numbers, u64 *out) {\n";
    for at in 0..instructions.len() {
        writeln!(text, "i{at}(out, threadIdx.x, numbers);").unwrap();
    }
    text + "}\n"
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Each of so many instructions in turn: all of them take long to compile.
fn instructions_compute_what_a_gpu_computes(step: usize) {
    let lines = include_str!("tests/values.txt").lines().step_by(step);
    let instructions: Vec<Vec<&str>> = lines.map(|line| line.splitn(4, ' ').collect()).collect();
    let folder = std::env::temp_dir().join(format!("ptx-values-{step}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let headers = manifest.join("cuda");
    let gcc = |arguments: &[&str]| {
        run(Command::new("g++")
            .args(["-std=c++20", "-w", "-O1", "-I"])
            .arg(&headers)
            .args(arguments)
            .current_dir(&folder))
    };
    let source = format!("#include \"cuda.hpp\"\n#include \"ptx.hpp\"\n{}", kernel_of(&instructions));
    std::fs::write(folder.join("values.cpp"), source).unwrap();
    let preprocessed = gcc(&["-E", "-D__CUDA_ARCH__=900", "values.cpp"]);
    let translated = translate(&preprocessed, of(9, 0)).unwrap_or_else(|refusal| panic!("{refusal}"));
    std::fs::write(folder.join("values.ii"), translated.text).unwrap();
    gcc(&["-fpreprocessed", "-ffp-contract=off", "-c", "values.ii"]);
    let harness = manifest.join("src/translate/tests/values.cpp");
    gcc(&[harness.to_str().unwrap(), "values.o", "-o", "values"]);
    let digests = run(Command::new(folder.join("values")).arg(instructions.len().to_string()));
    let wrong: Vec<&str> = digests
        .lines()
        .zip(&instructions)
        .filter(|(digest, instruction)| *digest != instruction[0])
        .map(|(_, instruction)| instruction[3])
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_sixth_instruction_computes_what_a_gpu_computes() {
    instructions_compute_what_a_gpu_computes(6);
}

mod long {
    #[test]
    #[ignore = "long"]
    fn every_instruction_computes_what_a_gpu_computes() {
        super::instructions_compute_what_a_gpu_computes(1);
    }
}
