// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and results that prim has no type for.
#include "Boundary.h"

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Stablehlo/Stablehlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace kiln::stablehlo_to_prim {
namespace {

RankedTensorType complexTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<ComplexType>(tensor.getElementType()) &&
                 tensor.hasStaticShape()
             ? tensor
             : RankedTensorType();
}

bool isExpanded(Type type) {
  return complexTensor(type) || isa<TupleType, stablehlo::TokenType>(type);
}

Type partOf(RankedTensorType complex) {
  return cast<ComplexType>(complex.getElementType()).getElementType();
}

/// JAX's mark of the tokens that its runtime hands to a program and takes from
/// it: these cross the boundary as tensors without elements.
constexpr StringLiteral kRuntimeToken = "jax.token";

RankedTensorType runtimeToken(MLIRContext *context) {
  return RankedTensorType::get({0}, IntegerType::get(context, 1));
}

/// The types of what crosses the boundary for a value.
void collect(Type type, SmallVectorImpl<Type> &types) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type member : tuple.getTypes())
      collect(member, types);
  } else if (RankedTensorType complex = complexTensor(type)) {
    SmallVector<int64_t> shape(complex.getShape());
    shape.push_back(2);
    types.push_back(RankedTensorType::get(shape, partOf(complex)));
  } else if (!isa<stablehlo::TokenType>(type)) {
    types.push_back(type);
  }
}

/// One part of pairs along the last dimension.
Value half(ImplicitLocOpBuilder &b, Value pairs, int64_t which) {
  auto type = cast<RankedTensorType>(pairs.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1), shape(type.getShape());
  starts.back() = which;
  limits.back() = which + 1;
  shape.back() = 1;
  Value part = stablehlo::SliceOp::create(b, type.clone(shape), pairs, starts,
                                          limits, strides);
  shape.pop_back();
  return stablehlo::ReshapeOp::create(b, type.clone(shape), part);
}

/// A value of `type`, from as many of `values` as it needs.
Value receive(ImplicitLocOpBuilder &b, Type type, ArrayRef<Value> &values) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> members;
    for (Type member : tuple.getTypes())
      members.push_back(receive(b, member, values));
    return stablehlo::TupleOp::create(b, tuple, members);
  }
  if (isa<stablehlo::TokenType>(type))
    return stablehlo::CreateTokenOp::create(b, type);
  Value value = values.front();
  values = values.drop_front();
  if (RankedTensorType complex = complexTensor(type))
    return stablehlo::ComplexOp::create(b, complex, half(b, value, 0),
                                        half(b, value, 1));
  return value;
}

/// What crosses the boundary for a value.
void send(ImplicitLocOpBuilder &b, Value value, SmallVectorImpl<Value> &to) {
  Type type = value.getType();
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (auto [i, member] : llvm::enumerate(tuple.getTypes()))
      send(b, stablehlo::GetTupleElementOp::create(b, member, value, i), to);
    return;
  }
  if (isa<stablehlo::TokenType>(type))
    return;
  RankedTensorType complex = complexTensor(type);
  if (!complex) {
    to.push_back(value);
    return;
  }
  auto real = complex.clone(partOf(complex));
  SmallVector<int64_t> shape(complex.getShape());
  shape.push_back(1);
  auto part = [&](Value x) -> Value {
    return stablehlo::ReshapeOp::create(b, real.clone(shape), x);
  };
  Value re = part(stablehlo::RealOp::create(b, real, value));
  Value im = part(stablehlo::ImagOp::create(b, real, value));
  shape.back() = 2;
  to.push_back(stablehlo::ConcatenateOp::create(
      b, real.clone(shape), ValueRange{re, im}, shape.size() - 1));
}

void expandArguments(func::FuncOp fn) {
  Block &block = fn.getBody().front();
  ImplicitLocOpBuilder b(fn.getLoc(), fn.getContext());
  b.setInsertionPointToStart(&block);
  for (unsigned i = 0; i < fn.getNumArguments();) {
    Value old = fn.getArgument(i);
    if (!isExpanded(old.getType())) {
      ++i;
      continue;
    }
    SmallVector<Type> types;
    if (fn.getArgAttr(i, kRuntimeToken))
      types.push_back(runtimeToken(fn.getContext()));
    else
      collect(old.getType(), types);
    SmallVector<Value> fresh;
    for (Type type : types) {
      fn.removeArgAttr(i, kRuntimeToken);
      DictionaryAttr attributes =
          types.size() == 1 ? fn.getArgAttrDict(i) : DictionaryAttr();
      (void)fn.insertArgument(i + 1 + fresh.size(), type, attributes,
                              old.getLoc());
      fresh.push_back(fn.getArgument(i + 1 + fresh.size()));
    }
    ArrayRef<Value> values = fresh;
    b.setLoc(old.getLoc());
    old.replaceAllUsesWith(receive(b, old.getType(), values));
    (void)fn.eraseArgument(i);
    i += fresh.size();
  }
}

/// What JAX says of arguments that a caller gives up.
void noteDonations(func::FuncOp fn) {
  for (unsigned i = 0; i < fn.getNumArguments(); ++i)
    for (StringRef name : {"tf.aliasing_output", "jax.buffer_donor"})
      if (fn.removeArgAttr(i, name))
        target::setArgumentEntry(fn, i, target::kDonatedEntry,
                                 UnitAttr::get(fn.getContext()));
}

void expandResults(func::FuncOp fn) {
  Operation *last = fn.getBody().front().getTerminator();
  ImplicitLocOpBuilder b(last->getLoc(), last);
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(last->getOperands())) {
    if (!fn.getResultAttr(i, kRuntimeToken)) {
      send(b, value, values);
      continue;
    }
    auto none =
        DenseElementsAttr::get(runtimeToken(b.getContext()), ArrayRef<bool>());
    values.push_back(stablehlo::ConstantOp::create(b, none.getType(), none));
  }
  last->setOperands(values);
  fn.removeResAttrsAttr();
  fn.setFunctionType(FunctionType::get(fn.getContext(), fn.getArgumentTypes(),
                                       ValueRange(values).getTypes()));
}

} // namespace

void expandBoundaries(ModuleOp module, ArrayRef<std::string> entries) {
  auto functions = module.getOps<func::FuncOp>();
  bool anyPublic = llvm::any_of(functions, [](func::FuncOp fn) {
    return fn.isPublic() && !fn.isExternal();
  });
  for (func::FuncOp fn : functions) {
    bool wanted = entries.empty()
                      ? fn.isPublic() || !anyPublic
                      : llvm::is_contained(entries, fn.getName().str());
    if (!wanted || fn.isExternal() || !llvm::hasSingleElement(fn.getBody()))
      continue;
    noteDonations(fn);
    if (llvm::any_of(fn.getArgumentTypes(), isExpanded))
      expandArguments(fn);
    if (llvm::any_of(fn.getResultTypes(), isExpanded))
      expandResults(fn);
  }
}

} // namespace kiln::stablehlo_to_prim
