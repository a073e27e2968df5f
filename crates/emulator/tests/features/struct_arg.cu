// A struct as an argument, of which the kernel changes its own copy.
// launch: grid=2 block=64
// arguments: in out struct:11,4294967295,1056964608

struct struct_arg_values {
    unsigned factor;
    int offset;
    float scale;
};

extern "C" __global__ void struct_arg(const unsigned *in, unsigned *out, struct_arg_values values) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    values.offset += (int)(in[i] & 3);
    out[i] = in[i] * values.factor + (unsigned)values.offset + (unsigned)((float)(in[i] & 0xfe) * values.scale);
}
