//===- Results.cpp - Where results are placed -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of parts of a concatenation, which their producers fill in place, and
// of what a function returns.
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "Wrap.h"
#include "kiln/Dialect/Kiln/Report.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

bool kiln::hasNoElements(ArrayRef<Extent> sizes) {
  return llvm::any_of(sizes, [](const Extent &size) { return size.is(0); });
}

Buffer FunctionConverter::partOf(prim::CatOp cat, unsigned number,
                                 const Buffer &whole) {
  unsigned dim = cat.getDim();
  Buffer part = whole;
  for (unsigned i = 0; i < number; ++i)
    part.offset = host->math.add(
        part.offset, host->math.mul(host->dimOf(cat.getOperands()[i], dim),
                                    whole.strides[dim]));
  part.sizes[dim] = host->dimOf(cat.getOperands()[number], dim);
  return part;
}

/// Where the operand of a reshape lies if its result is to lie in `buffer`, and
/// it only adds or removes dimensions of one element.
static std::optional<Buffer> beforeReshape(prim::ReshapeOp op,
                                           const Buffer &buffer) {
  RankedTensorType from = op.getOperand().getType(), to = op.getType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return std::nullopt;
  Buffer result{buffer.base, buffer.offset, {}, {}};
  int64_t d = 0;
  auto skip = [&] {
    while (d < to.getRank() && to.getDimSize(d) == 1)
      ++d;
  };
  for (int64_t size : from.getShape()) {
    result.sizes.push_back(size);
    if (size == 1) {
      result.strides.push_back(1);
      continue;
    }
    skip();
    if (d == to.getRank() || to.getDimSize(d) != size)
      return std::nullopt;
    result.strides.push_back(buffer.strides[d++]);
  }
  skip();
  return d == to.getRank() ? std::optional(result) : std::nullopt;
}

/// Where the operand of a transpose lies if its result is to lie in `buffer`.
static Buffer beforeTranspose(prim::TransposeOp op, const Buffer &buffer) {
  Buffer result = buffer;
  for (auto [d, dim] : llvm::enumerate(op.getPermutation())) {
    result.sizes[dim] = buffer.sizes[d];
    result.strides[dim] = buffer.strides[d];
  }
  return result;
}

std::pair<Value, std::optional<Buffer>>
FunctionConverter::claimedBefore(Value value, const Buffer &buffer) {
  std::optional<Buffer> there = buffer;
  bool isTransposed = false;
  while (there) {
    if (auto reshape = value.getDefiningOp<prim::ReshapeOp>()) {
      there = beforeReshape(reshape, *there);
      value = reshape.getOperand();
      continue;
    }
    auto transpose = value.getDefiningOp<prim::TransposeOp>();
    if (!transpose)
      break;
    isTransposed = true;
    there = beforeTranspose(transpose, *there);
    value = transpose.getOperand();
  }
  auto claim = value.getDefiningOp<prim::ClaimOp>();
  if (!there || !claim ||
      (isTransposed &&
       !(tiling->model().sharesTiles() && writesInAnyOrder(claim))))
    return {};
  return {value, there};
}

void FunctionConverter::planCat(prim::CatOp cat) {
  Buffer whole = host->destination(cat.getResult());
  catBuffers[cat] = whole;
  for (auto [number, operand] : llvm::enumerate(cat.getOperands())) {
    Value made = operand;
    std::optional<Buffer> part = partOf(cat, number, whole);
    // Only the result of a claim is not moved by a group of its own.
    if (auto [claimed, there] = claimedBefore(operand, *part); claimed) {
      made = claimed;
      part = there;
    }
    Operation *source = made.getDefiningOp();
    // Who has other readers, too, may be read as a part of the whole.
    if (part &&
        isa_and_nonnull<prim::FusionOp, prim::CatOp, prim::ClaimOp>(source) &&
        !host->hasDestination(made) &&
        llvm::count(cat.getOperands(), operand) == 1)
      host->setDestination(made, *part);
  }
}

LogicalResult FunctionConverter::convertCat(prim::CatOp cat) {
  auto planned = catBuffers.find(cat);
  if (planned == catBuffers.end()) {
    planCat(cat);
    planned = catBuffers.find(cat);
  }
  Buffer whole = planned->second;
  for (auto [number, operand] : llvm::enumerate(cat.getOperands())) {
    Buffer part = partOf(cat, number, whole);
    if (hasNoElements(part.sizes) ||
        (host->hasBuffer(operand) && host->buffer(operand).same(part)))
      continue;
    OpBuilder b(cat);
    prim::FusionOp copy = wrapCopy(b, cat.getLoc(), operand);
    host->setDestination(copy.getResult(0), part);
    host->setAlias(copy.getBody().getArgument(0), operand);
    if (failed(schedule(copy, prim::stringifyGroupKind(copy.getKind()), "cat")))
      return target::emitUnsupported(copy, "no schedule for a copy");
  }
  host->setBuffer(cat.getResult(), whole);
  return success();
}

