//===- NestBuilder.h - Loops over the elements of tiles ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of a region have no memory of their own: their elements are
// computed at the coordinates where a nest needs them, from loads, storage and
// scalars. Every coordinate knows the loop that it belongs to, and whatever
// depends on outer loops only is emitted there, once.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_NESTBUILDER_H
#define KILN_LIB_CPU_NESTBUILDER_H

#include "RegisterBuilder.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/Analysis.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <set>

namespace kiln::cpu {

/// How many vectors of a row are computed side by side, at most.
constexpr int64_t kSideBySide = 4;

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

/// Whether the elements of a tile lie row by row without gaps.
bool isDense(const TileBuffer &buffer);

/// Where the indices of an indirect axis are read for a point of the tile.
Point indexPointOf(const ViewAxis &axis, const Point &point);

/// A view with everything known about it as i64 values.
struct ViewInfo {
  Value base;
  SmallVector<Value> sizes, strides;
  Type elementType;
};

/// Where an access begins along a dimension of its view: `value` (null: 0) plus
/// a constant. Accesses of a window begin at different distances from the same
/// value, and meet at the same places.
struct AccessStart {
  Value value;
  Value key; ///< the same for equal values
  int64_t constant = 0;
};

/// A half-open range of tile coordinates; null `lo` stands for 0.
struct Bounds {
  Value lo, hi;
};

/// A load that a nest performs: for each dimension of its tile the nest's
/// dimension, kZero where the coordinate is always 0, and kComplex where it is
/// computed from the nest's.
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
  /// Whether an access joins or divides dimensions: its lanes are in bounds if
  /// all of the tile is.
  bool hasJoined = false;
  /// Whole vectors may run past the end of the lane dimension.
  bool overrun = false;
  /// A dimension that the body loops over itself, from 0 to its size.
  int innerDim = -1;
  /// A dimension that lanes must not run along.
  int excluded = -1;
  /// Whether polynomials are computed, whose constants and branches registers
  /// that are computed side by side share.
  bool hasFunctions = false;
  /// How many vectors are computed side by side where every access is in
  /// bounds.
  int64_t side = 1;
  /// Whether elements may be computed twice: nothing that is read changes. The
  /// last vector of a row then begins before the end of the one before it.
  bool mayRepeat = false;
  /// Whether vectors that are in bounds may follow others that are not, at the
  /// start of a row.
  bool mayBeginLate = false;
  /// How many rows are computed together, which share what they all read.
  int64_t rows = 1;
  /// The innermost dimension that neither lanes nor the body run along; -1:
  /// none.
  int rowDim() const;
};

/// How a nest goes through a tile in squares: of `side` elements along its lane
/// dimension, and as many along the dimension that reads are contiguous in.
struct Squares {
  int across = -1; ///< that dimension; -1: no squares
  int64_t side = 1;
};

/// Rows that are computed together: the point where the first begins, without
/// its lane coordinate, and the range of the lane dimension. Every access from
/// `fastBegin` to `fastEnd` is in bounds.
struct RowBlock {
  Point first;
  Value begin, fastBegin, fastEnd, end;
  /// Vectors before it have all their lanes in bounds, though their row may be
  /// outside; null: unknown.
  Value lanesEnd;
  /// Whether the row has a vector at least, and every access of it is in
  /// bounds; null where elements must not be computed twice.
  Value isWhole;
  int64_t count = 1;
};

/// Dimension references used to find out how a nest reaches a load: the nest's
/// dimension, kZero for a constant 0 and kComplex for anything else.
constexpr int kZero = -1, kComplex = -2;

class NestBuilder : public RegisterBuilder {
public:
  NestBuilder(tile::Kernel kernel, mlir::RewriterBase &rewriter,
              const CpuConfig &config)
      : RegisterBuilder(rewriter, kernel->getLoc(), config), kernel(kernel) {}

  /// What is known of the kernel's own scalars.
  index::Analysis facts;

