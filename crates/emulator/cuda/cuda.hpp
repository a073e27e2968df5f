// What a kernel has without any #include: the CUDA C++ that NVRTC builds in. Included before each kernel file.
#pragma once

#include "runtime.hpp"

#include "language.hpp"

#include "types.hpp"

#include "vectors.hpp"

#include "bits.hpp"
#include "convert.hpp"
#include "directed.hpp"
#include "dpx.hpp"
#include "math.hpp"
#include "minmax.hpp"
#include "simd.hpp"
#include "special.hpp"

#include "atomics.hpp"
#include "cached.hpp"
#include "memory.hpp"
#include "nv_atomics.hpp"
#include "threads.hpp"
#include "warp.hpp"

#include "spaces.hpp"

#include "entry.hpp"
// Where the kernel file has PTX.
#ifdef EMULATED_PTX
#include "ptx.hpp"
#endif

// Last, since the files above need what it takes away.
#include "undefine.hpp"
