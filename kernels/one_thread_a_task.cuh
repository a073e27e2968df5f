// One launch per k, one thread per task, everything in global memory. The text of `harish_narayanan.cu`, `global_memory.cu` and
// `shared_buffer.cu` alike.
//
// Within launch k other threads read row k and column k while their owners store the same bits back, since d[k][k] is 0:
// the race is deliberate.

#pragma once

#include "repro.cuh"

/// The task of a thread in launch k, as places in the row-major n x n matrix.
struct Task {
    size_t known, to, from;
    /// Threads beyond the matrix have none.
    bool exists;
};

/// Threads cover (column x, row y).
static __device__ __forceinline__ Task own_task(int n, int k) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t row = (size_t)i * n;
    return {row + j, row + k, (size_t)k * n + j, j < n && i < n};
}

/// Three words read from global memory and one written, 16 bytes a task. The store is therefore unconditional: storing only
/// improvements would move fewer bytes and be another implementation.
static __device__ __forceinline__ void relax_in_global_memory(distance *d, Task task) {
    if (task.exists) {
        store_the_same_while_read(&d[task.known], relax(d[task.known], d[task.to], d[task.from]));
    }
}
