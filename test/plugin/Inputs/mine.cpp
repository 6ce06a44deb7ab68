// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of mine.td as a plug-in: interfaces, evaluation, and nothing about any target. It has no lowerings.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include "kiln/Eval/Register.h"
#include "kiln/Target/Plugin.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "mine.dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mine.attrs.h.inc"
#define GET_OP_CLASSES
#include "mine.ops.h.inc"

#include "mine.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "mine.attrs.cpp.inc"
#define GET_OP_CLASSES
#include "mine.ops.cpp.inc"

using namespace mlir;
using namespace kiln;

void mine::MineDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "mine.ops.cpp.inc"
      >();
}

void mine::MineDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mine.attrs.cpp.inc"
      >();
}

namespace mine {
static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

Value FetchOp::getAccessedView() { return getView(); }
AccessKind FetchOp::getAccessKind() { return AccessKind::Read; }
void FetchOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  ArrayRef<int64_t> shape = typeOf(getResult()).getShape();
  axes.push_back({OpFoldResult(getRow()), false, shape[1], 1, 1, {}});
  axes.push_back({OpFoldResult(getColumn()), false, shape[0], 1, 0, {}});
}
LogicalResult FetchOp::setElementOffsets(ArrayRef<Value> offsets) {
  getRowMutable().assign(offsets[0]);
  getColumnMutable().assign(offsets[1]);
  return success();
}
double FetchOp::getElementOperations() { return 1; }

Value QuietOp::getAccessedView() { return getView(); }
AccessKind QuietOp::getAccessKind() { return AccessKind::Read; }
void QuietOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  axes.push_back({OpFoldResult(getRow()), false, typeOf(getResult()).getDimSize(0), 1, 0, {}});
}
Value UnpaddedOp::getAccessedView() { return getView(); }
AccessKind UnpaddedOp::getAccessKind() { return AccessKind::Read; }
void UnpaddedOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  axes.push_back({OpFoldResult(getRow()), false, typeOf(getResult()).getDimSize(0), int64_t(getStep()), 0, {}});
}
Outside UnpaddedOp::getOutside() { return Outside::Value; }

Value PushOp::getAccessedView() { return getView(); }
AccessKind PushOp::getAccessKind() { return AccessKind::Write; }
OpOperand *PushOp::getWrittenOperand() { return &getValueMutable(); }
void PushOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  ArrayRef<int64_t> shape = typeOf(getValue()).getShape();
  axes.push_back({OpFoldResult(getRow()), true, shape[0], 1, 0, {}});
  axes.push_back({OpFoldResult(getColumn()), true, shape[1], 1, 1, {}});
}

OpOperand &MmaOp::getLhsOperand() { return getLhsMutable(); }
OpOperand &MmaOp::getRhsOperand() { return getRhsMutable(); }
OpOperand *MmaOp::getAccOperand() { return &getAccMutable(); }
unsigned MmaOp::getNumSummedDims() { return 1; }
OperandRead MmaOp::getIndexMap(OpOperand &operand, unsigned) {
  Builder b(getContext());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1), k = b.getAffineDimExpr(2);
  unsigned number = operand.getOperandNumber();
  return {AffineMap::get(3, 0, {number == 1 ? k : m, number == 0 ? k : n}, getContext()), IntegerSet()};
}
Accumulation MmaOp::getAccumulation() { return Accumulation::sumOver({typeOf(getLhs()).getDimSize(1)}); }
bool MmaOp::areZerosNeutral() { return true; }

OpOperand &ContractOp::getLhsOperand() { return getLhsMutable(); }
OpOperand &ContractOp::getRhsOperand() { return getRhsMutable(); }
OpOperand *ContractOp::getAccOperand() { return getAcc() ? &getAccMutable()[0] : nullptr; }
unsigned ContractOp::getNumSummedDims() { return 1; }
OperandRead ContractOp::getIndexMap(OpOperand &operand, unsigned) {
  unsigned number = operand.getOperandNumber(), rank = typeOf(getResult()).getRank();
  return {number == 0   ? getLhsMap()
          : number == 1 ? getRhsMap()
                        : AffineMap::getMultiDimIdentityMap(rank + 1, getContext()).dropResult(rank),
          IntegerSet()};
}
/// The size of the summed dimension, which both maps name.
static int64_t summedSize(ContractOp op) {
  unsigned rank = typeOf(op.getResult()).getRank();
  return typeOf(op.getLhs()).getDimSize(
      *op.getLhsMap().getResultPosition(getAffineDimExpr(rank, op.getContext())));
}
Accumulation ContractOp::getAccumulation() { return Accumulation::sumOver({summedSize(*this)}); }
bool ContractOp::areZerosNeutral() { return true; }

OperandRead WindowOp::getIndexMap(OpOperand &, unsigned) {
  Builder b(getContext());
  AffineExpr column = b.getAffineDimExpr(1) + static_cast<int64_t>(getFrom());
  return {AffineMap::get(2, 0, {b.getAffineDimExpr(0), column}, getContext()), IntegerSet()};
}
bool WindowOp::movesElements() { return true; }

