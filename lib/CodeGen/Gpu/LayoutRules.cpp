//===- LayoutRules.cpp - Rules of the family's operations -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayoutRules.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "kiln/Interfaces/Reduction.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/ForeignOperation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

#include "kiln/Gpu/LayoutRule.cpp.inc"

LayoutQuery::~LayoutQuery() = default;

LayoutAttr LayoutQuery::settled(Value tile) const {
  LayoutAttr layout = of(tile);
  return layout ? layout
                : usual(cast<RankedTensorType>(tile.getType()).getShape());
}

void simt::assignAll(ValueRange values, LayoutAttr layout,
                     MutableArrayRef<LayoutAttr> into) {
  for (auto [value, entry] : llvm::zip_equal(values, into))
    if (isa<RankedTensorType>(value.getType()))
      entry = layout;
}

LayoutRule simt::sameLayout(Operation *op, const LayoutQuery &query) {
  LayoutRule rule(op);
  LayoutAttr layout = query.of(op->getOperands());
  assignAll(op->getOperands(), layout, rule.operands);
  assignAll(op->getResults(), layout, rule.results);
  return rule;
}

/// Whether all tiles of an operation have one shape.
static bool hasOneShape(Operation *op) {
  std::optional<ArrayRef<int64_t>> shape;
  auto fits = [&](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return true;
    if (!shape)
      shape = tile.getShape();
    return *shape == tile.getShape();
  };
  return llvm::all_of(op->getOperandTypes(), fits) &&
         llvm::all_of(op->getResultTypes(), fits);
}

/// A result without the reduced dimension stays where its elements were.
static LayoutRule reductionLayout(ReductionOpInterface op,
                                  const LayoutQuery &query) {
  LayoutRule rule(op);
  int64_t axis = op.getReducedAxis();
  LayoutAttr layout = query.of(op->getOperands());
  if (!layout || axis < 0 || axis >= layout.getRank() ||
      op.isOrderedReduction())
    return rule;
  for (auto [value, entry] : llvm::zip_equal(op->getOperands(), rule.operands))
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && type.getRank() == layout.getRank())
      entry = layout;
  for (auto [value, entry] : llvm::zip_equal(op->getResults(), rule.results))
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && type.getRank() == layout.getRank() - 1)
      entry = layout.dropDim(axis);
  return rule;
}

/// Leaves out the layouts of a rule that are none of their tiles. What a
/// plug-in gets wrong is reported once.
static void checkRule(Operation *op, LayoutRule &rule) {
  std::string problem;
  auto check = [&](Value value, LayoutAttr &entry, StringRef what,
                   unsigned number) {
    if (!entry)
      return;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    std::string why;
    {
      OwnDiagnostics quiet(op->getContext(), [&](Diagnostic &diag) {
        why = diag.str();
        return success();
      });
      if (!type)
        why = "it is no tile";
      else if (succeeded(entry.verifyEncoding(
                   type.getShape(), type.getElementType(),
                   [&] { return emitError(op->getLoc()); })))
        return;
    }
    entry = {};
    if (problem.empty())
      llvm::raw_string_ostream(problem)
          << "gives " << what << " " << number << " of type " << value.getType()
          << " a layout that it cannot have: " << why;
  };
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    check(op->getOperand(i), rule.operands[i], "operand", i);
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    check(op->getResult(i), rule.results[i], "result", i);
  if (problem.empty())
    return;
  std::string owner = target::describeOwner("layout rule of operation",
                                            op->getName().getStringRef(),
                                            target::pluginOfOperation(op));
  auto &report = target::Report::of(op->getContext());
  if (llvm::is_contained(report.brokenOwners(), owner))
    return;
  report.broke(op, owner);
  op->emitError() << owner << " " << problem;
}

/// The rule of an operation; what it throws and where it crashes names the
/// operation and its plug-in.
static LayoutRule askRule(LayoutRuleOpInterface op, const LayoutQuery &query) {
  if (isa<tile::TileDialect>(op->getDialect()))
    return op.getLayoutRule(query);
  target::Activity activity(
      target::describeOwner("layout rule of operation",
                            op->getName().getStringRef(),
                            target::pluginOfOperation(op)),
      op);
  return op.getLayoutRule(query);
}

