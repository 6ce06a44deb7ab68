//===- Dot.cpp - Products of tiles ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fragments.h"
#include "LoweringTable.h"
#include "MemoryProducts.h"
#include "OwnLowerings.h"
#include "ProductChoice.h"
#include "RowCosts.h"
#include "ScaledProductChoice.h"
#include "ThreadProducts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A product by matrix instructions of warps, on fragments in registers.
class InstructionProduct {
public:
  InstructionProduct(ThreadWriter &w, stage::ProductOp op,
                     target::MatrixInstructionAttr row)
      : w(w), op(op), row(row),
        types{op.getFactorType(0), op.getFactorType(1), op.getAccType()},
        rank(types[2].getRank()), isExchanged(op.getExchanged()) {
    for (int i = 0; i < 3; ++i) {
      layouts[i] = getLayout(Type(types[i]));
      atoms[i] = atomOf(row, i, isExchanged);
    }
  }

  LogicalResult run();

private:
  using Basis = LayoutAttr::Basis;
  /// One instruction: the registers of its fragments.
  struct Step {
    SmallVector<int64_t> registers[3];
  };
  LogicalResult findRegisters(int which, Basis at,
                              SmallVectorImpl<int64_t> &registers);
  FailureOr<SmallVector<Step>> stepsAt(int64_t k);
  void load(ArrayRef<Step> steps);
  Value factor(int which, int64_t reg) {
    return readers[which] ? readers[which]->get(reg)
                          : w.registers(op.getFactor(which))[reg];
  }
  void multiply(const Step &step);

  ThreadWriter &w;
  stage::ProductOp op;
  target::MatrixInstructionAttr row;
  ShapedType types[3]; ///< of the tiles: lhs, rhs, sums
  int64_t rank;
  bool isExchanged; ///< the instruction computes the transpose
  LayoutAttr layouts[3], atoms[3];
  std::unique_ptr<FragmentReader> readers[2];
  Regs sums;
  /// Sums of floats of 8 bits, which may lack bits: so many terms, then they
  /// are added to the others.
  Regs imprecise;
  void addImprecise();
  /// What the instructions computed last, copies of sums included, by the
  /// first register.
  llvm::DenseMap<int64_t, SmallVector<Value>> lastSums;
};
} // namespace

/// The registers of one fragment: those of the atom at an offset.
LogicalResult
InstructionProduct::findRegisters(int which, Basis offset,
                                  SmallVectorImpl<int64_t> &registers) {
  ArrayRef<int64_t> shape = types[which].getShape();
  for (int64_t i = 0; i < atoms[which].getNumRegisters(); ++i) {
    Basis at(offset);
    auto own = atoms[which].getRegisterOffset(i);
    // What the product does not have is a copy of what it has.
    at[rank - 2] ^= own[0] % shape[rank - 2];
    at[rank - 1] ^= own[1] % shape[rank - 1];
    int64_t reg = ThreadWriter::registerAt(layouts[which], at);
    if (reg < 0)
      return op->emitOpError("has operands of other layouts than '")
             << row.getName() << "' takes";
    registers.push_back(reg);
  }
  return success();
}

FailureOr<SmallVector<InstructionProduct::Step>>
InstructionProduct::stepsAt(int64_t k) {
  int64_t inAtomRow = 0, inAtomColumn = 0;
  for (const Basis &basis : atoms[2].getRegisterBases()) {
    inAtomRow |= basis[0];
    inAtomColumn |= basis[1];
  }
  SmallVector<Step> steps;
  for (int64_t reg = 0; reg < layouts[2].getNumRegisters(); ++reg) {
    // The first register of each fragment of the accumulator.
    auto at = layouts[2].getRegisterOffset(reg);
    if ((at[rank - 2] & inAtomRow) || (at[rank - 1] & inAtomColumn))
      continue;
    Basis left(at), right(at);
    left[rank - 1] = k;
    right[rank - 2] = k;
    Step &step = steps.emplace_back();
    if (failed(findRegisters(0, left, step.registers[0])) ||
        failed(findRegisters(1, right, step.registers[1])) ||
        failed(findRegisters(2, Basis(at), step.registers[2])))
      return failure();
  }
  return steps;
}

