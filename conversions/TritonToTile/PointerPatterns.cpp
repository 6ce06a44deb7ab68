// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers, the memory behind them, and atomics.
#include "Hints.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

struct ConvertBitcast : OpConversionPattern<tt::BitcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    Type from = adaptor.getSrc().getType();
    if (isa<tile::PtrType>(getElementTypeOrSelf(type)))
      rewriter.replaceOpWithNewOp<tile::PtrCastOp>(op, type, adaptor.getSrc());
    else if (from == type)
      rewriter.replaceOp(op, adaptor.getSrc());
    else
      rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, adaptor.getSrc());
    return success();
  }
};

bool isBlockPointer(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

/// Pointers are in memory as their addresses.
Type asAddress(Type type) {
  if (!isa<tile::PtrType>(getElementTypeOrSelf(type)))
    return type;
  Type address = IntegerType::get(type.getContext(), 64);
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(address)) : address;
}
Value asAddress(OpBuilder &builder, Location loc, Value value) {
  Type type = asAddress(value.getType());
  if (type == value.getType())
    return value;
  return tile::PtrToIntOp::create(builder, loc, type, value);
}

Value fromAddress(OpBuilder &builder, Location loc, Value value, Type type) {
  if (type == value.getType())
    return value;
  return tile::IntToPtrOp::create(builder, loc, type, value);
}

struct ConvertLoad : OpConversionPattern<tt::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isBlockPointer(op.getPtr().getType()))
      return failure();
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    Value other = op.getOther() ? adaptor.getOther().front() : Value();
    Type type = getTypeConverter()->convertType(op.getType());
    Type stored = asAddress(type);
    if (other)
      other = asAddress(rewriter, op.getLoc(), other);
    // Disabled lanes without another value read as zero.
    if (mask && !other) {
      if (TypedAttr zero = rewriter.getZeroAttr(stored))
        other = arith::ConstantOp::create(rewriter, op.getLoc(), zero);
    }
    Value loaded = tile::LoadPtrOp::create(
        rewriter, op.getLoc(), stored, adaptor.getPtr().front(), mask, other,
        op.getIsVolatile(), convertCache(op.getCache()),
        convertEvict(op.getEvict()));
    rewriter.replaceOp(op, fromAddress(rewriter, op.getLoc(), loaded, type));
    return success();
  }
};

struct ConvertStore : OpConversionPattern<tt::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isBlockPointer(op.getPtr().getType()))
      return failure();
    Value mask = op.getMask() ? adaptor.getMask().front() : Value();
    rewriter.replaceOpWithNewOp<tile::StorePtrOp>(
        op, adaptor.getPtr().front(),
        asAddress(rewriter, op.getLoc(), adaptor.getValue().front()), mask,
        convertCache(op.getCache()), convertEvict(op.getEvict()));
    return success();
  }
};

tile::MemoryOrder convertOrder(tt::MemSemantic order) {
  switch (order) {
  case tt::MemSemantic::relaxed:
    return tile::MemoryOrder::relaxed;
  case tt::MemSemantic::acquire:
    return tile::MemoryOrder::acquire;
  case tt::MemSemantic::release:
    return tile::MemoryOrder::release;
  case tt::MemSemantic::acq_rel:
    return tile::MemoryOrder::acq_rel;
  }
  return tile::MemoryOrder::acq_rel;
}

tile::MemoryScope convertScope(tt::MemSyncScope scope) {
  switch (scope) {
  case tt::MemSyncScope::cta:
    return tile::MemoryScope::instance;
  case tt::MemSyncScope::gpu:
    return tile::MemoryScope::device;
  case tt::MemSyncScope::sys:
    return tile::MemoryScope::system;
  }
  return tile::MemoryScope::system;
}