  // --- Loops and levels (Nest.cpp, NestRows.cpp) ---------------------------
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
  /// What each dimension's coordinates must lie in for every access to be in
  /// bounds, and the condition (null: true) that does not depend on the nest.
  Value safeRanges(const Nest &nest, SmallVector<Bounds> &safe);
  /// What a nest runs of a dimension.
  Bounds rangeOf(const Nest &nest, int dim);
  /// Opens the loops over all dimensions but the lane dimension.
  void openRows(Nest &nest, llvm::function_ref<void(const RowBlock &)> body);
  /// How many vectors a nest may compute side by side: several where rows are
  /// long.
  int64_t sideBySide(const Nest &nest) const;
  /// How many rows a nest should compute together: several where it reads at
  /// many places, as the windows of convolutions and poolings do.
  int64_t rowsTogether(const Nest &nest) const;
  /// Calls `body` for each of the rows, at the same lanes, and lets the
  /// operations that it emits take turns.
  void runRows(const RowBlock &rows, int rowDim, Point point, Value count,
               llvm::function_ref<void(Point, Value)> body);
  /// The whole nest; `body` gets each point and, for a partial vector, the
  /// number of valid lanes (else null).
  void runNest(Nest &nest, llvm::function_ref<void(Point, Value)> body);
  /// The squares that a nest should read and transpose, because all of what it
  /// reads is contiguous in another dimension than what it stores
  /// (Squares.cpp).
  Squares squaresOf(const Nest &nest, Value root);
  /// Whether every access of a nest is in bounds and a square fits (null:
  /// true).
  Value squaresCondition(const Nest &nest, const Squares &squares);
  /// The whole nest where that holds; `store` gets each vector along the lane
  /// dimension. Elements may be computed twice.
  void runSquares(const Nest &nest, const Squares &squares, Value root,
                  llvm::function_ref<void(Value, const Point &)> store);
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

  /// A nest over the elements of tiles of one shape.
  Nest nestOver(ArrayRef<int64_t> shape, ArrayRef<Value> roots, bool oneByOne);

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
  mlir::AffineMap readOf(mlir::OpOperand &operand);
  /// The elements of a tile whose dimensions are joined or divided in the
  /// result of a movement (Reshape.cpp).
  Value evaluateReshaped(mlir::OpOperand &operand, const Point &point);
  /// Elements that `numPieces` pieces would be put together from, by a masked
  /// read of each line of a view that they lie in. Null where those are not
  /// much fewer, or not possible.
  Value evaluateLines(mlir::OpOperand &operand, const Point &point,
                      int64_t numPieces);
  /// Whether the machine reads vectors of a view's elements under masks, at the
  /// cost of others.
  bool readsUnderMasks(ViewAccessOpInterface access);
  /// An index of such a tile, for the first lane.
  Coord evaluateCoord(mlir::AffineExpr expr, const Point &point);

  // --- Memory (Access.cpp, Buffers.cpp) ------------------------------------
  /// Reads from an address for each lane, of the lanes in `mask`; the others
  /// are those of `through` (null: undefined). `align` is the size in bytes of
  /// an element of storage.
  Value gatherLanes(mlir::VectorType type, Value addresses, Value mask,
                    Value through, unsigned align);
  Value loadBuffer(const TileBuffer &buffer, const Point &point);
  void storeBuffer(Value value, const TileBuffer &buffer, const Point &point,
                   Value count = nullptr);
  Value bufferAddress(const TileBuffer &buffer, const Point &point,
                      int64_t &laneStride);
  Value evaluateLoad(ViewAccessOpInterface load, const Point &point);
  /// The address where `condition` (null: true) holds, else one that can be
  /// read: vector reads without any lane are slow where there is no memory.
  Value addressOr(Value condition, Value address);
  AccessStart startOf(ViewAccessOpInterface access, int64_t viewDim);
  /// Whether the coordinate of an access is inside of a dimension of its view,
  /// at the coordinate's level.
  Value isInside(ViewAccessOpInterface access, int64_t viewDim,
                 const Coord &coord);
  /// The address of a vector of what an access finds outside of its view; null
  /// where that is not known.
  Value outsideOf(ViewAccessOpInterface access, Type element, int64_t lanes);
  Value evaluateGather(ViewAccessOpInterface gather, const Point &point);
  /// The lanes whose indices are elements of the tile of indices; null if all
  /// are. Vectors may reach past a tile: what they find there is no index.
  Value lanesOfIndices(const ViewAxis &axis, const Point &point);
  Value evaluateConstant(mlir::arith::ConstantOp op, const Point &point);
  /// The address of elements in the object's read-only data, once each.
  Value tableOf(mlir::DenseElementsAttr elements);
  const ViewInfo &viewOf(Value view);
  /// Element offset of the tile along a view dimension.
  Value offsetOf(ViewAccessOpInterface access, int64_t viewDim);
  /// Valid tile coordinates along a view dimension.
  Bounds validRange(ViewAccessOpInterface access, int64_t viewDim);

