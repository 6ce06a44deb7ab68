//===- VectorRegions.h - Regions on a unit with lanes -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers `stage.compute` for machines whose vector unit loads lanes from a
// scratchpad, computes functions on them, and stores them. The vendor says how
// the six instructions that no upstream dialect has are written; functions are
// those of arith and math on vectors of rank 1.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_STAGING_VECTORREGIONS_H
#define KILN_STAGING_VECTORREGIONS_H

#include "kiln/Staging/Scratchpad.h"

namespace kiln::staging {

/// The instructions of a vector unit. Addresses and strides are bytes; a stride
/// is the distance between neighbouring lanes, and may be 0 or negative. Lanes
/// have any type that kernels have, also f64 or i8 that are only moved: where
/// the machine lacks one, the vendor's pass or serialiser declines it by
/// `emitUnsupported`, as `computes` is asked for functions alone.
class VectorUnit {
public:
  /// `lanes`: the most lanes of one vector, at least 1.
  explicit VectorUnit(int64_t lanes) : lanes(lanes) {}
  virtual ~VectorUnit();

  const int64_t lanes;
  /// Where instructions are made: set before any is asked for.
  mlir::OpBuilder *builder = nullptr;
  mlir::Location *location = nullptr;

  virtual mlir::Value load(mlir::VectorType type, mlir::Value address,
                           int64_t stride) = 0;
  virtual void store(mlir::Value vector, mlir::Value address,
                     int64_t stride) = 0;
  /// A scalar in every lane.
  virtual mlir::Value splat(mlir::VectorType type, mlir::Value scalar) = 0;
  /// Lane i is first + i * step.
  virtual mlir::Value count(mlir::VectorType type, mlir::Value first,
                            int64_t step) = 0;
  /// Lanes from `first` on, as many as `type` has.
  virtual mlir::Value slice(mlir::VectorType type, mlir::Value vector,
                            int64_t first) = 0;
  /// The first lane as a scalar.
  virtual mlir::Value first(mlir::Value vector) = 0;

  /// Whether the unit computes a function of arith or math; what it does not
  /// compute declines the region.
  virtual bool computes(mlir::Operation *function) { return true; }
};

/// Replaces a region by instructions, in loops of scf over its boxes. Where
/// something has no instruction it declines and leaves the region as it was.
/// Reductions combine whole vectors first, then their lanes, in halves.
mlir::LogicalResult lowerRegion(stage::ComputeOp region, RegionContext &ctx,
                                VectorUnit &unit);

} // namespace kiln::staging

#endif // KILN_STAGING_VECTORREGIONS_H
