// Constants in device memory.
// launch: grid=2 block=64

__device__ const unsigned device_const_weights[4] = {1, 10, 100, 1000};
static __device__ const float device_const_scale = 2.0f;
const int device_const_shift = 3;

extern "C" __global__ void device_const(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = device_const_weights[in[i] & 3] + (unsigned)((float)(in[i] & 0xff) * device_const_scale) + (in[i] >> device_const_shift);
}
