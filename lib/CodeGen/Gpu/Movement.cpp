//===- Movement.cpp - Operations that move elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only changes places of elements by their bits is an exchange between
// layouts, a renaming of registers where threads have what they need.
// Everything else goes through the memory of the block.
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "KernelWalk.h"
#include "Pairs.h"
#include "kiln/Interfaces/IndexMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

Value KernelWalk::evaluate(AffineExpr expr, ValueRange dims,
                           ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return c32(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return narrow(symbols[symbol.getPosition()]);
  auto pair = cast<AffineBinaryOpExpr>(expr);
  Value lhs = evaluate(pair.getLHS(), dims, symbols);
  Value rhs = evaluate(pair.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return b.createOrFold<arith::CeilDivSIOp>(loc, lhs, rhs);
  default: // Mod is never negative.
    return sub(lhs,
               mul(b.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs), rhs));
  }
}

/// The coordinates that a map of dimensions, zeros and row-major reshapes of
/// sizes that are powers of two takes one basis to; nothing for other maps.
static std::optional<LayoutAttr::Basis> mapBasis(AffineMap map,
                                                 ArrayRef<int64_t> basis) {
  SmallVector<int64_t> dims(basis);
  dims.resize(map.getNumDims(), 0);
  auto at = map.compose(dims);
  return LayoutAttr::Basis(at);
}

/// Whether exclusive or of coordinates goes through a map: it takes each of
/// its results from bits of dimensions.
static bool isLinearOverBits(AffineMap map, ArrayRef<int64_t> from,
                             ArrayRef<int64_t> to) {
  if (map.getNumSymbols())
    return false;
  bool simple = llvm::all_of(map.getResults(), [](AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue() == 0;
    return isa<AffineDimExpr>(expr);
  });
  if (simple)
    return true;
  // Reshapes: sizes that are powers of two, and as many elements.
  auto powers = [](ArrayRef<int64_t> shape) {
    return llvm::all_of(shape,
                        [](int64_t n) { return llvm::isPowerOf2_64(n); });
  };
  return powers(from) && powers(to) &&
         ShapedType::getNumElements(from) == ShapedType::getNumElements(to);
}

namespace {
/// An operation that only changes places of elements by their bits.
struct BitMove {
  Value source;
  ExchangeWay way;
};
} // namespace

static std::optional<BitMove> bitMoveOf(Operation *op,
                                        const BlockShape &block) {
  if (op->getNumResults() != 1)
    return std::nullopt;
  LayoutAttr layout = getLayout(op->getResult(0));
  auto shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  OpOperand *operand = nullptr;
  for (OpOperand &candidate : op->getOpOperands())
    if (isa<RankedTensorType>(candidate.get().getType())) {
      if (operand)
        return std::nullopt;
      operand = &candidate;
    }
  if (!operand)
    return std::nullopt;
  auto sourceType = cast<RankedTensorType>(operand->get().getType());
  LayoutAttr source = getLayout(operand->get());
  OperandRead read = getOperandRead(*operand);
  bool isReshape = isa<tile::ReshapeOp>(op);
  if (!read || read.domain ||
      !isLinearOverBits(read.map, shape, sourceType.getShape()) ||
      (isReshape &&
       ShapedType::getNumElements(shape) != sourceType.getNumElements()))
    return std::nullopt;
  // A broadcast reads size 1 at 0.
  auto change = [&](ArrayRef<int64_t> basis) {
    LayoutAttr::Basis at = *mapBasis(read.map, basis);
    for (auto [n, size] : llvm::zip_equal(at, sourceType.getShape()))
      if (size == 1)
        n = 0;
    return at;
  };
  // Where the elements of the operand are, and where the result has them.
  auto have = getLinearLayout(source, sourceType.getShape(), block.laneBits(),
                              block.warpBits());
  auto result =
      getLinearLayout(layout, shape, block.laneBits(), block.warpBits());
  layout::LinearLayout wanted({}, have.getOutputs());
  for (StringRef level : kExchangeLevels) {
    SmallVector<layout::LinearLayout::Basis> bases;
    for (const auto &basis : result.getBases(level)) {
      LayoutAttr::Basis at = change(ArrayRef<int64_t>(basis));
      bases.emplace_back(at.begin(), at.end());
    }
    wanted.setBases(level, bases);
  }
  Type element = ThreadBuilder::scalarType(sourceType.getElementType());
  auto way = chooseExchange(have, wanted,
                            8 * ThreadBuilder::storedBytes(element), block);
  if (!way)
    return std::nullopt;
  return BitMove{operand->get(), std::move(*way)};
}

