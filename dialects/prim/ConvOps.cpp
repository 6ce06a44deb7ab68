// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution.
#include "kiln/Dialect/Prim/ConvOps.h"
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Interfaces/Version.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ConvOps.cpp.inc"

void PrimDialect::registerConvOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ConvOps.cpp.inc"
      >();
}

LogicalResult ConvOp::readProperties(DialectBytecodeReader &reader,
                                     OperationState &state) {
  // `precision` came with version 0.4, and is the last one for that reason.
  constexpr uint64_t kHasPrecision = 4;
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readAttribute(prop.dilation)) ||
      failed(reader.readAttribute(prop.groups)) ||
      failed(reader.readAttribute(prop.input_dilation)) ||
      failed(reader.readAttribute(prop.pad_high)) ||
      failed(reader.readAttribute(prop.pad_low)) ||
      failed(reader.readAttribute(prop.strides)))
    return failure();
  return kiln::isOlder<PrimDialect>(reader, kHasPrecision)
             ? success()
             : reader.readOptionalAttribute(prop.precision);
}

void ConvOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &prop = getProperties();
  writer.writeAttribute(prop.dilation);
  writer.writeAttribute(prop.groups);
  writer.writeAttribute(prop.input_dilation);
  writer.writeAttribute(prop.pad_high);
  writer.writeAttribute(prop.pad_low);
  writer.writeAttribute(prop.strides);
  writer.writeOptionalAttribute(prop.precision);
}

LogicalResult ConvOp::verify() {
  RankedTensorType input = getInput().getType(), filter = getFilter().getType();
  // C1
  if (input.getRank() < 2 || filter.getRank() != input.getRank())
    return emitOpError()
           << "expected input and filter of the same rank of at least 2, found "
           << input.getRank() << " and " << filter.getRank();
  int64_t spatial = input.getRank() - 2;
  // C2
  if (failed(check::verifyList(*this, "'strides'", getStrides(), spatial, 1)) ||
      failed(check::verifyList(*this, "'pad_low'", getPadLow(), spatial, 0)) ||
      failed(
          check::verifyList(*this, "'pad_high'", getPadHigh(), spatial, 0)) ||
      failed(
          check::verifyList(*this, "'dilation'", getDilation(), spatial, 1)) ||
      failed(check::verifyList(*this, "'input_dilation'", getInputDilation(),
                               spatial, 1)))
    return failure();
  // C3
  int64_t groups = getGroups();
  if (groups < 1)
    return emitOpError() << "expected 'groups' of at least 1, found " << groups;
  int64_t outputs = filter.getDimSize(0);
  if (!ShapedType::isDynamic(outputs) && outputs % groups != 0)
    return emitOpError() << "expected the number of filters to be a multiple "
                            "of 'groups', found "
                         << outputs << " and " << groups;
  // C4
  int64_t channels = input.getShape().back();
  int64_t perGroup = filter.getShape().back();
  if (!ShapedType::isDynamic(channels) &&
      (channels % groups != 0 ||
       !check::compatible(channels / groups, perGroup)))
    return emitOpError() << "expected filters with input channels / groups "
                            "channels, found "
                         << perGroup << " with " << channels << " / " << groups;
  // C5
  if (failed(check::verifySumType(*this, input.getElementType(),
                                  filter.getElementType(),
                                  getType().getElementType())))
    return failure();
  // C8
  if (getPrecision() == Precision::tf32 && !input.getElementType().isF32())
    return emitOpError() << "expected f32 operands with tf32 precision, found "
                         << input.getElementType();
  // C6, C7
  SmallVector<int64_t> shape{input.getDimSize(0)};
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t window = filter.getDimSize(i + 1);
    if (ShapedType::isDynamic(window))
      return emitOpError("expected a window of static size, found ?");
    if (window < 1)
      return emitOpError() << "expected a window of at least 1, found "
                           << window;
    std::optional<int64_t> size = check::windowPositions(
        input.getDimSize(i + 1),
        {window, getStrides()[i], getPadLow()[i], getPadHigh()[i],
         getDilation()[i], getInputDilation()[i]});
    if (!size)
      return emitOpError() << "expected a window that fits into the padded "
                              "input along spatial dimension "
                           << i;
    shape.push_back(*size);
  }
  shape.push_back(outputs);
  return check::verifyShape(*this, "a result", shape, getType());
}
