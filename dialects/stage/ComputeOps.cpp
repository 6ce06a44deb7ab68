//===- ComputeOps.cpp - Regions -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/ComputeOps.h"
#include "kiln/Dialect/Stage/Axes.h"
#include "kiln/Dialect/Stage/StorageOps.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::stage;

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/ComputeOps.cpp.inc"

void StageDialect::registerComputeOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stage/ComputeOps.cpp.inc"
      >();
}

/// MLIR's version of bytecode from which on segments are arrays of numbers.
static constexpr int64_t kNativeSegments = 6;

// Properties in the order of 0.1, which had no `stream`: where there is one, a
// pair stands in the place of the box.
void ComputeOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &properties = getProperties();
  Attribute box = properties.box;
  if (properties.stream)
    box = ArrayAttr::get(getContext(), {box, properties.stream});
  writer.writeAttribute(box);
  ArrayRef<int32_t> segments = properties.operandSegmentSizes;
  if (int64_t(writer.getBytecodeVersion()) < kNativeSegments)
    writer.writeAttribute(DenseI32ArrayAttr::get(getContext(), segments));
  else
    writer.writeSparseArray(segments);
}

LogicalResult ComputeOp::readProperties(DialectBytecodeReader &reader,
                                        OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  Attribute box;
  if (failed(reader.readAttribute(box)))
    return failure();
  auto pair = dyn_cast<ArrayAttr>(box);
  if (pair && pair.size() == 2) {
    box = pair[0];
    properties.stream = dyn_cast<StreamAttr>(pair[1]);
  }
  properties.box = dyn_cast<DenseI64ArrayAttr>(box);
  if (!properties.box || (pair && !properties.stream))
    return reader.emitError("expected the box of stage.compute, or it and how "
                            "the region streams, found ")
           << (pair ? Attribute(pair) : box);
  MutableArrayRef<int32_t> segments(properties.operandSegmentSizes);
  if (int64_t(reader.getBytecodeVersion()) >= kNativeSegments)
    return reader.readSparseArray(segments);
  DenseI32ArrayAttr sizes;
  if (failed(reader.readAttribute(sizes)))
    return failure();
  if (sizes.size() != int64_t(segments.size()))
    return reader.emitError("expected ")
           << segments.size() << " segments of operands, found "
           << sizes.size();
  llvm::copy(sizes.asArrayRef(), segments.begin());
  return success();
}

LogicalResult ComputeOp::verify() {
  // (C1) Positive sizes.
  for (int64_t size : getBox())
    if (size < 1)
      return emitOpError() << "expected positive sizes of the box, found "
                           << size;
  // (C2) One bound per dimension, or none.
  size_t rank = getBox().size();
  for (auto [name, bounds] :
       {std::pair("from", getFrom()), std::pair("to", getTo()),
        std::pair("safe", getSafe())})
    if (!bounds.empty() && bounds.size() != rank)
      return emitOpError() << "expected " << rank << " values of '" << name
                           << "', found " << bounds.size();
  return success();
}

/// (C3) The values of the results.
static LogicalResult verifyYield(ComputeOp op) {
  auto yield = dyn_cast<YieldOp>(op.getBody().front().getTerminator());
  if (!yield)
    return op.emitOpError() << "expected the region to end in 'stage.yield'";
  if (yield.getValues().size() != op.getNumResults())
    return yield.emitOpError() << "expected " << op.getNumResults()
                               << " values, found " << yield.getValues().size();
  for (auto [value, result] : llvm::zip(yield.getValues(), op.getResults())) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    auto fragment = dyn_cast<RankedTensorType>(result.getType());
    bool fits = fragment
                    ? tile && tile.getShape() == fragment.getShape() &&
                          tile.getElementType() == fragment.getElementType()
                    : value.getType() == result.getType() ||
                          (tile && tile.getRank() == 0 &&
                           tile.getElementType() == result.getType());
    if (!fits)
      return yield.emitOpError()
             << "expected a value for a result of type " << result.getType()
             << ", found " << value.getType();
  }
  return success();
}

/// Whether a tile is read at more than one point of the box.
static bool isReadElsewhere(const Axes &axes, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  for (auto [d, axis] : llvm::enumerate(axes.of(tile)))
    if (axis == Axes::kNone && type.getDimSize(d) != 1)
      return true;
  return false;
}

/// (C6) What is written at one origin is read at the same coordinates.
static LogicalResult verifyInPlace(ComputeOp op, const Axes &axes) {
  for (auto write : op.getBody().getOps<WriteOp>())
    for (auto read : op.getBody().getOps<ReadOp>()) {
      if (read.getStorage() != write.getStorage() ||
          read.getOrigin() != write.getOrigin())
        continue;
      // What is read at several points besides, evaluation looks at.
      if (axes.of(read.getResult()) == axes.of(write.getValue()) ||
          isReadElsewhere(axes, read.getResult()))
        continue;
      InFlightDiagnostic diagnostic =
          read.emitOpError() << "expected to read what the region writes at "
                                "the same coordinates";
      diagnostic.attachNote(write.getLoc()) << "written here";
      return diagnostic;
    }
  return success();
}

LogicalResult ComputeOp::verifyRegions() {
  if (failed(verifyYield(*this)))
    return failure();
  Axes axes(*this);
  if (failed(axes.verify()))
    return failure();
  return verifyInPlace(*this, axes);
}
