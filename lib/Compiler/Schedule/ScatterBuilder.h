//===- ScatterBuilder.h - The kernel of a scatter ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCATTERBUILDER_H
#define KILN_LIB_SCHEDULE_SCATTERBUILDER_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/Schedules.h"
#include <optional>

namespace kiln::schedule {

/// A dimension of the windows.
struct WindowDim {
  Extent size, whole; ///< of windows and of the operand
  Extent stride, updateStride;
  int64_t coordinate = -1; ///< which of the coordinates moves it
  int dim = -1;            ///< of the kernel
  /// What of it is read and written at once.
  mlir::Value offset;
};

/// A dimension of the places, matched ones first.
struct PlaceDim {
  Extent size, indexStride, updateStride, stride;
  int dim = -1; ///< of the kernel; -1: a loop
  mlir::Value offset;
};

/// What is there, combined with an update as a scatter says: tiles or scalars.
mlir::Value combineUpdate(prim::ScatterOp op, mlir::Value before,
                          mlir::Value after, mlir::OpBuilder &b);

/// How a store combines with what is there as a scatter does, one update after
/// the other in any order; none if no store does, or may. `assign` if no two
/// updates are for one element.
std::optional<tile::Combine> storeOf(prim::ScatterOp op);

/// Whether stores by single elements take all updates, in any order: with what
/// is there, or with nothing.
bool storesMeet(prim::ScatterOp op);

/// Whether the result depends on the order of updates: roundings.
bool isRounded(prim::ScatterOp op);

/// Builds the kernel of one scatter.
class ScatterBuilder {
public:
  ScatterBuilder(prim::ScatterOp op, ScheduleContext &ctx, Buffer out)
      : op(op), description(ctx.description),
        isThreaded(ctx.tiling.model().sharesTiles()),
        isOrdered(ctx.options.get("scatter") == "ordered"), host(ctx.host),
        kernel(ctx.host, op.getLoc(), ctx.kernelName), b(kernel.b),
        loc(op.getLoc()), out(std::move(out)) {}

  void run(int64_t widest);
  /// Whether it updates single elements by stores that combine, in any order:
  /// then ScatterElements builds the kernel. Nothing else is called afterwards
  /// but `abandon`.
  bool updatesElements(int64_t widest);
  /// Removes the kernel.
  void abandon() { kernel.abandon(); }

private:
  void describe();
  void mergeWindows();
  /// Which dimension is read as a tile, and how much of it at once.
  void chooseAxis(int64_t widest);
  void placeDims();
  /// Shares out what an index moves among instances, where these are few. Each
  /// goes through all places, and updates those that are in its range.
  void chooseRanges();
  /// Where stores combine, spreads all places over the grid: instances update
  /// the same elements, each time atomically.
  void chooseCombiningStores();
  /// Whether a number is added at single elements of a small result, as often
  /// as they are listed: then instances count, see ScatterStores.cpp.
  bool countsPlaces();
  /// Whether single elements of a small result, of at most `most` elements, are
  /// listed by one dimension of places, at least `placesOfElement` for each.
  /// Then these are all the windows and places that there are.
  bool listsElements(int64_t most, int64_t placesOfElement);
  /// Whether many updates meet at few elements: then instances combine their
  /// own ahead, see ScatterSums.cpp.
  bool combinesFew();
  void buildFew();
  void storeFew(mlir::Value totals);
  mlir::Value firstOfGroup(mlir::RankedTensorType type);
  /// Whether many updates of one list may come in runs of one element each, see
  /// ScatterRuns.cpp.
  bool hasRuns();
  void buildRuns();
  /// The elements, i32, that the block that begins at a place updates; -1:
  /// none.
  mlir::Value runElements(mlir::Value begin);
  /// Combines the runs of the block that begins at a place, and stores each.
  void combineRuns(mlir::Value begin);
  /// Stores updates where `element` says; -1: nowhere.
  void storeElements(mlir::Value update, mlir::Value element);
  /// `before` with the updates of the block that begins at a place.
  mlir::Value combineBlock(mlir::Value begin, mlir::Value before,
                           mlir::Value neutral);
  /// The elements that are listed in the block that begins at a place, in their
  /// order, and whether there is such an element.
  std::pair<mlir::Value, mlir::Value> elementsOf(mlir::Value begin);
  /// The updates of the block that begins at a place.
  mlir::Value updatesOf(mlir::Value begin);
  /// All elements of the result as a line.
  Buffer resultLine();
  /// Lets instances have runs of neighbouring places, and returns how many
  /// blocks a run has: as many as leave each core some instances, at most
  /// `most`; `unknown` where only a launch knows the number of places.
  int64_t placeRuns(int64_t instancesOfCore, int64_t most, int64_t unknown);
  /// An instance of the kernel is one warp.
  void setOneWarp();
  void buildCounts();
  /// Which updates of the block that begins at a place are not zero.
  mlir::Value truthBlock(mlir::Value begin);
  /// How often each element is listed in the block that begins at a place.
  mlir::Value countBlock(mlir::Value begin, int64_t elements);
  /// Loops over what the grid does not cover, `update` inside of all.
  void loopPlaces(size_t number);
  void loopOwnPlaces(PlaceDim &place);
  void loopSharedPlaces(PlaceDim &place);
  void loopWindow(size_t number);
  void update();
  void updateBlock();
  mlir::Value loadUpdate();
  llvm::SmallVector<const WindowDim *> axisLast() const;
  void updateIndirect();
  mlir::Value coordinate(int64_t number, bool asTile);
  /// The view of a buffer's memory as a line.
  mlir::Value line();
  mlir::Value tileOf(mlir::Value scalar);
  mlir::Value add(mlir::Value a, mlir::Value c);

  prim::ScatterOp op;
  target::TargetAttr description;
  bool isThreaded; ///< the threads of an instance share its tiles
  bool isOrdered;  ///< sums of floats are the same in each call
  HostProgramBuilder &host;
  KernelBuilder kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Buffer out, indices, updates;
  llvm::SmallVector<WindowDim, 2> windows;
  llvm::SmallVector<PlaceDim, 2> places;
  unsigned batch = 0;
  int axisWindow = -1, axisPlace = -1;
  int ranged = -1;      ///< the window whose places are shared out
  mlir::Value ownPlace; ///< i1: whether the place is in the instance's range
  /// How a store combines each update with what is there; none: what is there
  /// is loaded, and nothing else updates it meanwhile.
  std::optional<tile::Combine> combining;
  bool isOfElements = false; ///< each has a place of its own
  int shared = -1; ///< the places of which an instance takes `sharedPlaces`
  int64_t sharedPlaces = 1;
  /// Coordinates of the place that is updated; empty: they are still to be
  /// read.
  llvm::SmallVector<mlir::Value> known;
  mlir::Value loaded;     ///< the update, null: it is still to be read
  mlir::Value validPlace; ///< i1: whether there is such a place; null: yes
  int64_t block = 1;
  int64_t groups = 1;     ///< of elements, which instances share out
  mlir::TypedAttr added;  ///< at each place that is counted
  bool addsTruth = false; ///< the updates, zeros and ones, say where
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCATTERBUILDER_H
