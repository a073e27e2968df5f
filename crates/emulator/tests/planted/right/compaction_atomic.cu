// Each kept value gets a place of its own from an atomic counter; their order is open, their sum is not.
// launch: grid=1 block=256
extern "C" __global__ void compaction_atomic(const unsigned *in, unsigned *out) {
    __shared__ unsigned kept[256], count, sum;
    if (threadIdx.x == 0) count = 0, sum = 0;
    __syncthreads();
    if (in[threadIdx.x] & 4) kept[atomicAdd(&count, 1u)] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < count) atomicAdd(&sum, kept[threadIdx.x] * 3);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum, out[1] = count;
}
