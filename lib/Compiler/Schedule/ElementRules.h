//===- ElementRules.h - Expansions of elementwise operations ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables (OpTable) state for each operation the rule that builds its expansion
// on tiles or scalars.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_ELEMENTRULES_H
#define KILN_LIB_SCHEDULE_ELEMENTRULES_H

#include "TileMath.h"
#include "kiln/Interfaces/OpTable.h"

namespace kiln::schedule {

using UnaryRule = mlir::Value (*)(TileMath &, mlir::Operation *, mlir::Value);
using BinaryRule = mlir::Value (*)(TileMath &, mlir::Operation *, mlir::Value,
                                   mlir::Value);

/// Rules that are one operation of arith or math.
template <typename OpT>
mlir::Value asUnary(TileMath &t, mlir::Operation *, mlir::Value x) {
  return t.make<OpT>(x);
}
template <typename OpT>
mlir::Value asBinary(TileMath &t, mlir::Operation *, mlir::Value x,
                     mlir::Value y) {
  return t.make<OpT>(x, y);
}

/// Rules that need neither attributes nor the operation.
template <mlir::Value (*emit)(TileMath &, mlir::Value)>
mlir::Value unary(TileMath &t, mlir::Operation *, mlir::Value x) {
  return emit(t, x);
}
template <mlir::Value (*emit)(TileMath &, mlir::Value, mlir::Value)>
mlir::Value binary(TileMath &t, mlir::Operation *, mlir::Value x,
                   mlir::Value y) {
  return emit(t, x, y);
}

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_ELEMENTRULES_H
