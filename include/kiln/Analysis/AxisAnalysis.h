//===- AxisAnalysis.h - Neighbours in tiles of indices ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which neighbours in a tile of integers or pointers follow each other, are the
// same, or begin at a multiple of something: what decides how many elements one
// access takes, and along which dimension threads go.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_AXISANALYSIS_H
#define KILN_ANALYSIS_AXISANALYSIS_H

#include "kiln/Index/Analysis.h"
#include "llvm/Support/raw_ostream.h"

namespace kiln::tile {

/// What is known of a tile along one dimension. All numbers are powers of two.
struct AxisFacts {
  /// Length of aligned runs in which each element is one more than the one
  /// before it; for pointers, one element further.
  int64_t contiguity = 1;
  /// The first of each run is a multiple of this; bytes, for pointers.
  int64_t divisibility = 1;
  /// Length of aligned runs of equal elements.
  int64_t constancy = 1;

  bool operator==(const AxisFacts &o) const {
    return contiguity == o.contiguity && divisibility == o.divisibility &&
           constancy == o.constancy;
  }
};

/// What is known of all dimensions of a tile.
struct TileFacts {
  llvm::SmallVector<AxisFacts> axes;
  bool isNonNegative = false;

  /// Divides every element.
  int64_t everyDivisor() const;
  bool operator==(const TileFacts &o) const {
    return axes == o.axes && isNonNegative == o.isNonNegative;
  }
  /// Prints `contiguity [4, 1] divisibility [16, 1] constancy [1, 8]`.
  void print(llvm::raw_ostream &os) const;
};

/// Facts about the tiles of a kernel, asked for one by one. They come from
/// scalars (index::Analysis: parameters, program ids, loops, assumptions),
/// counts, index maps, arithmetic, loops, and hints, which are taken to be
/// true. A snapshot, as index::Analysis is; what has fewer than 64 bits may
/// wrap around, but no pointer reaches elements that are 2^32 apart.
class AxisAnalysis {
public:
  explicit AxisAnalysis(index::Analysis &scalars) : scalars(scalars) {}

  index::Analysis &getScalars() { return scalars; }
  /// Of a tile of integers or pointers of static shape.
  TileFacts of(mlir::Value tile);

private:
  TileFacts compute(mlir::Value tile);
  TileFacts ofScalar(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
  TileFacts ofNumber(const index::Facts &facts, llvm::ArrayRef<int64_t> shape);
  TileFacts ofArgument(mlir::BlockArgument argument);
  TileFacts ofResult(mlir::OpResult result);
  TileFacts ofArith(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
  std::optional<TileFacts> ofMoved(mlir::Operation *op,
                                   llvm::ArrayRef<int64_t> shape);
  /// The facts of what a loop carries, whose first value and next one are
  /// given.
  TileFacts ofCarried(mlir::Value carried, mlir::Value first, mlir::Value next);

  index::Analysis &scalars;
  llvm::DenseMap<mlir::Value, TileFacts> known;
  unsigned depth = 0;        ///< operations that are being looked through
  unsigned carriedDepth = 0; ///< and what loops carry
};

/// What a kernel says of a parameter under a name; null if that is not a
/// parameter, or nothing is said.
mlir::Attribute parameterFact(mlir::Value value, llvm::StringRef name);

/// Bytes that a pointer, or the first address of a view, is known to be a
/// multiple of; at least those of an element.
int64_t alignmentOf(mlir::Value pointerOrView, index::Analysis &facts);

/// What divides every coordinate in a tile of indices that can be inside of a
/// view: those that are below 0 whenever they are chosen do not count.
int64_t coordinateDivisor(mlir::Value indices, AxisAnalysis &axes);
/// Runs of indices that are in the view, or all of them outside of it: what is
/// known of the places that a tile of indices names. An index that a choice
/// makes negative names none.
TileFacts coordinateFacts(mlir::Value indices, AxisAnalysis &axes);

} // namespace kiln::tile

#endif // KILN_ANALYSIS_AXISANALYSIS_H
