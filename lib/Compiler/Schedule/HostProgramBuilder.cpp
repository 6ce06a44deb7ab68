//===- HostProgramBuilder.cpp - Buffers of a growing host program ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/HostProgramBuilder.h"
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Schedule/ReshapedView.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

bool Buffer::same(const Buffer &other) const {
  auto equal = [](ArrayRef<Extent> a, ArrayRef<Extent> b) {
    return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
             return std::get<0>(pair).same(std::get<1>(pair));
           });
  };
  if (base != other.base || !offset.same(other.offset) ||
      !equal(sizes, other.sizes))
    return false;
  // It does not matter how far apart the elements are where there is one.
  return llvm::all_of(llvm::zip(sizes, strides, other.strides), [](auto dim) {
    auto [size, stride, theirs] = dim;
    return size.is(1) || stride.same(theirs);
  });
}

SmallVector<Extent, 4> kiln::schedule::denseStrides(ArrayRef<Extent> sizes,
                                                    index::Math &math) {
  SmallVector<Extent, 4> strides(sizes.size(), 1);
  for (int d = static_cast<int>(sizes.size()) - 2; d >= 0; --d)
    strides[d] = math.mul(strides[d + 1], sizes[d + 1]);
  return strides;
}

HostProgramBuilder::HostProgramBuilder(program::FuncOp func, OpBuilder &builder)
    : func(func), builder(builder), math(builder, func.getLoc()),
      name(func.getSymName().str()) {}

Value HostProgramBuilder::index(Value value) const {
  // What it stands for may have become known later.
  while (true) {
    if (Value known = indices.lookup(value))
      return known;
    auto alias = aliases.find(value);
    if (alias == aliases.end())
      return {};
    value = alias->second;
  }
}

Extent HostProgramBuilder::dimOf(Value value, unsigned dim) {
  for (auto alias = aliases.find(value); alias != aliases.end();
       alias = aliases.find(value))
    value = alias->second;
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto buffer = buffers.find(value);
  if (buffer != buffers.end())
    return buffer->second.sizes[dim];
  auto known = dims.find({value, dim});
  if (known != dims.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  if (!op)
    return math.symbols.of(value.getAsOpaquePointer(), dim);
  auto asResult = [&](Extent extent) -> OpFoldResult {
    if (extent.isStatic())
      return builder.getIndexAttr(extent.get());
    return math.value(extent);
  };
  SmallVector<OpFoldResult> shape = prim::reifyResultShape(
      builder, op, cast<OpResult>(value).getResultNumber(),
      [&](Value operand) {
        SmallVector<OpFoldResult> result;
        for (Extent extent : sizesOf(operand))
          result.push_back(asResult(extent));
        return result;
      },
      [&](Value size) {
        Value known = index(size);
        return known ? known : size;
      });
  for (auto [d, size] : llvm::enumerate(shape)) {
    Extent extent;
    if (auto attr = dyn_cast<Attribute>(size))
      extent = cast<IntegerAttr>(attr).getInt();
    else
      extent = math.of(cast<Value>(size));
    dims[{value, static_cast<unsigned>(d)}] = extent;
  }
  return dims.lookup({value, dim});
}

SmallVector<Extent> HostProgramBuilder::sizesOf(Value value) {
  SmallVector<Extent> result;
  for (int64_t d = 0, e = cast<RankedTensorType>(value.getType()).getRank();
       d < e; ++d)
    result.push_back(dimOf(value, d));
  return result;
}

void HostProgramBuilder::setBuffer(Value value, Buffer buffer) {
  buffers[value] = std::move(buffer);
}

void HostProgramBuilder::replaceBase(Value before, Value after) {
  for (auto *table : {&buffers, &destinations})
    for (auto &[value, buffer] : *table)
      if (buffer.base == before)
        buffer.base = after;
}

void HostProgramBuilder::setAlias(Value alias, Value value) {
  if (hasIndex(value))
    indices[alias] = index(value);
  // What it stood for before may be gone.
  aliases.erase(alias);
  if (hasBuffer(value))
    buffers[alias] = Buffer(buffer(value));
  else
    aliases[alias] = value;
}

Buffer HostProgramBuilder::allocate(Type elementType, ArrayRef<Extent> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (Extent size : sizes) {
    shape.push_back(size.asStatic());
    if (!size.isStatic())
      dynamic.push_back(math.value(size));
  }
  auto type = MemRefType::get(shape, elementType);
  Buffer result;
  result.base = program::AllocOp::create(builder, func.getLoc(), type, dynamic,
                                         /*offset=*/Value());
  result.sizes.assign(sizes.begin(), sizes.end());
  result.strides = denseStrides(sizes, math);
  return result;
}

Extent HostProgramBuilder::elementsOf(Value base) {
  auto type = cast<MemRefType>(base.getType());
  auto buffer = base.getDefiningOp<program::BufferOpInterface>();
  SmallVector<Extent> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      sizes.push_back(type.getDimSize(d));
    } else if (Value size = buffer ? buffer.getSizeOperand(d) : Value()) {
      sizes.push_back(math.of(size));
    } else {
      Value dim = arith::ConstantIndexOp::create(builder, func.getLoc(), d);
      sizes.push_back(
          math.of(memref::DimOp::create(builder, func.getLoc(), base, dim)));
    }
  }
  return math.product(sizes);
}

