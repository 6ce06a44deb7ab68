//===- TmTensorDialect.cpp - the tm_tensor dialect ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/TmTensor/TmTensor.h"
#include "kiln/Interfaces/RegionSyntax.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tm_tensor;

#include "kiln/Dialect/TmTensor/TmTensorOpsDialect.cpp.inc"

/// `custom<RegionAndResults>`: a region, and the types of results if there are
/// any.
static ParseResult parseRegionAndResults(OpAsmParser &parser, Region &region,
                                         SmallVectorImpl<Type> &results) {
  if (parser.parseRegion(region) ||
      (succeeded(parser.parseOptionalArrow()) && parser.parseTypeList(results)))
    return kiln::failBehind({&region});
  if (region.empty())
    region.emplaceBlock();
  return success();
}

static void printRegionAndResults(OpAsmPrinter &printer, Operation *,
                                  Region &region, TypeRange results) {
  printer.printRegion(region);
  if (!results.empty())
    printer << " -> " << results;
}

#define GET_OP_CLASSES
#include "kiln/Dialect/TmTensor/TmTensorOps.cpp.inc"

void TmTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/TmTensor/TmTensorOps.cpp.inc"
      >();
}

/// A result for each of `outs`, of its type, and so many operands.
static LogicalResult verifyCounts(Operation *op, ValueRange inputs,
                                  ValueRange outputs, size_t least, size_t most,
                                  size_t outs) {
  if (inputs.size() < least || inputs.size() > most)
    return op->emitOpError("expected ")
           << least << " to " << most << " inputs, found " << inputs.size();
  if (outs && outputs.size() != outs)
    return op->emitOpError("expected ")
           << outs << " outputs, found " << outputs.size();
  if (op->getResultTypes() != outputs.getTypes())
    return op->emitOpError("expected results of the types of the outputs");
  return success();
}

/// The region takes elements of these tensors and yields `results` values.
static LogicalResult verifyRegion(Operation *op, ValueRange tensors,
                                  size_t results) {
  Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != tensors.size())
    return op->emitOpError("expected a region of ")
           << tensors.size() << " arguments, found " << block.getNumArguments();
  for (auto [argument, tensor] : llvm::zip(block.getArguments(), tensors))
    if (argument.getType() !=
        cast<RankedTensorType>(tensor.getType()).getElementType())
      return op->emitOpError("expected an argument of the region of type ")
             << cast<RankedTensorType>(tensor.getType()).getElementType()
             << ", found " << argument.getType();
  if (block.empty() || !isa<YieldOp>(block.back()) ||
      block.back().getNumOperands() != results)
    return op->emitOpError("expected a region that yields ")
           << results << " value" << (results == 1 ? "" : "s");
  return success();
}

/// `dimension` is one of a tensor's.
static LogicalResult verifyDimension(Operation *op, int64_t dimension,
                                     Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (dimension < 0 || dimension >= rank)
    return op->emitOpError("expected a dimension in [0, ")
           << rank << "), found " << dimension;
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCounts(*this, getInputs(), getOutputs(), 1, 1, 2)) ||
      failed(verifyDimension(*this, getDimension(), getInputs()[0])))
    return failure();
  if (getInputs()[0].getType() != getOutputs()[0].getType())
    return emitOpError("expected the input to have the type of the result");
  return verifyRegion(*this, {getInputs()[0], getInputs()[0]}, 1);
}

LogicalResult SortOp::verify() {
  if (failed(verifyCounts(*this, getInputs(), getOutputs(), 0, 0, 0)))
    return failure();
  if (getOutputs().empty())
    return emitOpError("expected at least one output");
  if (failed(verifyDimension(*this, getDimension(), getOutputs()[0])))
    return failure();
  SmallVector<Value> pairs;
  auto first = cast<RankedTensorType>(getOutputs()[0].getType());
  for (Value output : getOutputs()) {
    pairs.append(2, output);
    if (cast<RankedTensorType>(output.getType()).getShape() != first.getShape())
      return emitOpError("expected outputs of one shape");
  }
  return verifyRegion(*this, pairs, 1);
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyCounts(*this, getInputs(), getOutputs(), 2, 2, 1)))
    return failure();
  auto updates = cast<RankedTensorType>(getInputs()[0].getType());
  auto places = cast<RankedTensorType>(getInputs()[1].getType());
  auto whole = cast<RankedTensorType>(getOutputs()[0].getType());
  auto map = getDimensionMap();
  int64_t depth = map.size();
  if (places.getRank() != 2 || places.getDimSize(1) != depth ||
      !isa<IntegerType>(places.getElementType()))
    return emitOpError("expected a row of ")
           << depth << " integers for each update";
  if (updates.getRank() != 1 + whole.getRank() - depth)
    return emitOpError("expected updates of rank ")
           << 1 + whole.getRank() - depth << ", found " << updates.getRank();
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : map)
    if (dim < 0 || dim >= whole.getRank() || !seen.insert(dim).second)
      return emitOpError("expected 'dimension_map' of distinct dimensions of "
                         "the output");
  return verifyRegion(*this, {getInputs()[0], getOutputs()[0]}, 1);
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyCounts(*this, getInputs(), getOutputs(), 3, 4, 1)))
    return failure();
  int64_t rank = cast<RankedTensorType>(getOutputs()[0].getType()).getRank();
  for (Value input : getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (rank < 2 || type.getRank() != rank ||
        !isa<FloatType>(type.getElementType()))
      return emitOpError("expected floats of the rank of the result, at least "
                         "2, found ")
             << type;
  }
  return success();
}
