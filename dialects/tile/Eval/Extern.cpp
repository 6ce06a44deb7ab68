// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reaches outside of the tile program.
#include "Families.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Runtime/Print.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult convert(tile::ConvertFloatOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  DType dtype = dtypeOf(op.getResult().getType());
  Value out =
      a.isScalar() ? Value::scalar(dtype) : Value::tensor(dtype, a.shape());
  bool toZero = op.getRounding() == tile::Rounding::toward_zero;
  bool saturate = op.getSaturate();
  double largest = largestFinite(dtype);
  double x[kChunk];
  for (int64_t i = 0; i < a.size(); i += kChunk) {
    int64_t n = std::min(kChunk, a.size() - i);
    loadDoubles(a.dtype(), a.data(), i, n, x);
    for (int64_t k = 0; k < n; ++k) {
      bool isOver = std::fabs(x[k]) > largest;
      if (isOver && (saturate || (toZero && std::isfinite(x[k]))))
        x[k] = std::copysign(largest, x[k]);
      if (!toZero || !std::isfinite(x[k]))
        continue;
      // The neighbour nearer to zero, where rounding went away from it.
      uint64_t bits = 0;
      double rounded;
      storeDoubles(dtype, &bits, 0, 1, &x[k]);
      loadDoubles(dtype, &bits, 0, 1, &rounded);
      if (std::fabs(rounded) > std::fabs(x[k])) {
        --bits; // Magnitudes are ordered like their encodings.
        loadDoubles(dtype, &bits, 0, 1, &rounded);
      }
      x[k] = rounded;
    }
    storeDoubles(dtype, out.mutableData(), i, n, x);
  }
  out.sharePoison(a);
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult check(tile::AssertOp op, Frame &frame) {
  const Value &condition = frame.get(op.getCondition());
  const uint8_t *lanes = condition.as<uint8_t>();
  for (int64_t i = 0; i < condition.size(); ++i)
    if (!lanes[i] || (condition.poison() && condition.poison()[i]))
      return op.emitError() << op.getMessage();
  return success();
}

LogicalResult assume(tile::AssumeOp op, Frame &frame) {
  const Value &condition = frame.get(op.getCondition());
  const uint8_t *lanes = condition.as<uint8_t>();
  for (int64_t i = 0; i < condition.size(); ++i)
    if (!lanes[i] || (condition.poison() && condition.poison()[i]))
      return op.emitError("the assumption does not hold");
  return success();
}

LogicalResult print(tile::PrintOp op, Frame &frame) {
  KilnPrintedValue line = {};
  line.structSize = sizeof(line);
  if (tile::GridCoordinatesOp at = tile::coordinatesBefore(op))
    for (auto [into, coordinate] : llvm::zip(line.program, at->getResults()))
      into = frame.getInt(coordinate);
  else if (frame.instance)
    llvm::copy(frame.instance->id, line.program);
  std::string prefix = op.getPrefix().str();
  line.prefix = prefix.c_str();
  line.flags = KILN_PRINT_SCALAR;
  llvm::raw_ostream &os = llvm::outs();
  if (op.getOperands().empty())
    os << runtime::formatPrinted(line);
  for (auto [k, operand] : llvm::enumerate(op.getOperands())) {
    Value value = frame.get(operand);
    // Pointers are addresses.
    bool isPointer = isa<tile::PtrType>(getElementTypeOrSelf(operand));
    if (value.isView()) {
      Value address = Value::ofInt(DType::i64, addressOf(value.view()));
      address.sharePoison(value);
      value = address;
    }
    bool isUnsigned = op.getIsUnsigned() && k < op.getIsUnsigned()->size() &&
                      (*op.getIsUnsigned())[k];
    line.dtype = static_cast<uint64_t>(value.dtype());
    line.flags = (op.getHex() || isPointer ? KILN_PRINT_HEX : 0) |
                 (isUnsigned ? KILN_PRINT_UNSIGNED : 0) |
                 (value.isScalar() ? KILN_PRINT_SCALAR : 0);
    SmallVector<int64_t> shape(value.shape());
    line.rank = shape.size();
    line.shape = shape.data();
    line.elements = value.data();
    os << runtime::formatPrinted(line, value.poison());
  }
  os.flush();
  return success();
}

LogicalResult inlineAsm(tile::InlineAsmOp op, Frame &) {
  // What is not known of its text, where somebody tried to translate it.
  if (std::optional<StringRef> unknown = op.getUntranslated())
    return op.emitError("unsupported: inline assembly with ") << *unknown;
  return op.emitError("unsupported: evaluation of '")
         << op->getName() << "', whose meaning lies outside of the program";
}

} // namespace

void addTileExtern(EvaluationInterface &table) {
  table.add<tile::ConvertFloatOp>(convert);
  table.add<tile::AssertOp>(check);
  table.add<tile::AssumeOp>(assume);
  table.add<tile::PrintOp>(print);
  table.add<tile::InlineAsmOp>(inlineAsm);
}

} // namespace kiln::eval
