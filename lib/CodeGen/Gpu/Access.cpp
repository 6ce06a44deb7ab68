//===- Access.cpp - Loads and stores through views ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread computes one 64-bit address for each access. A vectorised access
// moves several neighbouring registers at once; their constant offsets are the
// same for all threads. Masks (predicates) compare, in 32 bits, the position of
// the thread with the number of elements that the view has from there on.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "LayoutChoice.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Target/ForeignOperation.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Pred = arith::CmpIPredicate;

ViewParts ThreadWriter::viewOf(Value view) {
  auto it = views.find(view);
  if (it != views.end())
    return it->second;
  auto op = view.getDefiningOp<tile::MakeViewOp>();
  auto type = cast<tile::ViewType>(view.getType());
  ViewParts parts;
  parts.base = scalar(op.getBase());
  auto sizes = op.getSizes().begin();
  for (int64_t size : type.getShape())
    parts.sizes.push_back(ShapedType::isDynamic(size) ? scalar(*sizes++)
                                                      : c64(size));
  parts.strides.resize(type.getRank());
  auto strides = op.getStrides().begin();
  if (!type.isDense()) {
    for (int64_t d = 0; d < type.getRank(); ++d) {
      int64_t stride = type.getStaticStride(d);
      parts.strides[d] =
          ShapedType::isDynamic(stride) ? scalar(*strides++) : c64(stride);
    }
  } else {
    Value stride = c64(1);
    for (int64_t d = type.getRank(); d-- > 0;) {
      parts.strides[d] = stride;
      stride = mul(stride, parts.sizes[d]);
    }
  }
  views[view] = parts;
  return parts;
}

Access::Access(ThreadWriter &w, ViewAccessOpInterface op)
    : Access(w, op.getAccessedView(), op.getAxes(), op.getAccessedType()) {
  this->op = op;
  if (auto hints = op.getAccessHints()) {
    if (auto name = hints.getAs<StringAttr>("cache"))
      cache = tile::symbolizeCacheHint(name.getValue())
                  .value_or(tile::CacheHint::none);
    if (auto name = hints.getAs<StringAttr>("evict"))
      evict = tile::symbolizeEvictHint(name.getValue())
                  .value_or(tile::EvictHint::normal);
  }
  isVolatile = op.isVolatileAccess();
}

Access::Access(ThreadWriter &w, Value view, ArrayRef<ViewAxis> viewAxes,
               RankedTensorType type)
    : w(w), view(view), parts(w.viewOf(view)), type(type),
      layout(getLayout(type)),
      element(ThreadBuilder::scalarType(type.getElementType())),
      stored(ThreadBuilder::storedType(element)), viewAxes(viewAxes) {}

/// How many places of an axis may be inside, as far as is known.
int64_t Access::mostInside(const index::Facts &size, const Axis &a) {
  index::Facts left = index::ceilDiv(index::sub(size, a.facts),
                                     index::Facts::exactly(a.axis.step));
  return std::clamp<int64_t>(left.range.high.value_or(a.axis.block), 0,
                             a.axis.block);
}

