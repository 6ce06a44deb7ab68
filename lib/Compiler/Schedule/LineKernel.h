//===- LineKernel.h - Kernels along one dimension ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What scans and sorts share: an instance works along one dimension of tensors
// of one shape, for one point of the other dimensions, or for a block along the
// last of them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_LINEKERNEL_H
#define KILN_LIB_SCHEDULE_LINEKERNEL_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// One kernel.
class LineKernel {
public:
  /// Places all dimensions of `sizes` but `dim` in the grid, dimension `across`
  /// (-1: none) in blocks of `block` elements, and `dim` itself if `spread`.
  LineKernel(ScheduleContext &ctx, mlir::Location loc, llvm::StringRef name,
             llvm::ArrayRef<Extent> sizes, unsigned dim, int across,
             int64_t block, bool spread = false);

  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  unsigned dim;
  int across;
  int64_t block;
  /// The first element along `dim` of this instance, if it is spread.
  mlir::Value start;

  mlir::RankedTensorType tileType(mlir::Type element) const {
    return mlir::RankedTensorType::get({block}, element);
  }
  /// Elements of a tensor from `at` along `dim` on (or along `across`, at
  /// `at`). Behind its end is `outside`, or zero.
  mlir::Value load(const Buffer &buffer, mlir::Value at,
                   mlir::TypedAttr outside = {});
  void store(mlir::Value tile, const Buffer &buffer, mlir::Value at);
  /// Elements at computed places along `dim`.
  mlir::Value gather(const Buffer &buffer, mlir::Value indices, bool written);
  void scatter(mlir::Value tile, const Buffer &buffer, mlir::Value indices);
  /// 0, 1, ... of a tile.
  mlir::Value steps(mlir::Type element);
  /// An index value everywhere in a tile.
  mlir::Value splat(mlir::Value index, mlir::Type element);
  /// A number everywhere.
  mlir::Value constant(mlir::TypedAttr value);

private:
  /// The view with the dimension of the tile last, and coordinates.
  Buffer view(const Buffer &buffer, mlir::Value at,
              llvm::SmallVectorImpl<mlir::Value> &coords);

  llvm::SmallVector<int> dims; ///< of the kernel, for each of the tensor
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_LINEKERNEL_H
