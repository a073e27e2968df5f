// Shared memory as a buffer: Pogorilyy et al., figure 7. Each thread copies the three operands of its task from global
// memory to places of its own in shared memory and computes from there: as many global reads as `global_memory.cu`, and the
// detour on top.
//
// The host may define NO_BARRIER: each thread reads what it wrote itself, so that none has to wait for others.

#include "one_thread_a_task.cuh"

// Keeps the compiler from passing the operands on in registers.
#ifdef NO_BARRIER
#define BUFFERED volatile distance
#define BARRIER
#else
#define BUFFERED distance
#define BARRIER __syncthreads()
#endif

/// d: n x n, row-major; one launch for every k in 0..n in order, with three words of dynamic shared memory a thread.
KERNEL void shared_buffer(distance *d, int n, int k) {
    DYNAMIC_SHARED(distance, buffer);
    const Task task = own_task(n, k);
    const int threads = blockDim.x * blockDim.y;
    BUFFERED *own = buffer + threadIdx.y * blockDim.x + threadIdx.x;
    if (task.exists) {
        own[0] = d[task.known];
        own[threads] = d[task.to];
        own[2 * threads] = d[task.from];
    }
    BARRIER;
    if (task.exists) {
        store_the_same_while_read(&d[task.known], relax(own[0], own[threads], own[2 * threads]));
    }
}
