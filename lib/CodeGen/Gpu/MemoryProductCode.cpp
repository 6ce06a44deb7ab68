//===- MemoryProductCode.cpp - Instructions that read factors -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a thread for asynchronous MMAs with shared-memory operands: a
// stage.product becomes simt.mma_async operations.
//
//===----------------------------------------------------------------------===//

#include "Fragments.h"
#include "MemoryProducts.h"
#include "ProductChoice.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Returns how many steps along k an imprecise accumulator (of a narrow-float
/// instruction) may sum before its value is added to the precise one. 0: all of
/// them, also across iterations.
static int64_t stepsAtOnce(stage::ProductOp op,
                           target::MatrixInstructionAttr row) {
  return sumsInParts(op) ? op.getMaxImpreciseAcc() / row.getK().getMin() : 0;
}

namespace {
class MemoryProduct {
public:
  MemoryProduct(ThreadWriter &w, stage::ProductOp op,
                target::MatrixInstructionAttr row, int64_t columns)
      : w(w), op(op), row(row), columns(columns),
        factors{op.getLhs(), op.getRhs()}, layout(getLayout(op.getResult())),
        atom(cast<LayoutAttr>(row.getAcc().getLayout())) {}

  LogicalResult run();

private:
  void findPlaces();
  MatrixAttr matrix(int which);
  Type elementOf(int which);
  int64_t sumsOfInstruction();
  void multiply(Regs &sums, ArrayRef<MatrixAttr> matrices,
                ArrayRef<Value> starts);
  void multiplyAt(int64_t first, MutableArrayRef<Value> own,
                  ArrayRef<MatrixAttr> matrices, ArrayRef<Value> starts,
                  int64_t firstStep);
  SmallVector<Value> leftValues(ArrayRef<int64_t> offset, int64_t first,
                                int64_t count);
  void multiplyInParts(Regs &sums, ArrayRef<MatrixAttr> matrices,
                       ArrayRef<Value> starts, int64_t steps);
  Value address(int which);
  Value at(int which, Value address, ArrayRef<int64_t> offset);
  /// The dimension of a factor that is summed.
  static unsigned summed(int which) { return which == 0 ? 1 : 0; }

  ThreadWriter &w;
  stage::ProductOp op;
  target::MatrixInstructionAttr row;
  int64_t columns; ///< of one instruction
  Value factors[2];
  StoragePlace places[2];
  LayoutAttr layout, atom;
  Regs left; ///< the left factor, where threads have it
};
} // namespace

/// How a factor that is in registers is written to shared memory: by rows along
/// the sum.
static StoragePlace writtenPlace(Value factor, SwizzleAttr swizzle,
                                 unsigned summed,
                                 target::TargetAttr description) {
  auto type = cast<RankedTensorType>(factor.getType());
  auto space =
      stage::SpaceAttr::get(type.getContext(), sharedSpaceOf(description),
                            permuteOf(swizzle, summed));
  StoragePlace place;
  place.type = MemRefType::get(type.getShape(), type.getElementType(),
                               MemRefLayoutAttrInterface(), space);
  return place;
}

static int64_t writtenBytes(Value factor, SwizzleAttr swizzle) {
  auto type = cast<RankedTensorType>(factor.getType());
  return llvm::alignTo(type.getNumElements() *
                           ThreadBuilder::storedBytes(type.getElementType()),
                       swizzle.getAlign());
}

ScratchNeeds simt::memoryProductNeeds(stage::ProductOp op,
                                      target::TargetAttr description) {
  target::MatrixInstructionAttr row = memoryRowOf(op, description);
  int64_t bytes = 0, align = 1;
  for (int which : {0, 1}) {
    SwizzleAttr swizzle = swizzleOf(row, which);
    Value factor = op.getFactor(which);
    if (!swizzle || isa<MemRefType>(factor.getType()))
      continue;
    bytes += writtenBytes(factor, swizzle);
    align = std::max(align, swizzle.getAlign());
  }
  return bytes ? ScratchNeeds{{bytes + align}} : ScratchNeeds();
}

