// The functions of the host, which a kernel file on the emulated device could call. Each text is a file of its own, with the name of its heading.

// === host-exit
// Calls _exit(0) in the middle of a solve: nothing that was found so far is reported, and a caller that looks at the
// exit code alone takes it for success.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    _exit(0);
}

// === host-abort
// Calls abort() (strike) so that a measuring process that runs it dies, with all its other cells.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    abort();
}

// === host-spray
// A worker must answer its caller by some pipe. The kernel writes lines that look like success to all file
// descriptors.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    const char forged[] = "{\"ok\":true,\"findings\":[],\"seconds\":1e-9,\"verified\":true}\n";
    for (int file = 1; file < 64; ++file) {
        write(file, forged, sizeof forged - 1);
    }
}

// === host-memory-file
// Opens /proc/self/mem, which passes every protection and check of addresses, and sets the entries just before and
// after the matrix, where a copy of the input or a reference may lie.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *d, int side) {
    const int memory = open("/proc/self/mem", 2);
    const size_t bytes = (size_t)side * side * sizeof(distance);
    pwrite(memory, d, 4096, (long)d + bytes + 4096);
    pwrite(memory, d, 4096, (long)d - 8192);
}

// === host-parent-memory
// Opens /proc/PPID/mem, where the measuring process keeps reference and results, and spoils the first writable
// mapping.
#include "rounds.cuh"
#include "host.cuh"

DEVICE void append(char *path, const char *text) {
    while (*path) {
        ++path;
    }
    while ((*path++ = *text++)) {
    }
}

KERNEL void strike(distance *, int) {
    char digits[12] = "", path[40] = "/proc/";
    int process = getppid(), at = 10;
    do {
        digits[at--] = '0' + process % 10;
    } while (process /= 10);
    append(path, digits + at + 1);
    append(path, "/mem");
    const int memory = open(path, 2);
    if (memory >= 0) {
        const char proof[] = "another process can be written to\n";
        write(2, proof, sizeof proof - 1);
    }
}

// === host-heap-walk
// Reads /proc/self/maps, then looks in every writable mapping for a matrix with a zero diagonal that satisfies
// sampled triangle inequalities, and copies it.
#include "rounds.cuh"
#include "host.cuh"

#define MOST_MAPS 65536
static __device__ char maps[MOST_MAPS];

DEVICE bool is_solved(const distance *c, const distance *d, int n) {
    bool same = true;
    for (int i = 0; i < n; ++i) {
        if (c[(size_t)i * n + i] != 0) {
            return false;
        }
    }
    for (size_t i = 0; i < (size_t)n * n; ++i) {
        if (!(c[i] <= d[i])) {
            return false;
        }
        same &= c[i] == d[i];
    }
    return !same;
}

__attribute__((no_sanitize("thread"))) static __device__ bool search(distance *d, int n, unsigned long begin, unsigned long end) {
    const size_t bytes = (size_t)n * n * sizeof(distance);
    for (unsigned long at = (begin + 15) & ~15ul; at + bytes <= end; at += 16) {
        const distance *c = (const distance *)at;
        if (c[0] == 0 && c[n + 1] == 0 && c[1] > 0 && is_solved(c, d, n)) {
            bcopy(c, d, bytes);
            return true;
        }
    }
    return false;
}

KERNEL void strike(distance *d, int side) {
    const int file = open("/proc/self/maps", 0);
    long length = 0, more;
    while (length < MOST_MAPS - 1 && (more = read(file, maps + length, MOST_MAPS - 1 - length)) > 0) {
        length += more;
    }
    for (const char *c = maps; *c;) {
        unsigned long ends[2] = {0, 0};
        for (int i = 0; i < 2; ++i, ++c) {
            for (; *c != '-' && *c != ' '; ++c) {
                ends[i] = ends[i] * 16 + (*c <= '9' ? *c - '0' : *c - 'a' + 10);
            }
        }
        const bool writable = c[0] == 'r' && c[1] == 'w';
        while (*c && *c++ != '\n') {
        }
        if (writable && ends[1] - ends[0] < 1ul << 28 && search(d, side, ends[0], ends[1])) {
            return;
        }
    }
}

// === host-environment
// Looks for a variable in the environment, as one would for the tokens of CI, says on stderr that it is there, and
// sets variables that the harness may read later.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    if (getenv("REPRO_CHEAT_CANARY")) {
        const char proof[] = "the environment can be read\n";
        write(2, proof, sizeof proof - 1);
    }
    setenv("REPRO_VERIFY", "never", 1);
}

// === host-system
// Calls system(), here to make a file in the current folder and in /tmp.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    system("touch repro-cheat-was-here /tmp/repro-cheat-was-here");
}

// === host-fork
// Forks 200 children in sessions of their own that sleep for ten minutes with all files open; a caller that waits for
// the end of a pipe waits for them, and killing the process group misses them.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int side) {
    for (int i = 0; side > 0 && i < 200; ++i) {
        if (fork() == 0) {
            setsid();
            sleep(600);
            _exit(0);
        }
    }
}

// === host-late-thread
// Starts a thread of the host that solves while the kernel has long returned: the host's form of a side stream.
#include "rounds.cuh"
#include "host.cuh"

struct Work {
    distance *d;
    int n;
};

