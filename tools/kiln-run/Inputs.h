// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of the call, from --arg, --dim and invention.
#ifndef KILN_TOOLS_KILN_RUN_INPUTS_H
#define KILN_TOOLS_KILN_RUN_INPUTS_H

#include "Names.h"

namespace kiln::run {

/// An argument, and the whole tensor that its storage is.
struct Input {
  runtime::Tensor tensor;
  runtime::Tensor base;
  /// The type of the file's elements, which files written from it keep.
  runtime::DType fileType = runtime::DType::none;
};

/// Makes one input per argument of the function. Prints what was invented.
std::optional<InputError> makeInputs(const runtime::Function &function,
                                     const Options &options,
                                     std::vector<Input> &inputs);

/// Copies of the inputs that share storage as the inputs do.
runtime::Expected<std::vector<Input>>
copyInputs(const std::vector<Input> &inputs);

/// Floats in [-1, 1), integers of a moderate range, or what the program can use
/// of them.
void fillRandom(runtime::Tensor &tensor, uint64_t seed,
                const runtime::Argument &arg);

/// Puts values that hurt at some places of a tensor of floats: NaN, infinities,
/// zeros of both signs, subnormals, the least and the largest numbers. So few
/// that a product still has elements that they do not reach.
void addHurt(runtime::Tensor &tensor, uint64_t seed);

} // namespace kiln::run

#endif
