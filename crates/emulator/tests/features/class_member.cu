// Classes with private members, constructors and const functions.
// launch: grid=2 block=64

class class_member_interval {
    int low, high;

  public:
    __device__ class_member_interval(int from, int to) : low(from < to ? from : to), high(from < to ? to : from) {}
    __device__ long long length() const { return (long long)high - low; }
    __device__ class_member_interval &widen(int by) {
        low -= by;
        return *this;
    }
    static __device__ int twice(int value) { return 2 * value; }
};

extern "C" __global__ void class_member(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    class_member_interval interval((int)in[i] >> 2, (int)in[i + 1] >> 2);
    out[i] = (unsigned)interval.widen(5).widen(class_member_interval::twice(3)).length();
}
