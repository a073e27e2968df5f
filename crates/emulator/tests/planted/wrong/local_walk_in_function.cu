// Mistake: a function that is not inlined, since it calls itself, walks behind the array of its caller.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
__device__ unsigned local_walk_in_function_sum(const unsigned *at, unsigned left) {
    if (left == 0) return 0;
    return *at + local_walk_in_function_sum(at + 1, left - 1);
}
extern "C" __global__ void local_walk_in_function(const unsigned *in, unsigned *out) {
    unsigned own[5];
    for (unsigned i = 0; i < 5; i++)
        own[i] = in[i];
    out[threadIdx.x] = local_walk_in_function_sum(own, 5 + (in[threadIdx.x] & 1));
}