void InstructionProduct::load(ArrayRef<Step> steps) {
  for (int which : {0, 1})
    if (readers[which])
      for (const Step &step : steps)
        for (int64_t reg : step.registers[which])
          readers[which]->get(reg);
}

void InstructionProduct::multiply(const Step &step) {
  SmallVector<Value> x, y;
  for (int64_t i : step.registers[0])
    x.push_back(factor(0, i));
  for (int64_t i : step.registers[1])
    y.push_back(factor(1, i));
  // Floats of 8 bits are bytes until here.
  for (auto [which, values] : {std::pair(0, &x), std::pair(1, &y)}) {
    Type element = types[which].getElementType();
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
      for (Value &value : *values)
        value = arith::BitcastOp::create(w.b, w.loc, element, value);
  }
  Regs &into = imprecise.empty() ? sums : imprecise;
  SmallVector<Value> &before = lastSums[step.registers[2][0]];
  if (before.empty())
    for (int64_t i : step.registers[2])
      before.push_back(into[i]);
  SmallVector<Type> types(before.size(), before[0].getType());
  bool isUnsigned[] = {op.getLhsUnsigned(), op.getRhsUnsigned()};
  if (isExchanged) {
    std::swap(x, y);
    std::swap(isUnsigned[0], isUnsigned[1]);
  }
  auto mma = MmaOp::create(w.b, w.loc, types, row.getName(), x, y, before,
                           isUnsigned[0], isUnsigned[1]);
  for (auto [i, value] : llvm::zip_equal(step.registers[2], mma.getResults()))
    into[i] = value;
  llvm::copy(mma.getResults(), before.begin());
}

void InstructionProduct::addImprecise() {
  if (imprecise.empty())
    return;
  for (auto [sum, part] : llvm::zip_equal(sums, imprecise))
    sum = arith::AddFOp::create(w.b, w.loc, sum, part);
  imprecise.clear();
  lastSums.clear();
}

LogicalResult InstructionProduct::run() {
  sums = w.registers(op.getAcc());
  for (int which : {0, 1})
    readers[which] = readerOf(w, op, which);
  int64_t depth = types[0].getShape().back();
  int64_t each = row.getK().getMin();
  auto next = stepsAt(0);
  if (failed(next))
    return failure();
  // The terms of one instruction at least: such rows are chosen for no others.
  int64_t together = 0;
  if (sumsWithFewerBits(op))
    together = std::max<int64_t>(int64_t(op.getMaxImpreciseAcc()) / each, 1);
  // Fragments are read while the products of those before are computed.
  load(*next);
  for (int64_t k = 0; k < depth; k += each) {
    SmallVector<Step> steps = std::move(*next);
    if (k + each < depth) {
      next = stepsAt(k + each);
      if (failed(next))
        return failure();
      load(*next);
    }
    if (together && k / each % together == 0) {
      addImprecise();
      imprecise.assign(sums.size(), w.zero(sums[0].getType()));
    }
    for (const Step &step : steps)
      multiply(step);
  }
  addImprecise();
  w.define(op.getResult(), std::move(sums));
  return success();
}

/// Whether a product is one of whole tiles, whose sums threads have, by the
/// time that its waits are over.
static bool isOfTiles(stage::ProductOp op) {
  auto isTile = [](Value operand, OperandRange origin) {
    return !isa<tile::ViewType>(operand.getType()) && origin.empty();
  };
  return isTile(op.getLhs(), op.getLhsOrigin()) &&
         isTile(op.getRhs(), op.getRhsOrigin()) &&
         isa<RankedTensorType>(op.getAccType()) && !op.getBlock() &&
         !op.getDepth() && !op.getRows() && !op.getColumns() && !op.getMinus();
}

