// A function min of the file's own, for a type of its own and in a namespace.
// launch: grid=2 block=64

struct user_min_pair { unsigned key, value; };
__device__ user_min_pair min(const user_min_pair &a, const user_min_pair &b) { return b.key < a.key ? b : a; }
namespace user_min_names {
template <typename T> __device__ T min(T a, T b) { return a < b ? a : b; }
}

extern "C" __global__ void user_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    user_min_pair least = min(user_min_pair{in[i] & 0xff, i}, user_min_pair{in[i + 1] & 0xff, i + 1});
    out[i] = least.key * 1000 + least.value + min(3u, in[i]) + (unsigned)user_min_names::min<float>((float)(in[i] & 15), 7.5f);
}
