//===- PointerExpr.h - Tiles of pointers as affine expressions --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of integers or pointers, as far as it is affine in the indices of its
// elements:
//   element (i0, i1, ...) = base + offset + sum of stride_d * i_d +
//   scale_d * indirect_d[i_d]
// with scalars for base, offset, strides and scales, and vectors for what is
// known only element by element.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TRANSFORMS_TILE_POINTEREXPR_H
#define KILN_LIB_TRANSFORMS_TILE_POINTEREXPR_H

#include "LaunchBounds.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

namespace kiln::tile {

/// A scalar of index type, constant where that is known.
using IndexScalar = mlir::OpFoldResult;

using index::ScalarBuilder;

/// The decomposition of a tile.
struct PointerExpr {
  mlir::Value base; ///< scalar pointer; null for integers
  IndexScalar offset;
  llvm::SmallVector<IndexScalar> strides;
  llvm::SmallVector<mlir::Value> indirect; ///< vectors of integers, or null
  llvm::SmallVector<IndexScalar> scales;   ///< null without a vector
  /// Hints about the indices along each dimension; 0: none.
  llvm::SmallVector<int64_t> contiguity, divisibility;

  bool isScalar() const;
  /// The only dimension that the value varies along, or -1.
  int64_t singleDim() const;
};

/// Decomposes `value`, as far as it is computed as whole numbers are: what may
/// wrap around in its type is a vector by itself. On failure `reason` says what
/// stands in the way. Where `value` holds pointers, `mask` (or null) says which
/// of them count.
mlir::FailureOr<PointerExpr> decompose(ScalarBuilder &scalars,
                                       LaunchBounds &bounds, mlir::Value value,
                                       std::string &reason,
                                       mlir::Value mask = {});

/// What a mask says: a range of indices in each dimension, a condition on
/// everything, and vectors of conditions along a dimension.
struct MaskExpr {
  struct Dim {
    IndexScalar low, high; ///< null: not bounded
    mlir::Value vector;    ///< of i1, or null
  };
  llvm::SmallVector<Dim> dims;
  mlir::Value condition; ///< scalar i1, or null
};

/// Decomposes a mask; a null mask bounds nothing.
mlir::FailureOr<MaskExpr> decomposeMask(ScalarBuilder &scalars,
                                        LaunchBounds &bounds, mlir::Value mask,
                                        int64_t rank, std::string &reason);

/// The only element of a tile that is the same everywhere, as a scalar; null if
/// there is none.
mlir::Value getSplatScalar(mlir::OpBuilder &builder, mlir::Value tile);

/// `tile`, which has at most one dimension of size other than 1, as a vector.
mlir::Value toVector(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value tile);

/// A tile of integers with elements of 64 bits, read as signed.
mlir::Value toI64(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value tile);

/// The sum of what an expression says of all dimensions but its offset, for
/// every element of a tile of the shape of `type`. Clears `isPositive` where it
/// may be less than 0.
mlir::Value flatIndices(ScalarBuilder &scalars, LaunchBounds &bounds,
                        const PointerExpr &expr, mlir::RankedTensorType type,
                        bool &isPositive);

/// Gives pointers and integers that a loop increments by the same amount each
/// time their closed form in the induction variable.
void closeInductions(mlir::Operation *root);

/// Takes indices that wrap around at a size for what they are below it, where
/// nobody stores what comes of the others; the reads are masked instead.
void unwrapIndices(mlir::Operation *root, LaunchBounds &bounds);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_POINTEREXPR_H
