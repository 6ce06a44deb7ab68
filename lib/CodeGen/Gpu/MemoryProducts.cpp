//===- MemoryProducts.cpp - Instructions that read factors in memory ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryProducts.h"
#include "Assigner.h"
#include "Fragments.h"
#include "ProductChoice.h"
#include "StagedLoads.h"
#include "StoredFactors.h"
#include "Work.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

bool simt::readsMemory(target::MatrixInstructionAttr row) {
  return isa_and_nonnull<SwizzleAttr, LayoutAttr>(row.getLhs().getLayout()) &&
         isa_and_nonnull<SwizzleAttr>(row.getRhs().getLayout()) &&
         isa_and_nonnull<LayoutAttr>(row.getAcc().getLayout());
}

SwizzleAttr simt::swizzleOf(target::MatrixInstructionAttr row, int which) {
  return dyn_cast<SwizzleAttr>(
      (which == 0 ? row.getLhs() : row.getRhs()).getLayout());
}

Attribute simt::permuteOf(SwizzleAttr swizzle, int64_t dim) {
  return DenseI64ArrayAttr::get(swizzle.getContext(),
                                {dim, swizzle.getChunk(), swizzle.getRow()});
}

target::MatrixInstructionAttr
simt::memoryRowOf(Operation *op, target::TargetAttr description) {
  StringRef name;
  if (auto product = dyn_cast<stage::StorageProductOpInterface>(op))
    name = product.getRow().value_or("");
  else if (auto decided = getDecided<StringAttr>(op, kRowEntry))
    name = decided.getValue();
  if (name.empty() || !description)
    return {};
  auto row = description.getMatrixInstruction(name);
  return row && readsMemory(row) ? row : target::MatrixInstructionAttr();
}

SwizzleAttr simt::swizzleOf(Value factor, target::TargetAttr description) {
  for (OpOperand &use : factor.getUses()) {
    Operation *user = use.getOwner();
    if (target::MatrixInstructionAttr row = memoryRowOf(user, description)) {
      auto product = cast<MatrixProductOpInterface>(user);
      return swizzleOf(row, &use == &product.getLhsOperand() ? 0 : 1);
    }
    if (handsOnBytes(user))
      if (SwizzleAttr swizzle = swizzleOf(user->getResult(0), description))
        return swizzle;
  }
  return {};
}

bool simt::isMemoryProduct(Operation *op, target::TargetAttr description) {
  return bool(memoryRowOf(op, description));
}

int64_t simt::alignOfMemoryProducts(tile::KernelOp kernel,
                                    target::TargetAttr description) {
  int64_t align = 1;
  kernel.walk([&](Operation *op) {
    if (target::MatrixInstructionAttr row = memoryRowOf(op, description))
      for (int which : {0, 1})
        if (SwizzleAttr swizzle = swizzleOf(row, which))
          align = std::max(align, swizzle.getAlign());
  });
  return align;
}

