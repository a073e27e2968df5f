// A branch that the compiler chooses by a type's size.
// launch: grid=2 block=64

template <typename T> __device__ unsigned if_constexpr_bits(T value) {
    if constexpr (sizeof(T) == 8)
        return (unsigned)__double_as_longlong(value);
    else
        return __float_as_uint(value);
}

extern "C" __global__ void if_constexpr(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = if_constexpr_bits((float)in[i]) ^ if_constexpr_bits((double)in[i] / 3.0);
}
