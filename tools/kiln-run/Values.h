// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values and shapes as text of the command line.
#ifndef KILN_TOOLS_KILN_RUN_VALUES_H
#define KILN_TOOLS_KILN_RUN_VALUES_H

#include "kiln/Runtime/Tensor.h"
#include <string>
#include <vector>

namespace kiln::run {

std::vector<std::string> split(const std::string &text, char separator);

/// Digits only.
bool parseCount(const std::string &text, uint64_t &value);

/// "3x4"; the empty text is a scalar.
bool parseShape(const std::string &text, std::vector<int64_t> &shape);
std::string shapeText(const std::vector<int64_t> &shape);

/// "0x1p-3", "nan", "-7", "true": a value of a type, for a tensor of rank 0.
bool parseValue(runtime::DType dtype, const std::string &text,
                runtime::Tensor &tensor);

} // namespace kiln::run

#endif