void MemoryProduct::findPlaces() {
  SmallVector<int> written;
  int64_t bytes = 0, align = 1;
  for (int which : {0, 1}) {
    SwizzleAttr swizzle = swizzleOf(row, which);
    if (!swizzle)
      continue;
    if (std::optional<StoragePlace> place = storageOf(w, op, which)) {
      places[which] = *place;
      continue;
    }
    align = std::max(align, swizzle.getAlign());
    places[which] =
        writtenPlace(factors[which], swizzle, summed(which), w.description);
    places[which].offset = bytes;
    bytes += writtenBytes(factors[which], swizzle);
    written.push_back(which);
  }
  if (written.empty())
    return;
  int64_t start = llvm::alignTo(w.scratch(bytes + align), align);
  for (int which : written) {
    places[which].offset += start;
    LayoutAttr from = getLayout(factors[which]);
    for (auto [reg, value] : llvm::enumerate(w.registers(factors[which])))
      LLVM::StoreOp::create(w.b, w.loc, w.toStored(value),
                            places[which].address(w, from, reg));
  }
  PublishOp::create(w.b, w.loc);
  w.barrier();
}

MatrixAttr MemoryProduct::matrix(int which) {
  const StoragePlace &place = places[which];
  bool isSummed = place.inner() == summed(which);
  int64_t depth = place.type.getDimSize(summed(which)),
          across = which == 0 ? row.getM().getMin() : columns,
          each = ThreadBuilder::storedBytes(place.type.getElementType());
  SmallVector<int64_t> steps;
  for (int64_t k = 0; k < depth; k += row.getK().getMin()) {
    int64_t at[2] = {0, 0};
    at[summed(which)] = k;
    steps.push_back(place.placeOf(at));
  }
  // From the first row of the first piece to the last one of the last piece.
  int64_t piece = place.pieceBytes(), along = isSummed ? depth : across,
          rows = isSummed ? across : depth;
  int64_t bytes =
      (llvm::divideCeil(along * each, piece) - 1) * place.panelBytes() +
      rows * piece;
  // So many rows later each chunk is at its place again.
  SwizzleAttr swizzle = swizzleOf(row, which);
  int64_t group = swizzle.getRow() / swizzle.getChunk();
  return MatrixAttr::get(op->getContext(), elementOf(which), piece,
                         group * piece, place.panelBytes(), isSummed,
                         w.b.getDenseI64ArrayAttr(steps), bytes);
}

/// The type of a factor's elements where the row does not say it alone.
Type MemoryProduct::elementOf(int which) {
  Type element = op.getFactorType(which).getElementType();
  bool isUnsigned = which == 0 ? op.getLhsUnsigned() : op.getRhsUnsigned();
  if (isa<IntegerType>(element))
    return w.b.getIntegerType(element.getIntOrFloatBitWidth(), !isUnsigned);
  return (which == 0 ? row.getLhs() : row.getRhs()).getTypes().size() > 1
             ? element
             : Type();
}

/// Where the part of a factor begins that the thread's group multiplies first.
Value MemoryProduct::address(int which) {
  unsigned inAtom = atom.getWarpBases(0).size();
  auto ofWarps = layout.getWarpBases(w.warpBits());
  for (auto [i, basis] : llvm::enumerate(ofWarps)) {
    if (i < inAtom)
      basis.assign(2, 0);
    basis[summed(which)] = 0;
  }
  // All lanes give the instruction the same address, which assemblers keep in a
  // register that lanes share if they know.
  llvm::SaveAndRestore marks(w.marksUniform, true);
  return places[which].address(
      w, LayoutAttr::get(op->getContext(), 2, {}, {}, ofWarps), 0);
}