ScratchNeeds simt::movementNeeds(Operation *op, const BlockShape &block) {
  if (cast<IndexMapOpInterface>(op).getGeneratedElement())
    return {};
  if (auto pairs = dyn_cast<tile::ExchangeOp>(op))
    if (auto needs = pairNeeds(pairs, block))
      return *needs;
  if (auto move = bitMoveOf(op, block))
    return move->way.needs(block);
  SmallVector<int64_t> places;
  return {{ThreadBuilder::placeTiles(op->getOperands(), places)}};
}

LogicalResult KernelWalk::emitThroughShared(Operation *op) {
  auto moved = cast<IndexMapOpInterface>(op);
  SmallVector<Value> symbolValues, symbols;
  moved.getIndexSymbols(symbolValues);
  for (Value value : symbolValues)
    symbols.push_back(scalar(value));
  // Each operand at a place of its own.
  SmallVector<int64_t> places;
  int64_t start = scratch(placeTiles(op->getOperands(), places));
  for (auto [operand, place] : llvm::zip_equal(op->getOperands(), places))
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      writeTile(start + place, registers(operand), getLayout(operand),
                type.getShape());
  barrier();
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    LayoutAttr layout = getLayout(result);
    Type element = scalarType(type.getElementType());
    Regs regs;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
      SmallVector<Value> at;
      for (int64_t d = 0; d < type.getRank(); ++d)
        at.push_back(coordinate(layout, reg, d));
      Value value;
      for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
        auto source = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!source)
          continue;
        OperandRead read = getOperandRead(operand, result.getResultNumber());
        if (!read)
          return decline(op, op->getName().getStringRef());
        SmallVector<Value> where;
        for (auto [expr, size] :
             llvm::zip_equal(read.map.getResults(), source.getShape())) {
          if (size == 1) {
            where.push_back(c32(0));
            continue;
          }
          Value n = evaluate(expr, at, symbols);
          // Beyond the tile, or for another operand: anything, but in bounds.
          where.push_back(and_(n, c32(int64_t(llvm::PowerOf2Ceil(size)) - 1)));
        }
        Value read_ = readElement(start + places[i],
                                  position(where, source.getShape()), element);
        if (!value) {
          value = read_;
          continue;
        }
        Value here;
        if (read.domain) {
          for (auto [k, constraint] :
               llvm::enumerate(read.domain.getConstraints())) {
            Value n = evaluate(constraint, at, symbols);
            here = both(here,
                        compare(read.domain.isEq(k) ? arith::CmpIPredicate::eq
                                                    : arith::CmpIPredicate::sge,
                                n, c32(0)));
          }
        }
        value = select(here, read_, value);
      }
      regs.push_back(value);
    }
    define(result, std::move(regs));
  }
  return success();
}

LogicalResult KernelWalk::emitMovement(Operation *op) {
  auto moved = cast<IndexMapOpInterface>(op);
  AffineMap generated = moved.getGeneratedElement();
  if (!generated) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !getLayout(operand))
        return op->emitOpError("has a tile without a layout");
    auto pairs = dyn_cast<tile::ExchangeOp>(op);
    if (pairs && exchangePairs(*this, pairs))
      return success();
    auto move = bitMoveOf(op, shape);
    if (!move)
      return emitThroughShared(op);
    Value result = op->getResult(0);
    Type type = scalarType(getElementTypeOrSelf(move->source.getType()));
    define(result, Exchange(*this, move->way, type)
                       .run(registers(move->source),
                            getLayout(result).getNumRegisters()));
    return success();
  }
  LayoutAttr layout = getLayout(op->getResult(0));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (Value fill = getFillValue(op)) {
    define(op->getResult(0), Regs(layout.getNumRegisters(), scalar(fill)));
    return success();
  }
  SmallVector<Value> symbolValues, symbols;
  moved.getIndexSymbols(symbolValues);
  for (Value value : symbolValues)
    symbols.push_back(scalar(value));
  Type element = scalarType(type.getElementType());
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at;
    for (int64_t d = 0; d < type.getRank(); ++d)
      at.push_back(coordinate(layout, reg, d));
    Value value = evaluate(generated.getResult(0), at, symbols);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits > 32)
      value = b.createOrFold<arith::ExtSIOp>(loc, element, value);
    else if (bits < 32)
      value = b.createOrFold<arith::TruncIOp>(loc, element, value);
    regs.push_back(value);
  }
  define(op->getResult(0), std::move(regs));
  return success();
}

