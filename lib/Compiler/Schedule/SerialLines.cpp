//===- SerialLines.cpp - Kernels that walk along lines --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SerialLines.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// More instances need more memory and serve no machine.
static constexpr int64_t kMostInstances = 32;

SerialLines::SerialLines(ScheduleContext &ctx, Location loc,
                         ArrayRef<Extent> sizes, unsigned dim)
    : kernel(ctx.host, loc, ctx.kernelName), b(kernel.b), loc(loc), ctx(ctx),
      dim(dim) {
  index::Math &math = ctx.host.math;
  Extent lines = 1;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (d != dim)
      lines = math.mul(lines, size);
  instances = math.min(lines, kMostInstances);
  KernelDim grid;
  grid.size = instances;
  kernel.dims.push_back(grid);
  kernel.addGridDim(0);
  kernel.placeGrid();
  instance = kernel.dims.front().offset;
  auto loop = scf::ForOp::create(b, loc, instance, kernel.index(lines),
                                 kernel.index(instances));
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  others.resize(sizes.size());
  for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
    if (d == static_cast<int>(dim))
      continue;
    if (sizes[d].is(1)) {
      others[d] = kernel.constant(0);
      continue;
    }
    Value size = kernel.index(sizes[d]);
    others[d] = arith::RemUIOp::create(b, loc, number, size);
    number = arith::DivUIOp::create(b, loc, number, size);
  }
}

Line SerialLines::lineOf(const Buffer &buffer, bool write) {
  Buffer turned;
  turned.base = buffer.base;
  turned.offset = buffer.offset;
  Line line;
  for (unsigned d = 0; d < buffer.rank(); ++d)
    if (d != dim) {
      turned.sizes.push_back(buffer.sizes[d]);
      turned.strides.push_back(buffer.strides[d]);
      line.coords.push_back(others[d]);
    }
  turned.sizes.push_back(buffer.sizes[dim]);
  turned.strides.push_back(buffer.strides[dim]);
  line.view = kernel.view(turned, write);
  return line;
}

Line SerialLines::scratch(Type element, Extent count) {
  Buffer buffer = ctx.host.allocate(element, {instances, count});
  return {kernel.view(buffer, /*write=*/true), {instance}};
}

Value SerialLines::load(const Line &line, Value at, int64_t count) {
  SmallVector<Value, 4> coords(line.coords);
  coords.push_back(at);
  Type element = cast<tile::ViewType>(line.view.getType()).getElementType();
  return tile::LoadOp::create(b, loc, RankedTensorType::get({count}, element),
                              line.view, coords, Value(),
                              /*element_offsets=*/true, tile::Padding::zero,
                              DenseI64ArrayAttr());
}

void SerialLines::store(Value tile, const Line &line, Value at) {
  SmallVector<Value, 4> coords(line.coords);
  coords.push_back(at);
  tile::StoreOp::create(b, loc, tile, line.view, coords,
                        /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
}

Value SerialLines::scalar(Value tile) {
  return tensor::ExtractOp::create(b, loc, tile,
                                   ValueRange(kernel.constant(0)));
}

Value SerialLines::tileOf(Value scalar) {
  return tile::SplatOp::create(
      b, loc, RankedTensorType::get({1}, scalar.getType()), scalar);
}

Value SerialLines::place(Value tile) {
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), scalar(tile));
}

Value SerialLines::tileOf(Value index, Type element) {
  return tileOf(arith::IndexCastOp::create(b, loc, element, index));
}

Value SerialLines::constant(Type element, const APInt &value) {
  auto type = RankedTensorType::get({1}, element);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, value));
}

void SerialLines::loop(Value first, Value end, Body body) {
  loop(first, end, 1, {}, [&](Value at, ValueRange) {
    body(at);
    return SmallVector<Value>();
  });
}

SmallVector<Value> SerialLines::loop(Value first, Value end, int64_t step,
                                     ValueRange inits, Carrying body) {
  auto loop =
      scf::ForOp::create(b, loc, first, end, kernel.constant(step), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(b, loc, next);
  return loop.getResults();
}

SmallVector<Value>
SerialLines::choose(Value condition, ValueRange otherwise,
                    llvm::function_ref<SmallVector<Value>()> then) {
  auto choice = scf::IfOp::create(b, loc, otherwise.getTypes(), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, loc, then());
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return choice.getResults();
}

void SerialLines::finish(StringRef schedule) { kernel.finish(schedule); }