LayoutRule simt::layoutRuleOf(Operation *op, const LayoutQuery &query) {
  if (auto own = dyn_cast<LayoutRuleOpInterface>(op)) {
    LayoutRule rule = askRule(own, query);
    rule.operands.resize(op->getNumOperands());
    rule.results.resize(op->getNumResults());
    if (!isa<tile::TileDialect>(op->getDialect()))
      checkRule(op, rule);
    return rule;
  }
  if (auto reduction = dyn_cast<ReductionOpInterface>(op))
    return reductionLayout(reduction, query);
  // What is moved goes through shared memory.
  auto moved = dyn_cast<IndexMapOpInterface>(op);
  if ((moved && moved.movesElements()) || !hasOneShape(op))
    return LayoutRule(op);
  return sameLayout(op, query);
}

//===----------------------------------------------------------------------===//
// Pairs, which move between registers
//===----------------------------------------------------------------------===//

/// The layout with one more dimension of size 2, the last one, whose elements
/// are in neighbouring registers.
static LayoutAttr withPairs(LayoutAttr layout) {
  int64_t rank = layout.getRank();
  LayoutAttr wider = layout.insertDim(rank);
  auto registers = wider.getRegisterBases();
  LayoutAttr::Basis pair(rank + 1, 0);
  pair[rank] = 1;
  registers.insert(registers.begin(), pair);
  return LayoutAttr::get(layout.getContext(), rank + 1, registers,
                         wider.getLaneBases(0), wider.getWarpBases(0));
}

/// The same where a lane or warp that repeats elements tells those of a pair
/// apart. Null if threads repeat nothing, or have room for pairs of registers:
/// without this, each step of a butterfly that sums over lanes and joins the
/// results doubles the elements of a thread.
static LayoutAttr withPairsOfThreads(LayoutAttr layout) {
  using Basis = LayoutAttr::Basis;
  constexpr int64_t kRoom = 4;
  if (layout.getNumRegisters() < kRoom)
    return {};
  int64_t rank = layout.getRank();
  LayoutAttr wider = layout.insertDim(rank);
  auto lanes = wider.getLaneBases(0), warps = wider.getWarpBases(0);
  Basis none(rank + 1, 0);
  for (auto *threads : {&lanes, &warps}) {
    auto *repeated = llvm::find(*threads, none);
    if (repeated == threads->end())
      continue;
    (*repeated)[rank] = 1;
    return LayoutAttr::get(layout.getContext(), rank + 1,
                           wider.getRegisterBases(), lanes, warps);
  }
  return {};
}

/// The two come to stand in neighbouring registers, or in threads that had the
/// same elements.
static LayoutRule layoutsOfJoin(tile::JoinOp op, const LayoutQuery &query) {
  LayoutRule rule(op);
  LayoutAttr layout = query.of(op->getOperands());
  if (!layout)
    layout = query.settled(op.getRhs());
  assignAll(op->getOperands(), layout, rule.operands);
  rule.results[0] = withPairsOfThreads(layout);
  if (!rule.results[0])
    rule.results[0] = withPairs(layout);
  return rule;
}

/// Each thread has both elements of a pair along the last dimension: what a
/// lane or a warp tells apart, a register does, which gives its place to it.
/// Null where elements of a pair lie in some other way.
static LayoutAttr pairedLayout(LayoutAttr layout) {
  using Basis = LayoutAttr::Basis;
  unsigned rank = layout.getRank();
  auto registers = layout.getRegisterBases(), lanes = layout.getLaneBases(0),
       warps = layout.getWarpBases(0);
  Basis pair(rank, 0);
  pair[rank - 1] = 1;
  for (const Basis &basis : llvm::concat<const Basis>(registers, lanes, warps))
    if (basis[rank - 1] && basis != pair)
      return {};
  if (llvm::is_contained(registers, pair))
    return layout;
  for (auto *threads : {&lanes, &warps}) {
    auto *place = llvm::find(*threads, pair);
    if (place == threads->end())
      continue;
    *place = registers.empty() ? Basis(rank, 0) : registers.pop_back_val();
    registers.insert(registers.begin(), pair);
    return LayoutAttr::get(layout.getContext(), rank, registers, lanes, warps);
  }
  return {};
}