void Access::prepare(const FillCondition &condition) {
  bool isPadded = llvm::any_of(
      type.getShape(), [](int64_t n) { return !llvm::isPowerOf2_64(n); });
  for (auto [dim, axis] : llvm::enumerate(viewAxes)) {
    Axis a;
    a.axis = axis;
    a.dim = dim;
    if (!axis.isIndirect()) {
      // Where it begins.
      if (auto value = dyn_cast<Value>(axis.offset)) {
        a.first = w.scalar(value);
        a.facts = condition.factsOf(value, w.facts);
      } else {
        int64_t n = cast<IntegerAttr>(cast<Attribute>(axis.offset)).getInt();
        a.first = w.c64(n);
        a.facts = index::Facts::exactly(n);
      }
      if (axis.countsBlocks) {
        a.first = w.mul(a.first, w.c64(axis.block));
        a.facts = index::mul(a.facts, index::Facts::exactly(axis.block));
      }
      Value size = parts.sizes[dim];
      bool nonNegative = a.facts.range.isNonNegative();
      int64_t span = (axis.block - 1) * axis.step + 1;
      // Inside whatever happens?
      auto known = getConstantIntValue(size);
      if (known && nonNegative && a.facts.range.high &&
          *a.facts.range.high <= *known - span)
        a.alwaysInside = true;
      if (axis.tileDim < 0) {
        if (!a.alwaysInside) {
          Value in = w.compare(Pred::slt, a.first, size);
          if (!nonNegative)
            in = w.both(in, w.compare(Pred::sge, a.first, w.c64(0)));
          everywhere = w.both(everywhere, in);
        }
      } else if (!a.alwaysInside ||
                 !llvm::isPowerOf2_64(type.getDimSize(axis.tileDim))) {
        Value left = w.sub(size, a.first);
        a.whole = w.compare(Pred::sge, left, w.c64(span));
        if (axis.step != 1)
          left = w.b.createOrFold<arith::CeilDivSIOp>(w.loc, left,
                                                      w.c64(axis.step));
        left = w.max(w.min(left, w.c64(axis.block)), w.c64(0));
        a.rest = w.narrow(left);
        // One comparison with a constant for each register.
        if (w.isDisjoint(layout, axis.tileDim))
          a.left = w.sub(a.rest, w.threadCoordinate(layout, axis.tileDim));
        a.most = mostInside(sizeFacts(view, dim, w.facts), a);
        if (a.most < axis.block)
          a.whole = w.zero(w.b.getI1Type());
        if (!nonNegative) {
          Value before = w.sub(w.c64(0), a.first);
          if (axis.step != 1)
            before = w.b.createOrFold<arith::CeilDivSIOp>(w.loc, before,
                                                          w.c64(axis.step));
          before = w.max(w.min(before, w.c64(axis.block)), w.c64(0));
          a.low = w.narrow(before);
          a.whole = w.both(a.whole, w.compare(Pred::sge, a.first, w.c64(0)));
        }
        whole = w.both(whole, a.whole);
      }
    }
    axes.push_back(a);
  }
  whole = w.both(whole, everywhere);
  if (isPadded)
    whole = w.zero(w.b.getI1Type()); // there is always something outside
  prepareAddress();
}

void Access::prepareAddress() {
  Value sum = w.c64(0);
  for (Axis &a : axes) {
    if (a.axis.isIndirect())
      continue;
    Value at = a.first;
    if (a.axis.tileDim >= 0 && w.isDisjoint(layout, a.axis.tileDim)) {
      Value own = w.widen(w.threadCoordinate(layout, a.axis.tileDim));
      at = w.add(at, w.mul(own, w.c64(a.axis.step)));
    }
    sum = w.add(sum, w.mul(at, parts.strides[a.dim]));
  }
  base = w.elementPointer(parts.base, sum, stored);
  if (checksBounds(w.description)) {
    offset = sum;
    prepareBounds();
  }
}

/// Bytes from the beginning of the view to behind its last element: -1 where a
/// stride leads backwards, as nothing is known then.
void Access::prepareBounds() {
  Value last = w.c64(0), isForward;
  for (Axis &a : axes) {
    Value stride = parts.strides[a.dim];
    Value steps = w.max(w.sub(parts.sizes[a.dim], w.c64(1)), w.c64(0));
    last = w.add(last, w.mul(steps, stride));
    std::optional<int64_t> known = getConstantIntValue(stride);
    if (!known)
      isForward = w.both(isForward, w.compare(Pred::sge, stride, w.c64(0)));
    else if (*known < 0)
      isForward = w.zero(w.b.getI1Type());
  }
  extent =
      w.mul(w.add(last, w.c64(1)), w.c64(ThreadBuilder::storedBytes(element)));
  extent = w.select(isForward, extent, w.c64(-1));
}

Value Access::byteOffset(Value ofRegister) {
  return offset ? w.mul(w.add(offset, ofRegister),
                        w.c64(ThreadBuilder::storedBytes(element)))
                : Value();
}

/// The layout that the indices of an axis need to stand beside the elements.
LayoutAttr Access::layoutOfIndices(const ViewAxis &axis) {
  int64_t rank = cast<RankedTensorType>(axis.indices.getType()).getRank();
  return layout.transform(rank, [&](ArrayRef<int64_t> basis) {
    return LayoutAttr::Basis(basis.slice(axis.tileDim, rank));
  });
}

