// Extents of three dimensions, one where none is given.
// launch: grid=2 block=64
// kernel: dim3_kernel

__device__ unsigned dim3_volume(dim3 extent) { return extent.x * extent.y * extent.z; }

extern "C" __global__ void dim3_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    dim3 extent(in[i] & 15, 3);
    dim3 block = blockDim;
    extent.z = threadIdx.x;
    out[i] = dim3_volume(extent) + 1000 * dim3_volume(block) + dim3_volume(4);
}
