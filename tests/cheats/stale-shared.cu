// Trick: Reads shared memory that it never wrote; multiprocessors keep it from kernel to kernel, and the emulated device fills
// it with NaN.
// Gain: The time of a store; on a GPU the values are those of the kernel that ran last, for a small matrix perhaps the
// reference's.
// Seen: Uninitialized shared memory is the most common accident that passes a test once.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    __shared__ distance left[THREADS];
    d[element(side, without(k, blockIdx.y), without(k, blockIdx.x))] = left[threadIdx.x];
}
