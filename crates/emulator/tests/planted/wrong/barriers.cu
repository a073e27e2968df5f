// === barrier_after_break
// Mistake: threads that found something leave the loop, the others go on to its barrier.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 10 15 17
extern "C" __global__ void barrier_after_break(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    unsigned found = 99;
    for (unsigned k = 0; k < 8; k++) {
        values[threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
        if (values[63 - threadIdx.x] % 8 == 0) {
            found = k;
            break;
        }
        __syncthreads();
    }
    __syncthreads();
    out[threadIdx.x] = found;
}

// === barrier_after_return
// Mistake: threads without an element return before the barrier that the others wait at.
// launch: grid=1 block=64
// arguments: in out int:16
// finds: divergent-barrier
// line: 9
// says: waits at a barrier, and thread ( ... has left the kernel
extern "C" __global__ void barrier_after_return(const unsigned *in, unsigned *out, int n) {
    if (threadIdx.x >= n) return;
    __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

// === barrier_in_both_branches
// Mistake: each branch has a barrier of its own, and the threads of one block take both branches.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 10 14
// says: waits at this barrier, and thread ( ... at another at barriers.cu:
extern "C" __global__ void barrier_in_both_branches(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (threadIdx.x < 32) {
        values[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = values[threadIdx.x + 32];
    } else {
        values[threadIdx.x] = in[threadIdx.x] * 3;
        __syncthreads();
        out[threadIdx.x] = values[threadIdx.x - 32] + 1;
    }
}

// === barrier_in_function_of_half
// Mistake: a function with a barrier in it is called by the first half of the block only.
// launch: grid=1 block=128
// finds: divergent-barrier
// line: 6 13 15
static __device__ unsigned barrier_in_function_of_half_sum(unsigned *values) {
    __syncthreads();
    return values[threadIdx.x] + values[threadIdx.x + 64];
}
extern "C" __global__ void barrier_in_function_of_half(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    unsigned sum = in[threadIdx.x];
    if (threadIdx.x < 64) sum = barrier_in_function_of_half_sum(values);
    out[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += values[threadIdx.x];
}

// === barrier_in_lane_branch
// Mistake: a barrier that the odd lanes of every warp do not reach.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 8 9 11
extern "C" __global__ void barrier_in_lane_branch(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x % 2 == 0) __syncthreads();
    __syncwarp();
    out[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
}

// === barrier_in_loop_of_thread
// Mistake: the number of rounds, each with a barrier, depends on the thread.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 8 10
extern "C" __global__ void barrier_in_loop_of_thread(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned k = 0; k < 2 + threadIdx.x / 32; k++) __syncthreads();
    values[threadIdx.x] += 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}

// === barrier_in_thread_branch
// Mistake: half of the threads take a branch with a barrier in it, the others come to the barrier after it.
// launch: grid=1 block=128
// finds: divergent-barrier
// line: 9 12
extern "C" __global__ void barrier_in_thread_branch(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 64) {
        __syncthreads();
        values[threadIdx.x] += values[threadIdx.x + 64];
    }
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x % 64];
}

// === barrier_left_out_at_the_end
// Mistake: the last round leaves out the barrier that the reads after the loop need.
// launch: grid=1 block=64
// finds: race-in-block
// line: 10 13
extern "C" __global__ void barrier_left_out_at_the_end(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 5; k++) {
        values[(threadIdx.x + k) % 64] += in[k * 64 + threadIdx.x];
        if (k < 4) __syncthreads();
    }
    out[threadIdx.x] = values[63 - threadIdx.x];
}

// === barrier_of_other_rounds
// Mistake: the two warps come to the barrier in different rounds of the loop, and one of them once more than the other.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 9 10
extern "C" __global__ void barrier_of_other_rounds(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned k = 0; k < 3 + in[0]; k++)
        if (threadIdx.x / 32 == (k & 1)) __syncthreads();
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
}

// === barrier_with_vote_in_branch
// Mistake: __syncthreads_count is asked by those threads only that have something to count.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 7 8
extern "C" __global__ void barrier_with_vote_in_branch(const unsigned *in, unsigned *out) {
    unsigned count = 0;
    if (threadIdx.x >= 32) count = __syncthreads_count(in[threadIdx.x] & 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
