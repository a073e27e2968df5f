// A function's result fills a global buffer that the next launch reads by value.
// launch: grid=4 block=32 repeat=2
struct value_results_in_global_memory_pair { unsigned a, b; };
__device__ value_results_in_global_memory_pair value_results_in_global_memory_next(value_results_in_global_memory_pair v, unsigned x) {
    return {v.a + x, v.b ^ v.a};
}
extern "C" __global__ void value_results_in_global_memory(const unsigned *in, value_results_in_global_memory_pair *out) {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = value_results_in_global_memory_next(out[i], in[i]);
}
