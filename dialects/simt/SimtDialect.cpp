//===- SimtDialect.cpp - The simt dialect ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "BoxCopy.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Simt/LayoutConversion.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

#include "kiln/Dialect/Simt/LayoutConversion.cpp.inc"
#include "kiln/Dialect/Simt/SimtEnums.cpp.inc"
#include "kiln/Dialect/Simt/SimtOpsDialect.cpp.inc"

/// `(%a, %b) : type`: operands of one type, and results of it.
static void printSums(OpAsmPrinter &printer, Operation *, OperandRange sums,
                      TypeRange types, TypeRange) {
  printer << '(' << sums << ") : ";
  if (types.empty())
    printer << "none";
  else
    printer << types.front();
}

static ParseResult
parseSums(OpAsmParser &parser,
          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &sums,
          SmallVectorImpl<Type> &types, SmallVectorImpl<Type> &results) {
  Type type;
  if (parser.parseOperandList(sums, OpAsmParser::Delimiter::Paren) ||
      parser.parseColonType(type))
    return failure();
  types.assign(sums.size(), type);
  results = types;
  return success();
}

/// `%p : type as #matrix`, or `(%a, %b) : type`.
static void printLeft(OpAsmPrinter &printer, Operation *, OperandRange factor,
                      TypeRange types, MatrixAttr matrix) {
  if (!matrix)
    return printSums(printer, nullptr, factor, types, {});
  printer << factor << " : " << types << " as " << matrix;
}

static ParseResult
parseLeft(OpAsmParser &parser,
          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &factor,
          SmallVectorImpl<Type> &types, MatrixAttr &matrix) {
  SmallVector<Type> same;
  OpAsmParser::UnresolvedOperand address;
  OptionalParseResult found = parser.parseOptionalOperand(address);
  if (!found.has_value())
    return parseSums(parser, factor, types, same);
  factor.push_back(address);
  types.emplace_back();
  return failure(failed(*found) || parser.parseColonType(types[0]) ||
                 parser.parseKeyword("as") || parser.parseAttribute(matrix));
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Simt/SimtOps.cpp.inc"

/// Attributes that operations have beside those of their definitions.
static constexpr KnownAttribute kKnownAttributes[] = {
    {kBlockAttr, AttributeRole::Decision},
    {kDecidedAttr, AttributeRole::Decision},
};

LogicalResult SimtDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (failed(verifyKnownAttribute(op, attribute, kKnownAttributes)))
    return failure();
  if (attribute.getName() == kDecidedAttr)
    return verifyDecided(op, attribute.getValue());
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError() << "expected '" << kBlockAttr << "' on a function";
  if (!isa<ThreadBlockAttr>(attribute.getValue()))
    return op->emitOpError()
           << "expected '" << kBlockAttr
           << "' to be '#simt.thread_block', found " << attribute.getValue();
  return success();
}

LogicalResult SimtDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "argument", argument, attribute);
}

LogicalResult SimtDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return kiln::refuseAttribute(op, "result", result, attribute);
}

//===----------------------------------------------------------------------===//
// Functions of one thread
//===----------------------------------------------------------------------===//

LogicalResult
ThreadBlockAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t threads, int64_t lanes, int64_t sharedBytes,
                        bool, bool, Attribute, ArrayAttr parameters) {
  // (C1) Numbers of threads and bytes.
  if (threads < 1 || lanes < 0 || sharedBytes < 0)
    return emitError() << "expected at least one thread, and numbers of lanes "
                          "and bytes that are not negative, found "
                       << threads << ", " << lanes << " and " << sharedBytes;
  // (C2) Types.
  if (parameters && !llvm::all_of(parameters, llvm::IsaPred<TypeAttr>))
    return emitError() << "expected types of parameters, found " << parameters;
  return success();
}

ThreadBlockAttr ThreadBlockAttr::withThreads(int64_t threads) const {
  return get(getContext(), threads, getLanes(), getSharedBytes(),
             getCooperative(), getPersistent(), getNumerics(), getParameters());
}

ThreadBlockAttr simt::getThreadBlock(Operation *function) {
  return function->getAttrOfType<ThreadBlockAttr>(kBlockAttr);
}

bool simt::isThreadFunction(Operation *function) {
  return function->hasAttr(kBlockAttr);
}

std::optional<SmallVector<Type>>
simt::getKernelParameters(Operation *function) {
  ThreadBlockAttr block = getThreadBlock(function);
  if (!block || !block.getParameters())
    return std::nullopt;
  return llvm::to_vector(block.getParameters().getAsValueRange<TypeAttr>());
}

bool simt::isPersistentFunction(Operation *function) {
  ThreadBlockAttr block = getThreadBlock(function);
  return block && block.getPersistent();
}

void SimtDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Simt/SimtOps.cpp.inc"
      >();
  registerClusterOps(*this);
  // Its methods are those of the definition.
  ConvertLayoutOp::attachInterface<
      LayoutConversionOpInterface::Model<ConvertLayoutOp>>(*getContext());
}

