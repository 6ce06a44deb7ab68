//===- ProductRows.cpp - Products and rows of the description -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductRows.h"
#include "HeldRegisters.h"
#include "Machine.h"
#include "ViewRows.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Staging/SplitProduct.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>
#include <utility>

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Panels are not deeper than this, so that the left ones stay in a cache.
constexpr int64_t kDeepestPanel = 2048; // bytes of a row

static int64_t bitsOf(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// Rows, columns and depth of a product's tiles.
static std::array<int64_t, 3> sizesOf(MatrixProductOpInterface product) {
  RankedTensorType type = product.getProductType();
  int64_t rank = type.getRank();
  auto lhs = cast<ShapedType>(product.getLhsOperand().get().getType());
  return {type.getDimSize(rank - 2), type.getDimSize(rank - 1),
          lhs.getDimSize(lhs.getRank() - 1)};
}

/// What the right panel may take of the nearest cache: left factors of vector
/// registers are single elements, those of a unit for matrices as many bytes as
/// right ones. More of it, where that leaves one pass: sums are moved once
/// then.
constexpr double kVectorShare = 0.8, kMatrixShare = 0.4, kOnePassShare = 0.7;

constexpr int64_t kManyBlocks = std::numeric_limits<int64_t>::max();

/// Panels that are packed together, and steps of them: as many rows of the
/// right factor as a cache expects next.
constexpr int64_t kTogether = 8, kStrip = 32;

/// How many blocks of rows a panel of the right factor is multiplied by; many,
/// where its rows do not lie in memory as such.
static int64_t rowBlocks(MatrixProductOpInterface product, int64_t rows) {
  return staging::onlyLoad(product.getRhsOperand().get())
             ? llvm::divideCeil(sizesOf(product)[0], rows)
             : kManyBlocks;
}

/// As many steps as leave the right panel in a share of the nearest cache.
/// `blocks` blocks of rows are multiplied by a panel. Where they are few the
/// right factor is what takes time: shallow panels read it along its rows, as
/// memory likes it, rather than in narrow columns.
static int64_t mostSteps(const CpuConfig &config, double share, int64_t columns,
                         int64_t bytes, int64_t granule, int64_t blocks) {
  constexpr int64_t kFewBlocks = 8, kStepsForEach = 8;
  // With fewer steps it takes longer to load and to store the sums than to read
  // a panel's lines from the next cache.
  constexpr int64_t kEnoughSteps = 128;
  int64_t most = int64_t(double(config.l1Bytes) * share) / (columns * bytes);
  most = std::min(std::max(most, kEnoughSteps), kDeepestPanel / bytes);
  if (blocks <= kFewBlocks)
    most = std::min(most, kStepsForEach * blocks);
  return std::max<int64_t>(llvm::alignDown(most, granule), granule);
}

/// These steps in equal parts.
static int64_t depthFor(int64_t most, int64_t granule, int64_t k) {
  int64_t parts = llvm::divideCeil(k, most);
  return llvm::alignTo(llvm::divideCeil(k, parts), granule);
}

ProductAttr cpu::productWithoutRow(MatrixProductOpInterface product,
                                   const CpuConfig &config) {
  int64_t bits = bitsOf(product.getProductType().getElementType());
  int64_t lanes = config.lanes(bits);
  auto [m, n, k] = sizesOf(product);
  MicroTile tile = MicroTile::choose({config.registers, 1, lanes, 0}, m, n);
  int64_t columns = tile.vectors * lanes;
  int64_t most =
      mostSteps(config, kVectorShare, columns, std::max<int64_t>(bits / 8, 1),
                lanes, llvm::divideCeil(m, tile.rows));
  return ProductAttr::get(product->getContext(), "", tile.rows, columns,
                          depthFor(most, lanes, k), 0, 1, /*bounded=*/false,
                          ArrayAttr());
}

/// Whether an operand of a row takes registers of those that its sums are in:
/// all but what other registers hold.
static bool sharesRegisters(target::OperandAttr operand,
                            target::MatrixInstructionAttr row,
                            target::TargetAttr description) {
  target::MemoryAttr home = description.getMemory(operand.getHome());
  return !home || home.getKind() != target::MemoryKind::Register ||
         operand.getHome() == row.getAcc().getHome();
}

/// Where the rows of the left operand lie, if micro-kernels may read them
/// there.
static std::optional<ViewRows> viewRows(MatrixProductOpInterface product,
                                        target::MatrixInstructionAttr row,
                                        const RowUse &use) {
  const MatrixInstruction *instruction = findMatrixInstruction(row.getName());
  if (!instruction || !instruction->takesRows || use.m != 1 || use.lhsOffset ||
      !extraOf(product, "spreads_from_memory") ||
      product.getProductPrecision() == ProductPrecision::TF32)
    return std::nullopt;
  Value lhs = product.getLhsOperand().get();
  std::optional<ViewRows> view = findViewRows(lhs);
  Type element = getElementTypeOrSelf(lhs);
  if (!view || bitsOf(use.lhs) != bitsOf(element) ||
      isa<FloatType>(use.lhs) != isa<FloatType>(element) ||
      !canReadApart(view->apart(), bitsOf(element) / 8, use.k))
    return std::nullopt;
  return view;
}

ProductAttr cpu::productByRow(MatrixProductOpInterface product,
                              target::MatrixInstructionAttr row,
                              const RowUse &use, const CpuConfig &config,
                              target::TargetAttr description) {
  int64_t registers = config.registers;
  // Units for matrices have accumulators that take long to load and to store.
  bool isMatrix = use.m > 1;
  for (target::ExecutionUnitAttr unit : description.getUnits()) {
    if (unit.getName() != row.getUnit())
      continue;
    isMatrix = unit.getKind() == target::UnitKind::Matrix;
    if (unit.getRegisters() > 0)
      registers = isMatrix ? unit.getRegisters() : countHeldRegisters(unit);
  }
  auto [m, n, k] = sizesOf(product);
  RegisterFile file{registers, use.m, use.n, row.getTemporaries()};
  file.left = sharesRegisters(row.getLhs(), row, description);
  file.right = sharesRegisters(row.getRhs(), row, description);
  file.isMatrix = isMatrix;
  MicroTile tile = MicroTile::choose(file, m, n);
  // Rows in several levels are read where they lie by blocks that end with
  // their lines.
  std::optional<ViewRows> view = viewRows(product, row, use);
  if (view && view->line() < m) {
    // Fewer would not hide the latency of additions, or load too often.
    constexpr int64_t kEnoughSums = 12;
    MicroTile inLine =
        MicroTile::choose(file, view->line(), n, /*isWhole=*/true);
    if (inLine.rows * inLine.vectors >= kEnoughSums && inLine.rows > 2)
      tile = inLine;
    else
      view.reset();
  }
  int64_t columns = tile.vectors * use.n;
  // Steps are counted in whole vectors of the left operand.
  int64_t granule = std::lcm(use.k, config.lanes(bitsOf(use.lhs)));
  Operation *around = product->getParentOp();
  if (isa<stage::BoxRegionOpInterface>(around))
    around = around->getParentOp();
  bool isOnePass =
      !isa<scf::ForOp>(around) && double(k * columns * bitsOf(use.rhs) / 8) <=
                                      kOnePassShare * double(config.l1Bytes);
  double matrixShare = isOnePass ? kOnePassShare : kMatrixShare;
  int64_t blocks = isMatrix ? kManyBlocks : rowBlocks(product, tile.rows);
  // They are also done so soon that panels must be read as memory likes it.
  int64_t panels =
      isMatrix ? std::clamp<int64_t>(n / columns, 1, kTogether) : 1;
  int64_t most = mostSteps(config, isMatrix ? matrixShare : kVectorShare,
                           columns, bitsOf(use.rhs) / 8, granule, blocks);
  int64_t depth = depthFor(most, granule, k);
  if (view && (view->line() < m || view->steps.size() > 1)) {
    // Whole levels, or parts of one: rather twice as deep than too shallow.
    constexpr int64_t kFewSteps = 64;
    int64_t whole = view->depthUpTo(most, use.k);
    if (whole < k && whole < kFewSteps)
      whole = view->depthUpTo(2 * most, use.k);
    if (whole == k || whole >= kFewSteps)
      depth = whole;
  }
  return ProductAttr::get(product->getContext(), row.getName(), tile.rows,
                          columns, depth, use.lhsOffset, panels,
                          use.lhsBits || use.rhsBits, ArrayAttr());
}

/// Whether the last dimension of a tile, from `lanes` elements on, is
/// contiguous in all memory that the tile is computed from, or comes in runs,
/// as patches of images with few channels do. Vectors are put together from
/// runs in either form of a panel.
static bool liesInRows(Value tile, int64_t lanes) {
  constexpr int64_t kMostRuns = 4; // of a register
  SmallVector<Value> open = {tile};
  bool isRead = false;
  if (cast<RankedTensorType>(tile.getType()).getShape().back() < lanes)
    return false;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    auto type = cast<RankedTensorType>(value.getType());
    Operation *op = value.getDefiningOp();
    int64_t last = type.getRank() - 1;
    if (!op || last < 0 || type.getDimSize(last) * kMostRuns < lanes)
      return false;
    if (auto load = dyn_cast<ViewAccessOpInterface>(op)) {
      auto view = dyn_cast<tile::ViewType>(load.getAccessedView().getType());
      if (!load.isRead() || !view || indirectAxis(load.getAxes()) >= 0)
        return false;
      isRead =
          llvm::any_of(llvm::enumerate(load.getAxes()), [&](const auto &axis) {
            return axis.value().tileDim == last && axis.value().step == 1 &&
                   view.getStaticStride(axis.index()) == 1;
          });
      if (!isRead)
        return false;
      continue;
    }
    if (auto read = dyn_cast<stage::StorageReadOpInterface>(op)) {
      SmallVector<int64_t> strides;
      int64_t offset;
      isRead = succeeded(read.getStorage().getType().getStridesAndOffset(
                   strides, offset)) &&
               strides.back() == 1;
      if (!isRead)
        return false;
      continue;
    }
    if (isShapeless(op))
      continue;
    if (!isa<ReshapeOpInterface>(op) &&
        !OpTrait::hasElementwiseMappableTraits(op))
      return false;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        open.push_back(operand);
  }
  return isRead;
}

