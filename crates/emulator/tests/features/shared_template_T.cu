// Shared memory in a template: each type has its own.
// launch: grid=2 block=64

template <typename T, int SIZE> __device__ T shared_template_T_turn(T value) {
    __shared__ T values[SIZE];
    values[threadIdx.x] = value;
    __syncthreads();
    return values[SIZE - 1 - threadIdx.x];
}

extern "C" __global__ void shared_template_T(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = shared_template_T_turn<unsigned, 64>(in[i]);
    double wide = shared_template_T_turn<double, 64>((double)(in[i] >> 1));
    float4 four = shared_template_T_turn<float4, 64>(make_float4((float)(in[i] & 0xff), 0.0f, 0.0f, 1.0f));
    out[i] = word + (unsigned)wide + (unsigned)(four.x + four.w);
}
