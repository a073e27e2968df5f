// Trick: The compiler's message quotes the file's first lines.
// Gain: Files of the machine in a public log.
// Seen: Online compilers that print /etc/shadow in an error.
// Can work on a GPU and on the emulated device.

#include "/etc/passwd"
#include "rounds.cuh"