/// How many dimensions, from the last one on, this split and those of all its
/// parts take away.
static unsigned splitDims(Operation *op) {
  // A thread has no room for the elements of more.
  constexpr unsigned kMost = 6;
  unsigned count = kMost;
  for (Value part : op->getResults()) {
    unsigned further = 0;
    for (Operation *user : part.getUsers())
      if (user->getName() == op->getName())
        further = std::max(further, splitDims(user));
    count = std::min(count, further + 1);
  }
  return count;
}

/// Whether a tile that is reshaped only has its last dimension as pairs.
static bool becomesPairs(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                         unsigned pairs) {
  auto isPair = [](int64_t size) { return size == 2; };
  if (to.size() < pairs || !llvm::all_of(to.take_back(pairs), isPair))
    return false;
  auto others = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> sizes(shape);
    llvm::erase(sizes, 1);
    return sizes;
  };
  return others(from.drop_back()) == others(to.drop_back(pairs));
}

bool simt::isSplitWhole(Value tile) {
  auto shapeOf = [](Value of) {
    return cast<RankedTensorType>(of.getType()).getShape();
  };
  auto isSplit = [](Operation *op) {
    return isa<IndexMapOpInterface>(op) && op->getNumResults() == 2;
  };
  unsigned pairs = llvm::Log2_64(shapeOf(tile).back());
  return !tile.use_empty() && llvm::all_of(tile.getUsers(), [&](Operation *op) {
    if (isSplit(op))
      return splitDims(op) >= pairs;
    return isa<IndexMapOpInterface>(op) && op->getNumResults() == 1 &&
           !op->use_empty() &&
           becomesPairs(shapeOf(tile), shapeOf(op->getResult(0)), pairs) &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return isSplit(user) && splitDims(user) >= pairs;
           });
  });
}

/// The layout of a tile that is split along several dimensions: if its pairs
/// have to go to registers first, then those of all dimensions do at once, and
/// the parts are where accesses of their shape have theirs.
static LayoutAttr layoutForSplits(tile::SplitOp op, const LayoutQuery &query) {
  LayoutAttr layout = query.settled(op.getSource());
  unsigned count = splitDims(op), rank = layout.getRank();
  auto registers = layout.getRegisterBases();
  bool isThere = true;
  for (unsigned dim = rank - count; dim < rank; ++dim) {
    LayoutAttr::Basis pair(rank, 0);
    pair[dim] = 1;
    isThere &= llvm::is_contained(registers, pair);
  }
  if (isThere || count == 1 || count >= rank)
    return pairedLayout(layout);
  auto shape = cast<RankedTensorType>(op.getSource().getType()).getShape();
  layout = query.usual(shape.drop_back(count));
  while (count--)
    layout = withPairs(layout);
  return layout;
}

static LayoutRule layoutsOfSplit(tile::SplitOp op, const LayoutQuery &query) {
  LayoutRule rule(op);
  LayoutAttr layout = layoutForSplits(op, query);
  if (!layout)
    return rule;
  rule.operands[0] = layout;
  assignAll(op->getResults(), layout.dropDim(layout.getRank() - 1),
            rule.results);
  return rule;
}

int simt::reducedAxis(Operation *op) {
  tile::FoldOpInterface fold = tile::asReduction(op);
  return fold ? int(fold.getFoldedAxis()) : -1;
}

int simt::scannedAxis(Operation *op) {
  auto fold = dyn_cast<tile::FoldOpInterface>(op);
  return fold && fold.keepsAxis() ? int(fold.getFoldedAxis()) : -1;
}

void simt::addPairLayouts(LoweringTable &table) {
  table.addLayouts<tile::JoinOp, layoutsOfJoin>();
  table.addLayouts<tile::SplitOp, layoutsOfSplit>();
}