bool simt::hasMemoryProducts(tile::KernelOp kernel,
                             target::TargetAttr description) {
  return kernel
      .walk([&](Operation *op) {
        return isMemoryProduct(op, description) ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// How many warps execute an instruction together.
static int64_t warpsTogether(target::MatrixInstructionAttr row) {
  auto layout = cast<LayoutAttr>(row.getAcc().getLayout());
  return int64_t(1) << layout.getWarpBases(0).size();
}

// Sums of a product that a thread has at most, and products so small that
// threads multiply them in the time that beginning and waiting take.
static constexpr int64_t kSums = 128, kLeast = 64 * 64, kSide = 64;
// A group has half as many columns where each sum has this many terms.
static constexpr int64_t kDeep = 128;

/// The view that a factor is read through; null where that is not known.
static Value viewOf(Value factor) {
  auto load = factor.getDefiningOp<ViewAccessOpInterface>();
  return load ? load.getAccessedView() : Value();
}

/// Whether a product is a piece of a wider one: another product beside it, of
/// more columns, has the same left factor. The threads wait for both together.
/// Factors that are read through different views are no pieces of one.
static bool isPiece(MatrixProductOpInterface op) {
  Value lhs = op.getLhsOperand().get(), view = viewOf(op.getRhsOperand().get());
  int64_t columns = op.getProductType().getShape().back();
  return llvm::any_of(lhs.getUsers(), [&](Operation *user) {
    auto other = dyn_cast<MatrixProductOpInterface>(user);
    return other && user != op && user->getBlock() == op->getBlock() &&
           other.getLhsOperand().get() == lhs &&
           viewOf(other.getRhsOperand().get()) == view &&
           other.getProductType().getRank() == 2 &&
           other.getProductType().getDimSize(1) > columns;
  });
}

std::optional<Split> simt::splitOf(MatrixProductOpInterface op,
                                   target::MatrixInstructionAttr row,
                                   int64_t warps) {
  return splitOf(op.getProductType(), sumsInParts(op), row, warps);
}

std::optional<Split> simt::splitOf(RankedTensorType acc, bool inParts,
                                   target::MatrixInstructionAttr row,
                                   int64_t warps) {
  if (acc.getRank() != 2)
    return std::nullopt;
  int64_t together = warpsTogether(row);
  if (warps % together)
    return std::nullopt;
  Split split;
  int64_t groups = warps / together, m = row.getM().getMin();
  while (split.rows < groups && 2 * split.rows * m <= acc.getDimSize(0))
    split.rows *= 2;
  split.columns = groups / split.rows;
  int64_t own = acc.getDimSize(1) / split.columns;
  split.width = std::min(own, row.getN().getMax());
  // Sums in parts lie beside those of the product: half as many.
  auto atom = cast<LayoutAttr>(row.getAcc().getLayout());
  if (inParts)
    split.width = std::min<int64_t>(
        split.width, kSums / 2 / atom.getNumRegisters() * row.getN().getMin());
  if (acc.getDimSize(0) % (m * split.rows) || !row.getN().contains(split.width))
    return std::nullopt;
  return split;
}

std::string simt::whySizesDoNotSuit(MatrixProductOpInterface op,
                                    target::MatrixInstructionAttr row,
                                    int64_t lanes, int64_t warps) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  auto acc = cast<RankedTensorType>(op->getResult(0).getType());
  auto lhs = cast<RankedTensorType>(op.getLhsOperand().get().getType());
  int64_t depth = lhs.getShape().back(), least = row.getK().getMin();
  std::optional<Split> split = splitOf(op, row, warps);
  os << "a product of sizes ";
  llvm::interleave(acc.getShape(), os, "x");
  if (!split)
    os << " cannot be shared out among " << warps << " warps in groups of "
       << warpsTogether(row);
  else if (int64_t m = acc.getDimSize(0), n = acc.getDimSize(1),
           columns = depth < kDeep && !isPiece(op) ? kSide : kSide / 2,
           sums = isPiece(op) ? kSide * columns : kLeast;
           m < kSide || n / split->columns < columns || m * n < sums)
    os << " is too small on " << warps << " warps, expected at least " << sums
       << " sums, " << kSide << " rows, and " << columns
       << " columns for each group";
  else if (m * n > kSums * lanes * warps)
    os << " is too large for " << warps << " warps, expected at most " << kSums
       << " sums a thread";
  else if (depth < least)
    os << " has depth " << depth << ", expected at least " << least;
  else if (!llvm::all_of(
               llvm::concat<const int64_t>(acc.getShape(), lhs.getShape()),
               [](int64_t size) { return llvm::isPowerOf2_64(size); }))
    os << " and depth " << depth << " is not of powers of two";
  else
    return {};
  return reason;
}

/// Where threads have the left factor: the row's layout, again for each step
/// and for further rows. Groups of other columns have copies.
static LayoutAttr leftLayout(MatrixProductOpInterface op, LayoutAttr atom,
                             target::MatrixInstructionAttr row,
                             const Split &split) {
  auto shape =
      cast<RankedTensorType>(op.getLhsOperand().get().getType()).getShape();
  SmallVector<Basis> registers = atom.getRegisterBases(),
                     ofWarps = atom.getWarpBases(0);
  int64_t m = row.getM().getMin();
  for (int64_t x = row.getK().getMin(); x < shape[1]; x *= 2)
    registers.push_back({0, x});
  for (int64_t x = m * split.rows; x < shape[0]; x *= 2)
    registers.push_back({x, 0});
  for (int64_t w = 1; w < split.rows; w *= 2)
    ofWarps.push_back({m * w, 0});
  for (int64_t w = 1; w < split.columns; w *= 2)
    ofWarps.push_back({0, 0});
  return LayoutAttr::get(op->getContext(), 2, registers, atom.getLaneBases(0),
                         ofWarps);
}

ProductChoice simt::chooseMemoryProduct(MatrixProductOpInterface op,
                                        target::MatrixInstructionAttr row,
                                        int64_t warps) {
  Split split = *splitOf(op, row, warps);
  auto acc = cast<RankedTensorType>(op->getResult(0).getType());
  auto atom = cast<LayoutAttr>(row.getAcc().getLayout());
  int64_t own = acc.getDimSize(1) / split.columns;
  SmallVector<Basis> registers = atom.getRegisterBases(),
                     ofWarps = atom.getWarpBases(0);
  // The atom has the least columns of an instruction; each group has columns
  // that follow each other.
  for (int64_t x = row.getN().getMin(); x < own; x *= 2)
    registers.push_back({0, x});
  for (int64_t x = row.getM().getMin() * split.rows; x < acc.getDimSize(0);
       x *= 2)
    registers.push_back({x, 0});
  for (int64_t w = 1; w < split.rows; w *= 2)
    ofWarps.push_back({row.getM().getMin() * w, 0});
  for (int64_t w = 1; w < split.columns; w *= 2)
    ofWarps.push_back({0, own * w});
  ProductChoice choice;
  choice.row = row;
  choice.acc = LayoutAttr::get(op->getContext(), 2, registers,
                               atom.getLaneBases(0), ofWarps);
  if (auto left = dyn_cast<LayoutAttr>(row.getLhs().getLayout()))
    choice.lhs = leftLayout(op, left, row, split);
  return choice;
}
