//===- Dot.cpp - Products of tiles ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fragments.h"
#include "LayoutChoice.h"
#include "LoweringTable.h"
#include "MemoryProducts.h"
#include "OwnLowerings.h"
#include "RowCosts.h"
#include "ThreadProducts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Interfaces/MatrixProduct.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A product by matrix instructions of warps, on fragments in registers.
class InstructionProduct {
public:
  InstructionProduct(KernelWalk &w, MatrixProductOpInterface op,
                     target::MatrixInstructionAttr row)
      : w(w), op(op), row(row),
        factors{op.getLhsOperand().get(), op.getRhsOperand().get()},
        type(cast<RankedTensorType>(op->getResult(0).getType())),
        rank(type.getRank()),
        isExchanged(bool(getDecided(op, kExchangedEntry))) {
    layouts[0] = getLayout(factors[0]);
    layouts[1] = getLayout(factors[1]);
    layouts[2] = getLayout(op->getResult(0));
    for (int i = 0; i < 3; ++i)
      atoms[i] = atomOf(row, i, isExchanged);
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
                          : w.registers(factors[which])[reg];
  }
  void multiply(const Step &step);

  KernelWalk &w;
  MatrixProductOpInterface op;
  target::MatrixInstructionAttr row;
  Value factors[2];
  RankedTensorType type;
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
  Value operand = which < 2 ? factors[which] : op->getResult(0);
  auto shape = cast<RankedTensorType>(operand.getType()).getShape();
  for (int64_t i = 0; i < atoms[which].getNumRegisters(); ++i) {
    Basis at(offset);
    auto own = atoms[which].getRegisterOffset(i);
    // What the product does not have is a copy of what it has.
    at[rank - 2] ^= own[0] % shape[rank - 2];
    at[rank - 1] ^= own[1] % shape[rank - 1];
    int64_t reg = KernelWalk::registerAt(layouts[which], at);
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
    Type element = getElementTypeOrSelf(factors[which].getType());
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
  bool isUnsigned[] = {op.isLhsUnsigned(), op.isRhsUnsigned()};
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
  if (OpOperand *acc = op.getAccOperand())
    sums = w.registers(acc->get());
  else
    sums.assign(layouts[2].getNumRegisters(),
                w.zero(ThreadBuilder::scalarType(type.getElementType())));
  for (int which : {0, 1})
    readers[which] = w.readerOf(factors[which]);
  int64_t depth =
      cast<RankedTensorType>(factors[0].getType()).getShape().back();
  int64_t each = row.getK().getMin();
  auto next = stepsAt(0);
  if (failed(next))
    return failure();
  // The terms of one instruction at least: such rows are chosen for no others.
  int64_t together = 0;
  if (sumsWithFewerBits(op))
    together = std::max<int64_t>(op.getImpreciseTerms() / each, 1);
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
  w.define(op->getResult(0), std::move(sums));
  return success();
}

static ScratchNeeds productNeeds(Operation *product, const BlockShape &block) {
  auto op = cast<MatrixProductOpInterface>(product);
  if (!getDecided(op, kRowEntry))
    return threadProductNeeds(op, block.description);
  return isMemoryProduct(op, block.description)
             ? memoryProductNeeds(op, block.description)
             : ScratchNeeds();
}

static LogicalResult lowerProductBy(StringRef name, Operation *op,
                                    KernelWalk &w) {
  auto product = cast<MatrixProductOpInterface>(op);
  target::MatrixInstructionAttr row =
      w.description ? w.description.getMatrixInstruction(name)
                    : target::MatrixInstructionAttr();
  if (!row)
    return op->emitOpError("the description has no matrix instruction '")
           << name << "'";
  return readsMemory(row) ? emitMemoryProduct(w, product, row)
                          : InstructionProduct(w, product, row).run();
}

static LogicalResult lowerProduct(Operation *op, KernelWalk &w) {
  if (auto name = getDecided<StringAttr>(op, kRowEntry))
    return lowerProductBy(name.getValue(), op, w);
  return emitThreadProduct(w, cast<MatrixProductOpInterface>(op));
}

void simt::addDotLowerings(LoweringTable &table) {
  table.add<Operation *>(kMatrixProduct, lowerProduct, productNeeds);
}
