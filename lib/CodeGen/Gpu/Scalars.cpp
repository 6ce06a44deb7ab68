//===- Scalars.cpp - Arithmetic on scalars and elements -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Math/Divisions.h"
#include "kiln/Target/Declines.h"
#include "kiln/Target/ForeignOperation.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <map>

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// A cast between index, which is i64 here, and other integers.
static FailureOr<Value> castIndex(ThreadWriter &w, Operation *op, Value value) {
  bool isSigned = isa<arith::IndexCastOp>(op);
  Type to = ThreadBuilder::scalarType(
      getElementTypeOrSelf(op->getResult(0).getType()));
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from == width)
    return value;
  if (from > width)
    return w.b.createOrFold<arith::TruncIOp>(w.loc, to, value);
  if (isSigned)
    return w.b.createOrFold<arith::ExtSIOp>(w.loc, to, value);
  return w.b.createOrFold<arith::ExtUIOp>(w.loc, to, value);
}

/// A copy of `op` on values of one element, folded where it is constant.
static SmallVector<Value> copyOnto(ThreadWriter &w, Operation *op,
                                   ValueRange operands) {
  OperationState state(w.loc, op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(w.scalarType(getElementTypeOrSelf(type)));
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(target::kReportedAttr);
  state.addAttributes(attributes);
  Operation *made = w.b.create(state);
  SmallVector<Value> folded;
  if (succeeded(w.b.tryFold(made, folded)) && !folded.empty()) {
    made->erase();
    return folded;
  }
  return SmallVector<Value>(made->getResults());
}

FailureOr<SmallVector<Value>> ThreadWriter::elementwise(Operation *op,
                                                        ValueRange operands) {
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    FailureOr<Value> cast = castIndex(*this, op, operands[0]);
    if (failed(cast))
      return failure();
    return SmallVector<Value>{*cast};
  }
  // Floats that are their bits here are moved, no more.
  auto isBits = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isa<FloatType>(element) && !LLVM::isCompatibleType(element);
  };
  if (llvm::any_of(op->getOperandTypes(), isBits) ||
      llvm::any_of(op->getResultTypes(), isBits)) {
    if (isa<arith::BitcastOp>(op))
      return SmallVector<Value>{operands[0]};
    // What is left of conversions is what the target converts by itself.
    Type from = getElementTypeOrSelf(op->getOperand(0).getType());
    Type to = getElementTypeOrSelf(op->getResult(0).getType());
    if (isa<arith::ExtFOp>(op)) {
      Value value = arith::BitcastOp::create(b, loc, from, operands[0]);
      value = arith::ExtFOp::create(b, loc, to, value);
      return SmallVector<Value>{value};
    }
    if (isa<arith::TruncFOp>(op)) {
      Value value = arith::TruncFOp::create(b, loc, to, operands[0]);
      value = arith::BitcastOp::create(b, loc, scalarType(to), value);
      return SmallVector<Value>{value};
    }
    if (!isa<arith::SelectOp>(op))
      return decline(op, op->getName().getStringRef() + " of 8-bit floats");
  }
  // Lanes whose results are not used may divide by 0.
  if (functions::isDivision(op) &&
      isa<RankedTensorType>(op->getResult(0).getType())) {
    auto divide = [&](Value divisor) {
      return copyOnto(*this, op, {operands[0], divisor}).front();
    };
    return SmallVector<Value>{functions::emitDefinedDivision(
        b, loc, op, operands[0], operands[1], divide)};
  }
  return copyOnto(*this, op, operands);
}

static LogicalResult lowerConstant(arith::ConstantOp op, ThreadWriter &w) {
  auto make = [&](Attribute value) -> Value {
    auto typed = cast<TypedAttr>(value);
    Type type = ThreadBuilder::scalarType(typed.getType());
    if (isa<FloatType>(typed.getType()) && isa<IntegerType>(type))
      typed = w.b.getIntegerAttr(
          type, cast<FloatAttr>(value).getValue().bitcastToAPInt());
    else if (typed.getType().isIndex())
      typed = w.b.getIntegerAttr(type, cast<IntegerAttr>(value).getInt());
    return arith::ConstantOp::create(w.b, w.loc, type, typed);
  };
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    w.define(op.getResult(), make(op.getValue()));
    return success();
  }
  LayoutAttr layout = getLayout(op.getType());
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return w.decline(op, "a constant that is not dense");
  if (elements.isSplat()) {
    Value value = make(elements.getSplatValue<Attribute>());
    w.define(op.getResult(), Regs(layout.getNumRegisters(), value));
    return success();
  }
  // Elements in memory, in row-major order, sizes rounded up.
  Type element = ThreadBuilder::scalarType(type.getElementType());
  Type stored = ThreadBuilder::storedType(element);
  int64_t count = 1;
  for (int64_t size : type.getShape())
    count *= llvm::PowerOf2Ceil(size);
  if (!stored.isIntOrFloat() || stored.getIntOrFloatBitWidth() < 8)
    return w.decline(op, "constants of this element type");
  Type word = w.b.getIntegerType(stored.getIntOrFloatBitWidth());
  SmallVector<APInt> words(count, APInt(word.getIntOrFloatBitWidth(), 0));
  SmallVector<int64_t> at(type.getRank(), 0);
  for (Attribute value : elements.getValues<Attribute>()) {
    int64_t where = 0;
    for (auto [n, size] : llvm::zip_equal(at, type.getShape()))
      where = where * llvm::PowerOf2Ceil(size) + n;
    APInt bits = isa<FloatAttr>(value)
                     ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                     : cast<IntegerAttr>(value).getValue();
    words[where] = bits.zextOrTrunc(word.getIntOrFloatBitWidth());
    for (int64_t d = type.getRank(); d-- > 0;) {
      if (++at[d] < type.getShape()[d])
        break;
      at[d] = 0;
    }
  }
  auto module = w.function->getParentOfType<ModuleOp>();
  std::string name;
  for (unsigned n = 0; module.lookupSymbol(
           name = (w.function.getSymName() + "_constant_" + Twine(n)).str());)
    ++n;
  Value base;
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPoint(w.function);
    auto values =
        DenseElementsAttr::get(RankedTensorType::get({count}, word), words);
    LLVM::GlobalOp::create(w.b, w.loc, LLVM::LLVMArrayType::get(word, count),
                           /*isConstant=*/true, LLVM::Linkage::Private, name,
                           values, /*alignment=*/16, kGlobal);
  }
  base = LLVM::AddressOfOp::create(
      w.b, w.loc, LLVM::LLVMPointerType::get(w.b.getContext(), kGlobal), name);
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> where;
    for (int64_t d = 0; d < type.getRank(); ++d)
      where.push_back(w.coordinate(layout, reg, d));
    Value place =
        w.elementPointer(base, w.position(where, type.getShape()), word);
    Value value = LLVM::LoadOp::create(w.b, w.loc, stored, place);
    regs.push_back(w.fromStored(value, element));
  }
  w.define(op.getResult(), std::move(regs));
  return success();
}

