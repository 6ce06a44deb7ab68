// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tensor, memref, ub and cf: what the levels use of them.
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult setDim(Operation *op, Frame &frame, ArrayRef<int64_t> shape,
                     int64_t dim) {
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return op->emitOpError("expected a dimension in [0, ")
           << shape.size() << "), found " << dim;
  return frame.set(op->getResult(0), Value::ofIndex(shape[dim]));
}

LogicalResult extract(tensor::ExtractOp op, Frame &frame) {
  const Value &a = frame.get(op.getTensor());
  auto strides = rowMajorStrides(a.shape());
  int64_t index = 0;
  for (auto [d, i] : llvm::enumerate(frame.getInts(op.getIndices()))) {
    if (i < 0 || i >= a.dim(d))
      return op.emitOpError("expected an index in [0, ")
             << a.dim(d) << ") in dimension " << d << ", found " << i;
    index += i * strides[d];
  }
  return frame.set(op.getResult(), a.element(index));
}

LogicalResult fromElements(tensor::FromElementsOp op, Frame &frame) {
  Value out = Value::like(op.getType());
  int64_t index = 0;
  for (mlir::Value element : op.getElements()) {
    const Value &value = frame.get(element);
    int64_t bytes = runtime::dtypeBytes(out.dtype());
    std::memcpy(out.as<char>() + index * bytes, value.data(), bytes);
    if (value.hasPoison())
      out.makePoison()[index] = 1;
    ++index;
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult castTensor(tensor::CastOp op, Frame &frame) {
  Value value = frame.get(op.getSource());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  for (unsigned d = 0; type && d < value.rank(); ++d)
    if (!type.isDynamicDim(d) && type.getDimSize(d) != value.dim(d))
      return op.emitOpError("expected size ")
             << type.getDimSize(d) << " in dimension " << d << ", found "
             << value.dim(d);
  return frame.set(op.getResult(), std::move(value));
}

struct TensorEvaluation : EvaluationInterface {
  explicit TensorEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<tensor::DimOp>([](tensor::DimOp op, Frame &frame) {
      return setDim(op, frame, frame.get(op.getSource()).shape(),
                    frame.getInt(op.getIndex()));
    });
    add<tensor::CastOp>(castTensor);
    add<tensor::ExtractOp>(extract);
    add<tensor::FromElementsOp>(fromElements);
  }
};

/// The sizes, offsets or strides of an operation, static or not.
SmallVector<int64_t> mixed(ArrayRef<OpFoldResult> values, Frame &frame) {
  SmallVector<int64_t> result;
  for (OpFoldResult value : values)
    result.push_back(isa<Attribute>(value)
                         ? cast<IntegerAttr>(cast<Attribute>(value)).getInt()
                         : frame.getInt(cast<mlir::Value>(value)));
  return result;
}

LogicalResult subview(memref::SubViewOp op, Frame &frame) {
  View view = frame.get(op.getSource()).view();
  auto offsets = mixed(op.getMixedOffsets(), frame);
  auto sizes = mixed(op.getMixedSizes(), frame);
  auto strides = mixed(op.getMixedStrides(), frame);
  int64_t bytes = runtime::dtypeBytes(view.dtype);
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t last = offsets[d] + (sizes[d] - 1) * strides[d];
    if (sizes[d] < 0 || (sizes[d] > 0 && (offsets[d] < 0 || last < 0 ||
                                          offsets[d] >= view.sizes[d] ||
                                          last >= view.sizes[d])))
      return op.emitOpError("expected elements in [0, ")
             << view.sizes[d] << ") in dimension " << d << ", found "
             << offsets[d] << " to " << last;
    view.byteOffset += offsets[d] * view.strides[d] * bytes;
    view.strides[d] *= strides[d];
    view.sizes[d] = sizes[d];
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d)
    if (dropped.test(d)) {
      view.sizes.erase(view.sizes.begin() + d);
      view.strides.erase(view.strides.begin() + d);
    }
  return frame.set(op.getResult(), Value::ofView(std::move(view)));
}

/// Other sizes for elements that lie one behind the other.
LogicalResult reinterpret(memref::ReinterpretCastOp op, Frame &frame) {
  View view = frame.get(op.getSource()).view();
  auto offsets = mixed(op.getMixedOffsets(), frame);
  auto sizes = mixed(op.getMixedSizes(), frame);
  auto strides = mixed(op.getMixedStrides(), frame);
  auto type = cast<MemRefType>(op.getSource().getType());
  if (!type.getLayout().isIdentity())
    return op.emitOpError("unsupported: evaluation on a memref with gaps");
  int64_t count = 1, last = offsets[0];
  for (int64_t size : view.sizes)
    count *= size;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    last += (size - 1) * stride;
  if (offsets[0] < 0 || last < 0 || last >= count)
    return op.emitOpError("expected elements in [0, ")
           << count << "), found " << offsets[0] << " to " << last;
  view.byteOffset += offsets[0] * runtime::dtypeBytes(view.dtype);
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.assign(strides.begin(), strides.end());
  return frame.set(op.getResult(), Value::ofView(std::move(view)));
}

struct MemRefEvaluation : EvaluationInterface {
  explicit MemRefEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<memref::DimOp>([](memref::DimOp op, Frame &frame) {
      return setDim(op, frame, frame.get(op.getSource()).view().sizes,
                    frame.getInt(op.getIndex()));
    });
    add<memref::SubViewOp>(subview);
    add<memref::ReinterpretCastOp>(reinterpret);
    add<memref::CastOp>([](memref::CastOp op, Frame &frame) {
      return frame.set(op.getResult(), frame.get(op.getSource()));
    });
  }
};

struct UbEvaluation : EvaluationInterface {
  explicit UbEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<ub::PoisonOp>([](ub::PoisonOp op, Frame &frame) -> LogicalResult {
      auto shaped = dyn_cast<ShapedType>(op.getType());
      if (dtypeOf(op.getType()) == DType::none ||
          (shaped && !shaped.hasStaticShape()))
        return op.emitOpError("unsupported: evaluation of type ")
               << op.getType();
      Value value = Value::like(op.getType());
      std::memset(value.mutableData(), 0, value.bytes());
      std::fill_n(value.makePoison(), value.size(), 1);
      return frame.set(op.getResult(), std::move(value));
    });
  }
};

struct AssertEvaluation : EvaluationInterface {
  explicit AssertEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<cf::AssertOp>([](cf::AssertOp op, Frame &frame) -> LogicalResult {
      if (frame.get(op.getArg()).as<uint8_t>()[0])
        return success();
      return op.emitError() << op.getMsg();
    });
  }
};

} // namespace

void registerShapedEvaluation(DialectRegistry &registry) {
  registry.insert<tensor::TensorDialect, memref::MemRefDialect, ub::UBDialect,
                  cf::ControlFlowDialect>();
  registry.addExtension(+[](MLIRContext *, tensor::TensorDialect *dialect) {
    dialect->addInterfaces<TensorEvaluation>();
  });
  registry.addExtension(+[](MLIRContext *, memref::MemRefDialect *dialect) {
    dialect->addInterfaces<MemRefEvaluation>();
  });
  registry.addExtension(+[](MLIRContext *, ub::UBDialect *dialect) {
    dialect->addInterfaces<UbEvaluation>();
  });
  registry.addExtension(+[](MLIRContext *, cf::ControlFlowDialect *dialect) {
    dialect->addInterfaces<AssertEvaluation>();
  });
}

} // namespace kiln::eval