  // --- Tiles in memory -----------------------------------------------------
  Value scratchAt(int64_t offset);
  /// Where storage lies, from an origin in it.
  TileBuffer storageAt(Value storage, ValueRange origin = {});
  /// Says where the operation that makes the region's nest has put a result.
  void define(Value result, TileBuffer buffer) { results[result] = buffer; }
  /// Whether the elements of a tile are there: in storage that the region
  /// reads, or as a result of the operation that makes its nest.
  bool hasBuffer(Value tile) const;
  TileBuffer bufferOf(Value tile);
  /// The memory that a result should be computed into: where the region writes
  /// it.
  TileBuffer resultBuffer(Value tile);
  /// Memory for a tile while the region is emitted; rows start at lines unless
  /// `elements` says how many there are without gaps.
  TileBuffer temporaryTile(mlir::RankedTensorType type, int64_t elements = 0);
  /// The tile in memory, row by row without gaps, with room for `elements`.
  TileBuffer materializeDense(Value tile, int64_t elements);
  /// Evaluates the whole tile into `buffer`. Whole vectors may be written
  /// behind the ends of its rows unless that is somebody else's memory.
  void fill(const TileBuffer &buffer, Value tile, bool mayOverrun = true);
  /// The tile in memory, evaluated into temporary memory where it is inline.
  TileBuffer materialize(Value tile);
  /// Memory that lives until the region has been emitted.
  Value temporary(int64_t bytes);

  // --- The state that lowerings share --------------------------------------
  struct Level {
    mlir::Operation *anchor = nullptr;
    bool fast = false;
    using Key = std::pair<const void *, SmallVector<int64_t, 12>>;
    std::map<Key, Value> memo;
  };
  /// Moves the insertion point to the end of a level's code, for the scope.
  class AtLevel {
  public:
    AtLevel(NestBuilder &builder, int level)
        : builder(builder), guard(builder.b) {
      if (!builder.tip.isSet()) {
        builder.tip = builder.b.saveInsertionPoint();
        owner = true;
      }
      if (level < builder.currentLevel())
        builder.b.setInsertionPoint(builder.levels[level + 1].anchor);
      else
        builder.b.restoreInsertionPoint(builder.tip);
    }
    ~AtLevel() {
      if (owner)
        builder.tip = {};
    }

  private:
    NestBuilder &builder;
    mlir::OpBuilder::InsertionGuard guard;
    bool owner = false;
  };
  static Level::Key key(const void *what, const Point &point);
  static int64_t numberOf(Value value) {
    return reinterpret_cast<intptr_t>(value.getAsOpaquePointer());
  }
  /// What is remembered in front of all loops.
  Value &outermost(const Level::Key &key) { return levels.front().memo[key]; }

  tile::Kernel kernel;
  mlir::Operation *current = nullptr; ///< the operation being emitted
  llvm::DenseMap<Value, ViewInfo> views;
  /// Where storage and, in a region, results of its nest lie.
  llvm::DenseMap<Value, TileBuffer> storages, results;
  /// Values that are stored while a reduction evaluates them.
  llvm::DenseMap<Value, TileBuffer> storing;
  /// Lanes that are valid in the vector being evaluated; null: all.
  Value tailCount;
  /// Lanes of a view that are read; null: all.
  Value lineMask;
  /// Whether all lanes of the vectors being evaluated are in bounds, whatever
  /// their row is.
  bool areLanesInside = false;
  /// The region's bounds, where its nest has them: what is computed, and behind
  /// what accesses may be out of bounds.
  struct {
    SmallVector<int64_t> box;
    SmallVector<Bounds> ranges;
    SmallVector<Value> safe;
  } bounds;
  /// The end of storage, of what is behind it now, and at most.
  int64_t storageEnd = 0, temporaryEnd = 0, scratchEnd = 0;
  Value scratchBase;
  unsigned tableCount = 0;

private:
  llvm::DenseMap<mlir::OpOperand *, mlir::AffineMap> reads;
  llvm::DenseMap<int64_t, Value> scratchAddresses;
  std::map<std::pair<mlir::Operation *, int64_t>, Value> offsetMemo;
  std::map<std::pair<mlir::Operation *, int64_t>, Bounds> rangeMemo;
  std::map<mlir::Operation *, Value> originMemo;
  SmallVector<Level> levels;
  /// Where code of the deepest level goes while some AtLevel is elsewhere.
  mlir::OpBuilder::InsertPoint tip;
  llvm::DenseMap<mlir::Attribute, std::string> tables; ///< constants in memory
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_NESTBUILDER_H
