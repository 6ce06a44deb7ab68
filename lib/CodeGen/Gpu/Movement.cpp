//===- Movement.cpp - Operations that move elements -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only changes places of elements by their bits is an exchange between
// layouts, a renaming of registers where threads have what they need.
// Everything else goes through the memory of the block.
//
//===----------------------------------------------------------------------===//

#include "BitMaps.h"
#include "Exchange.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "Pairs.h"
#include "ThreadWriter.h"
#include "UpdateExchange.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Interfaces/IndexMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static Value evaluate(ThreadWriter &w, AffineExpr expr, ValueRange dims,
                      ValueRange symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return w.c32(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return w.narrow(symbols[symbol.getPosition()]);
  auto pair = cast<AffineBinaryOpExpr>(expr);
  Value lhs = evaluate(w, pair.getLHS(), dims, symbols);
  Value rhs = evaluate(w, pair.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return w.add(lhs, rhs);
  case AffineExprKind::Mul:
    return w.mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return w.b.createOrFold<arith::FloorDivSIOp>(w.loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return w.b.createOrFold<arith::CeilDivSIOp>(w.loc, lhs, rhs);
  default: // Mod is never negative.
    return w.sub(
        lhs,
        w.mul(w.b.createOrFold<arith::FloorDivSIOp>(w.loc, lhs, rhs), rhs));
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
  if (!read || read.domain || !movesBits(read.map, shape))
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
  // Where the place is decided, the bytes of a round are.
  ExchangeMachine machine = block.machine;
  if (auto places = getDecided<DenseI64ArrayAttr>(op, kScratchEntry);
      places && places.size() > 1)
    machine.spareBytes = places[1];
  preferLanesForUpdates(op, block.lanes, machine);
  auto way = chooseExchange(
      have, wanted, 8 * ThreadBuilder::storedBytes(element), block, machine);
  if (!way)
    return std::nullopt;
  return BitMove{operand->get(), std::move(*way)};
}

namespace {
/// A register of an operand.
struct OwnRegister {
  OpOperand *operand = nullptr;
  int64_t place = -1;
};
/// What an operand gives a result, as numbers.
class ReadNumbers {
public:
  explicit ReadNumbers(OperandRead read) : read(read) {}

  /// Whether coordinates are those of the result, in some order, or constants.
  bool isSimple() const {
    return read && !read.map.getNumSymbols() &&
           llvm::all_of(read.map.getResults(), [](AffineExpr expr) {
             return isa<AffineDimExpr, AffineConstantExpr>(expr);
           });
  }
  LayoutAttr::Basis at(ArrayRef<int64_t> result) const {
    return *mapBasis(read.map, result);
  }
  /// Whether the operand is read for these coordinates of the result.
  bool holds(ArrayRef<int64_t> result) const {
    IntegerSet domain = read.domain;
    if (!domain)
      return true;
    for (auto [i, constraint] : llvm::enumerate(domain.getConstraints())) {
      AffineMap map = AffineMap::get(domain.getNumDims(),
                                     domain.getNumSymbols(), constraint);
      int64_t n = mapBasis(map, result)->front();
      if (domain.isEq(i) ? n != 0 : n < 0)
        return false;
    }
    return true;
  }

private:
  OperandRead read;
};
} // namespace

/// Whether threads that have something in a layout of the result have what it
/// is made of in a layout of an operand. `differ` becomes true if only some
/// threads read the operand.
static bool staysInThreads(const ReadNumbers &read, LayoutAttr result,
                           LayoutAttr operand, const BlockShape &block,
                           bool &differ) {
  LayoutAttr::Basis none(result.getRank(), 0), start = read.at(none);
  auto areSame = [&](ArrayRef<LayoutAttr::Basis> to,
                     ArrayRef<LayoutAttr::Basis> from) {
    for (auto [mine, theirs] : llvm::zip_equal(to, from)) {
      LayoutAttr::Basis at = read.at(mine);
      for (auto [n, first] : llvm::zip_equal(at, start))
        n -= first;
      if (at != theirs)
        return false;
      differ |= read.holds(mine) != read.holds(none);
    }
    return true;
  };
  return areSame(result.getLaneBases(block.laneBits()),
                 operand.getLaneBases(block.laneBits())) &&
         areSame(result.getWarpBases(block.warpBits()),
                 operand.getWarpBases(block.warpBits()));
}

/// What a register of a result is: one of the registers, of different operands,
/// by which of them the thread reads.
using OwnChoice = SmallVector<OwnRegister, 2>;

/// The registers of operands that are those of a result, where each thread has
/// what it needs, as for what is joined or split in registers.
static std::optional<SmallVector<OwnChoice>>
findOwnRegisters(OpResult result, const BlockShape &block) {
  LayoutAttr layout = getLayout(result);
  if (!layout)
    return std::nullopt;
  SmallVector<OwnChoice> registers(layout.getNumRegisters());
  for (OpOperand &operand : result.getOwner()->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    LayoutAttr own = getLayout(operand.get());
    ReadNumbers read(getOperandRead(operand, result.getResultNumber()));
    bool differ = false;
    if (!own || !read.isSimple() ||
        !staysInThreads(read, layout, own, block, differ))
      return std::nullopt;
    for (auto [reg, entry] : llvm::enumerate(registers)) {
      auto at = layout.getRegisterOffset(reg);
      if (differ || read.holds(at))
        entry.push_back({&operand, ThreadWriter::registerAt(own, read.at(at))});
    }
  }
  for (const OwnChoice &choice : registers)
    if (choice.empty() || llvm::any_of(choice, [](const OwnRegister &entry) {
          return entry.place < 0;
        }))
      return std::nullopt;
  return registers;
}

/// The same for all results of an operation that joins or splits tiles.
static std::optional<SmallVector<SmallVector<OwnChoice>>>
findOwnRegisters(Operation *op, const BlockShape &block) {
  if (op->getNumResults() == 1 && op->getNumOperands() == 1)
    return std::nullopt;
  SmallVector<SmallVector<OwnChoice>> all;
  for (OpResult result : op->getResults()) {
    auto registers = findOwnRegisters(result, block);
    if (!registers)
      return std::nullopt;
    all.push_back(std::move(*registers));
  }
  return all;
}

static ScratchNeeds movementNeeds(Operation *op, const BlockShape &block) {
  if (cast<IndexMapOpInterface>(op).getGeneratedElement())
    return {};
  if (auto move = bitMoveOf(op, block))
    return move->way.needs(block);
  if (findOwnRegisters(op, block))
    return {};
  SmallVector<int64_t> places;
  return {{ThreadBuilder::placeTiles(op->getOperands(), places)}};
}

/// Whether the thread reads an operand for an element of the result; null if
/// all threads do.
static Value readsOperand(ThreadWriter &w, OperandRead read, ArrayRef<Value> at,
                          ArrayRef<Value> symbols) {
  Value here;
  if (!read.domain)
    return here;
  for (auto [k, constraint] : llvm::enumerate(read.domain.getConstraints())) {
    Value n = evaluate(w, constraint, at, symbols);
    here =
        w.both(here, w.compare(read.domain.isEq(k) ? arith::CmpIPredicate::eq
                                                   : arith::CmpIPredicate::sge,
                               n, w.c32(0)));
  }
  return here;
}

/// Defines a result by registers of the operands.
static void defineByOwn(OpResult result, ArrayRef<OwnChoice> choices,
                        ThreadWriter &w) {
  LayoutAttr layout = getLayout(result);
  SmallVector<Value> symbolValues, symbols;
  cast<IndexMapOpInterface>(result.getOwner()).getIndexSymbols(symbolValues);
  for (Value value : symbolValues)
    symbols.push_back(w.scalar(value));
  Regs regs;
  for (auto [reg, choice] : llvm::enumerate(choices)) {
    auto valueOf = [&](const OwnRegister &entry) {
      return w.registers(entry.operand->get())[entry.place];
    };
    Value value = valueOf(choice.front());
    SmallVector<Value> at;
    for (int64_t d = 0; d < layout.getRank() && choice.size() > 1; ++d)
      at.push_back(w.coordinate(layout, int64_t(reg), d));
    for (const OwnRegister &entry : llvm::drop_begin(choice)) {
      OperandRead read =
          getOperandRead(*entry.operand, result.getResultNumber());
      value =
          w.select(readsOperand(w, read, at, symbols), valueOf(entry), value);
    }
    regs.push_back(value);
  }
  w.define(result, std::move(regs));
}

static LogicalResult lowerThroughShared(Operation *op, ThreadWriter &w) {
  auto moved = cast<IndexMapOpInterface>(op);
  SmallVector<Value> symbolValues, symbols;
  moved.getIndexSymbols(symbolValues);
  for (Value value : symbolValues)
    symbols.push_back(w.scalar(value));
  // Each operand at a place of its own.
  SmallVector<int64_t> places;
  int64_t start =
      w.scratch(ThreadBuilder::placeTiles(op->getOperands(), places));
  for (auto [operand, place] : llvm::zip_equal(op->getOperands(), places))
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      w.writeTile(start + place, w.registers(operand), getLayout(operand),
                  type.getShape());
  w.barrier();
  for (OpResult result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    LayoutAttr layout = getLayout(result);
    Type element = ThreadBuilder::scalarType(type.getElementType());
    Regs regs;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
      SmallVector<Value> at;
      for (int64_t d = 0; d < type.getRank(); ++d)
        at.push_back(w.coordinate(layout, reg, d));
      Value value;
      for (auto [i, operand] : llvm::enumerate(op->getOpOperands())) {
        auto source = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!source)
          continue;
        OperandRead read = getOperandRead(operand, result.getResultNumber());
        if (!read)
          return w.decline(op, op->getName().getStringRef());
        SmallVector<Value> where;
        for (auto [expr, size] :
             llvm::zip_equal(read.map.getResults(), source.getShape())) {
          if (size == 1) {
            where.push_back(w.c32(0));
            continue;
          }
          Value n = evaluate(w, expr, at, symbols);
          // Beyond the tile, or for another operand: anything, but in bounds.
          where.push_back(
              w.and_(n, w.c32(int64_t(llvm::PowerOf2Ceil(size)) - 1)));
        }
        Value read_ = w.readElement(
            start + places[i], w.position(where, source.getShape()), element);
        if (!value) {
          value = read_;
          continue;
        }
        value = w.select(readsOperand(w, read, at, symbols), read_, value);
      }
      regs.push_back(value);
    }
    w.define(result, std::move(regs));
  }
  return success();
}

