// What ecl_apsp.py calls: loads a matrix, solves it with the kernels of ECL-APSP, and fetches the distances.
//
// None of ECL-APSP is here. ECL_APSP is the file that its authors publish, which has kernels and a main of its own; docs/peers.md shows
// where it comes from and how this is built. That main reads a graph from a file, solves it, and compares the result with a triple loop
// on one processor, which takes hours where the GPU takes a second. So this file launches the same kernels in the same order instead.

#define main main_of_ecl_apsp
#include ECL_APSP
#undef main

namespace {

struct Matrix {
  mtype *distances = nullptr, *rows = nullptr, *columns = nullptr;
  int n = 0, side = 0;

  void free() {
    cudaFree(distances);
    cudaFree(rows);
    cudaFree(columns);
    *this = Matrix();
  }

  // A multiple of their tile; vertices beyond n have no edges.
  cudaError_t make(int vertices) {
    free();
    n = vertices;
    side = (n + tile - 1) / tile * tile;
    const size_t bytes = sizeof(mtype) * side * side;
    for (mtype **each : {&distances, &rows, &columns}) {
      const cudaError_t error = cudaMalloc(each, bytes);
      if (error != cudaSuccess) return error;
    }
    init1<<<(size_t(side) * side + ThreadsPerBlock - 1) / ThreadsPerBlock, ThreadsPerBlock>>>(n, distances, side);
    return cudaGetLastError();
  }

  cudaError_t copy(mtype *host, cudaMemcpyKind kind) const {
    const bool in = kind == cudaMemcpyHostToDevice;
    const size_t row = sizeof(mtype) * n, pitch = sizeof(mtype) * side;
    return in ? cudaMemcpy2D(distances, pitch, host, row, row, n, kind)
              : cudaMemcpy2D(host, row, distances, pitch, row, n, kind);
  }

  void close() const {
    const int rounds = side / tile, others = rounds - 1;
    FW0_64<<<1, ThreadsPerBlock>>>(distances, side, rows, columns);
    for (int round = 0; others > 0 && round < rounds; ++round) {
      FWrowcol_64<<<2 * others, ThreadsPerBlock>>>(distances, side, rows, columns, round, others);
      FWrem_64<<<others * others, ThreadsPerBlock>>>(distances, side, rows, columns, round, others);
    }
  }
} matrix;

}  // namespace

// The first hexadecimal digits of the SHA-256 of their file.
extern "C" const char *ecl_apsp_source() { return ECL_APSP_SHA256; }

// Each returns 0, or an error of CUDA's runtime.

extern "C" int ecl_apsp_load(int n, mtype *weights) {
  const cudaError_t error = matrix.make(n);
  return error != cudaSuccess ? error : matrix.copy(weights, cudaMemcpyHostToDevice);
}

// All launches, until the last has ended: what ECL-APSP's own clock encloses.
extern "C" int ecl_apsp_solve() {
  matrix.close();
  return cudaDeviceSynchronize();
}

extern "C" int ecl_apsp_store(mtype *distances) { return matrix.copy(distances, cudaMemcpyDeviceToHost); }