/// Whether panels of the left operand hold its rows one after another: they are
/// then copied as they lie in memory, instead of transposed.
static bool keepsRows(MatrixProductOpInterface product, StringRef row,
                      const RowUse &use, int64_t rows,
                      const CpuConfig &config) {
  const MatrixInstruction *instruction = findMatrixInstruction(row);
  return instruction && instruction->takesRows && rows > 1 && use.m == 1 &&
         extraOf(product, "spreads_from_memory") &&
         liesInRows(product.getLhsOperand().get(),
                    config.lanes(bitsOf(use.lhs)));
}

std::optional<ProductSplit>
ProductAttr::getProductSplit(MatrixProductOpInterface product) const {
  target::TargetAttr description = target::getDescription(product);
  CpuConfig config = CpuConfig::fromDescription(description);
  Type element = product.getProductType().getElementType();
  RowUse use{1, 1, 1, element, element, 1, 1, 0};
  if (!getRow().empty()) {
    target::MatrixInstructionAttr row =
        description ? description.getMatrixInstruction(getRow())
                    : target::MatrixInstructionAttr();
    std::optional<RowUse> found =
        row ? useOfRow(row, product, getBounded()) : std::optional<RowUse>();
    if (!found)
      return std::nullopt;
    use = *found;
  }
  // Whole vectors of steps are packed.
  int64_t deepest = llvm::alignTo(getDepth(), config.lanes(8));
  int64_t lhsGroup = use.lhsGroup;
  if (!getRow().empty() && keepsRows(product, getRow(), use, getRows(), config))
    lhsGroup = deepest;
  return ProductSplit{
      "cpu.dot.packed",    getRow().str(),
      getRows(),           getColumns(),
      getDepth(),          deepest,
      {use.lhs, lhsGroup}, {use.rhs, use.rhsGroup},
      getPanels(),         int64_t(llvm::alignTo(kStrip, use.k)),
      use.lhsOffset};
}

ArrayRef<Attribute> ProductAttr::getNarrowWays() const {
  return getNarrow() ? getNarrow().getValue() : ArrayRef<Attribute>();
}

SmallVector<NarrowProduct>
ProductAttr::getNarrowProducts(MatrixProductOpInterface product) const {
  SmallVector<NarrowProduct> result;
  target::TargetAttr description = target::getDescription(product);
  for (Attribute other : getNarrowWays()) {
    auto way = cast<ProductAttr>(other);
    target::MatrixInstructionAttr row =
        description ? description.getMatrixInstruction(way.getRow())
                    : target::MatrixInstructionAttr();
    if (std::optional<RowUse> use =
            row ? useOfRow(row, product, true) : std::optional<RowUse>())
      result.push_back({way, use->lhsBits, use->rhsBits});
  }
  return result;
}