/// The index for the element of a register, as it is.
static Value givenIndex(ThreadWriter &w, LayoutAttr layout,
                        const ViewAxis &axis, int64_t reg) {
  LayoutAttr own = getLayout(axis.indices);
  auto at = layout.getRegisterOffset(reg);
  int64_t place = ThreadWriter::registerAt(
      own, ArrayRef<int64_t>(at).slice(axis.tileDim, own.getRank()));
  return w.registers(axis.indices)[place];
}

namespace {
/// The numbers that integers may be, by what upstream says of the operations
/// that make them, up to a depth. Each value is looked at once.
class Ranges {
public:
  ConstantIntRanges of(Value value, int depth = 16) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(value.getType());
    ConstantIntRanges range = ConstantIntRanges::maxRange(bits);
    auto made = value.getDefiningOp<InferIntRangeInterface>();
    if (!made || !depth)
      return range;
    if (auto it = known.find(value); it != known.end())
      return it->second;
    SmallVector<ConstantIntRanges> operands;
    for (Value operand : made->getOperands()) {
      if (!operand.getType().isIntOrIndex())
        return range;
      operands.push_back(of(operand, depth - 1));
    }
    made.inferResultRanges(operands,
                           [&](Value result, const ConstantIntRanges &found) {
                             if (result == value)
                               range = found;
                           });
    known.try_emplace(value, range);
    return range;
  }

private:
  llvm::DenseMap<Value, ConstantIntRanges> known;
};
} // namespace

/// An index of an axis with a condition without which it is outside.
struct Access::GuardedIndex {
  Value index;
  Value condition; ///< null: none
};

/// Whether an index lies in a view of a size, whatever the launch is.
static bool isAlwaysInside(Value index, std::optional<int64_t> size) {
  if (!size)
    return false;
  ConstantIntRanges range = Ranges().of(index);
  return range.smin().getSExtValue() >= 0 &&
         range.smax().getSExtValue() < *size;
}

/// The index for the element of a register, as it is. Of one that a condition
/// replaces by a number outside of the view, the condition tells enough if the
/// index itself is always inside, or the view is larger than any memory: no
/// element is at another index.
Access::GuardedIndex Access::guardedIndex(const Axis &a, int64_t reg) {
  Value index = givenIndex(w, layout, a.axis, reg);
  auto select = index.getDefiningOp<arith::SelectOp>();
  auto size = getConstantIntValue(parts.sizes[a.dim]);
  std::optional<int64_t> other =
      select ? getConstantIntValue(select.getFalseValue()) : std::nullopt;
  if (size && other && (*other < 0 || *other >= *size) &&
      (*size >= kBeyondMemory || isAlwaysInside(select.getTrueValue(), size)))
    return {select.getTrueValue(), select.getCondition()};
  return {index, Value()};
}

/// The index for the element of a register, i64.
Value Access::indexOf(const Axis &a, int64_t reg) {
  Value index = guardedIndex(a, reg).index;
  return index.getType().isInteger(64)
             ? index
             : w.b.createOrFold<arith::ExtSIOp>(w.loc, w.b.getI64Type(), index);
}

/// Whether the index for the element of a register lies in the view; null for
/// yes. Of 32 bits it is compared as such where the size allows that.
Value Access::isIndexInside(const Axis &a, int64_t reg) {
  auto [index, condition] = guardedIndex(a, reg);
  return condition ? condition : isInside(index, parts.sizes[a.dim]);
}

Value Access::isInside(Value index, Value size) {
  auto known = getConstantIntValue(size);
  if (isAlwaysInside(index, known))
    return Value();
  if (index.getType().isInteger(32) && known && *known <= INT32_MAX)
    return w.compare(Pred::ult, index, w.c32(*known));
  if (!index.getType().isInteger(64))
    index = w.b.createOrFold<arith::ExtSIOp>(w.loc, w.b.getI64Type(), index);
  return w.compare(Pred::ult, index, size);
}

