// Functions for both sides.
// launch: grid=2 block=64

__host__ __device__ inline unsigned host_device_round_up(unsigned value, unsigned multiple) { return (value + multiple - 1) / multiple * multiple; }
struct host_device_pair {
    unsigned a, b;
    __host__ __device__ unsigned sum() const { return a + b; }
};

extern "C" __global__ void host_device(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    host_device_pair pair = {host_device_round_up(in[i] >> 1, 12), i};
    out[i] = pair.sum();
}