static LogicalResult lowerMovement(Operation *op, ThreadWriter &w) {
  auto moved = cast<IndexMapOpInterface>(op);
  AffineMap generated = moved.getGeneratedElement();
  if (!generated) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !getLayout(operand))
        return op->emitOpError("has a tile without a layout");
    auto move = bitMoveOf(op, w.shape);
    if (auto own = move ? std::nullopt : findOwnRegisters(op, w.shape)) {
      for (auto [result, choices] : llvm::zip_equal(op->getResults(), *own))
        defineByOwn(result, choices, w);
      return success();
    }
    if (!move)
      return lowerThroughShared(op, w);
    Value result = op->getResult(0);
    Type type =
        ThreadBuilder::scalarType(getElementTypeOrSelf(move->source.getType()));
    w.define(result, Exchange(w, move->way, type)
                         .run(w.registers(move->source),
                              getLayout(result).getNumRegisters()));
    return success();
  }
  LayoutAttr layout = getLayout(op->getResult(0));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (Value fill = getFillValue(op)) {
    w.define(op->getResult(0), Regs(layout.getNumRegisters(), w.scalar(fill)));
    return success();
  }
  SmallVector<Value> symbolValues, symbols;
  moved.getIndexSymbols(symbolValues);
  for (Value value : symbolValues)
    symbols.push_back(w.scalar(value));
  Type element = ThreadBuilder::scalarType(type.getElementType());
  Regs regs;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at;
    for (int64_t d = 0; d < type.getRank(); ++d)
      at.push_back(w.coordinate(layout, reg, d));
    Value value = evaluate(w, generated.getResult(0), at, symbols);
    unsigned bits = element.getIntOrFloatBitWidth();
    if (bits > 32)
      value = w.b.createOrFold<arith::ExtSIOp>(w.loc, element, value);
    else if (bits < 32)
      value = w.b.createOrFold<arith::TruncIOp>(w.loc, element, value);
    regs.push_back(value);
  }
  w.define(op->getResult(0), std::move(regs));
  return success();
}