LogicalResult simt::lowerScalar(Operation *op, ThreadWriter &w) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(constant, w);
  if (op->getNumRegions())
    return w.decline(op, target::whyNoLowering(op, w.shape.options.name));
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != arith::ArithDialect::getDialectNamespace() &&
      dialect != math::MathDialect::getDialectNamespace() &&
      !OpTrait::hasElementwiseMappableTraits(op))
    return w.decline(op, target::whyNoLowering(op, w.shape.options.name));
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return w.scalar(value); });
  auto results = w.elementwise(op, operands);
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
    w.define(result, value);
  return success();
}

/// Lengths of the runs along each dimension in which an operation on integers
/// gives one result for different operands, powers of two; empty for operations
/// that cost no more than to find out.
static SmallVector<int64_t> runsOf(Operation *op, ThreadWriter &w) {
  SmallVector<int64_t> runs;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp,
          arith::CmpIOp>(op))
    for (const tile::AxisFacts &axis : w.axes.of(op->getResult(0)).axes)
      runs.push_back(axis.constancy);
  return runs;
}

static LogicalResult lowerElements(Operation *op, ThreadWriter &w) {
  LayoutAttr layout = getLayout(op->getResult(0));
  if (!layout)
    return w.decline(op,
                     "an operation on elements without a tile as its result");
  SmallVector<const Regs *> tileOperands;
  SmallVector<Value> operands(op->getNumOperands());
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    bool isTile = isa<RankedTensorType>(value.getType());
    if (isTile && getLayout(value) != layout)
      return op->emitOpError("expected operands of the result's layout, as "
                             "'simt-assign-layouts' gives them");
    tileOperands.push_back(isTile ? &w.registers(value) : nullptr);
    if (!isTile)
      operands[i] = w.scalar(value);
  }
  SmallVector<Regs> results(op->getNumResults());
  SmallVector<int64_t> runs = runsOf(op, w);
  // The first register of each run, by where runs begin: lanes and warps add
  // the same to all of them.
  std::map<LayoutAttr::Basis, int64_t> first;
  for (int64_t reg = 0, e = layout.getNumRegisters(); reg < e; ++reg) {
    if (!runs.empty()) {
      LayoutAttr::Basis begin = layout.getRegisterOffset(reg);
      for (auto [at, run] : llvm::zip_equal(begin, runs))
        at &= -run;
      auto [found, isNew] = first.insert({begin, reg});
      if (!isNew) {
        results.front().push_back(results.front()[found->second]);
        continue;
      }
    }
    for (auto [i, regs] : llvm::enumerate(tileOperands))
      if (regs)
        operands[i] = (*regs)[reg];
    auto made = w.elementwise(op, operands);
    if (failed(made))
      return failure();
    for (auto [list, value] : llvm::zip_equal(results, *made))
      list.push_back(value);
  }
  for (auto [result, regs] : llvm::zip_equal(op->getResults(), results))
    w.define(result, std::move(regs));
  return success();
}

/// Whether an operation on elements is one of a plug-in that no lowering of
/// threads takes.
static bool isUnknown(Operation *op, ThreadWriter &w) {
  if (isa_and_nonnull<tile::TileDialect, arith::ArithDialect,
                      math::MathDialect>(op->getDialect()))
    return false;
  IRRewriter rewriter(op->getContext());
  GpuLoweringContext context(GpuLoweringContext::Level::Threads, rewriter,
                             w.shape.options, w.description);
  return !target::LoweringRegistry::get().knows(op, context);
}

static LogicalResult lowerElementwise(Operation *op, ThreadWriter &w) {
  if (isUnknown(op, w))
    return w.decline(op, target::whyNoLowering(op, w.shape.options.name));
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return llvm::any_of(op->getOperandTypes(), isTile) ||
                 llvm::any_of(op->getResultTypes(), isTile)
             ? lowerElements(op, w)
             : lowerScalar(op, w);
}

void simt::addScalarsLowerings(LoweringTable &table) {
  table.add<Operation *>(kElementwise, lowerElementwise);
  table.add<arith::ConstantOp>(lowerConstant);
}
