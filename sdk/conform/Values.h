// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of arguments, from seeds.
#ifndef KILN_SDK_CONFORM_VALUES_H
#define KILN_SDK_CONFORM_VALUES_H

#include "Suite.h"
#include "kiln/Runtime/Tensor.h"

namespace kiln::conform {

/// What a call gets: tensors, each a window of memory with room on both sides
/// that nobody may touch.
struct Inputs {
  std::vector<runtime::Tensor> tensors;
  std::vector<runtime::Tensor> whole; ///< all of the memory of each
};

/// Makes the arguments of a case. Kinds of values:
///   plain    moderate numbers
///   hurt     every tuple of values that hurt in turn: NaN, infinities, zeros
///   of
///            both signs, subnormals, extremes, neighbours of 1, ties
///   seldom   moderate numbers, and one of 48 that hurts
///   bits     any bits
///   finite   any bits that are no NaN or infinity
///   ties     halfway between numbers of narrower types, or between integers
///   cancel   large numbers of both signs that nearly cancel
///   range    integers or numbers from low to high
///   order    a permutation of 0, 1, ...
///   count    0, 1, 2, ...
///   zero     zeros
///   value    `low` everywhere
runtime::Expected<Inputs> makeInputs(const Program &program, const Call &call,
                                     uint64_t seed);

/// A number for a text, the same on every machine.
uint64_t hashOf(std::string_view text, uint64_t seed);

/// Values of a type that hurt.
std::vector<uint64_t> hurtingBits(runtime::DType dtype);

/// The bits of an element, and an element of these bits.
uint64_t loadBits(runtime::DType dtype, const void *data, int64_t index);
void storeBits(runtime::DType dtype, void *data, int64_t index, uint64_t bits);

/// Bits of the fraction and of the exponent of a float type; {0, 0} for types
/// without a sign or a fraction, and for integers.
struct FloatForm {
  int fraction = 0, exponent = 0;
  bool hasInfinity = false; ///< the highest exponent is for infinity and NaN
};
FloatForm formOf(runtime::DType dtype);

} // namespace kiln::conform

#endif