/// What a register adds to the thread's address, in elements.
Value Access::offsetOf(int64_t reg) {
  auto at = layout.getRegisterOffset(reg);
  Value sum = w.c64(0);
  for (Axis &a : axes) {
    Value n;
    if (a.axis.isIndirect()) {
      n = indexOf(a, reg);
    } else if (a.axis.tileDim < 0) {
      continue;
    } else if (w.isDisjoint(layout, a.axis.tileDim)) {
      n = w.c64(at[a.axis.tileDim] * a.axis.step);
    } else {
      n = w.mul(w.widen(w.coordinate(layout, reg, a.axis.tileDim)),
                w.c64(a.axis.step));
    }
    sum = w.add(sum, w.mul(n, parts.strides[a.dim]));
  }
  return sum;
}

Value Access::isBeforeEnd(const Axis &a, int64_t reg) {
  if (a.left)
    return w.compare(Pred::sgt, a.left,
                     w.c32(layout.getRegisterOffset(reg)[a.axis.tileDim]));
  return w.compare(Pred::slt, w.coordinate(layout, reg, a.axis.tileDim),
                   a.rest);
}

/// Whether a register's element is inside; null for yes.
Value Access::maskOf(int64_t reg, bool isWhole) {
  Value mask;
  for (Axis &a : axes) {
    if (a.axis.isIndirect()) {
      LayoutAttr own = getLayout(a.axis.indices);
      mask = w.both(mask, isIndexInside(a, reg));
      for (unsigned d = 0; d < own.getRank(); ++d)
        if (int64_t size = type.getDimSize(a.axis.tileDim + d);
            !llvm::isPowerOf2_64(size))
          mask = w.both(mask,
                        w.compare(Pred::ult,
                                  w.coordinate(layout, reg, a.axis.tileDim + d),
                                  w.c32(size)));
      continue;
    }
    if (isWhole || !a.rest)
      continue;
    if (w.isDisjoint(layout, a.axis.tileDim) &&
        layout.getRegisterOffset(reg)[a.axis.tileDim] >= a.most)
      return w.zero(w.b.getI1Type()); // whichever thread it is
    mask = w.both(mask, isBeforeEnd(a, reg));
    if (a.low)
      mask = w.both(mask, w.compare(Pred::sge,
                                    w.coordinate(layout, reg, a.axis.tileDim),
                                    a.low));
  }
  return isWhole ? mask : w.both(everywhere, mask);
}

int64_t Access::alignmentFor(int64_t elements) {
  return elements * ThreadBuilder::storedBytes(element);
}

/// Finds the register bits along which elements lie beside each other, and how
/// many of them one access can take: 0 for one element.
unsigned Access::chooseVector() {
  Contiguity along = contiguityOf(view, viewAxes, w.axes);
  if (along.axis < 0)
    return 0;
  unit = along.axis;
  vectorOrder = vectorBits(layout, along.dim, along.count);
  // Other threads must not have elements in between.
  while (!vectorOrder.empty() && !w.isDisjoint(layout, along.dim))
    vectorOrder.pop_back();
  return vectorOrder.size();
}

/// Calls `body` with the registers of each vector, in memory's order.
void Access::forEachVector(unsigned bits,
                           function_ref<void(ArrayRef<int64_t>)> body) {
  forEachGroup(layout, ArrayRef(vectorOrder).take_front(bits), body);
}

Value Access::outside() {
  switch (op.getOutside()) {
  case Outside::Any:
  case Outside::Zero:
    return w.zero(stored);
  case Outside::NaN: {
    auto type = cast<FloatType>(stored);
    return arith::ConstantOp::create(
        w.b, w.loc, type,
        w.b.getFloatAttr(type,
                         llvm::APFloat::getQNaN(type.getFloatSemantics())));
  }
  case Outside::Value:
    return w.toStored(w.scalar(op.getOutsideValue()));
  }
  llvm_unreachable("unknown padding");
}

void Access::load(bool isWhole, unsigned bits, Regs &result) {
  result.resize(layout.getNumRegisters());
  Value other;
  forEachVector(bits, [&](ArrayRef<int64_t> registers) {
    Value mask = maskOf(registers[0], isWhole);
    Value ofRegister = offsetOf(registers[0]);
    Value address = w.elementPointer(base, ofRegister, stored);
    if (mask && !other)
      other = outside();
    if (isNever(mask)) {
      for (int64_t reg : registers)
        result[reg] = w.fromStored(other, element);
      return;
    }
    int64_t count = registers.size();
    Type vector = count > 1 ? Type(VectorType::get({count}, stored)) : stored;
    Value rest = mask ? w.pack(SmallVector<Value>(count, other)) : Value();
    Value loaded = LoadOp::create(w.b, w.loc, vector, address, mask, rest,
                                  alignmentFor(count), isVolatile, cache, evict,
                                  offset ? parts.base : Value(),
                                  byteOffset(ofRegister), extent);
    for (auto [i, reg] : llvm::enumerate(registers))
      result[reg] = w.fromStored(w.unpack(loaded, i), element);
  });
}

