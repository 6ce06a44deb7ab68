//===- TileBuilder.h - Tiles of the values of a group -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `emit(value, map)` gives the tile of a value: loads for what lies in memory,
// arith and math for elementwise prims, other maps for movement. A tile has one
// dimension per axis of the space, of the block's size where the value depends
// on it and of size 1 elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCHEDULE_EMITTER_H
#define KILN_SCHEDULE_EMITTER_H

#include "kiln/Schedule/GroupPlan.h"
#include "kiln/Schedule/KernelBuilder.h"

namespace kiln::schedule {

/// Which iteration dimensions are dimensions of tiles, in order.
struct Space {
  llvm::SmallVector<int, 3> axes;
};

/// Emits tiles within one space of one kernel.
class TileBuilder {
public:
  TileBuilder(KernelBuilder &kernel, GroupPlan &plan,
              GroupPlan::InGroupFn inGroup, Space space);

  /// The tile of `value`, or null after `reason` was set.
  mlir::Value emit(mlir::Value value, const AccessMap &map);
  /// Makes `tile` the tile of `value` accessed by `map`.
  void bind(mlir::Value value, const AccessMap &map, mlir::Value tile);

  mlir::Value load(const Buffer &buffer, const AccessMap &map,
                   mlir::TypedAttr pad = {});
  void store(mlir::Value tile, const Buffer &buffer, const AccessMap &map);

  /// Reads `buffer`, whose dimension `dim` (of which `map` says nothing) is
  /// indexed by the elements of `index`.
  mlir::Value gather(const Buffer &buffer, const AccessMap &map, unsigned dim,
                     mlir::Value index);

