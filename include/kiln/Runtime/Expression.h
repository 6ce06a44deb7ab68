// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are computed from the arguments of a launch.
#ifndef KILN_RUNTIME_EXPRESSION_H
#define KILN_RUNTIME_EXPRESSION_H

#include "kiln/System/Error.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// An expression over a launch: numbers, `arg(P)` (a scalar), `size(P, D)`,
/// `stride(P, D)` (in elements), `grid(D)`, and calls of `add`, `sub`, `mul`,
/// `floordiv`, `ceildiv`, `mod`, `min`, `max` with two of them. P is the number
/// of a parameter, D that of a dimension. Arithmetic wraps; a division by zero
/// is an error of the launch. Example: `mul(ceildiv(size(0, 1), 64), 256)`.
class Expression {
public:
  struct Step {
    enum Kind : uint8_t { number, arg, size, stride, grid, op } kind = number;
    int64_t value = 0; ///< the number, the parameter, or the IntOp
    int32_t dim = 0;
  };

  Expression(int64_t value = 0) : steps{{Step::number, value, 0}} {}
  static Expected<Expression> parse(std::string_view text);
  std::string str() const;

  /// The value when it depends on nothing.
  std::optional<int64_t> constant() const;
  /// `leaf` gives the values of what is no number; nothing when there is none.
  using Leaf = std::function<std::optional<int64_t>(const Step &)>;
  Expected<int64_t> evaluate(const Leaf &leaf) const;

  /// In postfix order: operands come before the operation.
  std::vector<Step> steps;
};

} // namespace kiln::runtime

#endif
