// A tree of shortest paths from every source, by distances that are known: one block a source.
//
// An arc (u, j) is tight where d(source, u) + w = d(source, j); such arcs and no others are on shortest paths. The tree is that of a
// breadth-first search along tight arcs: the path of the fewest arcs, and of the vertices that may come before j on one of these the least.
// Most vertices have one tight arc, so all arcs are read once, which finds it, and then a step of the search asks each vertex that was not
// reached yet whether that one predecessor was. Only vertices with several read their arcs again.
//
// The same pass proves the distances: no arc leads to a shorter one, and tight arcs lead from the source to every vertex that has one.

#include "repro.cuh"

#define THREADS 1024
#define WARP 32
#define WARPS (THREADS / WARP)

#if defined(DISTANCE_I32)
typedef int length;
#define LIMIT (1 << 29)
#elif defined(DISTANCE_U16)
typedef int length;
#define LIMIT ((int)ABSENT)
#else
typedef float length;
#define LIMIT ABSENT
#endif

/// The arcs that end at each vertex: those of j from firsts[j] to firsts[j + 1], by ascending tails.
struct incoming {
    const int *firsts, *tails;
    const distance *weights;
};

static __device__ __forceinline__ bool has(const unsigned *set, int vertex) {
    return set[vertex / WARP] >> vertex % WARP & 1;
}

/// What the tight arcs to `j` say: the tail of the only one, n of several, -1 of none. `undercut` is set where an arc makes `j` nearer.
template <typename Row>
static __device__ __forceinline__ int only_tail(const Row *row, int n, int j, length label, const incoming &in, bool *undercut) {
    int tail = -1;
    const int end = in.firsts[j + 1];
    for (int arc = in.firsts[j]; arc < end; ++arc) {
        const int u = in.tails[arc];
        const length before = row[u];
        if (before < LIMIT) {
            const length sum = before + (length)in.weights[arc];
            if (sum == label) {
                tail = tail < 0 ? u : n;
            }
            *undercut |= sum < label;
        }
    }
    return tail;
}

/// The least tail of a tight arc to `j` that is in `reached`; -1 where there is none.
template <typename Row>
static __device__ __forceinline__ int least_tail(const Row *row, int j, length label, const incoming &in, const unsigned *reached) {
    const int end = in.firsts[j + 1];
    for (int arc = in.firsts[j]; arc < end; ++arc) {
        const int u = in.tails[arc];
        if (has(reached, u) && row[u] + (length)in.weights[arc] == label) {
            return u;
        }
    }
    return -1;
}

/// `sets`: three sets of n vertices, in shared memory.
template <typename Row>
static __device__ __forceinline__ void grow(const Row *row, unsigned *sets, int n, int source, const incoming &in, int *tree, int *wrong,
                                            int diagonal, int unreachable) {
    const int words = (n + WARP - 1) / WARP;
    const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    unsigned *reached = sets, *next = sets + words, *pending = sets + 2 * words;
    // All threads of a warp work on the vertices of one word, which no other warp writes.
    for (int word = warp; word < words; word += WARPS) {
        const int j = word * WARP + lane;
        int before = -1;
        if (j < n) {
            const length label = row[j];
            bool undercut = false;
            before = only_tail(row, n, j, label < LIMIT ? label : LIMIT, in, &undercut);
            bool is_wrong = undercut;
            if (j == source) {
                // Tight arcs to it close cycles of weight 0.
                is_wrong |= label != 0;
                before = -1;
                tree[j] = diagonal;
            } else {
                is_wrong |= (before < 0) == (label < LIMIT);
                tree[j] = before < 0 ? unreachable : before;
            }
            if (is_wrong) {
                atomicMin(wrong, j);
            }
        }
        const unsigned waiting = __ballot_sync(0xffffffffu, before >= 0);
        if (lane == 0) {
            pending[word] = waiting;
            reached[word] = word == source / WARP ? 1u << source % WARP : 0;
        }
    }
    __syncthreads();
    int grows;
    do {
        grows = 0;
        for (int word = warp; word < words; word += WARPS) {
            const unsigned waiting = pending[word];
            unsigned found = 0;
            if (waiting) {
                const int j = word * WARP + lane;
                int before = -1;
                if (waiting >> lane & 1) {
                    before = tree[j];
                    if (before == n) {
                        before = least_tail(row, j, (length)row[j], in, reached);
                        if (before >= 0) {
                            tree[j] = before;
                        }
                    } else if (!has(reached, before)) {
                        before = -1;
                    }
                }
                found = __ballot_sync(0xffffffffu, before >= 0);
            }
            __syncwarp();
            if (lane == 0) {
                next[word] = found;
                pending[word] = waiting & ~found;
            }
            grows |= found != 0;
        }
        unsigned *const emptied = reached;
        reached = next;
        next = emptied;
        grows = __syncthreads_or(grows);
    } while (grows);
    for (int word = warp; word < words; word += WARPS) {
        if (pending[word] >> lane & 1) {
            atomicMin(wrong, word * WARP + lane);
        }
    }
}

/// distances: n rows that lie `pitch` entries apart -> trees: n entries a block, the predecessor of each vertex on the path from vertex
/// `first` + block, `diagonal` at the source and `unreachable` where no path leads. wrong: an entry a block, n on entry; the least vertex
/// whose distance is not right, if there is one. Shared memory: three sets of vertices and a row of distances.
KERNEL void __launch_bounds__(THREADS) shortest_path_trees(const distance *distances, int pitch, int n, int first, const int *firsts, const int *tails,
                                const distance *weights, int *trees, int *wrong, int diagonal, int unreachable) {
    DYNAMIC_SHARED(unsigned, shared);
    const int source = first + blockIdx.x;
    distance *row = (distance *)(shared + 3 * ((n + WARP - 1) / WARP));
    for (int j = threadIdx.x; j < n; j += THREADS) {
        row[j] = distances[(size_t)source * pitch + j];
    }
    __syncthreads();
    const incoming in = {firsts, tails, weights};
    grow(row, shared, n, source, in, trees + (size_t)blockIdx.x * n, wrong + blockIdx.x, diagonal, unreachable);
}

/// The same where a row has no room in shared memory: the sets alone are there.
KERNEL void __launch_bounds__(THREADS) shortest_path_trees_large(const distance *distances, int pitch, int n, int first, const int *firsts, const int *tails,
                                      const distance *weights, int *trees, int *wrong, int diagonal, int unreachable) {
    DYNAMIC_SHARED(unsigned, shared);
    const int source = first + blockIdx.x;
    const incoming in = {firsts, tails, weights};
    grow(distances + (size_t)source * pitch, shared, n, source, in, trees + (size_t)blockIdx.x * n, wrong + blockIdx.x, diagonal,
         unreachable);
}
