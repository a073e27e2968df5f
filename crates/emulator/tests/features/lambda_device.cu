// An unnamed function made in a device function and given to a template.
// launch: grid=2 block=64

template <typename Function> __device__ unsigned lambda_device_apply(Function function, unsigned count) {
    unsigned result = 0;
    for (unsigned k = 0; k < count; ++k) result ^= function(k);
    return result;
}
__device__ unsigned lambda_device_mix(const unsigned *in, unsigned count) {
    unsigned calls = 0;
    auto mix = [=, &calls](unsigned k) mutable { return in[k] * (k + ++calls) + threadIdx.x; };
    unsigned result = lambda_device_apply(mix, count);
    return result + calls;
}

extern "C" __global__ void lambda_device(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = lambda_device_mix(in + i, 5) + []() { return 3u; }();
}
