//===- LowerFloat8.cpp - 8-bit floats become bytes ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For machines without arithmetic on floats of at most 8 bits: they are kept as
// i8, decoded to f32 where an operation reads them and encoded, rounded once,
// where one produces them. Machines that convert some of them keep these
// conversions.
//
//===----------------------------------------------------------------------===//

#include "../PrintedTypes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/OrdersElements.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "kiln/Transforms/Tile/SmallFloatCodes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILELOWERFLOAT8
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;
using kiln::tile::SmallFloatCodes;
using kiln::tile::SmallFloatFormat;

namespace {
bool isFloat8(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) &&
         cast<FloatType>(getElementTypeOrSelf(type)).getWidth() <= 8;
}

/// The type with bytes in the place of 8-bit floats.
Type asBytes(Type type) {
  Type byte = IntegerType::get(type.getContext(), 8);
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    Type element = asBytes(tile.getElementType());
    return element == tile.getElementType() ? type : Type(tile.clone(element));
  }
  if (auto view = dyn_cast<tile::ViewType>(type))
    return isFloat8(view.getElementType())
               ? tile::ViewType::get(type.getContext(), view.getShape(), byte,
                                     view.getStrides())
               : type;
  if (auto pointer = dyn_cast<tile::PtrType>(type))
    return isFloat8(pointer.getElementType())
               ? tile::PtrType::get(type.getContext(), byte)
               : type;
  return isFloat8(type) ? byte : type;
}

class Float8Lowering {
public:
  Float8Lowering(tile::KernelOp kernel, target::TargetAttr description,
                 bool combines)
      : kernel(kernel), b(kernel.getContext()), combines(combines) {
    DictionaryAttr extra = description ? description.getExtra() : nullptr;
    if (auto list = extra ? extra.getAs<ArrayAttr>("converted") : nullptr)
      for (TypeAttr type : list.getAsRange<TypeAttr>())
        converted.insert(type.getValue());
  }

  LogicalResult run() {
    widenFolds();
    collect();
    if (!touched)
      return success();
    retype();
    for (Use &use : uses)
      if (failed(rewrite(use)))
        return failure();
    return success();
  }

private:
  /// An operation that computes with 8-bit floats, and its types before they
  /// change.
  struct Use {
    Operation *op;
    SmallVector<Type> operands, results;
    bool takesFactors;
  };

  /// Sums and orders of 8-bit floats are those of f32, rounded once at the end.
  void widenFolds() {
    SmallVector<Operation *> folds;
    kernel.walk([&](Operation *op) {
      tile::FoldOpInterface reduce = tile::asReduction(op);
      // An ordered fold rounds at each step.
      bool isFold =
          op->hasTrait<OrdersElements>() || (reduce && !reduce.isOrderedFold());
      if (isFold && llvm::any_of(op->getOperandTypes(), isFloat8))
        folds.push_back(op);
    });
    Type f32 = b.getF32Type();
    for (Operation *op : folds) {
      b.setInsertionPoint(op);
      for (OpOperand &operand : op->getOpOperands())
        if (isFloat8(operand.get().getType()))
          operand.set(arith::ExtFOp::create(b, op->getLoc(),
                                            like(operand.get().getType(), f32),
                                            operand.get()));
      for (Region &region : op->getRegions()) {
        for (BlockArgument argument : region.getArguments())
          if (isFloat8(argument.getType()))
            argument.setType(f32);
        region.walk([&](Operation *inner) {
          for (Value result : inner->getResults())
            if (isFloat8(result.getType()))
              result.setType(f32);
        });
      }
      b.setInsertionPointAfter(op);
      for (Value result : op->getResults()) {
        Type narrow = result.getType();
        if (!isFloat8(narrow))
          continue;
        result.setType(like(narrow, f32));
        auto back = arith::TruncFOp::create(b, op->getLoc(), narrow, result);
        result.replaceAllUsesExcept(back, back);
      }
    }
  }

