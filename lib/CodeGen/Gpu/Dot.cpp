//===- Dot.cpp - Products of tiles ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fragments.h"
#include "LayoutChoice.h"
#include "MemoryProducts.h"
#include "OwnLowerings.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Bytes that one access of a thread has at most.
constexpr int64_t kChunk = 16;

namespace {
/// A product by multiplications and additions of each thread, for any layout
/// of the accumulator; factors stand in the memory of the block.
class ScalarProduct {
public:
  ScalarProduct(KernelWalk &w, MatrixProductOpInterface op)
      : w(w), op(op), lhs(op.getLhsOperand().get()),
        rhs(op.getRhsOperand().get()),
        type(cast<RankedTensorType>(op->getResult(0).getType())),
        layout(getLayout(op->getResult(0))),
        acc(ThreadBuilder::scalarType(type.getElementType())) {}

  LogicalResult run();
  static ScratchNeeds needs(MatrixProductOpInterface op,
                            target::TargetAttr description);

private:
  /// A factor in memory. Where there is room its rows are a chunk longer than
  /// they have elements, so that neighbouring ones are in different banks.
  struct Memory {
    int64_t start = 0, bytes = 0;
    int64_t row = 0, matrix = 0; ///< in elements
    Type element;
  };
  static Memory memoryOf(Value factor, bool isPadded);
  /// Both factors; where they begin is not known yet.
  static std::pair<Memory, Memory> memoriesOf(MatrixProductOpInterface op,
                                              target::TargetAttr description);
  void write(const Memory &memory, Value factor);
  Value address(const Memory &memory, ArrayRef<Value> at,
                ArrayRef<int64_t> offset);
  unsigned alignment(const Memory &memory, LayoutAttr layout, int64_t reg);
  Value widen(Value value, bool isUnsigned);

  KernelWalk &w;
  MatrixProductOpInterface op;
  Value lhs, rhs;
  RankedTensorType type;
  LayoutAttr layout;
  Type acc;
};
} // namespace

/// A coordinate of a register: what the thread has of it, with what the
/// register adds in `offset`, or both.
static void splitCoordinate(KernelWalk &w, LayoutAttr layout, int64_t reg,
                            unsigned dim, SmallVectorImpl<Value> &at,
                            MutableArrayRef<int64_t> offset) {
  if (w.isDisjoint(layout, dim)) {
    at.push_back(w.threadCoordinate(layout, dim));
    return;
  }
  at.push_back(w.coordinate(layout, reg, dim));
  offset[dim] = 0;
}

ScalarProduct::Memory ScalarProduct::memoryOf(Value factor, bool isPadded) {
  auto type = cast<RankedTensorType>(factor.getType());
  Memory memory;
  memory.element = ThreadBuilder::scalarType(type.getElementType());
  ArrayRef<int64_t> shape = type.getShape().take_back(2);
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  memory.row = llvm::PowerOf2Ceil(shape[1]);
  if (isPadded)
    memory.row += std::max<int64_t>(kChunk / each, 1);
  memory.matrix = int64_t(llvm::PowerOf2Ceil(shape[0])) * memory.row;
  int64_t batches =
      type.getRank() == 3 ? llvm::PowerOf2Ceil(type.getDimSize(0)) : 1;
  memory.bytes = llvm::alignTo(batches * memory.matrix * each, kChunk);
  return memory;
}

/// Where an element is: at coordinates, and so far from them.
Value ScalarProduct::address(const Memory &memory, ArrayRef<Value> at,
                             ArrayRef<int64_t> offset) {
  Type stored = ThreadBuilder::storedType(memory.element);
  int64_t strides[] = {memory.matrix, memory.row, 1}, rest = 0;
  auto own = ArrayRef(strides).take_back(at.size());
  Value place = w.c32(0);
  for (auto [stride, x, more] : llvm::zip_equal(own, at, offset)) {
    place = w.add(place, w.mul(x, w.c32(stride)));
    rest += stride * more;
  }
  Value pointer = w.elementPointer(w.shared(memory.start), place, stored);
  return rest ? LLVM::GEPOp::create(w.b, w.loc, pointer.getType(), stored,
                                    pointer,
                                    ArrayRef<LLVM::GEPArg>{int32_t(rest)})
              : pointer;
}

