// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prim dialect as something that can be evaluated.
#include "Collective.h"
#include "Families.h"
#include "Fourier.h"
#include "LinearAlgebra.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include <cmath>

using namespace mlir;

namespace kiln::eval {

namespace {

/// One function for every operation of prim.
struct PrimEvaluation : PrimTable {
  explicit PrimEvaluation(Dialect *dialect) : PrimTable(dialect) {
    addPrimElementwise(*this);
    addPrimFunctions(*this);
    addPrimSpecial(*this);
    addPrimRandom(*this);
    addPrimReal(*this);
    addPrimCompare(*this);
    addPrimConvert(*this);
    addPrimMovement(*this);
    addPrimCreation(*this);
    addPrimReduction(*this);
    addPrimGather(*this);
    addPrimMatMul(*this);
    addPrimConv(*this);
    addPrimPooling(*this);
    addPrimComposite(*this);
    addPrimAttention(*this);
    addPrimFourier(*this);
    addPrimGroup(*this);
    addPrimControl(*this);
    addPrimDynamic(*this);
    addPrimScatter(*this);
    addPrimScan(*this);
    addPrimSort(*this);
    addPrimCombine(*this);
    addPrimCollective(*this);
    addPrimLinearAlgebra(*this);
  }
};

/// More elements than this in one tensor are refused.
constexpr int64_t kMaxElements = int64_t(1) << 31;

} // namespace

void registerPrimEvaluation(DialectRegistry &registry) {
  registry.insert<prim::PrimDialect>();
  registry.addExtension(+[](MLIRContext *, prim::PrimDialect *dialect) {
    dialect->addInterfaces<PrimEvaluation>();
  });
}

static std::string shapeString(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, size] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + "]";
}

LogicalResult sameShape(Operation *op, ArrayRef<Value> values) {
  for (const Value &value : values)
    if (value.shape() != values.front().shape())
      return op->emitOpError("expected operands of one shape, found ")
             << shapeString(values.front().shape()) << " and "
             << shapeString(value.shape());
  return success();
}

LogicalResult finish(Operation *op, Frame &frame, Value value) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  bool fits = type.getRank() == value.rank();
  for (int64_t d = 0; fits && d < type.getRank(); ++d)
    fits = type.isDynamicDim(d) || type.getDimSize(d) == value.dim(d);
  if (!fits)
    return op->emitOpError("expected a result of type ")
           << type << ", found shape " << shapeString(value.shape());
  return frame.set(op->getResult(0), std::move(value));
}

FailureOr<Value> makeResult(Operation *op, ArrayRef<int64_t> shape) {
  __int128 count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return op->emitOpError("expected sizes that are not negative, found ")
             << shapeString(shape);
    count *= size;
    if (count > kMaxElements)
      return op->emitOpError("unsupported: result of shape ")
             << shapeString(shape) << " is too large to evaluate";
  }
  DType dtype = dtypeOf(op->getResult(0).getType());
  if (dtype == DType::none)
    return op->emitOpError("unsupported: evaluation of type ")
           << op->getResult(0).getType();
  return Value::tensor(dtype, shape);
}

SmallVector<int64_t> shapeOf(mlir::Type type, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size) && !sizes.empty()) {
      size = sizes.front();
      sizes = sizes.drop_front();
    }
  return shape;
}

Value tf32Sizes(const Value &value) {
  constexpr double kRoundsToInfinity = 0x1.ffep127;
  Value out = Value::tensor(DType::f64, value.shape());
  mapFloats(value, out, [](double x) {
    double size = std::fabs(x);
    if (std::isinf(x))
      return 0.0;
    return size >= kRoundsToInfinity ? HUGE_VAL : size;
  });
  return out;
}

Value tf32Rest(const Value &value) {
  constexpr double kLeast = 0x1p-136;
  Value out = Value::tensor(DType::f64, value.shape());
  mapFloats(value, out, [](double x) {
    double size = std::fabs(x);
    return size < kLeast ? 0.0 : size;
  });
  return out;
}

void markLostTerms(const Value &rest, Value &sizes) {
  for (int64_t i = 0; i < sizes.size(); ++i)
    if (double left = rest.as<double>()[i]; std::isnan(left))
      sizes.as<double>()[i] = left;
}

Value magnitudes(const Value &value) {
  Value out = Value::tensor(DType::f64, value.shape());
  mapFloats(value, out,
            [](double x) { return std::isinf(x) ? 0 : std::fabs(x); });
  return out;
}

Value normalMagnitudes(const Value &value) {
  double least = smallestNormal(value.dtype());
  Value out = Value::tensor(DType::f64, value.shape());
  mapFloats(value, out, [&](double x) {
    double size = std::fabs(x);
    return size < least ? 0.0 : size;
  });
  return out;
}

std::vector<double> toDoubles(const Value &value) {
  std::vector<double> result(value.size());
  parallelFor(value.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    loadDoubles(value.dtype(), value.data(), begin, end - begin,
                result.data() + begin);
  });
  return result;
}

void fromDoubles(ArrayRef<double> from, Value &value) {
  parallelFor(value.size(), 1 << 16, [&](int64_t begin, int64_t end) {
    storeDoubles(value.dtype(), value.mutableData(), begin, end - begin,
                 from.data() + begin);
  });
}

} // namespace kiln::eval
