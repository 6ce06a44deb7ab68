// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix instructions on fragments in registers.
#include "Products.h"
#include "kiln/Eval/Marks.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

target::MatrixInstructionAttr rowOf(Operation *op, Warp &warp, StringRef name) {
  target::TargetAttr description = warp.block.code->description;
  target::MatrixInstructionAttr row =
      description ? description.getMatrixInstruction(name)
                  : target::MatrixInstructionAttr();
  if (!row)
    op->emitOpError("expected a matrix instruction of the description, found '")
        << name << "'";
  return row;
}

DotMode modeOf(Operation *op, target::MatrixInstructionAttr row) {
  auto has = [](target::OperandAttr operand, auto is) {
    return llvm::any_of(operand.getTypes(), is);
  };
  auto isUnsigned = [](Type type) { return type.isUnsignedInteger(); };
  DotMode mode;
  mode.isTf32 = has(row.getLhs(), [](Type type) { return type.isTF32(); });
  mode.lhsUnsigned =
      op->hasAttr("lhs_unsigned") || has(row.getLhs(), isUnsigned);
  mode.rhsUnsigned =
      op->hasAttr("rhs_unsigned") || has(row.getRhs(), isUnsigned);
  // Such rows may sum with fewer bits than f32 has.
  if (has(row.getLhs(), [](Type type) {
        return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
      }))
    mode.impreciseTerms = row.getK().getMin();
  return mode;
}

ArrayRef<std::pair<int64_t, int64_t>>
ThreadCode::placesOf(simt::LayoutAttr layout) {
  auto &all = places[layout.getAsOpaquePointer()];
  if (!all.empty())
    return all;
  auto ofLanes = layout.getLaneBases(0);
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto at = layout.getRegisterOffset(reg);
      for (auto [bit, basis] : llvm::enumerate(ofLanes))
        for (size_t d = 0; lane >> bit & 1 && d < 2; ++d)
          at[d] ^= basis[d];
      all.push_back({at[0], at[1]});
    }
  return all;
}

Value zeroMatrix(DType dtype, int64_t rows, int64_t columns) {
  Value out = Value::tensor(dtype, {rows, columns});
  std::memset(out.mutableData(), 0, size_t(out.bytes()));
  return out;
}

void copyElement(const Value &from, int64_t at, Value &to, int64_t index) {
  int64_t bytes = runtime::dtypeBytes(to.dtype());
  std::memcpy(to.as<char>() + index * bytes, from.as<char>() + at * bytes,
              bytes);
  if (from.poison() && from.poison()[at])
    to.makePoison()[index] = from.poison()[at];
}

namespace {

/// The matrix whose parts lanes have in registers.
FailureOr<Value> gather(simt::MmaOp op, Warp &warp, ValueRange registers,
                        target::OperandAttr operand, int64_t rows,
                        int64_t columns) {
  auto layout = dyn_cast_or_null<simt::LayoutAttr>(operand.getLayout());
  if (!layout || layout.getRank() != 2 ||
      layout.getNumRegisters() != int64_t(registers.size())) {
    op.emitOpError("expected ")
        << (layout ? layout.getNumRegisters() : 0)
        << " registers for each operand as its layout has them, found "
        << registers.size();
    return failure();
  }
  Value out = zeroMatrix(laneType(registers[0].getType()), rows, columns);
  auto places = warp.block.code->placesOf(layout);
  int64_t lanes = warp.block.code->lanes;
  for (auto [reg, value] : llvm::enumerate(registers)) {
    const Value &from = warp.frame.get(value);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [row, column] = places[reg * lanes + lane];
      if (row < rows && column < columns)
        copyElement(from, lane, out, row * columns + column);
    }
  }
  return out;
}

LogicalResult multiply(simt::MmaOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp || failed(warp->checkConverged(op)))
    return failure();
  target::MatrixInstructionAttr row = rowOf(op, *warp, op.getRow());
  if (!row)
    return failure();
  int64_t m = row.getM().getMin(), n = row.getN().getMin(),
          k = row.getK().getMin();
  auto lhs = gather(op, *warp, op.getLhs(), row.getLhs(), m, k);
  auto rhs = gather(op, *warp, op.getRhs(), row.getRhs(), k, n);
  auto acc = gather(op, *warp, op.getAcc(), row.getAcc(), m, n);
  if (failed(lhs) || failed(rhs) || failed(acc))
    return failure();
  Value sum = dotOf(*lhs, *rhs, *acc, modeOf(op, row));
  auto places = warp->block.code->placesOf(
      cast<simt::LayoutAttr>(row.getAcc().getLayout()));
  int64_t lanes = warp->block.code->lanes;
  for (auto [reg, result] : llvm::enumerate(op.getResults())) {
    Value out = laneValue(*warp, result.getType());
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [i, j] = places[reg * lanes + lane];
      copyElement(sum, i * n + j, out, lane);
    }
    (void)frame.set(result, std::move(out));
  }
  return success();
}

} // namespace

void addSimtProducts(EvaluationInterface &table) {
  table.add<simt::MmaOp>(multiply);
}

} // namespace kiln::eval
