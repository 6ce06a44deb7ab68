//===- LaunchBounds.h - Integers bounded by what a launch knows -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of a kernel wrap around in their type. Arithmetic on them is exact
// where constants bound them, or in those launches whose parameters and grid
// bound them. View recovery asks here before it takes a sum or a product as
// one of whole numbers.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TRANSFORMS_TILE_LAUNCHBOUNDS_H
#define KILN_LIB_TRANSFORMS_TILE_LAUNCHBOUNDS_H

#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/Analysis.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace kiln::tile {

/// Numbers of a launch, parameters and extents of its grid, are of 32 bits.
inline constexpr unsigned kLaunchBits = 31;

/// Conditions on a launch: expressions over the parameters of the kernel and,
/// behind them, the three extents of the grid. A launch meets them where all
/// are at least 0.
using LaunchConditions = llvm::SetVector<mlir::AffineExpr>;

/// The conditions without those that others of them imply. Symbols from
/// `firstExtent` on are extents of the grid.
llvm::SmallVector<mlir::AffineExpr> prune(const LaunchConditions &conditions,
                                          unsigned firstExtent);

/// The range of a number in a launch that meets `needs`.
struct LaunchBound {
  mlir::AffineExpr low, high; ///< null: not bounded
  unsigned bits = 63;         ///< both ends are less than 2^bits from 0
  LaunchConditions needs;

  bool isExact() const { return low && low == high; }
};

/// The number that an expression is known to be.
inline std::optional<int64_t> numberOf(mlir::AffineExpr expr) {
  auto number = llvm::dyn_cast_or_null<mlir::AffineConstantExpr>(expr);
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// Whether a type wraps around within 64 bits.
inline bool isNarrow(mlir::Type type) {
  return type.isInteger() && type.getIntOrFloatBitWidth() < 64;
}

/// Which dimension of an access each dimension of a tile is. Four bits each.
using TilePlace = uint64_t;

/// Bounds of the integers of one kernel. Owned by view recovery. A snapshot, as
/// `index::Analysis` is: operations whose results were asked for must stay.
class LaunchBounds {
public:
  /// `assumes`: conditions on launches may be noted. Else only what holds in
  /// every launch counts.
  LaunchBounds(KernelOp kernel, bool assumes);

  /// Looks at the arithmetic that leads to a tile: pointers, where `mask`
  /// bounds the elements that are touched, or one side of a comparison.
  /// Conditions are kept apart until `commit`.
  void examine(mlir::Value tile, mlir::Value mask = {});
  /// Whether an addition, a subtraction, a product or a cast that was examined
  /// is that of whole numbers.
  bool isExact(mlir::Value value);
  /// Whether `steps` times a scalar is less than 2^30 from 0.
  bool isNear(mlir::OpFoldResult scalar, int64_t steps);
  /// Whether `steps` times each scalar is at least 0 and at most `most`.
  bool areWithin(llvm::ArrayRef<std::pair<mlir::OpFoldResult, int64_t>> scalars,
                 int64_t most);
  bool mayAssume() const { return assumes; }
  /// Whether no element of a scalar or tile is less than 0.
  bool isNonNegative(mlir::Value value);

  /// Whether the conditions that were noted make a sum, a difference or a
  /// product that of whole numbers.
  bool isWhole(mlir::Operation *op);

  /// Forgets, or notes, the conditions since the last one of these two.
  void drop() { pending.clear(); }
  void commit();
  /// Forgets what was computed, after operations have changed.
  void invalidate();

  /// The conditions that were noted, as an affine set without dimensions, with
  /// a symbol for each parameter and each extent of the grid; null without
  /// conditions.
  mlir::IntegerSetAttr conditions();

private:
  /// What a mask says of a value: enabled elements are below or above others.
  struct Enabled {
    mlir::Value high, low;
    bool isBelow = false, isAbove = false; ///< strictly
  };
  using Key = std::pair<mlir::Value, TilePlace>;

  void examine(mlir::Value tile, TilePlace place);
  void readMask(mlir::Value mask, TilePlace place);
  LaunchBound boundOf(mlir::Value value, TilePlace place);
  LaunchBound boundOfEnabled(LaunchBound bound, const Enabled &enabled);
  LaunchBound compute(mlir::Value value, TilePlace place);
  LaunchBound ofArgument(mlir::BlockArgument argument);
  LaunchBound ofArith(mlir::Operation *op, TilePlace place);
  LaunchBound ofBits(mlir::Operation *op, TilePlace place);
  LaunchBound whole(mlir::Operation *op, TilePlace place);
  mlir::AffineExpr leastDivisor(const LaunchBound &divisor,
                                LaunchBound &result);
  LaunchBound quotient(const LaunchBound &a, const LaunchBound &b, bool up);
  LaunchBound remainder(const LaunchBound &a, const LaunchBound &b);
  /// Of the smaller, or the larger, of two.
  LaunchBound choose(const LaunchBound &a, const LaunchBound &b, bool isLeast);
  LaunchBound join(const LaunchBound &a, const LaunchBound &b);
  mlir::AffineExpr upper(mlir::AffineExpr a, mlir::AffineExpr b,
                         LaunchBound &result);
  mlir::AffineExpr lower(mlir::AffineExpr a, mlir::AffineExpr b,
                         LaunchBound &result);
  LaunchBound add(const LaunchBound &a, const LaunchBound &b, bool negate);
  LaunchBound mul(const LaunchBound &a, const LaunchBound &b);
  LaunchBound fit(LaunchBound bound, mlir::Type type);
  LaunchBound ofType(mlir::Type type);
  LaunchBound between(int64_t low, int64_t high);
  mlir::AffineExpr constant(int64_t number);
  bool need(LaunchBound &bound, mlir::AffineExpr expr);
  bool assume(LaunchBound &bound, mlir::AffineExpr expr);
  static void merge(LaunchBound &result, const LaunchBound &other);
  bool fits(LaunchBound &bound, mlir::Type type);
  bool isExact(mlir::Operation *op, TilePlace place);
  int64_t powerOf(mlir::Value value);
  int64_t powerOf(mlir::Operation *op);

  Kernel kernel;
  bool assumes;
  mlir::MLIRContext *context;
  index::Analysis facts;
  llvm::DenseMap<Key, LaunchBound> known;
  llvm::DenseMap<Key, Enabled> enabled;
  llvm::DenseSet<Key> masks; ///< that have been read for the tile
  llvm::DenseMap<mlir::Value, int64_t> powers;
  llvm::DenseMap<mlir::Value, bool> exact;
  unsigned depth = 0;
  LaunchConditions pending, noted;
};

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_LAUNCHBOUNDS_H