/// That of a register whose neighbours along the last dimension follow it, so
/// that they go together.
unsigned ScalarProduct::alignment(const Memory &memory, LayoutAttr layout,
                                  int64_t reg) {
  unsigned each = ThreadBuilder::storedBytes(memory.element),
           last = layout.getRank() - 1;
  int64_t unit = std::max<int64_t>(kChunk / each, 1);
  auto bases = llvm::to_vector(layout.getLaneBases(w.laneBits()));
  llvm::append_range(bases, layout.getWarpBases(w.warpBits()));
  bool isAligned = memory.row % unit == 0 &&
                   layout.getRegisterOffset(reg)[last] % unit == 0 &&
                   llvm::all_of(bases, [&](const LayoutAttr::Basis &basis) {
                     return basis[last] % unit == 0;
                   });
  return isAligned ? std::max<unsigned>(kChunk, each) : each;
}

void ScalarProduct::write(const Memory &memory, Value factor) {
  LayoutAttr layout = getLayout(factor);
  for (auto [reg, value] : llvm::enumerate(w.registers(factor))) {
    SmallVector<Value> at;
    SmallVector<int64_t> offset = layout.getRegisterOffset(reg);
    for (int64_t d = 0; d < layout.getRank(); ++d)
      splitCoordinate(w, layout, reg, d, at, offset);
    LLVM::StoreOp::create(w.b, w.loc, w.toStored(value),
                          address(memory, at, offset),
                          alignment(memory, layout, reg));
  }
}

Value ScalarProduct::widen(Value value, bool isUnsigned) {
  if (op.getProductPrecision() == ProductPrecision::TF32 &&
      value.getType().isF32()) {
    Type i32 = w.b.getI32Type();
    Value bits = arith::BitcastOp::create(w.b, w.loc, i32, value);
    bits = w.and_(bits, w.c32(-8192));
    return arith::BitcastOp::create(w.b, w.loc, value.getType(), bits);
  }
  if (value.getType() == acc)
    return value;
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = acc.getIntOrFloatBitWidth();
  if (isa<FloatType>(acc))
    return arith::ExtFOp::create(w.b, w.loc, acc, value);
  if (from > to)
    return arith::TruncIOp::create(w.b, w.loc, acc, value);
  if (from == to)
    return value;
  if (isUnsigned)
    return arith::ExtUIOp::create(w.b, w.loc, acc, value);
  return arith::ExtSIOp::create(w.b, w.loc, acc, value);
}

std::pair<ScalarProduct::Memory, ScalarProduct::Memory>
ScalarProduct::memoriesOf(MatrixProductOpInterface op,
                          target::TargetAttr description) {
  Value lhs = op.getLhsOperand().get(), rhs = op.getRhsOperand().get();
  int64_t room = std::max<int64_t>(sharedBytesOf(target::TargetAttr()),
                                   sharedBytesOf(description) / 2);
  Memory left = memoryOf(lhs, true), right = memoryOf(rhs, true);
  if (left.bytes + right.bytes > room) {
    left = memoryOf(lhs, false);
    right = memoryOf(rhs, false);
  }
  return {left, right};
}

ScratchNeeds ScalarProduct::needs(MatrixProductOpInterface op,
                                  target::TargetAttr description) {
  auto [left, right] = memoriesOf(op, description);
  return {{left.bytes + right.bytes}};
}