//===----------------------------------------------------------------------===//
// convert_layout
//===----------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  // (C1) The same tile.
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected source and result of one shape and "
                            "element type, found "
                         << source << " and " << result;
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  // Of two conversions the last one counts.
  if (auto before = getSource().getDefiningOp<ConvertLayoutOp>()) {
    if (before.getSource().getType() == getResult().getType())
      return before.getSource();
    getSourceMutable().assign(before.getSource());
    return getResult();
  }
  return {};
}

OperandRead ConvertLayoutOp::getIndexMap(OpOperand &, unsigned) {
  auto type = cast<RankedTensorType>(getType());
  return {AffineMap::getMultiDimIdentityMap(type.getRank(), getContext()), {}};
}

bool ConvertLayoutOp::movesElements() { return true; }

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static LogicalResult verifyAlignment(Operation *op, int64_t alignment) {
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return op->emitOpError()
           << "expected an alignment that is a power of two, found "
           << alignment;
  return success();
}

template <typename Access> static LogicalResult verifyBounds(Access op) {
  bool hasBase = bool(op.getBase());
  if (hasBase != bool(op.getOffset()) || hasBase != bool(op.getExtent()))
    return op.emitOpError() << "expected base, offset and extent together";
  if (hasBase && op.getBase().getType() != op.getAddress().getType())
    return op.emitOpError()
           << "expected a base of type " << op.getAddress().getType()
           << ", found " << op.getBase().getType();
  return success();
}

LogicalResult LoadOp::verify() {
  // (C1) What stands for the result.
  if (getOther() && !getMask())
    return emitOpError() << "has 'other' without a mask";
  if (getOther() && getOther().getType() != getType())
    return emitOpError() << "expected 'other' of type " << getType()
                         << ", found " << getOther().getType();
  // (C2) The alignment.
  if (failed(verifyAlignment(*this, getAlignment())))
    return failure();
  return verifyBounds(*this); // (C3)
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  // What is volatile happens, and as often as it is written.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAlignment(*this, getAlignment()))) // (C1)
    return failure();
  return verifyBounds(*this); // (C2)
}

LogicalResult FenceOp::verify() {
  // (C1) The order.
  switch (getOrder()) {
  case LLVM::AtomicOrdering::acquire:
  case LLVM::AtomicOrdering::release:
  case LLVM::AtomicOrdering::acq_rel:
    return success();
  default:
    return emitOpError() << "expected the order acquire, release or acq_rel, "
                            "found "
                         << LLVM::stringifyAtomicOrdering(getOrder());
  }
}

template <typename Matrices> static LogicalResult verifyMatrices(Matrices op) {
  // (C1) Registers.
  size_t count = op.getWords().size();
  if (count != 1 && count != 2 && count != 4)
    return op.emitOpError() << "expected 1, 2 or 4 words, found " << count;
  if (!llvm::all_equal(op.getWords().getTypes()))
    return op.emitOpError() << "expected words of one type";
  // (C2) Addresses.
  for (auto [name, n] :
       {std::pair("lanes", op.getLanes()), std::pair("bytes", op.getBytes())})
    if (n < 1 || !llvm::isPowerOf2_64(n))
      return op.emitOpError()
             << "expected " << name << " to be a power of two, found " << n;
  return success();
}

LogicalResult LoadMatrixOp::verify() { return verifyMatrices(*this); }

LogicalResult StoreMatrixOp::verify() { return verifyMatrices(*this); }

void InlineAsmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  // (C1) What goes in comes out.
  if (TypeRange(getAcc().getTypes()) != TypeRange(getResultTypes()))
    return emitOpError() << "expected results of the accumulator's types";
  return success();
}

void MmaOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getRowAttr();
  std::pair<StringRef, OperandRange> parts[] = {
      {"", getLhs()}, {"by ", getRhs()}, {"plus ", getAcc()}};
  for (auto [word, operands] : parts)
    printer << ' ' << word << '(' << operands << ')';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"row", "operandSegmentSizes"});
  printer << " : ";
  auto one = [&](OperandRange operands) {
    if (operands.empty())
      printer << "none";
    else
      printer << operands.front().getType();
  };
  one(getLhs());
  printer << ", ";
  one(getRhs());
  printer << ", ";
  one(getAcc());
}

ParseResult MmaOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr row;
  SmallVector<OpAsmParser::UnresolvedOperand> parts[3];
  StringRef words[] = {"", "by", "plus"};
  if (parser.parseAttribute(row, "row", result.attributes))
    return failure();
  SMLoc where = parser.getCurrentLocation();
  for (int i = 0; i < 3; ++i)
    if ((i && parser.parseKeyword(words[i])) ||
        parser.parseOperandList(parts[i], OpAsmParser::Delimiter::Paren))
      return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon())
    return failure();
  SmallVector<int32_t> sizes;
  for (int i = 0; i < 3; ++i) {
    Type type;
    if ((i && parser.parseComma()) || parser.parseType(type))
      return failure();
    SmallVector<Type> types(parts[i].size(), type);
    if (parser.resolveOperands(parts[i], types, where, result.operands))
      return failure();
    sizes.push_back(parts[i].size());
    if (i == 2)
      result.addTypes(types);
  }
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(sizes));
  return success();
}

