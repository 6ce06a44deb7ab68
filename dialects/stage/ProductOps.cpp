//===- ProductOps.cpp - Matrix products -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/ProductOps.h"
#include "Async.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::stage;
using namespace kiln::tile;

/// The sum: a token or nothing for storage, a fragment or its future.
static Type sumType(bool async, Type acc) {
  auto fragment = dyn_cast<RankedTensorType>(getAwaitedType(acc));
  if (!async)
    return fragment;
  return fragment ? Type(FutureType::get(acc.getContext(), fragment))
                  : TokenType::get(acc.getContext());
}

static ParseResult parseSumType(OpAsmParser &parser, UnitAttr async, Type acc,
                                Type &result) {
  acc = getAwaitedType(acc);
  auto fragment = dyn_cast<RankedTensorType>(acc);
  if (fragment && (!fragment.hasStaticShape() || !fragment.getEncoding()))
    return parser.emitError(parser.getNameLoc())
           << "expected an accumulator of static shape with an encoding, or in "
              "storage, found "
           << acc;
  result = sumType(static_cast<bool>(async), acc);
  return success();
}

static void printSumType(OpAsmPrinter &, Operation *, UnitAttr, Type, Type) {}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/ProductOps.cpp.inc"

void StageDialect::registerProductOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stage/ProductOps.cpp.inc"
      >();
}

ShapedType ProductOp::getFactorType(int which) {
  if (std::optional<Type> as = which == 0 ? getLhsAs() : getRhsAs())
    return cast<ShapedType>(*as);
  Type type = getFactor(which).getType();
  if (auto view = dyn_cast<kiln::tile::ViewType>(type))
    return MemRefType::get(view.getShape(), view.getElementType());
  return cast<ShapedType>(type);
}

ShapedType ProductOp::getAccType() {
  return cast<ShapedType>(getAwaitedType(getAcc().getType()));
}

std::array<int64_t, 3> ProductOp::getSizes() {
  if (auto block = getBlock())
    return {(*block)[0], (*block)[1], (*block)[2]};
  auto acc = getAccType().getShape();
  return {acc[acc.size() - 2], acc.back(), getFactorType(0).getShape().back()};
}

