//===- ProgramOps.cpp - Operations of host programs -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Runtime/Launch.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace kiln::program;

//===----------------------------------------------------------------------===//
// Assembly of lists of static values: `[?, 8, 1]`
//===----------------------------------------------------------------------===//

static ParseResult parseStaticList(OpAsmParser &parser,
                                   DenseI64ArrayAttr &list) {
  SmallVector<int64_t> values;
  auto parseValue = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      values.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(values.emplace_back());
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseValue))
    return failure();
  list = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printStaticList(OpAsmPrinter &p, Operation *,
                            DenseI64ArrayAttr list) {
  p << '[';
  llvm::interleaveComma(list.asArrayRef(), p, [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      p << '?';
    else
      p << value;
  });
  p << ']';
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/ProgramOps.cpp.inc"

//===----------------------------------------------------------------------===//
// FuncOp and ReturnOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *body = state.addRegion();
  Block *entry = new Block();
  body->push_back(entry);
  for (Type input : type.getInputs())
    entry->addArgument(input, state.location);
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), buildType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  if (result.regions.front()->empty())
    return parser.emitError(parser.getNameLoc(),
                            "expected a host program to have a body");
  return success();
}

void FuncOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(
      p, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  // (1) Parameters and results are buffers.
  for (auto [index, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<MemRefType>(type))
      return emitOpError() << "expected parameter " << index
                           << " to be a memref, found " << type;
  for (auto [index, type] : llvm::enumerate(getResultTypes()))
    if (!isa<MemRefType>(type))
      return emitOpError() << "expected result " << index
                           << " to be a memref, found " << type;
  return success();
}

LogicalResult ReturnOp::verify() {
  // (1) Values have the result types of the function.
  auto func = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> expected = func.getResultTypes();
  if (expected.size() != getValues().size())
    return emitOpError() << "expected " << expected.size() << " values, found "
                         << getValues().size();
  for (auto [index, value] : llvm::enumerate(getValues()))
    if (value.getType() != expected[index]) {
      InFlightDiagnostic diag = emitOpError() << "expected value " << index
                                              << " to be " << expected[index]
                                              << ", found " << value.getType();
      diag.attachNote(func.getLoc()) << "the function's results are here";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  // (1) A buffer is dense and row-major.
  if (!type.getLayout().isIdentity())
    return emitOpError() << "expected a dense row-major memref, found " << type;
  // (2) One size for each `?`.
  if (static_cast<size_t>(type.getNumDynamicDims()) != getSizes().size())
    return emitOpError() << "expected " << type.getNumDynamicDims()
                         << " sizes, found " << getSizes().size();
  return success();
}

LogicalResult ConstantOp::verify() {
  auto type = cast<MemRefType>(getResult().getType());
  ShapedType value = getValue().getShapedType();
  // (1) The buffer is dense, of the value's shape and element type.
  if (!type.getLayout().isIdentity() || !type.hasStaticShape() ||
      type.getShape() != value.getShape() ||
      type.getElementType() != value.getElementType())
    return emitOpError() << "expected a dense memref like " << value
                         << ", found " << type;
  return success();
}

/// Checks one list of a view against its dynamic operands.
static LogicalResult verifyList(ViewOp op, StringRef what,
                                ArrayRef<int64_t> list, size_t length,
                                size_t dynamic) {
  if (list.size() != length)
    return op.emitOpError()
           << "expected " << length << " " << what << ", found " << list.size();
  size_t wanted = llvm::count(list, ShapedType::kDynamic);
  if (wanted != dynamic)
    return op.emitOpError() << "expected " << wanted << " operands for " << what
                            << ", found " << dynamic;
  return success();
}

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto type = cast<MemRefType>(getResult().getType());
  // (1) Element types agree.
  if (source.getElementType() != type.getElementType())
    return emitOpError() << "expected source and result of the same element "
                            "type, found "
                         << source << " and " << type;
  // (2) One offset, one size and one stride per dimension; operands for `?`.
  size_t rank = type.getRank();
  if (failed(verifyList(*this, "offsets", getStaticOffset(), 1,
                        getOffsets().size())) ||
      failed(verifyList(*this, "sizes", getStaticSizes(), rank,
                        getSizes().size())) ||
      failed(verifyList(*this, "strides", getStaticStrides(), rank,
                        getStrides().size())))
    return failure();
  // (3) The result has these sizes.
  if (type.getShape() != getStaticSizes())
    return emitOpError() << "expected a result with the sizes of the view, "
                            "found "
                         << type;
  for (int64_t size : getStaticSizes())
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitOpError() << "expected sizes to be at least 0, found " << size;
  // (4) The result's static strides are those of the view.
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return emitOpError() << "expected a strided result, found " << type;
  for (size_t d = 0; d < rank; ++d)
    if (!ShapedType::isDynamic(strides[d]) &&
        strides[d] != getStaticStrides()[d] && type.getDimSize(d) != 1)
      return emitOpError() << "expected stride " << strides[d]
                           << " along dimension " << d
                           << " as in the result's type";
  return success();
}

LogicalResult CopyOp::verify() {
  auto from = cast<MemRefType>(getSource().getType());
  auto to = cast<MemRefType>(getTarget().getType());
  // (1) Element types and static sizes agree.
  if (from.getElementType() != to.getElementType() ||
      failed(verifyCompatibleShape(from.getShape(), to.getShape())))
    return emitOpError() << "expected buffers of the same shape and element "
                            "type, found "
                         << from << " and " << to;
  return success();
}

LogicalResult TransferOp::verify() {
  auto from = cast<MemRefType>(getSource().getType());
  auto to = cast<MemRefType>(getResult().getType());
  // (1) Element type and shape stay.
  if (from.getElementType() != to.getElementType() ||
      from.getShape() != to.getShape())
    return emitOpError() << "expected a result of the same shape and element "
                            "type, found "
                         << from << " and " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  // (1) At least one variant; all but the last are guarded.
  if (getKernels().empty())
    return emitOpError() << "expected at least one kernel, found none";
  if (getGuards().size() + 1 != getKernels().size())
    return emitOpError() << "expected " << getKernels().size() - 1
                         << " guards, found " << getGuards().size();
  // (2) Three extents, or three for each variant.
  if (getGrid().size() != 3 && getGrid().size() != 3 * getKernels().size()) {
    InFlightDiagnostic diag = emitOpError() << "expected a grid of 3 extents";
    if (getKernels().size() > 1)
      diag << " or of " << 3 * getKernels().size();
    return diag << ", found " << getGrid().size();
  }
  // (3) Arguments are buffers and scalars.
  for (auto [index, type] : llvm::enumerate(getArgs().getTypes()))
    if (!isa<MemRefType>(type) && !kiln::tile::isElementType(type))
      return emitOpError() << "expected argument " << index
                           << " to be a memref or a scalar, found " << type;
  // (4) What is written is a buffer among the arguments.
  for (int64_t position : getWrites())
    if (position < 0 || position >= static_cast<int64_t>(getArgs().size()) ||
        !isa<MemRefType>(getArgs()[position].getType()))
      return emitOpError() << "expected positions of memref arguments in "
                              "'writes', found "
                           << position;
  // (7) The contract has known names, and as many integers as they take.
  for (NamedAttribute entry : getContract().value_or(DictionaryAttr())
                                  ? getContract()->getValue()
                                  : ArrayRef<NamedAttribute>()) {
    std::optional<uint32_t> tag =
        kiln::runtime::launchAttributeTag(entry.getName().strref());
    if (!tag)
      return emitOpError() << "unknown launch attribute '"
                           << entry.getName().strref() << "' in 'contract'";
    auto list = dyn_cast<DenseI64ArrayAttr>(entry.getValue());
    size_t count = list                                 ? list.size()
                   : isa<IntegerAttr>(entry.getValue()) ? 1
                                                        : 0;
    size_t most = kiln::runtime::launchAttributeArity(*tag);
    if (count < 1 || count > most)
      return emitOpError() << "expected 1 to " << most
                           << " integers for launch attribute '"
                           << entry.getName().strref() << "', found "
                           << entry.getValue();
  }
  return success();
}

/// Why a buffer cannot be passed for a view, or an empty string.
static std::string mismatch(MemRefType buffer, kiln::tile::ViewType view) {
  if (buffer.getElementType() != view.getElementType())
    return "element types differ";
  if (buffer.getRank() != view.getRank())
    return "ranks differ";
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(buffer.getStridesAndOffset(strides, offset)))
    return "the buffer is not strided";
  bool isEmpty = llvm::is_contained(buffer.getShape(), 0);
  for (int64_t d = 0; d < view.getRank(); ++d) {
    int64_t size = view.getShape()[d], stride = view.getStaticStride(d);
    if (!ShapedType::isDynamic(size) && size != buffer.getDimSize(d))
      return "sizes differ along dimension " + std::to_string(d);
    // A stride is not used where there is one element, or none.
    if (!ShapedType::isDynamic(stride) && stride != strides[d] &&
        buffer.getDimSize(d) != 1 && !isEmpty)
      return "strides differ along dimension " + std::to_string(d);
  }
  return {};
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (Attribute attr : getKernels()) {
    auto symbol = cast<FlatSymbolRefAttr>(attr);
    // (5) Every variant is a kernel.
    auto kernel =
        symbols.lookupNearestSymbolFrom<kiln::tile::Kernel>(*this, symbol);
    if (!kernel)
      return emitOpError() << "expected " << symbol
                           << " to be a kernel, found none of that name";
    // (6) The arguments fit the parameters.
    auto fail = [&](auto message) {
      InFlightDiagnostic diag = emitOpError() << message;
      diag.attachNote(kernel.getLoc()) << "the kernel is here";
      return diag;
    };
    ArrayRef<Type> params = kernel.getArgumentTypes();
    if (params.size() != getArgs().size())
      return fail("expected " + std::to_string(params.size()) +
                  " arguments, found " + std::to_string(getArgs().size()));
    for (auto [index, pair] :
         llvm::enumerate(llvm::zip(params, getArgs().getTypes()))) {
      auto [param, type] = pair;
      auto view = dyn_cast<kiln::tile::ViewType>(param);
      auto buffer = dyn_cast<MemRefType>(type);
      std::string reason;
      if (view && buffer)
        reason = mismatch(buffer, view);
      else if (isa<kiln::tile::PtrType>(param) && buffer)
        continue;
      else if (param != type)
        reason = "types differ";
      if (!reason.empty())
        return fail("expected argument " + std::to_string(index) + " to fit " +
                    debugString(param) + ", found " + debugString(type) + ": " +
                    reason);
    }
  }
  return success();
}
