// Mistake: only the even elements of the dynamic shared memory are written before all are read.
// launch: grid=1 block=64 dynamic=512
// finds: unwritten
// line: 9
extern "C" __global__ void dynamic_shared_unwritten(const unsigned *in, unsigned *out) {
    extern __shared__ unsigned dynamic_shared_unwritten_values[];
    dynamic_shared_unwritten_values[2 * threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic_shared_unwritten_values[threadIdx.x] + 1;
}