int64_t LanesAttr::getNumTileDims() const { return -1; }
int64_t LanesAttr::getNumPlaceDims() const { return 2; }
void LanesAttr::getPlace(ArrayRef<int64_t> shape, ArrayRef<int64_t> at, SmallVectorImpl<int64_t> &place) const {
  int64_t linear = 0;
  for (auto [size, i] : llvm::zip(shape, at))
    linear = linear * size + i;
  place.push_back(linear % getLanes());
  place.push_back(linear / getLanes());
}
} // namespace mine

namespace {
/// Float elements, each by itself: what the specification says, nothing clever.
struct MineEvaluation : eval::EvaluationInterface {
  explicit MineEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<mine::FetchOp>([](mine::FetchOp op, eval::Frame &frame) {
      const eval::View &view = frame.get(op.getView()).view();
      eval::Value out = eval::Value::tensor(view.dtype, mine::typeOf(op.getResult()).getShape());
      for (int64_t i = 0; i < out.dim(0); ++i)
        for (int64_t j = 0; j < out.dim(1); ++j) {
          int64_t row = frame.getInt(op.getRow()) + j, column = frame.getInt(op.getColumn()) + i;
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
    add<mine::PushOp>([](mine::PushOp op, eval::Frame &frame) {
      const eval::View &view = frame.get(op.getView()).view();
      const eval::Value &value = frame.get(op.getValue());
      for (int64_t i = 0; i < value.dim(0); ++i)
        for (int64_t j = 0; j < value.dim(1); ++j) {
          int64_t row = frame.getInt(op.getRow()) * value.dim(0) + i;
          int64_t column = frame.getInt(op.getColumn()) * value.dim(1) + j;
          if (row >= view.sizes[0] || column >= view.sizes[1])
            continue;
          eval::Box box{&view, {row, column}, {1, 1}, {1, 1}};
          if (failed(eval::checkAccess(op, frame.instance, box, eval::Access::write)))
            return failure();
          SmallVector<int64_t, 4> strides;
          *reinterpret_cast<float *>(eval::boxAddress(box, strides)) = value.as<float>()[i * value.dim(1) + j];
        }
      return success();
    });
    add<mine::ContractOp>([](mine::ContractOp op, eval::Frame &frame) {
      const eval::Value &lhs = frame.get(op.getLhs()), &rhs = frame.get(op.getRhs());
      ArrayRef<int64_t> shape = mine::typeOf(op.getResult()).getShape();
      eval::Value out = eval::Value::tensor(lhs.dtype(), shape);
      auto element = [](const eval::Value &value, AffineMap map, ArrayRef<int64_t> at) {
        int64_t place = 0;
        for (auto [n, coordinate] : llvm::enumerate(map.compose(at)))
          place = place * value.dim(n) + coordinate;
        return double(value.as<float>()[place]);
      };
      for (int64_t n = 0; n < out.size(); ++n) {
        SmallVector<int64_t> at(shape.size() + 1);
        for (int64_t d = shape.size() - 1, left = n; d >= 0; left /= shape[d--])
          at[d] = left % shape[d];
        double sum = op.getAcc() ? frame.get(op.getAcc()).as<float>()[n] : 0;
        for (at.back() = 0; at.back() < mine::summedSize(op); ++at.back())
          sum += element(lhs, op.getLhsMap(), at) * element(rhs, op.getRhsMap(), at);
        out.as<float>()[n] = sum;
      }
      return frame.set(op.getResult(), std::move(out));
    });
    add<mine::MmaOp>([](mine::MmaOp op, eval::Frame &frame) {
      const eval::Value &lhs = frame.get(op.getLhs()), &rhs = frame.get(op.getRhs()), &acc = frame.get(op.getAcc());
      eval::Value out = eval::Value::tensor(acc.dtype(), acc.shape());
      for (int64_t i = 0; i < out.dim(0); ++i)
        for (int64_t j = 0; j < out.dim(1); ++j) {
          double sum = acc.as<float>()[i * out.dim(1) + j];
          for (int64_t k = 0; k < lhs.dim(1); ++k)
            sum += double(lhs.as<float>()[i * lhs.dim(1) + k]) * rhs.as<float>()[k * rhs.dim(1) + j];
          out.as<float>()[i * out.dim(1) + j] = sum;
        }
      return frame.set(op.getResult(), std::move(out));
    });
    add<mine::WindowOp>([](mine::WindowOp op, eval::Frame &frame) {
      const eval::Value &source = frame.get(op.getSource());
      eval::Value out = eval::Value::tensor(source.dtype(), mine::typeOf(op.getResult()).getShape());
      for (int64_t i = 0; i < out.dim(0); ++i)
        for (int64_t j = 0; j < out.dim(1); ++j)
          out.as<float>()[i * out.dim(1) + j] = source.as<float>()[i * source.dim(1) + j + op.getFrom()];
      return frame.set(op.getResult(), std::move(out));
    });
  }
};

void addDialect(DialectRegistry &dialects) {
  dialects.insert<mine::MineDialect>();
  dialects.addExtension(+[](MLIRContext *, mine::MineDialect *dialect) { dialect->addInterfaces<MineEvaluation>(); });
}

void registerAll(target::TargetRegistry &registry) {
  registry.addDialects(addDialect);
  eval::addEvaluation(addDialect);
}
} // namespace

KILN_TARGET_PLUGIN("mine", "1.0", registerAll)
