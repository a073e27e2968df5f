// What the translator calls in place of PTX. Registers are unsigned numbers of as many bits; a function takes them as 64 bits, of which its type says
// how many count, and answers 64 bits, of which the register takes its own: signed results are extended as PTX extends them.
#pragma once

#include "small_float.hpp"

#include "ptx_types.hpp"

#include "ptx_operands.hpp"
#include "ptx_special.hpp"

#include "ptx_integer.hpp"

#include "ptx_bits.hpp"

#include "ptx_float.hpp"

#include "ptx_convert.hpp"

#include "ptx_memory.hpp"

#include "ptx_warp.hpp"

#include "ptx_matrix.hpp"