tile::AtomicKind convertKind(tt::RMWOp kind) {
  switch (kind) {
  case tt::RMWOp::and_:
    return tile::AtomicKind::and_;
  case tt::RMWOp::or_:
    return tile::AtomicKind::or_;
  case tt::RMWOp::xor_:
    return tile::AtomicKind::xor_;
  case tt::RMWOp::add:
    return tile::AtomicKind::add;
  case tt::RMWOp::fadd:
    return tile::AtomicKind::fadd;
  case tt::RMWOp::max:
    return tile::AtomicKind::max;
  case tt::RMWOp::min:
    return tile::AtomicKind::min;
  case tt::RMWOp::umax:
    return tile::AtomicKind::umax;
  case tt::RMWOp::umin:
    return tile::AtomicKind::umin;
  case tt::RMWOp::exch:
    return tile::AtomicKind::exchange;
  }
  return tile::AtomicKind::exchange;
}

struct ConvertAtomicRMW : OpConversionPattern<tt::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = asAddress(rewriter, op.getLoc(), adaptor.getVal());
    Value old = tile::AtomicRMWOp::create(
        rewriter, op.getLoc(), value.getType(),
        convertKind(op.getAtomicRmwOp()), convertOrder(op.getSem()),
        convertScope(op.getScope()), adaptor.getPtr(), value,
        adaptor.getMask());
    // As after a load, disabled lanes have zero: kernels count with what is
    // there, and drop it by the mask only where they store.
    if (adaptor.getMask() && !matchPattern(op.getMask(), m_One()) &&
        !op.getResult().use_empty()) {
      Value zero = arith::ConstantOp::create(
          rewriter, op.getLoc(), rewriter.getZeroAttr(value.getType()));
      old = arith::SelectOp::create(rewriter, op.getLoc(), adaptor.getMask(),
                                    old, zero);
    }
    rewriter.replaceOp(op, fromAddress(rewriter, op.getLoc(), old,
                                       adaptor.getVal().getType()));
    return success();
  }
};

struct ConvertAtomicCAS : OpConversionPattern<tt::AtomicCASOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AtomicCASOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value compare = asAddress(rewriter, op.getLoc(), adaptor.getCmp());
    Value value = asAddress(rewriter, op.getLoc(), adaptor.getVal());
    Value old = tile::AtomicCASOp::create(
        rewriter, op.getLoc(), value.getType(), convertOrder(op.getSem()),
        convertScope(op.getScope()), adaptor.getPtr(), compare, value);
    rewriter.replaceOp(op, fromAddress(rewriter, op.getLoc(), old,
                                       adaptor.getVal().getType()));
    return success();
  }
};

/// Waits in a loop: exchanges the expected value with itself until it is there.
struct ConvertAtomicPoll : OpConversionPattern<tt::AtomicPollOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tt::AtomicPollOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value expected = adaptor.getExpected();
    if (!expected.getType().isSignlessInteger() ||
        cast<tt::PointerType>(op.getPtr().getType()).getPointeeType() !=
            expected.getType())
      return rewriter.notifyMatchFailure(op, "expected an integer");
    if (op.getResult() && op.getResult().getType() != expected.getType())
      return rewriter.notifyMatchFailure(op, "expected the value as result");
    Location loc = op.getLoc();
    auto loop = scf::WhileOp::create(rewriter, loc, TypeRange(), ValueRange(),
                                     nullptr, nullptr);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToEnd(loop.getBeforeBody());
      Value found = tile::AtomicCASOp::create(
          rewriter, loc, expected.getType(), convertOrder(op.getSem()),
          convertScope(op.getScope()), adaptor.getPtr(), expected, expected);
      Value differs = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ne, found, expected);
      scf::ConditionOp::create(rewriter, loc, differs, ValueRange());
      rewriter.setInsertionPointToEnd(loop.getAfterBody());
      scf::YieldOp::create(rewriter, loc);
    }
    if (op.getResult())
      rewriter.replaceOp(op, expected);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populatePointerPatterns(const TypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<Rename<tt::IntToPtrOp, tile::IntToPtrOp>,
               Rename<tt::PtrToIntOp, tile::PtrToIntOp>, ConvertBitcast,
               Rename<tt::AddPtrOp, tile::PtrAddOp>, ConvertLoad, ConvertStore,
               ConvertAtomicRMW, ConvertAtomicCAS, ConvertAtomicPoll>(
      converter, patterns.getContext());
}

} // namespace kiln::triton_to_tile