Buffer HostProgramBuilder::destination(Value result) {
  auto asked = destinations.find(result);
  if (asked != destinations.end())
    return asked->second;
  auto type = cast<RankedTensorType>(result.getType());
  return allocate(type.getElementType(), sizesOf(result));
}

void HostProgramBuilder::setDestination(Value value, Buffer buffer) {
  destinations[value] = std::move(buffer);
}

Buffer HostProgramBuilder::constant(ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  Value &known = constants[value];
  if (!known) {
    // At the entry, so that it can be used everywhere.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&func.getBody().front());
    known = program::ConstantOp::create(
        builder, func.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), value);
  }
  Buffer result;
  result.base = known;
  for (int64_t size : type.getShape())
    result.sizes.push_back(size);
  result.strides = denseStrides(result.sizes, math);
  return result;
}

/// Gives `result`, of other sizes, the strides of a view of `buffer`.
static LogicalResult reshapeStrided(const Buffer &buffer, Buffer &result) {
  SmallVector<int64_t> sizes, strides, to;
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip(buffer.sizes, buffer.strides)) {
    if (!size.isStatic() || !stride.isStatic())
      return failure();
    sizes.push_back(size.get());
    strides.push_back(stride.get());
    elements *= size.get();
  }
  for (const Extent &size : result.sizes) {
    if (!size.isStatic())
      return failure();
    to.push_back(size.get());
  }
  if (elements == 0)
    return failure();
  std::optional<SmallVector<int64_t>> found =
      stridesOfReshape(sizes, strides, to);
  if (!found)
    return failure();
  result.strides.assign(found->begin(), found->end());
  return success();
}

LogicalResult HostProgramBuilder::viewThrough(Operation *movement,
                                              const Buffer &buffer,
                                              Buffer &result) {
  // The dimensions of the result are the iteration space of the view.
  Value value = movement->getResult(0);
  SmallVector<Extent> sizes = sizesOf(value);
  AccessMap identity, source;
  for (size_t d = 0; d < sizes.size(); ++d)
    identity.index.push_back(sizes[d].is(1) ? IndexExpr() : IndexExpr::dim(d));
  // A dense buffer can take any shape.
  bool dense = true;
  for (auto [size, stride, wanted] : llvm::zip(
           buffer.sizes, buffer.strides, denseStrides(buffer.sizes, math)))
    dense &= size.is(1) || stride.same(wanted);
  result.base = buffer.base;
  result.offset = buffer.offset;
  result.sizes.assign(sizes.begin(), sizes.end());
  bool isReshape = isa<ReshapeOpInterface>(movement);
  if (isReshape && dense) {
    result.strides = denseStrides(sizes, math);
    return success();
  }
  MapContext ctx{math, sizes, dimFn(), std::nullopt};
  if (failed(moveMap(movement, 0, identity, ctx, source)))
    return isReshape ? reshapeStrided(buffer, result) : failure();
  result.strides.assign(sizes.size(), 0);
  for (auto [expr, stride] : llvm::zip(source.index, buffer.strides)) {
    result.offset = math.add(result.offset, math.mul(expr.offset(), stride));
    for (int dim : expr.dims())
      result.strides[dim] = math.add(result.strides[dim],
                                     math.mul(expr.coefficient(dim), stride));
  }
  return success();
}