  void collect() {
    kernel.walk([&](Operation *op) {
      auto changes = [](Type type) { return asBytes(type) != type; };
      bool any = llvm::any_of(op->getResultTypes(), changes) ||
                 llvm::any_of(op->getOperandTypes(), changes);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          any |= llvm::any_of(block.getArgumentTypes(), changes);
      touched |= any;
      bool computes = llvm::any_of(op->getResultTypes(), isFloat8) ||
                      llvm::any_of(op->getOperandTypes(), isFloat8);
      if (computes &&
          (OpTrait::hasElementwiseMappableTraits(op) ||
           isa<arith::ConstantOp, tile::ConvertFloatOp, tile::AtomicRMWOp,
               MatrixProductOpInterface, ViewAccessOpInterface>(op)))
        uses.push_back({op, llvm::to_vector(op->getOperandTypes()),
                        llvm::to_vector(op->getResultTypes()),
                        takesFactors(op)});
    });
  }

  void retype() {
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        result.setType(asBytes(result.getType()));
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument argument : block.getArguments())
            argument.setType(asBytes(argument.getType()));
    });
    kernel.setFunctionType(
        b.getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));
  }

  LogicalResult rewrite(Use &use) {
    Operation *op = use.op;
    b.setInsertionPoint(op);
    loc = op->getLoc();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Attribute value = constant.getValue();
      auto code = [](const APFloat &number) {
        return number.bitcastToAPInt().zext(8);
      };
      if (auto dense = dyn_cast<DenseElementsAttr>(value))
        constant.setValueAttr(cast<TypedAttr>(Attribute(
            cast<DenseFPElementsAttr>(dense).mapValues(b.getI8Type(), code))));
      else
        constant.setValueAttr(b.getIntegerAttr(
            b.getI8Type(), code(cast<FloatAttr>(value).getValue())));
      return success();
    }
    if (tile::combineOf(op) != tile::Combine::assign)
      return markCombined(op, "a store that combines", use.operands.front());
    if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op)) {
      if (atomic.getKind() == tile::AtomicKind::exchange)
        return success();
      if (atomic.getKind() == tile::AtomicKind::fadd)
        atomic.setKind(tile::AtomicKind::add);
      return markCombined(op, "an atomic operation on", use.results.front());
    }
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && load.getPadding() == tile::Padding::nan) {
      int64_t code =
          SmallFloatFormat::of(getElementTypeOrSelf(use.results.front())).nan;
      load.setPadding(tile::Padding::value);
      load.getPadMutable().assign(make<arith::ConstantOp>(
          b.getIntegerAttr(b.getI8Type(), APInt(8, code))));
      return success();
    }
    if (auto access = dyn_cast<ViewAccessOpInterface>(op)) {
      if (access.isRead() && access.getOutside() == Outside::NaN)
        return op->emitError()
               << "unsupported: padding of 8-bit floats with NaN; pad with "
                  "another value, or load a wider type";
      return success();
    }
    if (isa<arith::SelectOp>(op))
      return success();
    if (isa<arith::BitcastOp>(op)) {
      if (op->getOperand(0).getType() == op->getResult(0).getType()) {
        op->getResult(0).replaceAllUsesWith(op->getOperand(0));
        op->erase();
      }
      return success();
    }
    if (changeSign(use))
      return success();
    if (use.takesFactors) {
      for (auto [i, type] : llvm::enumerate(use.operands))
        if (isFloat8(type))
          op->setOperand(i, make<arith::BitcastOp>(type, op->getOperand(i)));
      return success();
    }
    bool isConversion =
        isa<arith::ExtFOp, arith::TruncFOp>(op) || explicitly(op);
    if (isConversion)
      if (succeeded(convertAsItIs(use)) || succeeded(widen(use)))
        return success();
    for (auto [i, type] : llvm::enumerate(use.operands))
      if (isFloat8(type))
        op->setOperand(i,
                       decode(op->getOperand(i), getElementTypeOrSelf(type)));
    if (isa<MatrixProductOpInterface>(op))
      return success();
    if (isa<math::IsNormalOp>(op)) {
      replaceIsNormal(op, getElementTypeOrSelf(use.operands.front()));
      return success();
    }
    bool narrows = llvm::any_of(use.results, isFloat8);
    if (isConversion)
      return narrow(use);
    if (!narrows)
      return success();
    // Computed in f32, then rounded.
    b.setInsertionPointAfter(op);
    for (auto [result, type] : llvm::zip_equal(op->getResults(), use.results)) {
      if (!isFloat8(type))
        continue;
      result.setType(like(result.getType(), b.getF32Type()));
      Value encoded = encode(result, getElementTypeOrSelf(type),
                             /*saturate=*/false, /*towardZero=*/false);
      result.replaceUsesWithIf(encoded, [&](OpOperand &other) {
        return !created.contains(other.getOwner());
      });
    }
    return success();
  }

  /// Leaves arithmetic in memory to the code generator, which sees bytes.
  LogicalResult markCombined(Operation *op, StringRef what, Type floats) {
    if (!combines)
      return op->emitError() << "unsupported: " << what << " 8-bit floats";
    tile::setFact(op, tile::kCombinedAsFact,
                  TypeAttr::get(getElementTypeOrSelf(floats)));
    return success();
  }

  /// Whether an operation is a product that may have its factors as they are:
  /// one that may be summed imprecisely.
  bool takesFactors(Operation *op) {
    auto product = dyn_cast<MatrixProductOpInterface>(op);
    return product && product.getImpreciseTerms() &&
           product.getProductType().getElementType().isF32() &&
           isConverted(product.getLhsOperand().get().getType()) &&
           isConverted(product.getRhsOperand().get().getType());
  }

  /// The conversion that says how it rounds; null for others.
  static tile::ConvertFloatOp explicitly(Operation *op) {
    return dyn_cast<tile::ConvertFloatOp>(op);
  }

  /// The same conversion between the machine's own types, where it has it.
  LogicalResult convertAsItIs(const Use &use) {
    Operation *op = use.op;
    Type from = use.operands.front(), to = use.results.front();
    tile::ConvertFloatOp stated = explicitly(op);
    if (stated && (stated.getSaturate() ||
                   stated.getRounding() != tile::Rounding::nearest_even))
      return failure();
    if (isFloat8(from) == isFloat8(to) ||
        !isConverted(isFloat8(from) ? from : to))
      return failure();
    Value value = op->getOperand(0);
    if (isFloat8(from))
      value = make<arith::ExtFOp>(to, make<arith::BitcastOp>(from, value));
    else
      value = make<arith::BitcastOp>(like(to, b.getI8Type()),
                                     make<arith::TruncFOp>(to, value));
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  /// A conversion of bytes to a wider type.
  LogicalResult widen(const Use &use) {
    Operation *op = use.op;
    Type from = getElementTypeOrSelf(use.operands.front());
    Type to = getElementTypeOrSelf(use.results.front());
    if (!isFloat8(from) || isFloat8(to))
      return failure();
    Value value = decodeAs(op->getOperand(0), from, to);
    tile::ConvertFloatOp stated = explicitly(op);
    if (stated && stated.getSaturate())
      value = withoutInfinity(value);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  /// Whether the machine converts these floats.
  bool isConverted(Type type) {
    return converted.contains(getElementTypeOrSelf(type));
  }

  /// The largest number of its sign in the place of infinity, or of what is
  /// larger than those of a narrower type.
  Value withoutInfinity(Value value, FloatType narrow = {}) {
    auto type = cast<FloatType>(getElementTypeOrSelf(value.getType()));
    if (!narrow)
      narrow = type;
    auto limit = [&](bool negative) {
      TypedAttr attr = b.getFloatAttr(
          type, APFloat::getLargest(narrow.getFloatSemantics(), negative)
                    .convertToDouble());
      if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
        attr = DenseElementsAttr::get(tile, Attribute(attr));
      return make<arith::ConstantOp>(attr);
    };
    return make<arith::MaximumFOp>(make<arith::MinimumFOp>(value, limit(false)),
                                   limit(true));
  }

  /// Whether decoded bytes are normal numbers of their own type.
  void replaceIsNormal(Operation *op, Type element) {
    int least = APFloat::semanticsMinExponent(
        cast<FloatType>(element).getFloatSemantics());
    Value size = make<math::AbsFOp>(op->getOperand(0));
    Value large =
        make<arith::CmpFOp>(arith::CmpFPredicate::OGE, size,
                            f32(size.getType(), std::ldexp(1.0f, least)));
    Value finite = make<arith::CmpFOp>(
        arith::CmpFPredicate::OLT, size,
        f32(size.getType(), std::numeric_limits<float>::infinity()));
    op->getResult(0).replaceAllUsesWith(make<arith::AndIOp>(large, finite));
    op->erase();
  }

  /// Changes of signs are changes of bytes, so that NaN keep their bits; not
  /// where the sign of zero means NaN.
  bool changeSign(Use &use) {
    Operation *op = use.op;
    if (!isa<arith::NegFOp, math::AbsFOp, math::CopySignOp>(op))
      return false;
    auto format = SmallFloatFormat::of(getElementTypeOrSelf(use.results[0]));
    if (format.unsignedZero || format.isScale)
      return false;
    int64_t sign = format.sign();
    Value x = op->getOperand(0);
    auto byte = [&](int64_t bits) {
      Attribute attr = b.getIntegerAttr(b.getI8Type(), APInt(8, uint8_t(bits)));
      if (auto tile = dyn_cast<RankedTensorType>(x.getType()))
        attr = DenseElementsAttr::get(tile, attr);
      return make<arith::ConstantOp>(cast<TypedAttr>(attr));
    };
    Value result;
    if (isa<arith::NegFOp>(op)) {
      result = make<arith::XOrIOp>(x, byte(sign));
    } else {
      result = make<arith::AndIOp>(x, byte(sign - 1));
      if (isa<math::CopySignOp>(op))
        result = make<arith::OrIOp>(
            result, make<arith::AndIOp>(op->getOperand(1), byte(sign)));
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return true;
  }

  /// A conversion to bytes.
  LogicalResult narrow(Use &use) {
    Operation *op = use.op;
    Value value = op->getOperand(0);
    Type element = getElementTypeOrSelf(value.getType());
    if (element.isF64())
      value = roundToOdd(value);
    else if (!element.isF32())
      value = make<arith::ExtFOp>(like(value.getType(), b.getF32Type()), value);
    tile::ConvertFloatOp stated = explicitly(op);
    Value result =
        encode(value, getElementTypeOrSelf(use.results.front()),
               stated && stated.getSaturate(),
               stated && stated.getRounding() == tile::Rounding::toward_zero);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return success();
  }

  // --- Small helpers on scalars or tiles -----------------------------------
  Type like(Type shape, Type element) {
    if (auto tile = dyn_cast<RankedTensorType>(shape))
      return tile.clone(element);
    return element;
  }
  template <typename OpT, typename... Args> Value make(Args &&...args) {
    auto op = OpT::create(b, loc, std::forward<Args>(args)...);
    created.insert(op);
    return op->getResult(0);
  }
  Value i32(Type shape, int64_t value) {
    Type type = like(shape, b.getI32Type());
    Attribute attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto tile = dyn_cast<RankedTensorType>(type))
      attr = DenseElementsAttr::get(tile, attr);
    return make<arith::ConstantOp>(cast<TypedAttr>(attr));
  }
  Value f32(Type shape, float value) {
    Type type = like(shape, b.getF32Type());
    Attribute attr = b.getF32FloatAttr(value);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      attr = DenseElementsAttr::get(tile, attr);
    return make<arith::ConstantOp>(cast<TypedAttr>(attr));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return make<arith::CmpIOp>(predicate, x, y);
  }

  /// f64 as f32: where it is no number of f32 the neighbour towards zero with
  /// its last bit set, so that only the rounding to fewer bits counts.
  Value roundToOdd(Value value) {
    Type type = value.getType();
    Value near = make<arith::TruncFOp>(like(type, b.getF32Type()), value);
    Value back = make<arith::ExtFOp>(type, near);
    Value inexact = make<arith::CmpFOp>(arith::CmpFPredicate::ONE, back, value);
    Value isAway =
        make<arith::CmpFOp>(arith::CmpFPredicate::OGT, make<math::AbsFOp>(back),
                            make<math::AbsFOp>(value));
    Value bits = make<arith::BitcastOp>(like(type, b.getI32Type()), near);
    Value less = make<arith::SelectOp>(
        isAway, make<arith::SubIOp>(bits, i32(type, 1)), bits);
    Value odd = make<arith::OrIOp>(less, i32(type, 1));
    bits = make<arith::SelectOp>(inexact, odd, bits);
    return make<arith::BitcastOp>(near.getType(), bits);
  }

  /// The f32 value of each byte.
  Value decode(Value bytes, Type element) {
    if (isConverted(element))
      return make<arith::ExtFOp>(
          like(bytes.getType(), b.getF32Type()),
          make<arith::BitcastOp>(like(bytes.getType(), element), bytes));
    return SmallFloatCodes(b, loc, created).decode(bytes, element);
  }

  /// The value of each byte in f16, bf16, f32 or f64, rounded where that has
  /// fewer numbers.
  Value decodeAs(Value bytes, Type element, Type wanted) {
    Type type = like(bytes.getType(), wanted);
    Type halves = like(bytes.getType(), b.getI16Type());
    // The first byte of an f16 is an f8E5M2.
    if (wanted.isF16() && isa<Float8E5M2Type>(element)) {
      TypedAttr eight = b.getI16IntegerAttr(8);
      if (auto tile = dyn_cast<RankedTensorType>(halves))
        eight = DenseElementsAttr::get(tile, Attribute(eight));
      Value code = make<arith::ExtUIOp>(halves, bytes);
      return make<arith::BitcastOp>(
          type, make<arith::ShLIOp>(code, make<arith::ConstantOp>(eight)));
    }
    Value number = decode(bytes, element);
    if (wanted.isF32())
      return number;
    // bf16 has all numbers of at most 8 bits: the first half of those in f32.
    if (wanted.isBF16()) {
      Value bits = make<arith::BitcastOp>(like(type, b.getI32Type()), number);
      Value half = make<arith::TruncIOp>(
          halves, make<arith::ShRUIOp>(bits, i32(type, 16)));
      return make<arith::BitcastOp>(type, half);
    }
    if (wanted.isF64())
      return make<arith::ExtFOp>(type, number);
    return make<arith::TruncFOp>(type, number);
  }

  /// The byte of each f32 value.
  Value encode(Value value, Type element, bool saturate, bool towardZero) {
    if (isConverted(element) && !towardZero) {
      if (saturate)
        value = withoutInfinity(value, cast<FloatType>(element));
      return make<arith::BitcastOp>(
          like(value.getType(), b.getI8Type()),
          make<arith::TruncFOp>(like(value.getType(), element), value));
    }
    return SmallFloatCodes(b, loc, created)
        .encode(value, element, saturate, towardZero);
  }

  tile::KernelOp kernel;
  OpBuilder b;
  Location loc = UnknownLoc::get(b.getContext());
  SmallVector<Use> uses;
  llvm::DenseSet<Operation *> created;
  llvm::SmallPtrSet<Type, 2> converted; ///< by the machine
  bool touched = false;
  bool combines; ///< the code generator does in memory
};

struct TileLowerFloat8 : tile::impl::TileLowerFloat8Base<TileLowerFloat8> {
  using TileLowerFloat8Base::TileLowerFloat8Base;

  void runOnOperation() override {
    tile::keepPrintedTypes(getOperation());
    target::TargetAttr description = target::getDescription(getOperation());
    if (failed(Float8Lowering(getOperation(), description, combine).run()))
      signalPassFailure();
  }
};
} // namespace
