//===- FirstCopies.cpp - What one thread found goes to others -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FirstCopies.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// An element of any type.
constexpr int64_t kElement = 16;

ScratchNeed simt::firstCopyNeed() { return {kElement}; }
ScratchNeed simt::firstCopiesNeed(ArrayRef<int64_t> shape, Type element) {
  return {ThreadBuilder::tileBytes(shape, element)};
}

Value simt::shareFirstCopy(ThreadWriter &w, Value first, Value value) {
  Type type = value.getType();
  int64_t start = w.scratch(kElement);
  w.guarded(first, [&] {
    LLVM::StoreOp::create(w.b, w.loc, w.toStored(value), w.shared(start));
  });
  w.barrier(Memories::All);
  return w.uniform(w.readElement(start, w.c32(0), type));
}

void simt::shareFirstCopies(ThreadWriter &w, Value first, LayoutAttr layout,
                            ArrayRef<int64_t> shape, Regs &regs) {
  Type type = regs[0].getType();
  int64_t start = w.scratch(ThreadBuilder::tileBytes(shape, type));
  w.guarded(first, [&] { w.writeTile(start, regs, layout, shape); });
  w.barrier(Memories::All);
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    SmallVector<Value> at;
    for (size_t d = 0; d < shape.size(); ++d)
      at.push_back(w.coordinate(layout, reg, d));
    regs[reg] = w.readElement(start, w.position(at, shape), type);
  }
}
