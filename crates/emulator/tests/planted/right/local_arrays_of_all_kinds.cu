// Local arrays with and without values, of structs, in loops, branches and functions, taken by reference and captured.
// launch: grid=1 block=32
struct local_arrays_of_all_kinds_pair {
    unsigned a, b;
    __device__ local_arrays_of_all_kinds_pair() : a(1), b(2) {
    }
};
template <class T, int N>
__device__ T local_arrays_of_all_kinds_last(const T (&values)[N]) {
    return values[N - 1];
}
template <int N>
__device__ unsigned local_arrays_of_all_kinds_sum(unsigned x) {
    unsigned values[N] = {x};
    float parts[N + 1]{};
    for (int i = 1; i < N; i++) {
        values[i] = values[i - 1] * 3 + sizeof(values);
        parts[i] = i;
    }
    return local_arrays_of_all_kinds_last(values) + (unsigned)local_arrays_of_all_kinds_last(parts);
}
__device__ constexpr unsigned local_arrays_of_all_kinds_constant(unsigned at) {
    const unsigned values[3] = {5, 6, 7};
    unsigned other[2] = {1, 2};
    return values[at % 3] + other[at % 2];
}
extern "C" __global__ void local_arrays_of_all_kinds(const unsigned *in, unsigned *out) {
    unsigned sum = local_arrays_of_all_kinds_sum<4>(in[threadIdx.x]) + local_arrays_of_all_kinds_sum<9>(1);
    for (unsigned round = 0; round < 3; round++) {
        local_arrays_of_all_kinds_pair pairs[3];
        unsigned table[2][5] = {{1, 2}, {3}};
        char word[6] = {'h', 'e', 'l', 'l', 'o'};
        pairs[round].a += table[round % 2][round];
        auto twice = [&pairs](unsigned at) { return pairs[at].a * 2; };
        switch (round) {
        case 0:
            sum += word[4];
            unsigned inside[3];
            inside[0] = 4;
            sum += inside[0];
            break;
        case 1: {
            unsigned again[2] = {round, 2};
            for (unsigned &one : again) {
                sum += one++;
            }
            break;
        }
        default:
            continue;
        }
        sum = sum * 7 + twice(round) + pairs[2].b;
    }
    out[threadIdx.x] = sum + local_arrays_of_all_kinds_constant(threadIdx.x);
}