LogicalResult ScalarProduct::run() {
  if (op.hasEncodedFactors())
    return w.decline(op, "a product of encoded factors");
  auto lhsType = cast<RankedTensorType>(lhs.getType());
  if (isa<FloatType>(acc) && !acc.isF32() && !acc.isF64())
    return w.decline(op, "a product with this accumulator");
  int64_t rank = type.getRank(), depth = lhsType.getShape().back();
  auto [left, right] = memoriesOf(op, w.description);
  left.start = w.scratch(left.bytes + right.bytes);
  right.start = left.start + left.bytes;
  write(left, lhs);
  write(right, rhs);
  w.barrier();
  int64_t count = layout.getNumRegisters();
  SmallVector<Value> inits;
  OpOperand *accOperand = op.getAccOperand();
  if (accOperand) {
    if (getLayout(accOperand->get()) != layout)
      return op->emitOpError("has an accumulator of another layout");
    inits = w.registers(accOperand->get());
  } else {
    inits.assign(count, w.zero(acc));
  }
  auto loop =
      scf::ForOp::create(w.b, w.loc, w.c32(0), w.c32(depth), w.c32(1), inits);
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(loop.getBody());
    Value k = loop.getInductionVar();
    // Each row and each column is read once.
    llvm::DenseMap<std::pair<int64_t, int64_t>, Value> rows, columns;
    SmallVector<Value> sums;
    auto read = [&](const Memory &memory, int64_t reg, bool isRow) {
      SmallVector<Value> at;
      SmallVector<int64_t> offset = layout.getRegisterOffset(reg);
      for (int64_t d = 0; d < rank; ++d) {
        if (d == (isRow ? rank - 1 : rank - 2)) {
          at.push_back(k);
          offset[d] = 0;
        } else {
          splitCoordinate(w, layout, reg, d, at, offset);
        }
      }
      Type stored = ThreadBuilder::storedType(memory.element);
      return widen(
          w.fromStored(LLVM::LoadOp::create(
                           w.b, w.loc, stored, address(memory, at, offset),
                           isRow ? 0 : alignment(memory, layout, reg)),
                       memory.element),
          isRow ? op.isLhsUnsigned() : op.isRhsUnsigned());
    };
    for (int64_t reg = 0; reg < count; ++reg) {
      auto at = layout.getRegisterOffset(reg);
      int64_t batch = rank == 3 ? at[0] : 0;
      Value &x = rows[{batch, at[rank - 2]}];
      if (!x)
        x = read(left, reg, /*isRow=*/true);
      Value &y = columns[{batch, at[rank - 1]}];
      if (!y)
        y = read(right, reg, /*isRow=*/false);
      Value sum = loop.getRegionIterArgs()[reg];
      sums.push_back(isa<FloatType>(acc)
                         ? Value(math::FmaOp::create(w.b, w.loc, x, y, sum))
                         : w.add(w.mul(x, y), sum));
    }
    scf::YieldOp::create(w.b, w.loc, sums);
  }
  w.define(op->getResult(0), Regs(loop.getResults()));
  return success();
}

namespace {
/// A product by matrix instructions of warps, on fragments in registers.
class InstructionProduct {
public:
  InstructionProduct(KernelWalk &w, MatrixProductOpInterface op,
                     target::MatrixInstructionAttr row)
      : w(w), op(op), row(row),
        factors{op.getLhsOperand().get(), op.getRhsOperand().get()},
        type(cast<RankedTensorType>(op->getResult(0).getType())),
        rank(type.getRank()) {
    layouts[0] = getLayout(factors[0]);
    layouts[1] = getLayout(factors[1]);
    layouts[2] = getLayout(op->getResult(0));
    target::OperandAttr operands[] = {row.getLhs(), row.getRhs(), row.getAcc()};
    for (int i = 0; i < 3; ++i)
      atoms[i] = cast<LayoutAttr>(operands[i].getLayout());
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
  LayoutAttr layouts[3], atoms[3];
  std::unique_ptr<FragmentReader> readers[2];
  Regs sums;
  /// Sums of floats of 8 bits, which may lack bits: so many terms, then they
  /// are added to the others.
  Regs imprecise;
  void addImprecise();
};
} // namespace

/// The registers of one fragment: those of the atom at an offset.
LogicalResult
InstructionProduct::findRegisters(int which, Basis offset,
                                  SmallVectorImpl<int64_t> &registers) {
  for (int64_t i = 0; i < atoms[which].getNumRegisters(); ++i) {
    Basis at(offset);
    auto own = atoms[which].getRegisterOffset(i);
    at[rank - 2] ^= own[0];
    at[rank - 1] ^= own[1];
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
  SmallVector<Value> x, y, z;
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
  for (int64_t i : step.registers[2])
    z.push_back(into[i]);
  SmallVector<Type> types(z.size(), z[0].getType());
  auto mma = MmaOp::create(w.b, w.loc, types, row.getName(), x, y, z,
                           op.isLhsUnsigned(), op.isRhsUnsigned());
  for (auto [i, value] : llvm::zip_equal(step.registers[2], mma.getResults()))
    into[i] = value;
}

void InstructionProduct::addImprecise() {
  if (imprecise.empty())
    return;
  for (auto [sum, part] : llvm::zip_equal(sums, imprecise))
    sum = arith::AddFOp::create(w.b, w.loc, sum, part);
  imprecise.clear();
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

ScratchNeeds simt::productNeeds(Operation *product, const BlockShape &block) {
  auto op = cast<MatrixProductOpInterface>(product);
  if (!op->hasAttr(kRowAttr))
    return ScalarProduct::needs(op, block.description);
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

LogicalResult simt::lowerProduct(Operation *op, KernelWalk &w) {
  if (auto name = op->getAttrOfType<StringAttr>(kRowAttr))
    return lowerProductBy(name.getValue(), op, w);
  return ScalarProduct(w, cast<MatrixProductOpInterface>(op)).run();
}
