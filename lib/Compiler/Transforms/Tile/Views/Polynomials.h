//===- Polynomials.h - Scalars as sums of products --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars that cancel each other only when they are multiplied out.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TRANSFORMS_TILE_POLYNOMIALS_H
#define KILN_LIB_TRANSFORMS_TILE_POLYNOMIALS_H

#include "kiln/Index/Math.h"
#include "kiln/Index/Reader.h"
#include "kiln/Index/ScalarBuilder.h"

namespace kiln::tile {

/// Reads scalars as polynomials, and builds scalars of them again.
class Polynomials {
public:
  explicit Polynomials(index::ScalarBuilder &scalars);

  /// What a scalar is; unknown where it does not fit.
  index::Expr read(mlir::OpFoldResult scalar);
  /// A scalar that is a known polynomial of what was read.
  mlir::OpFoldResult build(const index::Expr &sum);

private:
  index::ScalarBuilder &scalars;
  index::Symbols symbols;
  index::Reader reader;
};

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_POLYNOMIALS_H