static ScratchNeeds productNeeds(stage::ProductOp op, const BlockShape &block) {
  if (!isOfTiles(op) || (!op.getRow() && !hasFragments(op)))
    return {};
  if (!op.getRow())
    return threadProductNeeds(op);
  return isMemoryProduct(op, block.description)
             ? memoryProductNeeds(op, block.description)
             : ScratchNeeds();
}

static LogicalResult lowerProduct(stage::ProductOp op, ThreadWriter &w) {
  if (!isOfTiles(op))
    return w.decline(op, "this form of '" + op->getName().getStringRef() + "'");
  std::optional<StringRef> name = op.getRow();
  if (!name)
    return hasFragments(op) ? emitThreadProduct(w, op)
                            : emitStoredProduct(w, op);
  target::MatrixInstructionAttr row =
      w.description ? w.description.getMatrixInstruction(*name)
                    : target::MatrixInstructionAttr();
  if (!row)
    return op->emitOpError("the description has no matrix instruction '")
           << *name << "'";
  if (readsMemory(row) != op.getAsync())
    return op->emitOpError("expected 'async' ")
           << (op.getAsync() ? "only " : "")
           << "with an instruction that reads shared memory, found '" << *name
           << "'";
  if (readsMemory(row))
    return emitMemoryProduct(w, op, row);
  for (int which : {0, 1})
    if (!getLayout(Type(op.getFactorType(which))))
      return w.decline(op, "a product by '" + *name +
                               "' of storage that no layout shares out");
  return InstructionProduct(w, op, row).run();
}

//===----------------------------------------------------------------------===//
// Products with scales
//===----------------------------------------------------------------------===//

namespace {
/// A product by instructions that take scales: a lane hands each of them its
/// bytes of both operands, followed by the scale of the block that it has.
class ScaledProduct {
public:
  ScaledProduct(ThreadWriter &w, tile::DotScaledOp op,
                target::MatrixInstructionAttr row)
      : w(w), op(op), row(row), rank(op.getProductType().getRank()),
        packed{tile::DotScaledOp::getPacked(op.getLhsFormat()),
               tile::DotScaledOp::getPacked(op.getRhsFormat())} {}

  LogicalResult run();

private:
  using Basis = LayoutAttr::Basis;
  LogicalResult find(Value tile, LayoutAttr atom, Basis at,
                     SmallVectorImpl<int64_t> &registers);
  LogicalResult addFactor(int which, Basis at, int64_t k,
                          SmallVectorImpl<Value> &values);
  LogicalResult multiply(const Basis &at, int64_t k);

  ThreadWriter &w;
  tile::DotScaledOp op;
  target::MatrixInstructionAttr row;
  int64_t rank, packed[2];
  Regs sums;
};
} // namespace

/// Finds the registers of a tile that hold the fragment at an offset.
LogicalResult ScaledProduct::find(Value tile, LayoutAttr atom, Basis at,
                                  SmallVectorImpl<int64_t> &registers) {
  auto shape = cast<RankedTensorType>(tile.getType()).getShape();
  for (int64_t i = 0; i < atom.getNumRegisters(); ++i) {
    auto own = atom.getRegisterOffset(i);
    Basis offset(at);
    offset[rank - 2] ^= own[0] % shape[rank - 2];
    offset[rank - 1] ^= own[1] % shape[rank - 1];
    int64_t reg = ThreadWriter::registerAt(getLayout(tile), offset);
    if (reg < 0)
      return op->emitOpError("has operands of other layouts than '")
             << row.getName() << "' takes";
    registers.push_back(reg);
  }
  return success();
}

