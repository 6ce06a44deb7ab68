//===- KernelEmitter.h - From tiles to loops over registers -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the body of a kernel in program order. Operations that touch memory or
// cross elements (stores, reductions, products) become loop nests over vector
// registers; everything else is recomputed at the coordinates where it is
// needed, or kept in scratch memory, as the plan says.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_KERNELEMITTER_H
#define KILN_LIB_CPU_KERNELEMITTER_H

#include "Scratch.h"
#include "kiln/Cpu/Lowering.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Index/ScalarBuilder.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Staging/Storage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include <map>
#include <set>

namespace kiln::cpu {

using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using staging::Storage;

/// True for values that are tiles.
inline bool isTile(Type type) {
  return mlir::isa<mlir::RankedTensorType>(type);
}

/// True for operations of arith and math, and calls, that combine element with
/// element.
inline bool isElementwise(mlir::Operation *op) {
  return mlir::OpTrait::hasElementwiseMappableTraits(op);
}

/// One coordinate: index + constant + lane * (0, 1, 2, ...).
struct Coord {
  Value index; ///< i64, or null
  int64_t constant = 0;
  int64_t lane = 0;
  int level = 0; ///< the loop level that `index` belongs to
  bool isZero() const { return !index && constant == 0 && lane == 0; }
};

/// Where a tile is evaluated: one coordinate per dimension, `lanes` elements.
struct Point {
  SmallVector<Coord, 4> coords;
  int64_t lanes = 1;
  bool hasLanes() const {
    return llvm::any_of(coords, [](const Coord &c) { return c.lane != 0; });
  }
  int level() const {
    int deepest = 0;
    for (const Coord &c : coords)
      deepest = std::max(deepest, c.index ? c.level : 0);
    return deepest;
  }
};

/// Where the indices of an indirect axis are read for a point of the tile.
Point indexPointOf(const ViewAxis &axis, const Point &point);

/// A view with everything known about it as i64 values.
struct ViewInfo {
  Value base;
  SmallVector<Value> sizes, strides;
  Type elementType;
};

/// A half-open range of tile coordinates; null `lo` stands for 0.
struct Bounds {
  Value lo, hi;
};

/// A load that a nest performs: for each dimension of its tile the nest's
/// dimension, or -1 where the coordinate is always 0.
struct Access {
  mlir::Operation *op;
  SmallVector<int> dims;
};

/// A loop nest over a tile's shape, vectorised along one dimension.
struct Nest {
  SmallVector<int64_t> shape;
  SmallVector<Bounds> ranges; ///< empty, or what to run of each dimension
  int laneDim = -1;
  int64_t lanes = 1;
  SmallVector<Access> accesses;
  bool neverFast = false;
  /// Whole vectors may run past the end of the lane dimension.
  bool overrun = false;
  /// A dimension that the body loops over itself, from 0 to its size.
  int innerDim = -1;
  /// A dimension that lanes must not run along.
  int excluded = -1;
};

/// Dimension references used to find out how a nest reaches a load: the nest's
/// dimension, kZero for a constant 0 and kComplex for anything else.
constexpr int kZero = -1, kComplex = -2;

/// How a tile is laid out in scratch. `rows` and `columns` round up the last
/// two dimensions for register blocks.
struct Padding {
  bool dense = false;
  int64_t rows = 1, columns = 1;
};

class KernelEmitter {
public:
  KernelEmitter(tile::KernelOp kernel, mlir::RewriterBase &rewriter,
                const CpuConfig &config, const target::TargetOptions &options,
                target::TargetAttr description);

  /// Emits the function of the kernel before it. On success the function
  /// carries the attribute `cpu.scratch_bytes`.
  mlir::LogicalResult run();

  // --- Scalars, constants and small arithmetic (Scalars.cpp) ---------------
  mlir::RewriterBase &b;
  mlir::Location loc;
  const CpuConfig &config;

