// Objects in shared memory of a class whose constructor does nothing.
// launch: grid=2 block=64

class shared_class_ctor_cell {
    unsigned value, count;

  public:
    __device__ shared_class_ctor_cell() {}
    __device__ void set(unsigned to) { value = to, count = 1; }
    __device__ unsigned get() const { return value * 2 + count; }
};

extern "C" __global__ void shared_class_ctor(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_class_ctor_cell cells[64];
    cells[threadIdx.x].set(in[i]);
    __syncthreads();
    out[i] = cells[threadIdx.x ^ 33].get();
}
