// Dynamic shared memory declared by a macro.
// launch: grid=2 block=64 dynamic=512

#define dynamic_macro_SHARED(type, name) extern __shared__ type name[]
extern "C" __global__ void dynamic_macro(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    dynamic_macro_SHARED(float2, dynamic_macro_pairs);
    dynamic_macro_pairs[threadIdx.x] = make_float2((float)(in[i] & 0xffff), (float)threadIdx.x);
    __syncthreads();
    float2 other = dynamic_macro_pairs[threadIdx.x ^ 5];
    out[i] = (unsigned)other.x * 64 + (unsigned)other.y;
}

#undef dynamic_macro_SHARED