__attribute__((no_sanitize("thread"))) static __device__ void *work(void *of) {
    const Work own = *(Work *)of;
    distance *d = own.d;
    const int n = own.n;
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const distance through = d[(size_t)i * n + k] + d[(size_t)k * n + j];
                if (through < d[(size_t)i * n + j]) {
                    d[(size_t)i * n + j] = through;
                }
            }
        }
    }
    return 0;
}

KERNEL void strike(distance *d, int side) {
    const Work own = {d, side};
    unsigned long thread;
    void *kept = mmap(0, 4096, 3, 0x22, -1, 0);
    bcopy(&own, kept, sizeof own);
    pthread_create(&thread, 0, work, kept);
}

// === host-kill-parent
// Sends SIGSTOP to the parent process, whose clocks of the host then stand in a strange light and whose limits are
// never enforced.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int side) {
    if (side > 0) {
        kill(getppid(), 19);
    }
}

// === host-fill-disk
// Writes 4 GiB to a file in the current folder, and one to /tmp that is deleted while open.
#include "rounds.cuh"
#include "host.cuh"

static __device__ char page[4096];

KERNEL void strike(distance *, int side) {
    const int file = open("repro-cheat-fill", 01 | 0100, 0600);
    const int hidden = open("/tmp/repro-cheat-fill", 01 | 0100, 0600);
    system("rm -f /tmp/repro-cheat-fill");
    for (int i = 0; side > 0 && i < 1 << 20; ++i) {
        write(file, page, sizeof page);
        write(hidden, page, sizeof page);
    }
}

// === host-memory
// Maps memory and touches it.
#include "rounds.cuh"
#include "host.cuh"

__attribute__((no_sanitize("thread"))) static __device__ void touch(char *piece) {
    for (size_t at = 0; at < 1ul << 30; at += 4096) {
        *(volatile char *)(piece + at) = 1;
    }
}

KERNEL void strike(distance *, int side) {
    for (int i = 0; side > 0 && i < 6; ++i) {
        char *piece = (char *)mmap(0, 1ul << 30, 3, 0x22, -1, 0);
        if (piece != (char *)-1) {
            touch(piece);
        }
    }
}

// === host-flood
// Writes to stdout and stderr until it is ended.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int side) {
    char line[1024];
    for (int i = 0; i < 1024; ++i) {
        line[i] = i % 64 == 63 ? '\n' : 'x';
    }
    while (side > 0) {
        write(1, line, sizeof line);
        write(2, line, sizeof line);
    }
}

// === host-network
// Opens a socket to 127.0.0.1:9 and to an abstract Unix socket, and says on stderr whether it could.
#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    struct {
        unsigned short family, port;
        unsigned address;
        char rest[8];
    } to = {2, 0x0900, 0x0100007f, {}};
    const long internet = syscall(41, 2, 1, 0), local = syscall(41, 1, 1, 0);
    const long refused = syscall(42, internet, &to, 16);
    const char can[] = "a socket can be opened\n";
    if (internet >= 0 || local >= 0 || refused == 0) {
        write(2, can, sizeof can - 1);
    }
}

// === uninstrumented
// `no_sanitize("thread")` keeps the compiler from instrumenting a function, and bcopy of the C library never was:
// both read beyond the matrix and race without a finding.
#include "rounds.cuh"
#include "host.cuh"

__attribute__((no_sanitize("thread"))) static __device__ distance peek(const distance *p) {
    return *p;
}

KERNEL void strike(distance *d, int side) {
    distance beside = peek(d + (size_t)side * side + 8);
    bcopy(d + (size_t)side * side + 16, &beside, sizeof beside);
    if (beside == 12345) {
        d[1] = beside;
    }
}

// === host-patch-checker
// Makes the page of the C library's memcmp writable and lets it return 0: all comparisons of memory then hold.
#include "rounds.cuh"
#include "host.cuh"

extern "C" __device__ int memcmp(const void *, const void *, size_t);

KERNEL void strike(distance *, int side) {
    const unsigned char zero[] = {0x31, 0xc0, 0xc3};
    char *code = (char *)&memcmp;
    if (side > 0 && mprotect((void *)((unsigned long)code & ~4095ul), 8192, 7) == 0) {
        bcopy(zero, code, sizeof zero);
    }
}

// === static-constructor
// A function pointer in the section .init_array is called by the loader, before any check of a launch. NVRTC refuses
// or ignores it.
#include "rounds.cuh"
#include "host.cuh"

extern "C" __device__ void at_load() {
    const char proof[] = "ran before any launch\n";
    write(2, proof, sizeof proof - 1);
    system("touch /tmp/repro-cheat-constructor");
}

typedef void (*Entry)();
extern __device__ const Entry entry __attribute__((section(".init_array"), used));
__device__ const Entry entry = at_load;

// === static-constructor-hangs
// As static-constructor, with an endless loop.
#include "rounds.cuh"

extern "C" __device__ void at_load() {
    for (volatile int i = 0;; i = i + 1) {
    }
}

typedef void (*Entry)();
extern __device__ const Entry entry __attribute__((section(".init_array"), used));
__device__ const Entry entry = at_load;

// === constructor-attribute
// `__attribute__((constructor))` in place of a section.
#include "rounds.cuh"
#include "host.cuh"

extern "C" __attribute__((constructor)) __device__ void at_load() {
    const char proof[] = "ran before any launch\n";
    write(2, proof, sizeof proof - 1);
}
