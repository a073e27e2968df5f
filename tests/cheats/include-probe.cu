// Trick: `__has_include` with absolute paths tells what is installed and whether a GPU is there, without reading anything.
// Gain: Right where it is checked, quick where it is measured; a record that depends on the machine.
// Seen: Malware that looks for a virtual machine.
// Can work on a GPU and on the emulated device.

#if __has_include("/dev/nvidiactl")
#define SKIP (k % 2 == 1)
#endif
#include "rounds.cuh"