LogicalResult CopyAsyncOp::verify() {
  // (C1) What a thread copies at once.
  if (int64_t n = getBytes(); n != 4 && n != 8 && n != 16)
    return emitOpError() << "expected 4, 8 or 16 bytes, found " << n;
  return success();
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

LogicalResult
SlotBarriersAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t place) {
  // (C1) Where the barriers lie.
  if (place < 0 || place % kSplitBarrierBytes)
    return emitError() << "expected a place that is a multiple of "
                       << kSplitBarrierBytes << ", found " << place;
  return success();
}

int64_t CopyBulkOp::getElementBytes() { return detail::elementBytesOf(*this); }

int64_t CopyBulkOp::getRowBytes() { return detail::rowBytesOf(*this); }

int64_t CopyBulkOp::getPieceBytes() { return detail::pieceBytesOf(*this); }

int64_t CopyBulkOp::getRows() { return detail::rowsOf(*this); }

int64_t CopyBulkOp::getBytes() { return getRows() * getRowBytes(); }

LogicalResult CopyBulkOp::verify() {
  // (C1) One number for each dimension.
  size_t rank = getBox().size();
  if (!rank || getAt().size() != rank || getSizes().size() != rank ||
      getStrides().size() != rank || getAlong() >= rank)
    return emitOpError() << "expected as many coordinates, sizes and strides "
                            "as the box has dimensions, and 'along' to be one "
                            "of them; found "
                         << getAt().size() << ", " << getSizes().size() << ", "
                         << getStrides().size() << ", " << rank << " and "
                         << getAlong();
  // (C2) Rows that can be permuted.
  int64_t row = getRowBytes(),
          chunk = getSwizzleAttr() ? getSwizzleAttr().getChunk() : 1;
  if (row < chunk || !llvm::isPowerOf2_64(row))
    return emitOpError()
           << "expected rows of a power of two of bytes, at least " << chunk
           << ", found " << row;
  return success();
}

//===----------------------------------------------------------------------===//
// Products that go on by themselves
//===----------------------------------------------------------------------===//

LogicalResult MatrixAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type, int64_t row, int64_t group,
                                 int64_t panel, bool, DenseI64ArrayAttr steps,
                                 int64_t bytes) {
  if (row < 1 || !llvm::isPowerOf2_64(row))
    return emitError() << "expected rows of a power of two bytes, found "
                       << row;
  if (group <= 0 || group % 16 || panel <= 0 || panel % 16)
    return emitError() << "expected multiples of 16 bytes from group to group "
                          "and from panel to panel, found "
                       << group << " and " << panel;
  for (int64_t step : steps.asArrayRef())
    if (step < 0 || step % 16)
      return emitError() << "expected steps of multiples of 16 bytes, found "
                         << step;
  if (steps.empty() || bytes <= 0)
    return emitError() << "expected a matrix with steps and bytes";
  return success();
}

LogicalResult SwizzleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t row, int64_t chunk, int64_t align,
                                  bool) {
  // (C1) What exclusive or permutes.
  for (int64_t n : {row, chunk, align})
    if (n < 1 || !llvm::isPowerOf2_64(n))
      return emitError() << "expected powers of two, found " << n;
  if (chunk >= row)
    return emitError() << "expected chunks of less than the " << row
                       << " bytes of a row, found " << chunk;
  return success();
}

LogicalResult MmaAsyncOp::verify() {
  // (C1) What goes in comes out.
  if (TypeRange(getAcc().getTypes()) != TypeRange(getResultTypes()))
    return emitOpError() << "expected results of the accumulator's types";
  size_t right = getRhsMatrix().getSteps().size();
  // (C3) In memory or in registers.
  if (!getLhsMatrix()) {
    if (getLhs().empty() || getLhs().size() % right)
      return emitOpError() << "expected as many values of the left factor in "
                              "each of "
                           << right << " steps, found " << getLhs().size();
    return success();
  }
  if (getLhs().size() != 1 ||
      !isa<LLVM::LLVMPointerType>(getLhs().front().getType()))
    return emitOpError() << "expected the address of a left factor in memory";
  // (C2) The same sum.
  size_t left = getLhsMatrix()->getSteps().size();
  if (left != right)
    return emitOpError() << "expected factors of as many steps, found " << left
                         << " and " << right;
  return success();
}

LogicalResult WaitProductsOp::verify() {
  // (C1) The same values.
  if (TypeRange(getValues().getTypes()) != TypeRange(getResultTypes()))
    return emitOpError() << "expected results of the values' types";
  return success();
}
