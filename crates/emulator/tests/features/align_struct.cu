// A struct aligned by __align__ has its size rounded up and is moved as one.
// launch: grid=2 block=64

struct __align__(16) align_struct_point { float x, y, z; };

extern "C" __global__ void align_struct(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ align_struct_point points[64];
    points[threadIdx.x] = {(float)(in[i] & 255), (float)(in[i] >> 24), 1.0f};
    __syncthreads();
    align_struct_point other = points[63 - threadIdx.x];
    out[i] = (unsigned)(other.x + other.y + other.z) + sizeof(align_struct_point) * 1000 + alignof(align_struct_point) * 100000;
    out[i + 1024] = (unsigned)((unsigned long long)&points[threadIdx.x] % 16);
}