/// Adds the bytes of an operand (0: lhs, 1: rhs) beside the element `at` of the
/// accumulator, from `k` on, and the scale of the lane's block.
LogicalResult ScaledProduct::addFactor(int which, Basis at, int64_t k,
                                       SmallVectorImpl<Value> &values) {
  bool isLhs = which == 0;
  Value factor = isLhs ? op.getLhs() : op.getRhs(),
        scale = isLhs ? op.getLhsScale() : op.getRhsScale();
  int64_t line = isLhs ? at[rank - 2] : at[rank - 1];
  Basis first(at), ofScale(at);
  first[rank - 2] = isLhs ? line : k / packed[which];
  first[rank - 1] = isLhs ? k / packed[which] : line;
  SmallVector<int64_t> registers;
  if (failed(find(factor, packedAtomOf(row, which, packed[which]), first,
                  registers)))
    return failure();
  for (int64_t reg : registers)
    values.push_back(w.registers(factor)[reg]);
  constexpr int64_t kOne = 127; // 2^0
  if (!scale) {
    values.push_back(arith::ConstantOp::create(
        w.b, w.loc, w.b.getIntegerAttr(w.b.getI8Type(), kOne)));
    return success();
  }
  ofScale[rank - 2] = line;
  ofScale[rank - 1] = k / tile::scaledBlockOf(row, w.description);
  int64_t reg = ThreadWriter::registerAt(getLayout(scale), ofScale);
  if (reg < 0)
    return op->emitOpError("has scales of another layout than '")
           << row.getName() << "' takes";
  values.push_back(w.registers(scale)[reg]);
  return success();
}

/// Emits the instruction for the fragment of the accumulator at an offset.
LogicalResult ScaledProduct::multiply(const Basis &at, int64_t k) {
  SmallVector<Value> lhs, rhs, before;
  SmallVector<int64_t> registers;
  if (failed(addFactor(0, at, k, lhs)) || failed(addFactor(1, at, k, rhs)) ||
      failed(find(op.getResult(), atomOf(row, 2, /*isExchanged=*/false), at,
                  registers)))
    return failure();
  for (int64_t reg : registers)
    before.push_back(sums[reg]);
  SmallVector<Type> types(before.size(), before[0].getType());
  auto mma = MmaOp::create(w.b, w.loc, types, row.getName(), lhs, rhs, before,
                           /*lhs_unsigned=*/false, /*rhs_unsigned=*/false);
  for (auto [reg, value] : llvm::zip_equal(registers, mma.getResults()))
    sums[reg] = value;
  return success();
}

LogicalResult ScaledProduct::run() {
  sums = w.registers(op.getAcc());
  LayoutAttr layout = getLayout(op.getResult());
  int64_t inRow = 0, inColumn = 0;
  for (const Basis &basis :
       atomOf(row, 2, /*isExchanged=*/false).getRegisterBases()) {
    inRow |= basis[0];
    inColumn |= basis[1];
  }
  int64_t each = row.getK().getMin();
  for (int64_t k = 0; k < op.getDepth(); k += each)
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
      // The first register of each fragment of the accumulator.
      Basis at = layout.getRegisterOffset(reg);
      if ((at[rank - 2] & inRow) || (at[rank - 1] & inColumn))
        continue;
      if (failed(multiply(at, k)))
        return failure();
    }
  w.define(op.getResult(), std::move(sums));
  return success();
}

static LogicalResult lowerScaledProduct(tile::DotScaledOp op, ThreadWriter &w) {
  auto name = getDecided<StringAttr>(op, kRowEntry);
  target::MatrixInstructionAttr row =
      name && w.description
          ? w.description.getMatrixInstruction(name.getValue())
          : target::MatrixInstructionAttr();
  if (!row || !tile::takesScales(row, cast<MatrixProductOpInterface>(*op),
                                 w.description))
    return w.decline(op, "a product with scales without an instruction");
  return ScaledProduct(w, op, row).run();
}

void simt::addDotLowerings(LoweringTable &table) {
  table.add<stage::ProductOp>(lowerProduct, productNeeds);
  table.add<tile::DotScaledOp>(lowerScaledProduct);
}
