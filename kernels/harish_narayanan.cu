// Harish & Narayanan: one launch per k, one thread per task, everything in global memory: Lund & Smith (2010), section 3.1.

#include "one_thread_a_task.cuh"

/// d: n x n, row-major; one launch for every k in 0..n in order.
KERNEL void harish_narayanan(distance *d, int n, int k) {
    relax_in_global_memory(d, own_task(n, k));
}
