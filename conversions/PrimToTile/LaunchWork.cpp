//===- LaunchWork.cpp - What the launches of a group compute --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchWork.h"
#include "kiln/Interfaces/Work.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

LaunchWork::LaunchWork(HostProgramBuilder &host, Operation *group)
    : host(host) {
  Extent sum = 0;
  for (Operation &op : group->getRegion(0).front()) {
    Work counted = getWork(&op);
    // Sizes that a group computes are numbers, not tensors.
    if (counted.each == 0 || !isa<RankedTensorType>(counted.over.getType()))
      continue;
    Extent elements = counted.each;
    for (Extent size : host.sizesOf(counted.over))
      elements = elements * size;
    sum = sum + elements;
  }
  OpBuilder &b = host.builder;
  if (sum.isKnown() && !sum.is(0))
    work = host.math.value(sum);
  if (b.getInsertionPoint() != b.getInsertionBlock()->begin())
    last = &*std::prev(b.getInsertionPoint());
}

void LaunchWork::addTo(StringRef kernel) {
  if (!work)
    return;
  OpBuilder &b = host.builder;
  program::LaunchOp first, own;
  auto begin =
      last ? std::next(last->getIterator()) : b.getInsertionBlock()->begin();
  for (Operation &op : llvm::make_range(begin, b.getInsertionPoint()))
    op.walk([&](program::LaunchOp launch) {
      first = first ? first : launch;
      for (Attribute symbol : launch.getKernels())
        if (cast<FlatSymbolRefAttr>(symbol).getValue() == kernel)
          own = launch;
    });
  program::LaunchOp launch = own ? own : first;
  if (!launch)
    return;
  OpBuilder before(launch);
  Value told = launch.getFlops();
  launch.getFlopsMutable().assign(
      told ? before.createOrFold<arith::AddIOp>(launch.getLoc(), told, work)
           : work);
}
