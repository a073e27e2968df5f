// Functions chosen by the type of an object at run time.
// launch: grid=2 block=64
// kernel: virtual_kernel

struct virtual_shape {
    unsigned a;
    __device__ virtual_shape(unsigned value) : a(value) {}
    __device__ virtual unsigned size() const { return a; }
    __device__ virtual ~virtual_shape() {}
};
struct virtual_square : virtual_shape {
    __device__ virtual_square(unsigned value) : virtual_shape(value) {}
    __device__ unsigned size() const override { return a * a; }
};

extern "C" __global__ void virtual_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    virtual_shape plain(in[i] >> 2);
    virtual_square square(in[i] & 0xfff);
    const virtual_shape *chosen = in[i] & 1 ? &plain : static_cast<const virtual_shape *>(&square);
    out[i] = chosen->size();
}
