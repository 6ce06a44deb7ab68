//===- Lowering.cpp - The context of lowerings, and the family ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Cpu/Lowering.h"
#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/LLVM/Serialize.h"
#include "kiln/Target/Decisions.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

CpuLoweringContext::CpuLoweringContext(KernelEmitter &emitter,
                                       RewriterBase &rewriter,
                                       const target::TargetOptions &options,
                                       target::TargetAttr description)
    : LoweringContext(rewriter, options, description), emitter(emitter) {}

const CpuConfig &CpuLoweringContext::config() const { return emitter.config; }
Value CpuLoweringContext::scalar(Value value) { return emitter.scalar(value); }
TileBuffer CpuLoweringContext::materialize(Value tile) {
  return emitter.materialize(tile);
}
TileBuffer CpuLoweringContext::createResult(Value result, Value init) {
  TileBuffer buffer = emitter.resultBuffer(result);
  if (init &&
      !(emitter.hasBuffer(init) && emitter.bufferOf(init).base == buffer.base))
    emitter.fill(buffer, init);
  emitter.define(result, buffer);
  return buffer;
}
Value CpuLoweringContext::allocate(int64_t bytes) {
  return emitter.temporary(bytes);
}
Value CpuLoweringContext::constant(int64_t value) { return emitter.c64(value); }

void CpuLoweringContext::forEach(ArrayRef<int64_t> shape,
                                 llvm::function_ref<void(ValueRange)> body) {
  emitter.freshLevels();
  SmallVector<Value> index;
  std::function<void(size_t)> descend = [&](size_t depth) {
    if (depth == shape.size())
      return body(index);
    emitter.forLoop(emitter.c64(0), emitter.c64(shape[depth]), 1, {}, false,
                    [&](Coord iv, ValueRange) {
                      index.push_back(emitter.coordValue(iv));
                      descend(depth + 1);
                      index.pop_back();
                      return SmallVector<Value>();
                    });
  };
  descend(0);
}

Value CpuLoweringContext::address(const TileBuffer &buffer, ValueRange index) {
  Value offset = emitter.c64(0);
  for (auto [stride, i] : llvm::zip_equal(buffer.strides, index))
    offset = emitter.add(offset, emitter.mul(i, emitter.c64(stride)));
  return emitter.gep(buffer.base, offset, buffer.elementType);
}

Value CpuLoweringContext::load(const TileBuffer &buffer, ValueRange index,
                               int64_t lanes) {
  Type stored = KernelEmitter::storageType(buffer.elementType);
  return emitter.fromStorage(
      LLVM::LoadOp::create(
          rewriter, emitter.loc, emitter.vectorOf(stored, lanes),
          address(buffer, index), KernelEmitter::storageBytes(stored)),
      buffer.elementType);
}

void CpuLoweringContext::store(Value value, const TileBuffer &buffer,
                               ValueRange index) {
  LLVM::StoreOp::create(rewriter, emitter.loc, emitter.toStorage(value),
                        address(buffer, index),
                        KernelEmitter::storageBytes(buffer.elementType));
}

Value CpuLoweringContext::widen(Value bits, Type element) {
  return widenFloat(rewriter, emitter.loc, bits, element);
}
Value CpuLoweringContext::narrow(Value value, Type element) {
  return narrowFloat(rewriter, emitter.loc, value, element);
}

void cpu::registerCpuFamily(target::TargetRegistry &registry) {
  if (registry.findFamily("cpu"))
    return;
  target::addDecisions("cpu", {"instruction", "storage"});
  addOwnLowerings(registry);
  registry.addFamily(
      {"cpu",
       buildCpuPipeline,
       serializeKernels,
       {{"tile", "verify-tile-form", "tile kernels, before lowering"},
        {"vector", "", "loops over vector registers"},
        {"llvm", "", "the llvm dialect"}}});
  registry.addDialects(registerTranslations);
  registry.addDialects(
      [](DialectRegistry &dialects) { dialects.insert<CpuDialect>(); });
  addFamilyInstructions();
}
