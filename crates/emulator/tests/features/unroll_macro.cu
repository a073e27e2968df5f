// A pragma from a macro.
// launch: grid=2 block=64

#define unroll_macro_UNROLL _Pragma("unroll")
#define unroll_macro_TEXT(words) #words
#define unroll_macro_BY(times) _Pragma(unroll_macro_TEXT(unroll times))
extern "C" __global__ void unroll_macro(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    unroll_macro_UNROLL
    for (int k = 0; k < 4; ++k) sum += in[i + k];
    unroll_macro_BY(2)
    for (int k = 0; k < 5; ++k) sum = sum * 3 + in[i + k];
    out[i] = sum;
}

#undef unroll_macro_UNROLL
#undef unroll_macro_TEXT
#undef unroll_macro_BY
