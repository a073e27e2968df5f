mod values;

use super::*;

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

#[test]
fn shared_variables_are_thread_local_however_they_are_written() {
    for (from, to) in [
        ("__shared__ float s[4];", "static thread_local __attribute__((used)) float s[4];"),
        ("static __shared__ float s[4];", "static thread_local __attribute__((used)) float s[4];"),
        ("volatile __shared__ int s;", "static thread_local __attribute__((used)) volatile int s;"),
        ("float __shared__ s[2], t;", "static thread_local __attribute__((used)) float s[2], t;"),
        ("__shared__ alignas(16) int s;", "alignas(16) static thread_local __attribute__((used)) int s;"),
        ("alignas(16) __shared__ int s;", "alignas(16) static thread_local __attribute__((used)) int s;"),
        (
            "__shared__ __attribute__((aligned(16))) int s;",
            "static thread_local __attribute__((used)) __attribute__((aligned(16))) int s;",
        ),
        ("__shared__ struct { int a; } s;", "static thread_local __attribute__((used)) struct { int a; } s;"),
        ("extern __shared__ int s[4];", "static thread_local __attribute__((used)) int s[4];"),
    ] {
        let made = text(&in_kernel(from));
        assert!(made.contains(to), "{from} became {made}");
    }
}

#[test]
fn dynamic_shared_arrays_are_declared_and_reported() {
    let made =
        translated("namespace a { __device__ void f() { extern __shared__ alignas(8) char bytes[]; } }");
    assert_eq!(made.dynamic, ["bytes"]);
    assert!(made.text.contains("alignas(8) extern __thread"), "{}", made.text);
    assert!(made.text.contains("bytes[] __asm__(\"emulated_array_bytes\");"), "{}", made.text);
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

/// One name may be that of several variables, and lambdas without captures find the first.
#[test]
fn shared_variables_of_one_name_are_apart_where_their_types_are() {
    let class = "struct A { int x; __device__ A() {} };";
    for (declarations, apart) in [
        (["extern __shared__ int s[];", "extern __shared__ int s[];"], false),
        (["extern __shared__ int s[];", "extern __shared__ float s[];"], true),
        (["extern __shared__ int s[];", "extern __shared__ volatile int s[];"], true),
        (["__shared__ int *s;", "__shared__ float *s;"], false),
        (["__shared__ A s;", "__shared__ A s;"], true),
        (["__shared__ A *s;", "__shared__ A s[2], t;"], true),
    ] {
        let [first, second] = declarations;
        let made =
            text(&format!("{class} __device__ void f() {{ {first} }} __device__ void g() {{ {second} }}"));
        assert_eq!(made.contains("auto &s = "), apart, "{declarations:?} became {made}");
    }
}

#[test]
fn shared_memory_has_no_initializer_and_no_place_in_a_class() {
    assert!(refusal(&in_kernel("__shared__ int s = 3;")).contains("cannot have an initializer"));
    assert!(refusal("struct A { __shared__ int s; };").contains("does not apply here"));
    assert!(refusal("__device__ void f(__shared__ int s) {}").contains("does not apply here"));
}

#[test]
fn constructors_of_shared_variables_are_not_run() {
    let made = text("struct A { int x; __device__ A() {} }; __device__ void f() { __shared__ A a; }");
    assert!(made.contains("extern __thread A a __asm__(\"emulated_shared_1_a\");"), "{made}");
    let made = text("struct A { int x; A() = default; }; __device__ void f() { __shared__ A a; }");
    assert!(made.contains("static thread_local __attribute__((used)) A a;"), "{made}");
}

#[test]
fn device_variables_get_a_section_and_functions_nothing() {
    let attributes = |section: &str| format!("__attribute__((section(\"{section}\"), used, retain))");
    for (from, to, section) in [
        ("__device__ int x;", "__constinit int x", ".emulated_device"),
        ("__device__ const int x[2] = {1, 2};", "__constinit const int x[2]", ".emulated_device_const"),
        ("__device__ const int *x;", "__constinit const int *x", ".emulated_device"),
        ("__device__ int *const x = nullptr;", "__constinit int *const x", ".emulated_device_const"),
        ("__device__ constexpr int x = 2;", "constexpr int x", ".emulated_device_const"),
        ("__constant__ float x[4];", "__constinit float x[4]", ".emulated_constant"),
        ("static __device__ __managed__ T<1, 2> x;", "static __constinit T<1, 2> x", ".emulated_device"),
        ("__device__ int (*x)(int);", "int (*x)(int)", ".emulated_device"),
        ("__device__ int x(3);", "__constinit int x", ".emulated_device"),
    ] {
        let made = text(from);
        assert!(made.starts_with(&format!("{to} {}", attributes(section))), "{from} became {made}");
    }
    for function in [
        "__device__ int f(int x) { return x; }",
        "struct A { __device__ A() : x(0) {} __device__ operator int() const { return x; } int x; };",
        "template <class T> __host__ __device__ T f(T x);",
        "__device__ bool operator<(A a, B b);",
    ] {
        let made = text(function);
        assert!(!made.contains("section") && !made.contains("__device__"), "{made}");
    }
    assert!(refusal(&in_kernel("__device__ int x;")).contains("automatic variable"));
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
fn what_a_kernel_cannot_be_is_refused() {
    assert!(refusal("__global__ int k() { return 1; }").contains("must return void"));
    assert!(
        refusal("__global__ void __launch_bounds__(3) __maxnreg__(32) k() {}").contains("cannot go together")
    );
    assert!(refusal("__global__ auto k() {}").contains("deduced"));
    assert!(refusal("struct A { static __global__ void k(); };").contains("member"));
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

#[test]
fn long_units_take_time_in_proportion() {
    let unit =
        in_kernel("__shared__ float s[4]; asm volatile(\"membar.cta;\"); if (n < 3) p[n] = n > 2 ? 1 : 2;")
            .replace("extern \"C\"", "");
    let many = unit.repeat(2000);
    let begin = std::time::Instant::now();
    translated(&many);
    // Slow machines and unoptimized builds included; what grows with the square takes minutes.
    assert!(begin.elapsed().as_secs() < 20);
}