static ScratchNeeds exchangeNeeds(tile::ExchangeOp op,
                                  const BlockShape &block) {
  auto needs = pairNeeds(op, block);
  return needs ? *needs : movementNeeds(op, block);
}

static LogicalResult lowerExchange(tile::ExchangeOp op, ThreadWriter &w) {
  return exchangePairs(w, op) ? success() : lowerMovement(op, w);
}

static ScratchNeeds gatherNeeds(tile::GatherOp op, const BlockShape &) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  return {
      {ThreadBuilder::tileBytes(source.getShape(), source.getElementType())}};
}

static LogicalResult lowerGather(tile::GatherOp op, ThreadWriter &w) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(op.getType());
  LayoutAttr layout = getLayout(op.getResult());
  if (getLayout(op.getIndices()) != layout)
    return op.emitOpError("has indices of another layout than its result");
  int64_t start = w.scratch(
      ThreadBuilder::tileBytes(source.getShape(), source.getElementType()));
  w.writeTile(start, w.registers(op.getSource()), getLayout(op.getSource()),
              source.getShape());
  w.barrier();
  Regs regs;
  for (auto [reg, index] : llvm::enumerate(w.registers(op.getIndices()))) {
    SmallVector<Value> at;
    for (int64_t d = 0; d < type.getRank(); ++d)
      at.push_back(w.coordinate(layout, reg, d));
    Value n = index;
    unsigned bits = n.getType().getIntOrFloatBitWidth();
    if (bits < 32)
      n = w.b.createOrFold<arith::ExtSIOp>(w.loc, w.b.getI32Type(), n);
    n = w.narrow(n);
    int64_t size = source.getShape()[op.getAxis()];
    // What lies outside is undefined behaviour; it stays in the tile.
    at[op.getAxis()] = w.and_(n, w.c32(int64_t(llvm::PowerOf2Ceil(size)) - 1));
    regs.push_back(
        w.readElement(start, w.position(at, source.getShape()),
                      ThreadBuilder::scalarType(type.getElementType())));
  }
  w.define(op.getResult(), std::move(regs));
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
  return ThreadWriter::registerAt(layout, constants);
}

