// Functions that call themselves or are called through pointers have arrays of their own, get those of their callers, and return from the midst of loops.
// launch: grid=2 block=64
__device__ unsigned local_walk_in_recursion_down(const unsigned *above, unsigned count, unsigned depth) {
    unsigned own[6];
    for (unsigned i = 0; i < count; i++) {
        own[i] = above[i] * 3 + depth;
        if (depth == 0 && own[i] % 7 == 0) return own[i];
    }
    if (depth == 0) return own[count - 1];
    return local_walk_in_recursion_down(own, count, depth - 1) + own[depth % count];
}
__device__ __noinline__ unsigned local_walk_in_recursion_sum(const unsigned *at, const unsigned *end) {
    unsigned copy[4] = {0}, *to = copy;
    for (; at != end; at++) {
        *to += *at;
        if (++to == copy + 4) to = copy;
    }
    return copy[0] + copy[1] * 2 + copy[2] * 3 + copy[3] * 5;
}
extern "C" __global__ void local_walk_in_recursion(const unsigned *in, unsigned *out) {
    unsigned own[6], thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < 6; i++)
        own[i] = in[thread + i];
    unsigned (*sum)(const unsigned *, const unsigned *) = local_walk_in_recursion_sum;
    unsigned first = local_walk_in_recursion_down(own, 6 - thread % 3, thread % 5);
    __syncthreads();
    out[thread] = first + sum(own, own + 6) + sum(own + 1, own + 1 + thread % 6);
}