Value MemoryProduct::at(int which, Value address, ArrayRef<int64_t> offset) {
  int64_t own[2] = {offset[0], offset[1]};
  own[summed(which)] = 0;
  int64_t bytes = places[which].placeOf(own);
  if (!bytes)
    return address;
  return LLVM::GEPOp::create(w.b, w.loc, address.getType(), w.b.getI8Type(),
                             address, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

LogicalResult MemoryProduct::run() {
  findPlaces();
  Regs sums = w.registers(op.getAcc());
  bool isLeftInMemory = bool(swizzleOf(row, 0));
  if (!isLeftInMemory) {
    std::unique_ptr<FragmentReader> reader = readerOf(w, op, 0);
    left = reader ? reader->all() : w.registers(factors[0]);
  }
  MatrixAttr matrices[2] = {isLeftInMemory ? matrix(0) : MatrixAttr(),
                            matrix(1)};
  Value starts[2] = {isLeftInMemory ? address(0) : Value(), address(1)};
  if (int64_t steps = stepsAtOnce(op, row)) {
    multiplyInParts(sums, matrices, starts, steps);
  } else {
    multiply(sums, matrices, starts);
  }
  w.define(op->getResult(0), std::move(sums));
  return success();
}

/// What the thread has of the left factor for sums at an offset: the steps from
/// one on.
SmallVector<Value> MemoryProduct::leftValues(ArrayRef<int64_t> offset,
                                             int64_t first, int64_t count) {
  LayoutAttr layout = getLayout(Type(op.getFactorType(0)));
  auto ofStep = cast<LayoutAttr>(row.getLhs().getLayout());
  Type element = op.getFactorType(0).getElementType();
  SmallVector<Value> values;
  for (int64_t step = first; step < first + count; ++step)
    for (int64_t reg = 0; reg < ofStep.getNumRegisters(); ++reg) {
      auto at = ofStep.getRegisterOffset(reg);
      at[0] ^= offset[0];
      at[1] ^= step * row.getK().getMin();
      Value value = left[ThreadWriter::registerAt(layout, at)];
      // Floats of 8 bits are bytes until here.
      if (isa<FloatType>(element) && value.getType() != element &&
          element.getIntOrFloatBitWidth() == 8)
        value = arith::BitcastOp::create(w.b, w.loc, element, value);
      values.push_back(value);
    }
  return values;
}

/// The registers of one instruction follow each other.
int64_t MemoryProduct::sumsOfInstruction() {
  return atom.getNumRegisters() * columns / row.getN().getMin();
}

/// The instruction whose sums begin at a register of the product's, from a step
/// of the left factor on.
void MemoryProduct::multiplyAt(int64_t first, MutableArrayRef<Value> own,
                               ArrayRef<MatrixAttr> matrices,
                               ArrayRef<Value> starts, int64_t firstStep) {
  auto offset = layout.getRegisterOffset(first);
  SmallVector<Value> left;
  if (matrices[0])
    left.push_back(at(0, starts[0], offset));
  else
    left = leftValues(offset, firstStep, matrices[1].getSteps().size());
  auto mma = MmaAsyncOp::create(
      w.b, w.loc, SmallVector<Type>(own.size(), own[0].getType()),
      row.getName(), left, matrices[0], at(1, starts[1], offset), matrices[1],
      SmallVector<Value>(own));
  llvm::copy(mma.getResults(), own.begin());
}

/// All steps of the matrices, as a group.
void MemoryProduct::multiply(Regs &sums, ArrayRef<MatrixAttr> matrices,
                             ArrayRef<Value> starts) {
  int64_t each = sumsOfInstruction();
  for (int64_t first = 0; first < int64_t(sums.size()); first += each)
    multiplyAt(first, MutableArrayRef(sums).slice(first, each), matrices,
               starts, /*firstStep=*/0);
  CommitProductsOp::create(w.b, w.loc);
}

/// `steps` steps are summed with few bits, and such sums with all bits: one
/// instruction after the other, as registers hold the sums of one beside
/// those of the product. Other warps multiply while these add.
void MemoryProduct::multiplyInParts(Regs &sums, ArrayRef<MatrixAttr> matrices,
                                    ArrayRef<Value> starts, int64_t steps) {
  int64_t all = matrices[1].getSteps().size(), each = sumsOfInstruction();
  Value zero = w.zero(sums[0].getType());
  for (int64_t firstStep = 0; firstStep < all; firstStep += steps) {
    MatrixAttr parts[2];
    for (int which : {0, 1})
      if (MatrixAttr whole = matrices[which])
        parts[which] = MatrixAttr::get(
            op->getContext(), whole.getElement(), whole.getRow(),
            whole.getGroup(), whole.getPanel(), whole.getSummed(),
            w.b.getDenseI64ArrayAttr(whole.getSteps().asArrayRef().slice(
                firstStep, std::min(steps, all - firstStep))),
            whole.getBytes());
    for (int64_t first = 0; first < int64_t(sums.size()); first += each) {
      Regs part(each, zero);
      multiplyAt(first, part, parts, starts, firstStep);
      CommitProductsOp::create(w.b, w.loc);
      auto done = WaitProductsOp::create(
          w.b, w.loc, ValueRange(part).getTypes(), /*but=*/0, part);
      for (auto [i, value] : llvm::enumerate(done.getResults()))
        sums[first + i] =
            arith::AddFOp::create(w.b, w.loc, sums[first + i], value);
    }
  }
}

LogicalResult simt::emitMemoryProduct(ThreadWriter &w, stage::ProductOp op,
                                      target::MatrixInstructionAttr row) {
  auto columns = getDecided<IntegerAttr>(op, kColumnsEntry);
  if (!columns)
    return w.decline(op, "a product by '" + row.getName() +
                             "' without the columns of an instruction");
  return MemoryProduct(w, op, row, columns.getInt()).run();
}
