// Constant memory without values is zero.
// launch: grid=2 block=64

__constant__ unsigned const_uninit_values[16];
__constant__ float4 const_uninit_four;

extern "C" __global__ void const_uninit(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + const_uninit_values[in[i] % 16] + (unsigned)const_uninit_four.z;
}
