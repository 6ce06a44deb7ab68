//===- ScatterElements.h - Scatters of single elements ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCATTERELEMENTS_H
#define KILN_LIB_SCHEDULE_SCATTERELEMENTS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// The elements of the widest window whose elements are updated one by one or
/// by neighbours, in tiles of several places. Wider ones keep the threads of an
/// instance busy, one place after the other.
constexpr int64_t kWidestRow = 1024;

/// Builds the kernel of a scatter whose stores combine: a tile of updates, each
/// with the place of its element, in one iteration space of all updates.
class ScatterElements {
public:
  ScatterElements(prim::FusionOp fusion, prim::ScatterOp op,
                  ScheduleContext &ctx);

  /// Plans the group; otherwise `reason` is set.
  mlir::LogicalResult plan();
  /// Builds the kernel, which updates `out`; otherwise `reason` is set and
  /// there is none.
  mlir::LogicalResult build(const Buffer &out);
  /// Launches it.
  void finish();
  std::string reason;

private:
  /// The result as the updates see it: how far their neighbours are apart in
  /// it, where no index says that.
  Buffer seenByUpdates(const Buffer &out);
  void chooseBlocks(const Buffer &seen);
  /// Where updates go in a line of `all` elements, or rows, whose strides the
  /// buffers have; -1: nowhere. Null after a failure.
  mlir::Value placesOf(const Buffer &out, const Buffer &seen, Extent all);
  /// The elements of a row if updates are whole rows, which begin at multiples
  /// of that number in memory: then a thread updates neighbours together. 0:
  /// they are not.
  int64_t widthOfRows(const Buffer &out, const Buffer &seen);
  /// Whether an index of the updates runs along rows.
  bool isAlongRow(const IndexExpr &index);
  /// A buffer with offset and strides in rows of `width` elements. What runs
  /// along a row has stride 0.
  static Buffer inRows(const Buffer &buffer, int64_t width);
  /// The coordinate that an index of each update gives along a dimension of
  /// the operand, and whether that is inside; null after a failure.
  mlir::Value coordinate(unsigned number);
  mlir::Value splat(mlir::Value scalar, mlir::Type element);
  /// The indices of updates along an axis of tiles.
  mlir::Value along(unsigned axis, mlir::Type element);
  void require(mlir::arith::CmpIPredicate predicate, mlir::Value x,
               mlir::Value y);

  prim::ScatterOp op;
  ScheduleContext &ctx;
  Group group;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Space space;
  std::optional<TileBuilder> emitter;
  llvm::SmallVector<int64_t> shape; ///< of tiles
  mlir::Value inside;               ///< i1 tile; null: all
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCATTERELEMENTS_H
