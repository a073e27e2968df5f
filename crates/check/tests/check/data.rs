//! Mistakes that show with some data alone: a kernel that does not store where nothing is to be changed has no race there.

use super::calls::{self, stderr, stdout};

/// Each kernel has a line `BARRIER` that keeps it right. They take data and the number of its elements, which a block has threads for.
const KERNELS: [(&str, &str); 7] = [
    (
        "bubble sort",
        "__shared__ int s[64]; int i = threadIdx.x; s[i] = d[i]; __syncthreads();
         for (int r = 0; r < n; r++) { int a = 2 * i + r % 2;
             if (a + 1 < n && s[a] > s[a + 1]) { int t = s[a]; s[a] = s[a + 1]; s[a + 1] = t; }
             BARRIER }
         __syncthreads(); d[i] = s[i];",
    ),
    (
        "bitonic sort",
        "__shared__ int s[64]; int i = threadIdx.x; s[i] = d[i]; __syncthreads();
         for (int k = 2; k <= n; k *= 2) for (int j = k / 2; j > 0; j /= 2) { int p = i ^ j;
             if (p > i && (s[i] > s[p]) == ((i & k) == 0)) { int t = s[i]; s[i] = s[p]; s[p] = t; }
             BARRIER }
         d[i] = s[i];",
    ),
    (
        "Floyd-Warshall, in place",
        "__shared__ int s[8][8]; int x = threadIdx.x % 8, y = threadIdx.x / 8; s[y][x] = d[threadIdx.x]; __syncthreads();
         for (int k = 0; k < 8; k++) { int c = s[y][k] + s[k][x]; BARRIER
             if (c < s[y][x]) s[y][x] = c;
             BARRIER }
         d[threadIdx.x] = s[y][x];",
    ),
    (
        "maximum",
        "__shared__ int most; if (threadIdx.x == 0) most = d[0]; __syncthreads();
         for (int i = 0; i < n; i++) { if (i == threadIdx.x && d[i] > most) most = d[i]; BARRIER }
         if (threadIdx.x == 0) d[0] = most;",
    ),
    (
        "marks of what is out of order",
        "__shared__ int bad[1]; if (threadIdx.x == 0) bad[0] = 0; __syncthreads();
         for (int i = 1; i < n; i++) { if (i == threadIdx.x && d[i] < d[i - 1]) bad[0] += 1; BARRIER }
         if (threadIdx.x == 0) d[n] = bad[0];",
    ),
    (
        "smoothing until nothing changes",
        "__shared__ int s[64]; int i = threadIdx.x; s[i] = d[i]; __syncthreads();
         for (int r = 0; r < 4; r++) { int before = i ? s[i - 1] : s[i]; BARRIER
             if (before > s[i] + 1) s[i] = before - 1;
             BARRIER }
         d[i] = s[i];",
    ),
    (
        "swaps across the middle",
        "__shared__ int s[64]; int i = threadIdx.x; s[i] = d[i]; __syncthreads();
         if (i < n / 2 && s[i] > s[n - 1 - i]) { int t = s[i]; s[i] = s[n - 1 - i]; s[n - 1 - i] = t; }
         BARRIER
         d[i] = s[n - 1 - i];",
    ),
];

/// The exit code and all that is printed of a check with these arguments.
fn check(body: &str, barrier: &str, arguments: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.cu");
    let body = body.replace("BARRIER", barrier);
    std::fs::write(&file, format!("extern \"C\" __global__ void own(int *d, int n) {{\n{body}\n}}\n"))
        .unwrap();
    let mut command = calls::with_compiler(assert_cmd::cargo::cargo_bin!("check-kernel"));
    command.arg(&file).args("--kernel own --grid 1 --block 64 --args".split(' ')).args(arguments.split(' '));
    let output = command.output().unwrap();
    (output.status.code(), stdout(&output) + &stderr(&output))
}

#[test]
fn random_data_shows_what_sorted_and_constant_data_hide() {
    for (name, body) in KERNELS {
        let (code, told) = check(body, "", "random:260 int:64");
        assert_eq!(code, Some(1), "{name}: {told}");
        let (code, told) = check(body, "__syncthreads();", "random:260 int:64");
        assert_eq!(code, Some(0), "{name}: {told}");
        let expected = "4 orders on random data of seed 1 (other data in orders 2, 3), no findings\n";
        assert_eq!(told, expected, "{name}");
    }
    let (code, told) = check(KERNELS[0].1, "", "numbers:260 int:64");
    assert!(code == Some(0) && told.contains("rising numbers") && told.contains("random:BYTES"), "{told}");
    let (code, told) = check(KERNELS[2].1, "", "symmetric:8:5 int:64");
    assert!(code == Some(1) && told.contains("seed 5"), "{told}");
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
    let trap = |expected: &str| format!("if (d[threadIdx.x] != {expected}) d[1 << 20] = 0;");
    let [raw, npy] = [raw, npy].map(|path| path.display().to_string());
    for (argument, expected) in [
        ("value:256:-1".to_string(), "-1"),
        ("value:256:0.5".to_string(), "0x3f000000"),
        (format!("raw:{raw}"), "7 - (int)threadIdx.x"),
        (format!("npy:{npy}"), "7 - (int)threadIdx.x"),
    ] {
        let (code, told) = check(&trap(expected), "", &format!("{argument} int:64"));
        assert!(code == Some(0) && told.starts_with("4 orders, no findings\n"), "{argument}: {told}");
        let element = if argument.ends_with("0.5") {
            "value: was taken for float 0.5;"
        } else {
            "value: was taken for int -1;"
        };
        assert_eq!(told.contains(element), argument.starts_with("value:"), "{argument}: {told}");
    }
    let (code, told) = check(&trap("0"), "", "matrix:8 int:64");
    assert!(code == Some(1), "a matrix of zeros alone: {told}");
}
