// Arrays in structs by value, a constructor and a reference to what a method returns.
// launch: grid=1 block=64
struct value_with_members_row {
    unsigned words[6];
    __device__ value_with_members_row(unsigned x) {
        for (unsigned i = 0; i < 6; i++) {
            words[i] = x * (i + 1);
        }
    }
    __device__ value_with_members_row plus(value_with_members_row other) const {
        value_with_members_row sum(0);
        for (unsigned i = 0; i < 6; i++) {
            sum.words[i] = words[i] + other.words[5 - i];
        }
        return sum;
    }
};
extern "C" __global__ void value_with_members(const unsigned *in, unsigned *out) {
    const value_with_members_row mine(in[threadIdx.x]);
    const auto &sum = mine.plus(value_with_members_row(in[63 - threadIdx.x]));
    out[threadIdx.x] = sum.words[threadIdx.x % 6];
}
