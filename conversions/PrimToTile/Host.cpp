//===- Host.cpp - What the host computes itself ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FunctionConverter.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Program/HostOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

LogicalResult FunctionConverter::convertHost(HostOpInterface op) {
  SmallVector<Value> sources, targets;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> dense = makeDense(operand, op);
    if (failed(dense))
      return failure();
    sources.push_back(host->memref(host->buffer(*dense)));
  }
  for (Value result : op->getResults()) {
    Buffer target = denseTarget(result);
    host->setBuffer(result, target);
    targets.push_back(host->memref(target));
  }
  SmallVector<StringRef> flags = op.getHostFlags();
  program::HostOp::create(builder, op->getLoc(), op.getHostFunction(),
                          flags.empty() ? ArrayAttr()
                                        : builder.getStrArrayAttr(flags),
                          sources, targets);
  target::Report::of(op->getContext())
      .chose(op, "host", "", op.getHostFunction());
  return success();
}