/// True if a buffer is a whole allocation, in whatever shape.
static bool ownsAll(const Buffer &buffer, HostProgramBuilder &host) {
  if (!buffer.base.getDefiningOp<program::AllocOp>() || !buffer.offset.is(0))
    return false;
  for (auto [stride, wanted] :
       llvm::zip(buffer.strides, denseStrides(buffer.sizes, host.math)))
    if (!stride.same(wanted))
      return false;
  return host.math.product(buffer.sizes).same(host.elementsOf(buffer.base));
}

/// Allocates the memory of a result, which is all of an allocation, in the
/// shape of the result instead: a caller's tensor takes the place of an
/// allocation and not that of a view. Returns null where a size is computed
/// behind the allocation.
static Value allocateInShape(const Buffer &buffer, ArrayRef<int64_t> shape,
                             HostProgramBuilder &host) {
  auto alloc = buffer.base.getDefiningOp<program::AllocOp>();
  auto before = cast<MemRefType>(buffer.base.getType());
  SmallVector<Value> sizes;
  for (auto [size, known] : llvm::zip(buffer.sizes, shape)) {
    if (!ShapedType::isDynamic(known))
      continue;
    Value value = host.math.value(size);
    if (Operation *source = value.getDefiningOp();
        source && (source->getBlock() != alloc->getBlock() ||
                   !source->isBeforeInBlock(alloc)))
      return {};
    sizes.push_back(value);
  }
  auto type = MemRefType::get(shape, before.getElementType());
  bool isSame = type == before && llvm::equal(sizes, alloc.getSizes());
  bool hasOthers = llvm::any_of(alloc->getUsers(), [](Operation *user) {
    return !isa<program::ViewOp>(user);
  });
  if (isSame || (hasOthers && !before.hasStaticShape()))
    return isSame ? buffer.base : Value();
  OpBuilder b(alloc);
  Value made =
      program::AllocOp::create(b, alloc.getLoc(), type, sizes, Value());
  Value dense;
  if (hasOthers)
    dense = program::ViewOp::create(
        b, alloc.getLoc(), before, made, ValueRange(), ValueRange(),
        ValueRange(), b.getDenseI64ArrayAttr({0}),
        b.getDenseI64ArrayAttr(before.getShape()),
        b.getDenseI64ArrayAttr(before.getStridesAndOffset().first));
  // Views state their own sizes and strides.
  alloc.getResult().replaceUsesWithIf(made, [](OpOperand &use) {
    return isa<program::ViewOp>(use.getOwner());
  });
  if (dense)
    alloc.getResult().replaceAllUsesWith(dense);
  alloc.erase();
  return made;
}

FailureOr<Buffer> FunctionConverter::copyOf(Value value, Operation *before) {
  OpBuilder b(before);
  prim::FusionOp copy = wrapCopy(b, before->getLoc(), value);
  host->setAlias(copy.getBody().getArgument(0), value);
  // Without a destination the copy would lie in the order of the value.
  host->setDestination(copy.getResult(0),
                       host->allocate(getElementTypeOrSelf(value.getType()),
                                      host->sizesOf(value)));
  if (failed(schedule(copy, prim::stringifyGroupKind(copy.getKind()), "copy")))
    return target::emitUnsupported(copy, "no schedule for a copy");
  return host->buffer(copy.getResult(0));
}

LogicalResult FunctionConverter::convertReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  // Of results that share memory the first one has it in its shape.
  DenseSet<Value> inShape;
  for (auto [value, type] :
       llvm::zip(op.getOperands(), host->func.getResultTypes())) {
    Buffer buffer = host->buffer(value);
    ArrayRef<int64_t> shape = cast<MemRefType>(type).getShape();
    // Results have memory of their own, all of it.
    if (hasNoElements(buffer.sizes)) {
      buffer = host->allocate(buffer.elementType(), buffer.sizes);
    } else if (!ownsAll(buffer, *host)) {
      FailureOr<Buffer> copy = copyOf(value, op);
      if (failed(copy))
        return failure();
      buffer = *copy;
    }
    if (!inShape.contains(buffer.base))
      if (Value made = allocateInShape(buffer, shape, *host)) {
        host->replaceBase(buffer.base, made);
        buffer.base = made;
      }
    inShape.insert(buffer.base);
    results.push_back(host->memref(buffer, shape));
  }
  program::ReturnOp::create(builder, op.getLoc(), results);
  return success();
}
