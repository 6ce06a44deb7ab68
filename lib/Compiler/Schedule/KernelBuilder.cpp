//===- KernelBuilder.cpp - A kernel and its launch ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Schedule/KernelBuilder.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Index/ScalarBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

KernelBuilder::KernelBuilder(HostProgramBuilder &host, Location loc,
                             StringRef name)
    : host(host), loc(loc), b(host.builder.getContext()) {
  OpBuilder::InsertionGuard guard(host.builder);
  host.builder.setInsertionPoint(host.func);
  kernel = tile::KernelOp::create(host.builder, loc, name,
                                  host.builder.getFunctionType({}, {}));
  Block *body = &kernel.getBody().front();
  b.setInsertionPointToEnd(body);
  tile::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(body);
}

void KernelBuilder::abandon() { kernel.erase(); }

Value KernelBuilder::view(const Buffer &buffer, bool write) {
  // What a kernel reads of a view that it writes comes through one parameter,
  // whichever is first: facts of two would contradict each other.
  for (Argument &argument : views)
    if (argument.buffer.same(buffer)) {
      if (write && !argument.write) {
        argument.write = true;
        writes.push_back(argument.place);
        llvm::sort(writes);
      }
      return argument.param;
    }
  Value param =
      kernel.getBody().front().addArgument(host.viewType(buffer), loc);
  views.push_back({buffer, param, write, int64_t(hostArgs.size())});
  if (write)
    writes.push_back(hostArgs.size());
  hostArgs.push_back(host.memref(buffer));
  return param;
}

Value KernelBuilder::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value KernelBuilder::index(Extent extent) {
  if (extent.isStatic())
    return constant(extent.get());
  Value value = host.math.value(extent);
  Value &param = scalars[value];
  if (!param) {
    param = kernel.getBody().front().addArgument(b.getIndexType(), loc);
    hostArgs.push_back(value);
  }
  return param;
}

Value KernelBuilder::add(Value a, Value c) {
  index::ScalarBuilder math(b, loc);
  return math.materialize(math.add(a, c));
}

Value KernelBuilder::sub(Value a, Value c) {
  index::ScalarBuilder math(b, loc);
  return math.materialize(math.sub(a, c));
}

Value KernelBuilder::mul(Value a, Value c) {
  index::ScalarBuilder math(b, loc);
  return math.materialize(math.mul(a, c));
}

Extent KernelBuilder::numBlocks(int dim) {
  return host.math.ceilDiv(dims[dim].size, dims[dim].block);
}

void KernelBuilder::place(int dim, Value coord) {
  dims[dim].coord = coord;
  dims[dim].offset = mul(coord, constant(dims[dim].block));
}

void KernelBuilder::placeGrid() {
  // Dimensions with a single block need no instance of their own.
  SmallVector<int> real;
  for (int dim : gridDims)
    if (numBlocks(dim).is(1))
      place(dim, constant(0));
    else
      real.push_back(dim);
  gridDims = real;
  unsigned axes = std::min<size_t>(gridDims.size(), 3);
  for (unsigned axis = 0; axis < axes; ++axis)
    gridSizes.push_back(numBlocks(gridDims[axis]));
  // What does not fit shares the last axis.
  for (unsigned i = axes; i < gridDims.size(); ++i)
    gridSizes.back() = host.math.mul(gridSizes.back(), numBlocks(gridDims[i]));
  if (axes == 0)
    return;
  SmallVector<Type> types(axes, b.getIndexType());
  auto ids = tile::ProgramIdOp::create(b, loc, types);
  for (unsigned axis = 0; axis < axes; ++axis) {
    Value id = ids.getIds()[axis];
    if (axis + 1 < axes || gridDims.size() <= 3) {
      place(gridDims[axis], id);
      continue;
    }
    for (unsigned i = axis; i < gridDims.size(); ++i) {
      if (i + 1 == gridDims.size()) {
        place(gridDims[i], id);
        break;
      }
      Value count = index(numBlocks(gridDims[i]));
      place(gridDims[i], arith::RemUIOp::create(b, loc, id, count));
      id = arith::DivUIOp::create(b, loc, id, count);
    }
  }
}

void KernelBuilder::placeFromEnd(int dim) {
  if (numBlocks(dim).is(1))
    return;
  place(dim, sub(index(numBlocks(dim)), add(dims[dim].coord, constant(1))));
}

program::LaunchOp KernelBuilder::finish(StringRef schedule, Extent flops) {
  auto function = cast<tile::KernelOp>(kernel.getOperation());
  Block &body = function.getBody().front();
  function.setFunctionType(b.getFunctionType(body.getArgumentTypes(), {}));
  SmallVector<Attribute> facts(body.getNumArguments(), b.getDictionaryAttr({}));
  for (const Argument &argument : views) {
    unsigned number = cast<BlockArgument>(argument.param).getArgNumber();
    facts[number] = tile::statesFact(argument.write ? tile::kNoaliasFact
                                                    : tile::kReadonlyFact,
                                     b.getUnitAttr());
  }
  function.setArgAttrsAttr(b.getArrayAttr(facts));
  OpBuilder &h = host.builder;
  SmallVector<Value> grid;
  while (gridSizes.size() < 3)
    gridSizes.push_back(1);
  for (Extent size : gridSizes)
    grid.push_back(host.math.value(size));
  Value work;
  if (flops.isKnown() && !flops.is(0))
    work = host.math.value(flops);
  return program::LaunchOp::create(
      h, loc,
      h.getArrayAttr({FlatSymbolRefAttr::get(function.getSymNameAttr())}),
      ValueRange(), grid, hostArgs, h.getDenseI64ArrayAttr(writes), work,
      h.getStringAttr(schedule), StringAttr(), IntegerAttr(), DictionaryAttr());
}