static ScratchNeeds extractNeeds(tensor::ExtractOp op, const BlockShape &) {
  if (op.getIndices().empty() || registerOf(op) >= 0)
    return {};
  auto source = cast<RankedTensorType>(op.getTensor().getType());
  return {
      {ThreadBuilder::tileBytes(source.getShape(), source.getElementType())}};
}

/// One element, for every thread.
static LogicalResult lowerExtract(tensor::ExtractOp op, ThreadWriter &w) {
  auto source = cast<RankedTensorType>(op.getTensor().getType());
  LayoutAttr layout = getLayout(op.getTensor());
  if (int64_t reg = registerOf(op); reg >= 0) {
    w.define(op.getResult(), w.registers(op.getTensor())[reg]);
    return success();
  }
  int64_t start = w.scratch(
      ThreadBuilder::tileBytes(source.getShape(), source.getElementType()));
  w.writeTile(start, w.registers(op.getTensor()), layout, source.getShape());
  w.barrier();
  SmallVector<Value> at;
  for (auto [index, size] : llvm::zip_equal(op.getIndices(), source.getShape()))
    // What lies outside is undefined behaviour; it stays in the tile.
    at.push_back(w.and_(w.narrow(w.scalar(index)),
                        w.c32(int64_t(llvm::PowerOf2Ceil(size)) - 1)));
  w.define(op.getResult(),
           w.uniform(w.readElement(
               start, w.position(at, source.getShape()),
               ThreadBuilder::scalarType(source.getElementType()))));
  return success();
}

/// Elements change places within the layout.
static LayoutRule layoutsOfExchange(tile::ExchangeOp op,
                                    const LayoutQuery &query) {
  return sameLayout(op, query);
}

static LayoutRule layoutsOfGather(tile::GatherOp op, const LayoutQuery &query) {
  LayoutRule rule(op);
  LayoutAttr layout = query.settled(op.getIndices());
  rule.operands[op.getIndicesMutable().getOperandNumber()] = layout;
  rule.results[0] = layout;
  return rule;
}

void simt::addMovementLowerings(LoweringTable &table) {
  table.add<Operation *>(kMovement, lowerMovement, movementNeeds);
  table.add<tile::ExchangeOp>(lowerExchange, exchangeNeeds);
  table.addLayouts<tile::ExchangeOp, layoutsOfExchange>();
  table.add<tile::GatherOp>(lowerGather, gatherNeeds);
  table.addLayouts<tile::GatherOp, layoutsOfGather>();
  table.add<tensor::ExtractOp>(lowerExtract, extractNeeds);
}