void Access::store(bool isWhole, unsigned bits) {
  const Regs &values = w.registers(op.getAccessedTile());
  Value first = w.isFirstCopy(layout);
  forEachVector(bits, [&](ArrayRef<int64_t> registers) {
    Value inside = maskOf(registers[0], isWhole);
    if (isNever(inside))
      return;
    Value mask = w.both(first, inside);
    Value ofRegister = offsetOf(registers[0]);
    Value address = w.elementPointer(base, ofRegister, stored);
    int64_t count = registers.size();
    auto stored = llvm::map_to_vector(
        registers, [&](int64_t reg) { return w.toStored(values[reg]); });
    Value value = w.pack(stored);
    StoreOp::create(w.b, w.loc, value, address, mask, alignmentFor(count),
                    isVolatile, cache, evict, offset ? parts.base : Value(),
                    byteOffset(ofRegister), extent);
  });
}

LogicalResult Access::run() {
  if (!layout)
    return op->emitOpError("has a tile without a layout");
  auto viewElement = cast<tile::ViewType>(view.getType()).getElementType();
  if (viewElement != type.getElementType())
    return w.decline(op, "an access that converts its elements");
  for (const ViewAxis &axis : viewAxes)
    if (axis.isIndirect() && getLayout(axis.indices) != layoutOfIndices(axis))
      return op->emitOpError("has indices of another layout than its tile");
  prepare();
  if (op.getAccessKind() == AccessKind::Update) {
    if (tile::combineOf(op) == tile::Combine::assign)
      return w.decline(op, target::whyNoLowering(op, w.shape.options.name));
    update();
    return success();
  }
  unsigned bits = chooseVector();
  bool isLoad = op.isRead();
  // Vectors lie inside as a whole, or outside, where sizes are multiples.
  bool splits = false;
  if (bits && whole) {
    Axis &a = axes[unit];
    int64_t count = int64_t(1) << bits;
    splits = !a.alwaysInside &&
             (sizeDivisor(view, a.dim, w.facts) % count ||
              !llvm::isPowerOf2_64(type.getDimSize(a.axis.tileDim)));
    if (splits && isNever(whole)) {
      splits = false;
      bits = 0;
    }
  }
  Regs result;
  if (!splits) {
    if (isLoad)
      load(!whole, bits, result);
    else
      store(!whole, bits);
  } else {
    // Two ways: whole vectors, or an element at a time at the edge.
    SmallVector<Type> types;
    if (isLoad)
      types.assign(layout.getNumRegisters(), element);
    auto choice = scf::IfOp::create(w.b, w.loc, types, whole,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    for (bool isWhole : {true, false}) {
      Region &region =
          isWhole ? choice.getThenRegion() : choice.getElseRegion();
      OpBuilder::InsertionGuard guard(w.b);
      Block *block = &region.front();
      if (!block->empty())
        block->back().erase();
      w.b.setInsertionPointToEnd(block);
      Regs part;
      if (isLoad)
        load(isWhole, isWhole ? bits : 0, part);
      else
        store(isWhole, isWhole ? bits : 0);
      scf::YieldOp::create(w.b, w.loc, part);
    }
    if (isLoad)
      result.assign(choice.getResults().begin(), choice.getResults().end());
  }
  if (isLoad)
    w.define(op.getAccessedTile(), std::move(result));
  return success();
}

static LogicalResult lowerViewAccess(ViewAccessOpInterface op,
                                     ThreadWriter &w) {
  return Access(w, op).run();
}

void simt::addAccessLowerings(LoweringTable &table) {
  table.add<ViewAccessOpInterface>(kViewRead, lowerViewAccess);
  table.add<ViewAccessOpInterface>(kViewWrite, lowerViewAccess);
}
