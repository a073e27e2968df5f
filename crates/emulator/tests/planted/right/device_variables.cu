// Variables of the module: one that all threads change by atomics, one array of which every thread has its own place.
// launch: grid=2 block=64
__device__ unsigned device_variables_places[128];
__device__ unsigned device_variables_largest;
extern "C" __global__ void device_variables(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    device_variables_places[i] = in[i];
    atomicMax(&device_variables_largest, in[i]);
    out[i] = device_variables_places[i] * 3;
}
