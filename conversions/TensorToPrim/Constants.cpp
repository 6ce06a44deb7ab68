// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants.
#include "Translator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Elements of a type that prim lacks, in the type that stands for it.
DenseElementsAttr widen(DenseElementsAttr value, Type element, bool isSigned) {
  unsigned width = element.getIntOrFloatBitWidth();
  return cast<DenseIntElementsAttr>(value).mapValues(
      element, [&](const APInt &number) {
        return isSigned ? number.sextOrTrunc(width) : number.zextOrTrunc(width);
      });
}

/// A scalar becomes a tensor of rank 0, or of the iteration space in a body.
LogicalResult arithConstant(arith::ConstantOp op, Translator &e) {
  TypedAttr value = op.getValue();
  if (auto attr = dyn_cast<ElementsAttr>(value))
    return isa<RankedTensorType>(attr.getType())
               ? translateElements(op, attr, e)
               : e.unsupported(op, "is not a tensor or a scalar");
  if (isa<IndexType>(value.getType())) {
    e.setSizes(op, {OpFoldResult(value)});
    return success();
  }
  Type element = primElement(value.getType());
  if (!element)
    return e.unsupported(op, "has type " + Twine(text(value.getType())));
  if (auto number = dyn_cast<IntegerAttr>(value))
    value = IntegerAttr::get(element, number.getValue().sextOrTrunc(
                                          element.getIntOrFloatBitWidth()));
  return e.set(op, e.full(value, e.body ? ArrayRef<OpFoldResult>(e.body->sizes)
                                        : ArrayRef<OpFoldResult>()));
}

/// Prim has no state: a global that keeps its first value is a constant.
template <typename Op> LogicalResult globalLoad(Op op, Translator &e) {
  auto global = dyn_cast_or_null<ml_program::GlobalOp>(
      e.lookupSymbol(op.getGlobal().getRootReference().getValue()));
  if (!global || !op.getGlobal().getNestedReferences().empty())
    return e.unsupported(op, "reads a global that this module lacks");
  if (global.getIsMutable())
    return e.unsupported(op, "reads '" + global.getSymName() +
                                 "', whose value can change");
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueAttr());
  if (!value)
    return e.unsupported(op, "reads '" + global.getSymName() +
                                 "', whose value is not given");
  return translateElements(op, value, e);
}

} // namespace

/// Elements for a constant whose own were left out: zeros, or numbers that
/// look random but are the same in each run.
static AsmResourceBlob invent(RankedTensorType type, bool zeros, int64_t seed) {
  Type element = type.getElementType();
  size_t width = std::max<size_t>(element.getIntOrFloatBitWidth() / 8, 1);
  AsmResourceBlob blob =
      HeapAsmResourceBlob::allocate(type.getNumElements() * width, 64);
  MutableArrayRef<char> bytes = blob.getMutableData();
  // A pattern that is not a multiple of usual sizes, repeated.
  size_t count = std::min<size_t>(type.getNumElements(), 65521);
  uint64_t state = seed * 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double unit = double(state >> 11) * 0x1p-52 - 1; // [-1, 1)
    APInt bits(width * 8, 0);
    if (zeros) {
      // as it is
    } else if (auto real = dyn_cast<FloatType>(element)) {
      APFloat number(unit);
      bool lost;
      number.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                     &lost);
      bits = number.bitcastToAPInt();
    } else if (element.isInteger(8)) {
      bits = APInt(8, static_cast<int64_t>(std::floor(unit * 8)), true);
    } else { // They may be indices, which have to stay small.
      bits = APInt(width * 8, unit < 0 ? 0 : 1);
    }
    uint64_t word = bits.getZExtValue();
    std::memcpy(bytes.data() + i * width, &word, width);
  }
  for (size_t done = count * width; done < bytes.size();) {
    size_t more = std::min(count * width, bytes.size() - done);
    std::memcpy(bytes.data() + done, bytes.data(), more);
    done += more;
  }
  return blob;
}

/// A resource that the module does not hold.
static FailureOr<Value> missing(Operation *op,
                                DenseResourceElementsAttr resource,
                                RankedTensorType type, Translator &e) {
  StringRef key = resource.getRawHandle().getKey();
  if (e.elided.empty())
    return e.unsupported(
        op, "has elements that are not in the file ('" + Twine(key) +
                "'); --elided=zeros or --elided=random invents them");
  if (e.numElided++ == 0)
    op->emitRemark("elements of constants that are not in the file are ")
        << (e.elided == "zeros" ? "zeros" : "random");
  auto attr = DenseResourceElementsAttr::get(
      type, ("elided_" + Twine(e.numElided)).str(),
      invent(type, e.elided == "zeros", e.numElided));
  return Value(prim::ConstantOp::create(e.b, type, ElementsAttr(attr)));
}

FailureOr<Value> constantValue(Operation *op, ElementsAttr value,
                               Translator &e) {
  RankedTensorType type = e.tensorType(value.getType());
  if (!type)
    return e.unsupported(op, "has type " + Twine(text(value.getType())));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    if (!resource.getRawHandle().getBlob())
      return missing(op, resource, type, e);
  if (type != value.getType()) {
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (!dense)
      return e.unsupported(op, "is a resource of type " +
                                   Twine(text(value.getType())));
    value = widen(dense, type.getElementType(),
                  !value.getElementType().isUnsignedInteger());
  }
  if (!isa<DenseElementsAttr, DenseResourceElementsAttr>(value))
    return e.unsupported(op, "is neither dense nor a resource");
  return Value(prim::ConstantOp::create(e.b, type, value));
}

LogicalResult translateElements(Operation *op, ElementsAttr value,
                                Translator &e) {
  auto constant = constantValue(op, value, e);
  return failed(constant) ? failure() : e.set(op->getResult(0), *constant);
}

void addConstantRules(Rules &rules) {
  rules.add<arith::ConstantOp>(arithConstant);
  rules.add<ml_program::GlobalLoadOp>(globalLoad<ml_program::GlobalLoadOp>);
  rules.add<ml_program::GlobalLoadConstOp>(
      globalLoad<ml_program::GlobalLoadConstOp>);
}

} // namespace kiln::tensor_to_prim