  /// The shape of tiles accessed by `map`.
  llvm::SmallVector<int64_t> shapeOf(const AccessMap &map);
  mlir::Value broadcast(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value splat(mlir::TypedAttr value, llvm::ArrayRef<int64_t> shape);
  /// i1 tile: where lo <= index < hi along a dimension; null if always.
  mlir::Value mask(int dim, Extent lo, Extent hi);
  /// `tile` where the mask holds, else `other`.
  mlir::Value select(mlir::Value mask, mlir::Value tile, mlir::TypedAttr other);
  /// `tile` with `other` in what lies outside of partial blocks of `dims`.
  mlir::Value maskPartial(mlir::Value tile, llvm::ArrayRef<int> dims,
                          mlir::TypedAttr other);

  /// What a reduction other than argmax gives before it is rounded to the type
  /// of its result, and that rounding.
  mlir::Value emitWideReduction(mlir::Operation *op, const AccessMap &map);
  mlir::Value narrowReduction(mlir::Operation *op, mlir::Value tile);
  /// Reduces the axes of `dims`, which keep one element.
  mlir::Value reduceTile(mlir::Operation *op, mlir::Value tile,
                         llvm::ArrayRef<int> dims);

  /// Emits the reductions that `value` needs and that do not depend on
  /// `dims`, so that loops over `dims` find them computed.
  mlir::LogicalResult hoistReductions(mlir::Value value, const AccessMap &map,
                                      llvm::ArrayRef<int> dims);
  /// Loops over the blocks of `dims`, outermost first, carrying `inits`.
  llvm::SmallVector<mlir::Value>
  loop(llvm::ArrayRef<int> dims, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
           body);
  /// The dimension that `dim` was merged into.
  int physical(int dim) const;
  /// True if blocks of a dimension may reach beyond its end.
  bool isPartial(int dim) const;

  /// Loops carry whole tiles, which are reduced once behind them: for machines
  /// whose instances share a tile out among threads, where reducing one takes
  /// an exchange.
  bool reducesLast = false;
  /// Physical dimensions that another kernel reduces: in this one, reductions
  /// keep them.
  llvm::SmallVector<int, 1> later;
  std::string reason;
  KernelBuilder &kernel;
  GroupPlan &plan;

private:
  /// The tiles emitted within one loop (or outside of all).
  struct Scope {
    llvm::DenseMap<mlir::Value,
                   llvm::SmallVector<std::pair<AccessMap, mlir::Value>, 1>>
        tiles;
    int dim = -1; ///< that the loop runs along
  };

  mlir::Value fail(const llvm::Twine &why) {
    if (reason.empty())
      reason = why.str();
    return {};
  }
  mlir::Value emitOp(mlir::Operation *op, mlir::Value value,
                     const AccessMap &map);
  mlir::Value emitElementwise(mlir::Operation *op, const AccessMap &map);
  mlir::Value emitMovement(mlir::Operation *op, const AccessMap &map);
  mlir::Value emitPad(prim::PadOp op, const AccessMap &map);
  mlir::Value emitIota(prim::IotaOp op, const AccessMap &map);
  mlir::Value emitGather(prim::GatherOp op, const AccessMap &map);
  /// The only index of a gather for a whole tile, as a number.
  mlir::Value emitPlace(mlir::Value indices, const AccessMap &map, Extent size);
  mlir::Value gatherFromLine(const Buffer &buffer, const AccessMap &data,
                             unsigned dim, mlir::Value index);
  mlir::Value emitFromIndex(prim::FromIndexOp op, const AccessMap &map);
  mlir::Value emitTable(prim::TableOp op, const AccessMap &map);
  mlir::Value emitRescale(prim::RescaleOp op, const AccessMap &map);
  mlir::Value emitReduction(mlir::Operation *op, const AccessMap &map);
  mlir::Value emitPlaces(mlir::Operation *op, const AccessMap &map);
  mlir::LogicalResult reductionLoops(mlir::Operation *op, const AccessMap &map,
                                     AccessMap &operandMap,
                                     llvm::SmallVectorImpl<int> &dims,
                                     llvm::SmallVectorImpl<int> &loops);
  mlir::LogicalResult reductionMap(mlir::Operation *op, const AccessMap &map,
                                   AccessMap &operandMap,
                                   llvm::SmallVectorImpl<int> &dims);
  mlir::Value dropAxis(mlir::ValueRange sources, int axis, unsigned which);
  /// offset + element * step along a dimension, as integers of `type`.
  mlir::Value indexTile(const IndexExpr &expr, mlir::Type type);
  mlir::Value lookup(mlir::Value value, const AccessMap &map);
  int axisOf(int dim) const;

  /// One dimension of a view with the tile's place in it.
  struct ViewDim {
    int dim;
    Extent size, stride;
    Extent lo = 0;
    int axis;
  };
  /// The view for an access: untiled dimensions first, then by axis.
  Buffer viewOf(const Buffer &buffer, const AccessMap &map,
                llvm::SmallVectorImpl<ViewDim> &viewDims);
  /// Coordinates for the dimensions of a view; true if by elements.
  bool coordinates(llvm::ArrayRef<ViewDim> viewDims,
                   llvm::SmallVectorImpl<mlir::Value> &coords,
                   mlir::DenseI64ArrayAttr &step);

  /// What a load or a store through a view needs.
  struct ViewAccess {
    Buffer view;
    llvm::SmallVector<mlir::Value> coords;
    bool elements; ///< coordinates are offsets of elements
    mlir::DenseI64ArrayAttr step;
    llvm::SmallVector<int64_t> shape; ///< of the tile in memory
    llvm::SmallVector<int64_t> full;  ///< of the tile in the space
  };
  ViewAccess accessOf(const Buffer &buffer, const AccessMap &map);

  /// What a load or a store needs through a view one of whose dimensions has
  /// its places listed.
  struct ListedAccess {
    Buffer view;
    mlir::Value places; ///< null: there is no such dimension
    unsigned dim = 0;   ///< of the view, which has the places
    llvm::SmallVector<mlir::Value> offsets; ///< of the other dimensions
    llvm::SmallVector<int64_t> shape;       ///< of the tile in memory
    llvm::SmallVector<int64_t> full;        ///< of the tile in the space
  };
  ListedAccess listedAccessOf(const Buffer &buffer, const AccessMap &map);

  GroupPlan::InGroupFn inGroup;
  Space space;
  std::vector<Scope> scopes;
};

/// The tile of an elementwise prim from the tiles of its operands, all of one
/// shape; null if the operation is not known.
mlir::Value emitElementwiseTile(mlir::Operation *op, mlir::ValueRange operands,
                                mlir::OpBuilder &builder);
/// What takes floats apart or puts them together; null for other operations.
mlir::Value emitRealTile(mlir::Operation *op, mlir::ValueRange operands,
                         mlir::OpBuilder &builder);
/// Whether an operation is one of the special functions.
bool isSpecial(mlir::Operation *op);
/// Special functions, by expressions of f64; null for other operations.
mlir::Value emitSpecialTile(mlir::Operation *op, mlir::ValueRange operands,
                            mlir::OpBuilder &builder);
mlir::Value emitFloatTile(mlir::Operation *op, mlir::ValueRange operands,
                          mlir::OpBuilder &builder);
mlir::Value emitIntegerTile(mlir::Operation *op, mlir::ValueRange operands,
                            mlir::OpBuilder &builder);
mlir::Value emitCompareTile(mlir::Operation *op, mlir::ValueRange operands,
                            mlir::OpBuilder &builder);
mlir::Value emitConvertTile(prim::ConvertElementTypeOp op, mlir::Value operand,
                            mlir::OpBuilder &builder);
/// TOSA's scaling of `operand`; `multiplier` and `shift` are tiles of i64.
mlir::Value emitRescaleTile(prim::RescaleOp op, mlir::Value operand,
                            mlir::Value multiplier, mlir::Value shift,
                            mlir::OpBuilder &builder);

/// Reduces `axis` of tiles with the region that `combiner` builds, and keeps
/// the axis with size 1.
llvm::SmallVector<mlir::Value>
reduceAxis(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange sources,
           int axis,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(
               mlir::OpBuilder &, mlir::ValueRange, mlir::ValueRange)>
               combiner);
/// The value that does not change a reduction: 0, 1, -infinity ...
mlir::TypedAttr neutralValue(mlir::Operation *reduction, mlir::Type type);
mlir::TypedAttr zeroOf(mlir::Type type);
/// An element of the type of `like`; where that is a tile, one of them in each
/// place.
mlir::Value constantLike(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value like, mlir::TypedAttr element);
/// The type a sum of `type` is computed in.
mlir::Type sumType(mlir::Type type);
/// One step of a reduction, on scalars or tiles.
mlir::Value combine(mlir::Operation *reduction, mlir::Value a, mlir::Value b,
                    mlir::OpBuilder &builder);

} // namespace kiln::schedule

#endif // KILN_SCHEDULE_EMITTER_H
