// Structs in shared memory that contain vectors.
// launch: grid=2 block=64

struct shared_struct_f4_pair {
    float4 a;
    int2 b;
};

extern "C" __global__ void shared_struct_f4(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ shared_struct_f4_pair pairs[64];
    pairs[threadIdx.x].a = make_float4(1.0f, (float)(in[i] & 0xfff), 3.0f, 4.0f);
    pairs[threadIdx.x].b = make_int2((int)in[i], (int)threadIdx.x);
    __syncthreads();
    const shared_struct_f4_pair other = pairs[threadIdx.x ^ 40];
    out[i] = (unsigned)other.a.y + (unsigned)other.b.x + (unsigned)other.b.y + sizeof(shared_struct_f4_pair);
}
