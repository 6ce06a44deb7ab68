//===- Lowering.cpp - The context of lowerings, and the family's own ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Vector/Lowering.h"
#include "KernelEmitter.h"
#include "SmallFloats.h"
#include "kiln/Vector/Passes.h"
#include "kiln/Vector/Serialize.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::vec;

VectorLoweringContext::VectorLoweringContext(
    KernelEmitter &emitter, RewriterBase &rewriter,
    const target::TargetOptions &options, target::TargetAttr description)
    : LoweringContext(rewriter, options, description), emitter(emitter) {}

const VectorConfig &VectorLoweringContext::config() const {
  return emitter.config;
}
Value VectorLoweringContext::scalar(Value value) {
  return emitter.scalar(value);
}
TileBuffer VectorLoweringContext::materialize(Value tile) {
  return emitter.materialize(tile);
}
TileBuffer VectorLoweringContext::createResult(Value result, Value init) {
  TileBuffer buffer = emitter.resultBuffer(result);
  if (init &&
      !(emitter.hasBuffer(init) && emitter.bufferOf(init).base == buffer.base))
    emitter.fill(buffer, init);
  emitter.define(result, buffer);
  return buffer;
}
Value VectorLoweringContext::allocate(int64_t bytes) {
  return emitter.temporary(bytes);
}
Value VectorLoweringContext::constant(int64_t value) {
  return emitter.c64(value);
}

void VectorLoweringContext::forEach(ArrayRef<int64_t> shape,
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

Value VectorLoweringContext::address(const TileBuffer &buffer,
                                     ValueRange index) {
  Value offset = emitter.c64(0);
  for (auto [stride, i] : llvm::zip_equal(buffer.strides, index))
    offset = emitter.add(offset, emitter.mul(i, emitter.c64(stride)));
  return emitter.gep(buffer.base, offset, buffer.elementType);
}

Value VectorLoweringContext::load(const TileBuffer &buffer, ValueRange index,
                                  int64_t lanes) {
  Type stored = KernelEmitter::storageType(buffer.elementType);
  return emitter.fromStorage(
      LLVM::LoadOp::create(
          rewriter, emitter.loc, emitter.vectorOf(stored, lanes),
          address(buffer, index), KernelEmitter::storageBytes(stored)),
      buffer.elementType);
}

void VectorLoweringContext::store(Value value, const TileBuffer &buffer,
                                  ValueRange index) {
  LLVM::StoreOp::create(rewriter, emitter.loc, emitter.toStorage(value),
                        address(buffer, index),
                        KernelEmitter::storageBytes(buffer.elementType));
}

Value VectorLoweringContext::widen(Value bits, Type element) {
  return widenFloat(rewriter, emitter.loc, bits, element);
}
Value VectorLoweringContext::narrow(Value value, Type element) {
  return narrowFloat(rewriter, emitter.loc, value, element);
}

namespace {
/// Wraps a member of the emitter into a lowering.
template <typename OpT>
std::function<LogicalResult(Operation *, target::LoweringContext &)>
byEmitter(LogicalResult (KernelEmitter::*emit)(OpT)) {
  return [emit](Operation *op, target::LoweringContext &base) -> LogicalResult {
    auto *context = base.as<VectorLoweringContext>();
    if (!context)
      return base.decline(op, "works in the vector family only");
    context->emitter.declined.clear();
    LogicalResult result = (context->emitter.*emit)(cast<OpT>(op));
    if (failed(result) && !context->emitter.declined.empty())
      return base.decline(op, context->emitter.declined);
    return result;
  };
}
} // namespace

void vec::registerVectorFamily(target::TargetRegistry &registry) {
  if (registry.findFamily("vector"))
    return;
  registry.addLowering({"vector.dot.packed",
                        "vector",
                        "tile.dot",
                        50,
                        byEmitter<tile::DotOp>(&KernelEmitter::emitDot),
                        {},
                        0});
  registry.addLowering({"vector.reduce",
                        "vector",
                        "tile.reduce",
                        50,
                        byEmitter<tile::ReduceOp>(&KernelEmitter::emitReduce),
                        {},
                        0});
  registry.addLowering({"vector.store",
                        "vector",
                        "tile.store",
                        50,
                        byEmitter<tile::StoreOp>(&KernelEmitter::emitStore),
                        {},
                        0});
  registry.addLowering({"vector.scatter",
                        "vector",
                        "tile.scatter",
                        50,
                        byEmitter<tile::ScatterOp>(&KernelEmitter::emitScatter),
                        {},
                        0});
  registry.addLowering({"vector.load_ptr",
                        "vector",
                        "tile.load_ptr",
                        50,
                        byEmitter<tile::LoadPtrOp>(&KernelEmitter::emitLoadPtr),
                        {},
                        0});
  registry.addLowering(
      {"vector.store_ptr",
       "vector",
       "tile.store_ptr",
       50,
       byEmitter<tile::StorePtrOp>(&KernelEmitter::emitStorePtr),
       {},
       0});
  registry.addLowering(
      {"vector.atomic_rmw",
       "vector",
       "tile.atomic_rmw",
       50,
       byEmitter<tile::AtomicRMWOp>(&KernelEmitter::emitAtomicRMW),
       {},
       0});
  registry.addLowering(
      {"vector.atomic_cas",
       "vector",
       "tile.atomic_cas",
       50,
       byEmitter<tile::AtomicCASOp>(&KernelEmitter::emitAtomicCAS),
       {},
       0});
  registry.addLowering({"vector.scan",
                        "vector",
                        "tile.scan",
                        50,
                        byEmitter<tile::ScanOp>(&KernelEmitter::emitScan),
                        {},
                        0});
  registry.addLowering({"vector.take",
                        "vector",
                        "tile.take",
                        50,
                        byEmitter<tile::TakeOp>(&KernelEmitter::emitTake),
                        {},
                        0});
  registry.addLowering({"vector.sort",
                        "vector",
                        "tile.sort",
                        50,
                        byEmitter<tile::SortOp>(&KernelEmitter::emitSort),
                        {},
                        0});
  registry.addLowering(
      {"vector.histogram",
       "vector",
       "tile.histogram",
       50,
       byEmitter<tile::HistogramOp>(&KernelEmitter::emitHistogram),
       {},
       0});
  registry.addLowering({"vector.join",
                        "vector",
                        "tile.join",
                        50,
                        byEmitter<tile::JoinOp>(&KernelEmitter::emitJoin),
                        {},
                        0});
  registry.addLowering({"vector.split",
                        "vector",
                        "tile.split",
                        50,
                        byEmitter<tile::SplitOp>(&KernelEmitter::emitSplit),
                        {},
                        0});
  registry.addLowering({"vector.assert",
                        "vector",
                        "tile.assert",
                        50,
                        byEmitter<tile::AssertOp>(&KernelEmitter::emitAssert),
                        {},
                        0});
  registry.addLowering({"vector.print",
                        "vector",
                        "tile.print",
                        50,
                        byEmitter<tile::PrintOp>(&KernelEmitter::emitPrint),
                        {},
                        0});
  registry.addLowering(
      {"vector.inline_asm",
       "vector",
       "tile.inline_asm",
       50,
       byEmitter<tile::InlineAsmOp>(&KernelEmitter::emitInlineAsm),
       {},
       0});
  registry.addFamily({"vector", buildVectorPipeline, serializeVector});
  registry.addDialects(registerTranslations);
}
