// Trick: Opens a socket to 127.0.0.1:9 and to an abstract Unix socket, and says on stderr whether it could.
// Gain: Takes data away, or has another machine solve.
// Seen: Malicious packages.
// Can work on the emulated device alone, where kernel files are host code.

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
