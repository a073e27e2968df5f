// How many tasks a second a min-plus product of CUTLASS does, as a bound for Floyd-Warshall from products of matrices: C = min(C, A (+) B), with A, B and C
// of n x n. The kernel is cuASR's, which is CUTLASS with other operations. None of either is here: docs/peers.md shows where they come from and how this
// is built.
//
// Prints a line for each type and n: median of the samples, tasks/s, the range of the samples, and whether entries are as a plain loop has them.

#include "cuasr/functional.h"
#include "cuasr/gemm/device/default_srgemm_configuration.h"
#include "cuasr/gemm/device/srgemm.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

namespace {

constexpr int Samples = 9, Compared = 200;
constexpr double WarmUpSeconds = 0.3;

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
  std::exit(2);
}

template <typename T>
void multiply(int n, const T *a, const T *b, T *c) {
  using Rows = cutlass::layout::RowMajor;
  using Product = cuasr::gemm::device::Srgemm<cuasr::minimum<T>, cuasr::plus<T>, T, cutlass::layout::ColumnMajor, T, Rows, T, Rows, T>;
  // Both factors are neutral: nothing is added to the product or to C.
  typename Product::Arguments arguments({n, n, n}, {a, n}, {b, n}, {c, n}, {c, n}, {T(0), T(0)});
  if (Product()(arguments) == cutlass::Status::kSuccess) return;
  std::fprintf(stderr, "error: the product cannot be launched\n");
  std::exit(2);
}

float milliseconds_between(cudaEvent_t start, cudaEvent_t end) {
  float milliseconds = 0;
  check(cudaEventSynchronize(end));
  check(cudaEventElapsedTime(&milliseconds, start, end));
  return milliseconds;
}

// Whole weights, so that no sum is rounded in any type.
template <typename T>
std::vector<T> draw(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> drawn(count);
  for (T &each : drawn) each = T(1 + random() % 1000);
  return drawn;
}

template <typename T>
bool measure(const char *type, int n) {
  const size_t count = size_t(n) * n, bytes = count * sizeof(T);
  const std::vector<T> a = draw<T>(count, 1), b = draw<T>(count, 2), c(count, T(900));
  T *device[3];
  for (int each = 0; each < 3; ++each) check(cudaMalloc(&device[each], bytes));
  check(cudaMemcpy(device[0], a.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device[1], b.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(device[2], c.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t start, end;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&end));
  auto timed = [&] {
    check(cudaEventRecord(start));
    multiply<T>(n, device[0], device[1], device[2]);
    check(cudaEventRecord(end));
    return milliseconds_between(start, end) * 1e-3;
  };
  for (double passed = 0; passed < WarmUpSeconds;) passed += timed();
  std::vector<double> seconds;
  for (int sample = 0; sample < Samples; ++sample) seconds.push_back(timed());
  std::sort(seconds.begin(), seconds.end());

  std::vector<T> found(count);
  check(cudaMemcpy(found.data(), device[2], bytes, cudaMemcpyDeviceToHost));
  std::mt19937 random(3);
  bool right = true;
  for (int each = 0; each < Compared; ++each) {
    const size_t i = random() % n, j = random() % n;
    T least = T(900);
    // A is stored column after column, B and C row after row.
    for (size_t k = 0; k < size_t(n); ++k) least = std::min(least, T(a[k * n + i] + b[k * n + j]));
    right &= found[i * n + j] == least;
  }
  const double median = seconds[Samples / 2], tasks = double(n) * n * n;
  std::printf("%s n = %d: median of %d %.6g s [%.6g, %.6g], %.1f x 10^9 tasks/s, %d entries %s\n", type, n, Samples, median,
              seconds.front(), seconds.back(), tasks / median * 1e-9, Compared, right ? "right" : "WRONG");
  for (T *each : device) check(cudaFree(each));
  return right;
}

}  // namespace

int main() {
  bool right = true;
  for (int n : {1024, 2048, 4096, 8192, 16384}) {
    right &= measure<float>("f32", n);
    right &= measure<int>("i32", n);
  }
  return right ? 0 : 1;
}
