// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of kinds.td as a plug-in: what its operations say by interfaces, how some are evaluated, and no lowering.
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Register.h"
#include "kiln/Interfaces/Composite.h"
#include "kiln/Interfaces/OrdersElements.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include <algorithm>

#include "kinds.dialect.h.inc"
#define GET_OP_CLASSES
#include "kinds.ops.h.inc"

#include "kinds.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "kinds.ops.cpp.inc"

using namespace mlir;
using namespace kiln;

void kinds::KindsDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "kinds.ops.cpp.inc"
      >();
}

namespace kinds {
static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

Value PickOp::getAccessedView() { return getView(); }
AccessKind PickOp::getAccessKind() { return AccessKind::Read; }
void PickOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  ArrayRef<int64_t> shape = typeOf(getResult()).getShape();
  axes.push_back({OpFoldResult(), false, shape[0], 1, 0, getRows()});
  axes.push_back({OpFoldResult(getColumn()), false, shape[1], 1, 1, {}});
}

Value AddToOp::getAccessedView() { return getView(); }
AccessKind AddToOp::getAccessKind() { return AccessKind::Update; }
OpOperand *AddToOp::getWrittenOperand() { return &getValueMutable(); }
void AddToOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  ArrayRef<int64_t> shape = typeOf(getValue()).getShape();
  axes.push_back({OpFoldResult(getRow()), false, shape[0], 1, 0, {}});
  axes.push_back({OpFoldResult(getColumn()), false, shape[1], 1, 1, {}});
}

Value BumpOp::getAccessedPointers() { return getPointers(); }
AccessKind BumpOp::getAccessKind() { return AccessKind::Update; }
Value BumpOp::getStoredElements() { return getValue(); }

void RunningOp::buildExpansion(OpBuilder &b, SmallVectorImpl<Value> &results) {
  RankedTensorType type = typeOf(getSource());
  auto scan = tile::ScanOp::create(b, getLoc(), TypeRange{type}, ValueRange{getSource()}, /*axis=*/1, /*reverse=*/false);
  Type element = type.getElementType();
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&scan.getCombiner(), {}, {element, element}, {getLoc(), getLoc()});
  Value sum = arith::AddFOp::create(b, getLoc(), body->getArgument(0), body->getArgument(1));
  tile::YieldOp::create(b, getLoc(), ValueRange{sum});
  results.push_back(scan.getResult(0));
}

int64_t PrefixOp::getFoldedAxis() { return 1; }
bool PrefixOp::keepsAxis() { return true; }
bool PrefixOp::isOrderedFold() { return true; }

void ArrangeOp::buildExpansion(OpBuilder &b, SmallVectorImpl<Value> &results) {
  results.push_back(tile::SortOp::create(b, getLoc(), getSource(), /*axis=*/1, /*descending=*/true));
}
} // namespace kinds

namespace {
/// Elements of f32, each by itself.
struct KindsEvaluation : eval::EvaluationInterface {
  explicit KindsEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<kinds::PickOp>([](kinds::PickOp op, eval::Frame &frame) {
      const eval::View &view = frame.get(op.getView()).view();
      const eval::Value &rows = frame.get(op.getRows());
      eval::Value out = eval::Value::tensor(view.dtype, kinds::typeOf(op.getResult()).getShape());
      for (int64_t i = 0; i < out.dim(0); ++i)
        for (int64_t j = 0; j < out.dim(1); ++j) {
          int64_t row = rows.as<int32_t>()[i], column = frame.getInt(op.getColumn()) + j;
          float &to = out.as<float>()[i * out.dim(1) + j];
          to = 0;
          if (row < 0 || row >= view.sizes[0] || column < 0 || column >= view.sizes[1])
            continue;
          eval::Box box{&view, {row, column}, {1, 1}, {1, 1}};
          if (failed(eval::checkAccess(op, frame.instance, box, eval::Access::read)))
            return failure();
          SmallVector<int64_t, 4> strides;
          to = *reinterpret_cast<float *>(eval::boxAddress(box, strides));
        }
      return frame.set(op.getResult(), std::move(out));
    });
    add<kinds::RunningOp>([](kinds::RunningOp op, eval::Frame &frame) {
      const eval::Value &source = frame.get(op.getSource());
      eval::Value out = eval::Value::tensor(source.dtype(), source.shape());
      for (int64_t i = 0; i < out.dim(0); ++i) {
        double sum = 0;
        for (int64_t j = 0; j < out.dim(1); ++j) {
          sum += source.as<float>()[i * out.dim(1) + j];
          out.as<float>()[i * out.dim(1) + j] = float(sum);
        }
      }
      return frame.set(op.getResult(), std::move(out));
    });
    add<kinds::ArrangeOp>([](kinds::ArrangeOp op, eval::Frame &frame) {
      const eval::Value &source = frame.get(op.getSource());
      eval::Value out = eval::Value::tensor(source.dtype(), source.shape());
      const float *from = source.as<float>();
      std::copy(from, from + out.dim(0) * out.dim(1), out.as<float>());
      for (int64_t i = 0; i < out.dim(0); ++i) {
        float *row = out.as<float>() + i * out.dim(1);
        std::sort(row, row + out.dim(1), std::greater<float>());
      }
      return frame.set(op.getResult(), std::move(out));
    });
  }
};

void addDialect(DialectRegistry &dialects) {
  dialects.insert<kinds::KindsDialect>();
  dialects.addExtension(+[](MLIRContext *, kinds::KindsDialect *dialect) { dialect->addInterfaces<KindsEvaluation>(); });
}

void registerAll(target::TargetRegistry &registry) {
  registry.addDialects(addDialect);
  eval::addEvaluation(addDialect);
}
} // namespace

KILN_TARGET_PLUGIN("kinds", "1.0", registerAll)
