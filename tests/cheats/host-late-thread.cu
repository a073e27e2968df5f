// Trick: Starts a thread of the host that solves while the kernel has long returned: the host's form of a side stream.
// Gain: The clock stops before the work is done; the comparison comes late enough to find it done.
// Seen: CUDA-L1 (2025): kernels that put their work on a stream of their own, so that events on the main stream saw none of
// it.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

struct Work {
    distance *d;
    int n;
};

__attribute__((no_sanitize("thread"))) static __device__ void *work(void *of) {
    const Work own = *(Work *)of;
    distance *d = own.d;
    const int n = own.n;
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const distance through = d[(size_t)i * n + k] + d[(size_t)k * n + j];
                if (through < d[(size_t)i * n + j]) {
                    d[(size_t)i * n + j] = through;
                }
            }
        }
    }
    return 0;
}

KERNEL void strike(distance *d, int side) {
    const Work own = {d, side};
    unsigned long thread;
    void *kept = mmap(0, 4096, 3, 0x22, -1, 0);
    bcopy(&own, kept, sizeof own);
    pthread_create(&thread, 0, work, kept);
}
