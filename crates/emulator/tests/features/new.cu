// Objects from the device's heap by new and delete.
// launch: grid=2 block=64
// kernel: new_kernel

struct new_pair {
    unsigned a, b;
    __device__ new_pair(unsigned first, unsigned second) : a(first), b(second) {}
    __device__ unsigned sum() const { return a + 3 * b; }
};

extern "C" __global__ void new_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    new_pair *pair = new new_pair(in[i], in[i + 1]);
    unsigned *values = new unsigned[3];
    for (int k = 0; k < 3; ++k) values[k] = in[i] >> k;
    out[i] = pair->sum() ^ values[in[i] % 3];
    delete[] values;
    delete pair;
}