  Value c64(int64_t value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value minimum(Value a, Value b);
  Value maximum(Value a, Value b);
  Value ceilDivPositive(Value a, int64_t divisor);
  Value roundDown(Value a, int64_t powerOfTwo);
  Value conjunction(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b);
  /// The generated value of a scalar of the kernel; as i64 for `index`.
  Value scalar(Value value) { return mapping.lookup(value); }
  Value scalar64(Value value);
  /// A constant scalar of `type` (integer, index or float).
  Value constantOf(Type type, mlir::Attribute value);
  Value zeroOf(Type type);
  Type vectorOf(Type element, int64_t lanes);
  Value broadcastLanes(Value value, int64_t lanes);
  /// (0, 1, 2, ...) of an integer type.
  Value laneIds(Type integer, int64_t lanes);
  /// True for lanes [0, count).
  Value laneMask(Value count, int64_t lanes);
  static Type storageType(Type element);
  static int64_t storageBytes(Type element);
  /// Integers of any width, read as signed, as i64.
  Value toI64(Value value);
  Value toStorage(Value value);
  Value fromStorage(Value value, Type element);
  Value gep(Value base, Value index, Type element);
  /// What is known of the kernel's own scalars.
  index::Analysis facts;

  // --- Loops and levels (Nest.cpp) -----------------------------------------
  using LoopBody = llvm::function_ref<SmallVector<Value>(Coord, ValueRange)>;
  /// A loop whose body is one level deeper; returns the carried values.
  SmallVector<Value> forLoop(Value lo, Value hi, int64_t step, ValueRange init,
                             bool fast, LoopBody body);
  /// Starts a loop nest of its own.
  void freshLevels();
  int currentLevel() const { return int(levels.size()) - 1; }
  bool isFast(int level) const { return levels[level].fast; }
  /// Coordinate as one i64 (lane 0), at its level.
  Value coordValue(const Coord &coord);
  Coord sum(const Coord &x, const Coord &y);
  /// The smaller of the coordinate and `extent` - 1.
  Coord clampBelow(const Coord &coord, int64_t extent);
  /// Emits into a region of `op`, one level deeper.
  void inRegion(mlir::Operation *op, mlir::Block *block,
                llvm::function_ref<void()> emit);
  /// What each dimension's coordinates must lie in for every access to be in
  /// bounds, and the condition (null: true) that does not depend on the nest.
  Value safeRanges(const Nest &nest, SmallVector<Bounds> &safe);
  /// Opens the loops over all dimensions but the lane dimension. `body` gets a
  /// point whose lane coordinate is unset, and the range of the lane dimension:
  /// begin, end of the part where every access is in bounds, end.
  void openRows(Nest &nest,
                llvm::function_ref<void(Point, Value, Value, Value)> body);
  /// The whole nest; `body` gets each point and, for a partial vector, the
  /// number of valid lanes (else null).
  void runNest(Nest &nest, llvm::function_ref<void(Point, Value)> body);
  /// Finds the accesses of evaluating `root` and how they reach memory.
  void collect(Value root, ArrayRef<int> dims, Nest &nest);
  /// Picks the dimension and the width to vectorise by. `store` is the view's
  /// stride per dimension for the sink (0: unknown), empty for scratch.
  void chooseLanes(Nest &nest, ArrayRef<Value> roots,
                   ArrayRef<int64_t> storeStrides);
  /// The static stride in memory (elements) along nest dimensions that reading
  /// `root` costs: adds to per-dimension scores.
  void scoreLanes(Value root, ArrayRef<int> dims,
                  llvm::MutableArrayRef<double> scores,
                  ArrayRef<int64_t> shape);
  int64_t widestBits(Value root);

  // --- Evaluation (Evaluate.cpp) -------------------------------------------
  /// The elements of a tile at a point: a vector, or a scalar where all lanes
  /// are the same.
  Value evaluate(Value tile, const Point &point);
  /// As `evaluate`, always a vector when the point has more than one lane.
  Value evaluateLanes(Value tile, const Point &point) {
    return broadcastLanes(evaluate(tile, point), point.lanes);
  }
  /// Where an operand of a movement is evaluated.
  Point sourcePoint(mlir::OpOperand &operand, const Point &point);
  /// An index that depends on no coordinate, from the symbols of index maps.
  Value evaluateIndex(mlir::AffineExpr expr, ArrayRef<Value> symbols);
  /// The element of an iota along dimension `dim`.
  Value evaluateCount(Type element, unsigned dim, const Point &point);
  Value emitElementwise(mlir::Operation *op, ValueRange operands);

  // --- Memory (Access.cpp, Buffers.cpp) ------------------------------------
  Value loadBuffer(const TileBuffer &buffer, const Point &point);
  void storeBuffer(Value value, const TileBuffer &buffer, const Point &point,
                   Value count = nullptr);
  Value bufferAddress(const TileBuffer &buffer, const Point &point,
                      int64_t &laneStride);
  Value evaluateLoad(ViewAccessOpInterface load, const Point &point);
  /// Address of an element of a load, without checks.
  Value loadAddress(ViewAccessOpInterface load, const Point &point);
  /// The address where `condition` (null: true) holds, else one that can be
  /// read: vector reads without any lane are slow where there is no memory.
  Value addressOr(Value condition, Value address);
  Value evaluateGather(ViewAccessOpInterface gather, const Point &point);
  Value evaluateConstant(mlir::arith::ConstantOp op, const Point &point);
  const ViewInfo &viewOf(Value view);
  /// Element offset of the tile along a view dimension.
  Value offsetOf(ViewAccessOpInterface access, int64_t viewDim);
  /// Valid tile coordinates along a view dimension.
  Bounds validRange(ViewAccessOpInterface access, int64_t viewDim);
  mlir::LogicalResult emitStore(ViewAccessOpInterface store);
  mlir::LogicalResult emitScatter(ViewAccessOpInterface scatter);
  /// The address of a point of a tile that begins at `base`: `steps` are the
  /// elements from one coordinate to the next, null where it does not count.
  Value tileAddress(Value base, const Point &point, ArrayRef<Value> steps,
                    Type element);
  /// Stores vectors of lanes `stride` (null: one) elements apart that are in
  /// `mask` (null: all of them).
  void storeLanes(Value value, Value address, Value stride, Type element,
                  Value mask);
  Value streamingCondition(ViewAccessOpInterface store, const Nest &nest,
                           Value base, mlir::Value &peel);

  // --- Buffers -------------------------------------------------------------
  /// Allocates memory for a tile until its last use.
  TileBuffer allocateFor(Value tile, Padding padding = {});
  static int64_t layout(mlir::RankedTensorType type, const Padding &padding,
                        SmallVector<int64_t> &strides);
  Value scratchAt(int64_t offset);
  void define(Value tile, TileBuffer buffer) { buffers[tile] = buffer; }
  bool hasBuffer(Value tile) const { return buffers.count(tile); }
  const TileBuffer &bufferOf(Value tile) const { return buffers.at(tile); }
  /// The memory that a result should be computed into.
  TileBuffer resultBuffer(Value tile, Padding padding = {});
  /// Evaluates the whole tile into `buffer`. Whole vectors may be written
  /// behind the ends of its rows unless that is somebody else's memory.
  void fill(const TileBuffer &buffer, Value tile, bool mayOverrun = true);
  /// The tile in memory, evaluated into fresh scratch where it is inline.
  TileBuffer materialize(Value tile);
  /// Memory that lives until the current operation has been emitted.
  Value temporary(int64_t bytes);

  // --- Sinks ---------------------------------------------------------------
  mlir::LogicalResult emitReduce(tile::ReduceOp reduce);
  mlir::LogicalResult emitDot(MatrixProductOpInterface dot);
  /// Applies the region of a reduce to two sets of registers.
  SmallVector<Value> combine(tile::ReduceOp reduce, ValueRange left,
                             ValueRange right);
  /// Applies a block that combines two sets of elements.
  SmallVector<Value> combineWith(mlir::Block &block, ValueRange left,
                                 ValueRange right);
  /// One row of a reduction whose axis is the lane dimension.
  SmallVector<Value> reduceAlongLanes(
      tile::ReduceOp reduce, const Nest &nest, const Point &row,
      mlir::TypedAttr neutral, Value fastEnd,
      llvm::function_ref<SmallVector<Value>(const Point &)> evaluateAll);
  mlir::LogicalResult emitScan(tile::ScanOp scan);
  mlir::LogicalResult emitTake(tile::GatherOp take);
  mlir::LogicalResult emitSort(tile::SortOp sort);
  mlir::LogicalResult emitHistogram(tile::HistogramOp op);
  mlir::LogicalResult emitJoin(tile::JoinOp join);
  mlir::LogicalResult emitSplit(tile::SplitOp split);
  mlir::LogicalResult emitLoadPtr(tile::LoadPtrOp load);
  mlir::LogicalResult emitStorePtr(tile::StorePtrOp store);
  mlir::LogicalResult emitAtomicRMW(tile::AtomicRMWOp op);
  /// *pointer = *pointer `kind` value, in storage types; returns the old one.
  mlir::Value combineAtomically(mlir::LLVM::AtomicBinOp kind,
                                mlir::LLVM::AtomicOrdering order,
                                mlir::Type element, mlir::Value pointer,
                                mlir::Value value);
  mlir::LogicalResult emitAtomicCAS(tile::AtomicCASOp op);
  mlir::LogicalResult emitAssert(tile::AssertOp op);
  mlir::LogicalResult emitPrint(tile::PrintOp op);
  mlir::LogicalResult emitInlineAsm(tile::InlineAsmOp op);
  /// Address of a constant in the module.
  Value constantText(llvm::StringRef text);
  Value constantWords(ArrayRef<int64_t> words);
  /// Calls the entry of KilnKernelRuntime at byte `field`, where the runtime
  /// has it, and emits `use` of what it returns.
  void callRuntime(size_t field, Type result, ValueRange args,
                   llvm::function_ref<void(Value)> use = nullptr);
  /// The kernel returns from here.
  void leave();
  /// A nest over the elements of tiles of one shape.
  Nest nestOver(ArrayRef<int64_t> shape, ArrayRef<Value> roots, bool oneByOne);
  /// Emits `emit` where `mask` (null: true) holds, `otherwise` where it does
  /// not; both give a value of `type`, or nothing if that is null.
  Value ifEnabled(Value mask, Type type, llvm::function_ref<Value()> emit,
                  llvm::function_ref<Value()> otherwise = nullptr);
  /// The generated type of a scalar of the kernel.
  Type scalarType(Type type);
  mlir::LogicalResult emitCat(tile::CatOp cat);
  mlir::LogicalResult emitReshape(tile::ReshapeOp reshape);
  mlir::LogicalResult emitBlock(mlir::Block *block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::scf::ForOp loop);
  mlir::LogicalResult emitIf(mlir::scf::IfOp op);
  void letOthersRun();
  mlir::LogicalResult emitWhile(mlir::scf::WhileOp op);
  /// Writes tiles over memory that their own evaluation may read.
  /// Memory for a tile of this type until `last` has been emitted.
  TileBuffer allocateUntil(Type type, mlir::Operation *last,
                           Padding padding = {});
  void assignTiles(ArrayRef<Value> tiles, ArrayRef<TileBuffer> targets,
                   ArrayRef<Value> carried);
  /// How the accumulator of a product is laid out for its register blocks.
  Padding productPadding(MatrixProductOpInterface dot);
  /// Leaves the current operation to other lowerings, and says why.
  mlir::LogicalResult decline(const llvm::Twine &reason) {
    declined = reason.str();
    return mlir::failure();
  }
  std::string declined;
  std::unique_ptr<Storage> plan;
  /// Values that are stored while a reduce evaluates them.
  llvm::DenseMap<Value, TileBuffer> storing;
  /// Lanes that are valid in the vector being evaluated; null: all.
  Value tailCount;
  bool contract = false;
  bool streams = false; ///< some store may pass by the caches

private:
  /// Scalar arithmetic, with one constant of a value in each function.
  class Math : public index::ScalarBuilder {
  public:
    explicit Math(KernelEmitter &emitter)
        : ScalarBuilder(emitter.b, emitter.loc, emitter.b.getI64Type()),
          emitter(emitter) {}

  private:
    Value makeConstant(int64_t value) override { return emitter.c64(value); }
    KernelEmitter &emitter;
  };
  Math scalarMath{*this};
  Math &math() {
    scalarMath.loc = loc;
    return scalarMath;
  }

  /// Which lowering took something last, and how many operations it made.
  struct {
    std::string owner;
    unsigned inserted = 0;
  } taken;
  friend class CpuLoweringContext;
  mlir::LogicalResult checkOps();
  mlir::LogicalResult emitFunction(llvm::StringRef name);
  /// Whether somebody registered a lowering for an operation that this code
  /// generator would compute inline.
  bool isCustom(mlir::Operation *op);
  void bindParameters(mlir::Value words);
  /// Emits arithmetic on scalar pointers; false for other operations.
  bool emitScalarPointer(mlir::Operation *op);
  mlir::LogicalResult emitScalar(mlir::Operation *op);
  void releaseAfter(mlir::Operation *op);
  mlir::LogicalResult offerLowering(mlir::Operation *op);
  /// Whether the lowering that took an operation did its work.
  mlir::LogicalResult checkTaken(mlir::Operation *op);

  struct Level {
    mlir::Operation *anchor = nullptr;
    bool fast = false;
    using Key = std::pair<const void *, SmallVector<int64_t, 12>>;
    std::map<Key, Value> memo;
  };
  /// Moves the insertion point to the end of a level's code, for the scope.
  class AtLevel {
  public:
    AtLevel(KernelEmitter &emitter, int level)
        : emitter(emitter), guard(emitter.b) {
      if (!emitter.tip.isSet()) {
        emitter.tip = emitter.b.saveInsertionPoint();
        owner = true;
      }
      if (level < emitter.currentLevel())
        emitter.b.setInsertionPoint(emitter.levels[level + 1].anchor);
      else
        emitter.b.restoreInsertionPoint(emitter.tip);
    }
    ~AtLevel() {
      if (owner)
        emitter.tip = {};
    }

  private:
    KernelEmitter &emitter;
    mlir::OpBuilder::InsertionGuard guard;
    bool owner = false;
  };
  static Level::Key key(const void *what, const Point &point);
  friend class DotLowering;

  tile::KernelOp kernel;
  const target::TargetOptions &options;
  target::TargetAttr description;
  mlir::IRMapping mapping;
  llvm::DenseMap<Value, ViewInfo> views;
  llvm::DenseMap<Value, TileBuffer> buffers;
  llvm::DenseMap<int64_t, Value> constants;
  llvm::DenseMap<mlir::Operation *, SmallVector<int64_t>> freeAfter;
  SmallVector<int64_t> temporaries;
  llvm::DenseMap<int64_t, Value> scratchAddresses;
  std::map<std::pair<mlir::Operation *, int64_t>, Value> offsetMemo;
  std::map<std::pair<mlir::Operation *, int64_t>, Bounds> rangeMemo;
  std::map<mlir::Operation *, Value> originMemo;
  SmallVector<Level> levels;
  /// Where code of the deepest level goes while some AtLevel is elsewhere.
  mlir::OpBuilder::InsertPoint tip;
  void prefetchNext(ViewAccessOpInterface load, ArrayRef<ViewAxis> axes,
                    Value address);
  mlir::Operation *current = nullptr; ///< the operation being emitted
  llvm::DenseMap<mlir::Operation *, llvm::DenseSet<mlir::Operation *>>
      readersOf;
  unsigned tableCount = 0;
  ScratchAllocator scratch;
  Value scratchBase;
  SmallVector<Value, 3> programIds, programCounts;
  mlir::Block *entry = nullptr;
};

/// Marks where the kernel returns; the rest of its block is never reached.
constexpr llvm::StringLiteral kLeavesAttr = "cpu.leaves";

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_KERNELEMITTER_H