/// True if `sizes` are the dynamic sizes of an allocation or an argument.
static bool hasSizes(Value base, ArrayRef<Value> sizes) {
  auto buffer = base.getDefiningOp<program::BufferOpInterface>();
  auto type = cast<MemRefType>(base.getType());
  unsigned next = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d))
      continue;
    if (buffer) {
      if (buffer.getSizeOperand(d) != sizes[next++])
        return false;
      continue;
    }
    auto dim = sizes[next++].getDefiningOp<memref::DimOp>();
    if (!dim || dim.getSource() != base || dim.getConstantIndex() != d)
      return false;
  }
  return true;
}

Value HostProgramBuilder::memref(const Buffer &buffer) {
  SmallVector<int64_t> shape;
  for (Extent size : buffer.sizes)
    shape.push_back(size.asStatic());
  return memref(buffer, shape);
}

Value HostProgramBuilder::memref(const Buffer &buffer,
                                 ArrayRef<int64_t> sizes) {
  auto baseType = cast<MemRefType>(buffer.base.getType());
  SmallVector<int64_t> strides;
  SmallVector<Value> dynOffset, dynSizes, dynStrides;
  for (auto [size, stride, known] :
       llvm::zip(buffer.sizes, buffer.strides, sizes)) {
    strides.push_back(stride.asStatic());
    if (ShapedType::isDynamic(known))
      dynSizes.push_back(math.value(size));
    if (!stride.isStatic())
      dynStrides.push_back(math.value(stride));
  }
  if (!buffer.offset.isStatic())
    dynOffset.push_back(math.value(buffer.offset));
  bool dense = buffer.offset.is(0);
  for (auto [stride, wanted] :
       llvm::zip(buffer.strides, denseStrides(buffer.sizes, math)))
    dense &= stride.same(wanted);
  MemRefLayoutAttrInterface layout;
  if (!dense)
    layout = StridedLayoutAttr::get(builder.getContext(),
                                    buffer.offset.asStatic(), strides);
  auto type = MemRefType::get(sizes, baseType.getElementType(), layout);
  if (dense && type == baseType && hasSizes(buffer.base, dynSizes))
    return buffer.base;
  return program::ViewOp::create(
      builder, func.getLoc(), type, buffer.base, dynOffset, dynSizes,
      dynStrides, builder.getDenseI64ArrayAttr({buffer.offset.asStatic()}),
      builder.getDenseI64ArrayAttr(sizes),
      builder.getDenseI64ArrayAttr(strides));
}

tile::ViewType HostProgramBuilder::viewType(const Buffer &buffer) {
  SmallVector<int64_t> sizes, strides;
  bool dense = buffer.rank() > 0;
  SmallVector<Extent, 4> wanted = denseStrides(buffer.sizes, math);
  for (auto [d, size] : llvm::enumerate(buffer.sizes)) {
    sizes.push_back(size.asStatic());
    strides.push_back(buffer.strides[d].asStatic());
    dense &= buffer.strides[d].same(wanted[d]);
  }
  if (dense)
    strides.clear();
  return tile::ViewType::get(builder.getContext(), sizes, buffer.elementType(),
                             strides);
}

void HostProgramBuilder::checkSame(Extent a, Extent b, const Twine &message) {
  if (a.same(b))
    return;
  Value equal =
      arith::CmpIOp::create(builder, func.getLoc(), arith::CmpIPredicate::eq,
                            math.value(a), math.value(b));
  program::CheckOp::create(builder, func.getLoc(), equal,
                           builder.getStringAttr(message));
}
