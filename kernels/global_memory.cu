// One thread an element, everything in global memory: Pogorilyy et al., equation (4). The same task in the same way as
// `harish_narayanan.cu`.

#include "one_thread_a_task.cuh"

/// d: n x n, row-major; one launch for every k in 0..n in order.
KERNEL void global_memory(distance *d, int n, int k) {
    relax_in_global_memory(d, own_task(n, k));
}