static bool isFloatAccumulator(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

/// (C3) The element types are those of tile.dot, or wider integers.
static LogicalResult verifyElements(ProductOp op, Type lhs, Type rhs,
                                    Type acc) {
  auto isNarrower = [&](Type factor) {
    return factor.getIntOrFloatBitWidth() <= acc.getIntOrFloatBitWidth();
  };
  auto isOperand = [](Type type) {
    return type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
           type.isSignlessInteger(32) || type.isSignlessInteger(64);
  };
  bool isFloat = isa<FloatType>(lhs) && isa<FloatType>(rhs);
  if (isa<FloatType>(lhs) || isa<FloatType>(rhs)) {
    if (!isFloat || !isFloatAccumulator(acc) || !isNarrower(lhs) ||
        !isNarrower(rhs))
      return op.emitOpError()
             << "expected operands of floats and an accumulator of f16, bf16, "
                "f32 or f64 at least as wide, found "
             << lhs << ", " << rhs << " and " << acc;
  } else if (!isOperand(lhs) || !isOperand(rhs) ||
             (!acc.isSignlessInteger(32) && !acc.isSignlessInteger(64))) {
    return op.emitOpError()
           << "expected operands of i8 to i64 and an accumulator of i32 "
              "or i64, found "
           << lhs << ", " << rhs << " and " << acc;
  }
  if (op.getInputPrecision() != InputPrecision::ieee &&
      (!lhs.isF32() || !rhs.isF32()))
    return op.emitOpError() << "expected f32 operands with precision '"
                            << stringifyInputPrecision(op.getInputPrecision())
                            << "', found " << lhs;
  if ((op.getLhsUnsigned() || op.getRhsUnsigned()) && isFloat)
    return op.emitOpError() << "expected integer operands with 'lhs_unsigned' "
                               "or 'rhs_unsigned', found "
                            << lhs;
  return success();
}

/// (C8) What a factor is read as is its storage, by other names.
static LogicalResult verifyTile(ProductOp op, int which) {
  std::optional<Type> as = which == 0 ? op.getLhsAs() : op.getRhsAs();
  bool isTransposed =
      which == 0 ? op.getLhsTransposed() : op.getRhsTransposed();
  StringRef name = which == 0 ? "lhs" : "rhs";
  if (!as)
    return isTransposed ? op.emitOpError()
                              << "expected '" << name << "_as' with '" << name
                              << "_transposed'"
                        : success();
  auto storage = dyn_cast<MemRefType>(op.getFactor(which).getType());
  bool isWhole =
      (which == 0 ? op.getLhsOrigin() : op.getRhsOrigin()).empty() && storage;
  auto tile = cast<RankedTensorType>(*as);
  auto widthOf = [](Type element) {
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  SmallVector<int64_t> shape(tile.getShape());
  if (isTransposed)
    std::reverse(shape.begin(), shape.end());
  if (!isWhole || storage.getShape() != ArrayRef(shape) ||
      widthOf(storage.getElementType()) != widthOf(tile.getElementType()))
    return op.emitOpError()
           << "expected '" << name << "_as' to be the tile of whole storage, "
           << "found " << tile << " for " << op.getFactor(which).getType();
  return success();
}

/// (C1) All operands are fragments with one number of matrices.
static LogicalResult verifyBatch(ProductOp op, ArrayRef<ShapedType> types) {
  auto isFragment = [](ShapedType type) {
    return isa<RankedTensorType>(type) && type.getRank() == 3;
  };
  if (!llvm::all_of(types, isFragment))
    return op.emitOpError()
           << "expected operands of rank 2, or fragments of "
              "rank 3, found "
           << types[0] << ", " << types[1] << " and " << types[2];
  for (ShapedType type : types)
    if (type.getDimSize(0) != types[2].getDimSize(0))
      return op.emitOpError() << "expected " << types[2].getDimSize(0)
                              << " matrices, found " << type;
  return success();
}

LogicalResult ProductOp::verify() {
  OperandRange origins[] = {getLhsOrigin(), getRhsOrigin(), getAccOrigin()};
  Type types[] = {getLhs().getType(), getRhs().getType(), getAccType()};
  ArrayRef<int64_t> shapes[3];
  Type elements[3];
  ShapedType factors[] = {getFactorType(0), getFactorType(1),
                          cast<ShapedType>(types[2])};
  bool isBatch = llvm::any_of(llvm::seq(0, 3), [&](int which) {
    return isa<RankedTensorType>(types[which]) && factors[which].getRank() == 3;
  });
  if (isBatch && failed(verifyBatch(*this, factors)))
    return failure();
  for (auto [type, factor, origin, shape, element] :
       llvm::zip(types, factors, origins, shapes, elements)) {
    // (C1) Rank 2, or more with an origin, which storage and views have.
    shape = factor.getShape();
    element = factor.getElementType();
    bool isView = isa<kiln::tile::ViewType>(type);
    if (isBatch)
      continue;
    if (shape.size() < 2 || ((shape.size() > 2 || isView) && origin.empty()))
      return emitOpError() << "expected operands of rank 2, found " << type;
    if (!origin.empty() &&
        (origin.size() != shape.size() || isa<RankedTensorType>(type)))
      return emitOpError() << "expected "
                           << (shape.size() == 2 ? "two"
                                                 : std::to_string(shape.size()))
                           << " coordinates, of storage, found "
                           << origin.size() << " of " << type;
  }
  // (C2) The sizes are positive and within the operands.
  if (auto block = getBlock())
    if (block->size() != 3 ||
        llvm::any_of(*block, [](int64_t size) { return size < 1; }))
      return emitOpError() << "expected 'block' to be three positive sizes";
  auto [m, n, k] = getSizes();
  bool countsM = static_cast<bool>(getRows()),
       countsN = static_cast<bool>(getColumns()),
       countsK = static_cast<bool>(getDepth());
  std::pair<int64_t, bool> sizes[3][2] = {{{m, countsM}, {k, countsK}},
                                          {{k, countsK}, {n, countsN}},
                                          {{m, countsM}, {n, countsN}}};
  for (int which = 0; which < 3; ++which)
    for (int d = 0; d < 2; ++d) {
      auto [size, isCounted] = sizes[which][d];
      int64_t there = shapes[which][shapes[which].size() - 2 + d];
      bool isFragment = isa<RankedTensorType>(types[which]);
      if (ShapedType::isDynamic(there) ||
          (isCounted && (getBlock() || (which == 1 && d == 0))))
        continue;
      if (isFragment ? size != there : size > there)
        return emitOpError()
               << "expected a product of " << m << "x" << n << "x" << k
               << " to lie within its operands, found " << types[which];
    }
  // (C5) The depths agree, or it is said which counts.
  int64_t steps = shapes[1][shapes[1].size() - 2];
  if (!getBlock() && !getDepth() && shapes[0].back() != steps)
    return emitOpError() << "expected rhs to have " << shapes[0].back()
                         << " rows, found " << steps;
  // (C6) One row of the accumulator's type.
  if (getMinus()) {
    MemRefType row = getMinus().getType();
    ArrayRef<int64_t> shape = row.getShape();
    if (!isa<IntegerType>(elements[2]) || row.getElementType() != elements[2] ||
        shape.size() != shapes[2].size() || shape.back() < n ||
        llvm::any_of(shape.drop_back(), [](int64_t d) { return d != 1; }))
      return emitOpError() << "expected 'minus' to be a row of " << n << " "
                           << elements[2] << ", found " << row;
  }
  if (failed(verifyTile(*this, 0)) || failed(verifyTile(*this, 1)))
    return failure();
  // (C9) An instruction may compute the transpose.
  if (getExchanged() && !getRow())
    return emitOpError() << "expected 'exchanged' with an instruction";
  if (int64_t(getMaxImpreciseAcc()) < 0)
    return emitOpError() << "expected 'max_imprecise_acc' not to be negative";
  // (C7) Fragments are values.
  if (getFresh() && !isa<MemRefType>(types[2]))
    return emitOpError() << "expected 'fresh' with an accumulator in storage, "
                            "found "
                         << types[2];
  // (C4) The result follows from the accumulator, which may be in flight.
  if (isa<FutureType>(getAcc().getType()) && !getAsync())
    return emitOpError() << "expected 'async' with an accumulator that is a "
                            "future";
  Type expected = sumType(getAsync(), types[2]);
  if (expected != (getResult() ? getResult().getType() : Type())) {
    InFlightDiagnostic diagnostic = emitOpError();
    if (expected)
      diagnostic << "expected a result of type " << expected;
    else
      diagnostic << "expected no result with an accumulator in storage";
    return diagnostic;
  }
  return verifyElements(*this, elements[0], elements[1], elements[2]);
}

void ProductOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<MemRefType, kiln::tile::ViewType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  for (OpOperand &minus : getMinusMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &minus);
  if (!isa<MemRefType>(getAcc().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getAccMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
}