ScratchNeeds simt::gatherNeeds(tile::GatherOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  return {
      {ThreadBuilder::tileBytes(source.getShape(), source.getElementType())}};
}

LogicalResult KernelWalk::emitGather(tile::GatherOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(op.getType());
  LayoutAttr layout = getLayout(op.getResult());
  if (getLayout(op.getIndices()) != layout)
    return op.emitOpError("has indices of another layout than its result");
  int64_t start =
      scratch(tileBytes(source.getShape(), source.getElementType()));
  writeTile(start, registers(op.getSource()), getLayout(op.getSource()),
            source.getShape());
  barrier();
  Regs regs;
  for (auto [reg, index] : llvm::enumerate(registers(op.getIndices()))) {
    SmallVector<Value> at;
    for (int64_t d = 0; d < type.getRank(); ++d)
      at.push_back(coordinate(layout, reg, d));
    Value n = index;
    unsigned bits = n.getType().getIntOrFloatBitWidth();
    if (bits < 32)
      n = b.createOrFold<arith::ExtSIOp>(loc, b.getI32Type(), n);
    n = narrow(n);
    int64_t size = source.getShape()[op.getAxis()];
    // What lies outside is undefined behaviour; it stays in the tile.
    at[op.getAxis()] = and_(n, c32(int64_t(llvm::PowerOf2Ceil(size)) - 1));
    regs.push_back(readElement(start, position(at, source.getShape()),
                               scalarType(type.getElementType())));
  }
  define(op.getResult(), std::move(regs));
  return success();
}

/// The register that holds the element in every thread, or -1.
static int64_t registerOf(tensor::ExtractOp op) {
  auto source = cast<RankedTensorType>(op.getTensor().getType());
  LayoutAttr layout = getLayout(op.getTensor());
  SmallVector<int64_t> constants;
  for (auto [index, size] : llvm::zip_equal(op.getIndices(), source.getShape()))
    if (std::optional<int64_t> n =
            size == 1 ? std::optional<int64_t>(0) : getConstantIntValue(index))
      constants.push_back(*n);
  auto isZero = [](int64_t n) { return n == 0; };
  if (int64_t(constants.size()) != source.getRank() ||
      !llvm::all_of(layout.getLanes(), isZero) ||
      !llvm::all_of(layout.getWarps(), isZero))
    return -1;
  return KernelWalk::registerAt(layout, constants);
}

ScratchNeeds simt::extractNeeds(tensor::ExtractOp op) {
  if (op.getIndices().empty() || registerOf(op) >= 0)
    return {};
  auto source = cast<RankedTensorType>(op.getTensor().getType());
  return {
      {ThreadBuilder::tileBytes(source.getShape(), source.getElementType())}};
}

/// One element, for every thread.
LogicalResult KernelWalk::emitExtract(tensor::ExtractOp op) {
  auto source = cast<RankedTensorType>(op.getTensor().getType());
  LayoutAttr layout = getLayout(op.getTensor());
  if (int64_t reg = registerOf(op); reg >= 0) {
    define(op.getResult(), registers(op.getTensor())[reg]);
    return success();
  }
  int64_t start =
      scratch(tileBytes(source.getShape(), source.getElementType()));
  writeTile(start, registers(op.getTensor()), layout, source.getShape());
  barrier();
  SmallVector<Value> at;
  for (auto [index, size] : llvm::zip_equal(op.getIndices(), source.getShape()))
    // What lies outside is undefined behaviour; it stays in the tile.
    at.push_back(and_(narrow(scalar(index)),
                      c32(int64_t(llvm::PowerOf2Ceil(size)) - 1)));
  define(op.getResult(),
         uniform(readElement(start, position(at, source.getShape()),
                             scalarType(source.getElementType()))));
  return success();
}
