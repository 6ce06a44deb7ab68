//===- Lowering.cpp - The context of lowerings, and the family's own ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Cpu/Lowering.h"
#include "KernelEmitter.h"
#include "SmallFloats.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Interfaces/Names.h"
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

namespace {
/// Wraps a member of the emitter into a lowering.
template <typename OpT>
std::function<LogicalResult(Operation *, target::LoweringContext &)>
byEmitter(LogicalResult (KernelEmitter::*emit)(OpT)) {
  return [emit](Operation *op, target::LoweringContext &base) -> LogicalResult {
    auto *context = base.as<CpuLoweringContext>();
    if (!context)
      return base.decline(op, "works in the cpu family only");
    context->emitter.declined.clear();
    LogicalResult result = (context->emitter.*emit)(cast<OpT>(op));
    if (failed(result) && !context->emitter.declined.empty())
      return base.decline(op, context->emitter.declined);
    return result;
  };
}
} // namespace

void cpu::registerCpuFamily(target::TargetRegistry &registry) {
  if (registry.findFamily("cpu"))
    return;
  target::addDecisions("cpu", {"instruction", "storage"});
  registry.addLowering(
      {"cpu.dot.packed",
       "cpu",
       kMatrixProduct.str(),
       50,
       byEmitter<MatrixProductOpInterface>(&KernelEmitter::emitDot),
       {},
       0});
  registry.addLowering({"cpu.reduce",
                        "cpu",
                        "tile.reduce",
                        50,
                        byEmitter<tile::ReduceOp>(&KernelEmitter::emitReduce),
                        {},
                        0});
  registry.addLowering(
      {"cpu.store",
       "cpu",
       kViewWrite.str(),
       50,
       byEmitter<ViewAccessOpInterface>(&KernelEmitter::emitStore),
       {},
       0});
  registry.addLowering({"cpu.load_ptr",
                        "cpu",
                        "tile.load_ptr",
                        50,
                        byEmitter<tile::LoadPtrOp>(&KernelEmitter::emitLoadPtr),
                        {},
                        0});
  registry.addLowering(
      {"cpu.store_ptr",
       "cpu",
       "tile.store_ptr",
       50,
       byEmitter<tile::StorePtrOp>(&KernelEmitter::emitStorePtr),
       {},
       0});
  registry.addLowering(
      {"cpu.atomic_rmw",
       "cpu",
       "tile.atomic_rmw",
       50,
       byEmitter<tile::AtomicRMWOp>(&KernelEmitter::emitAtomicRMW),
       {},
       0});
  registry.addLowering(
      {"cpu.atomic_cas",
       "cpu",
       "tile.atomic_cas",
       50,
       byEmitter<tile::AtomicCASOp>(&KernelEmitter::emitAtomicCAS),
       {},
       0});
  registry.addLowering({"cpu.scan",
                        "cpu",
                        "tile.scan",
                        50,
                        byEmitter<tile::ScanOp>(&KernelEmitter::emitScan),
                        {},
                        0});
  registry.addLowering({"cpu.gather",
                        "cpu",
                        "tile.gather",
                        50,
                        byEmitter<tile::GatherOp>(&KernelEmitter::emitTake),
                        {},
                        0});
  registry.addLowering({"cpu.sort",
                        "cpu",
                        "tile.sort",
                        50,
                        byEmitter<tile::SortOp>(&KernelEmitter::emitSort),
                        {},
                        0});
  registry.addLowering(
      {"cpu.histogram",
       "cpu",
       "tile.histogram",
       50,
       byEmitter<tile::HistogramOp>(&KernelEmitter::emitHistogram),
       {},
       0});
  registry.addLowering({"cpu.join",
                        "cpu",
                        "tile.join",
                        50,
                        byEmitter<tile::JoinOp>(&KernelEmitter::emitJoin),
                        {},
                        0});
  registry.addLowering({"cpu.split",
                        "cpu",
                        "tile.split",
                        50,
                        byEmitter<tile::SplitOp>(&KernelEmitter::emitSplit),
                        {},
                        0});
  registry.addLowering({"cpu.assert",
                        "cpu",
                        "tile.assert",
                        50,
                        byEmitter<tile::AssertOp>(&KernelEmitter::emitAssert),
                        {},
                        0});
  registry.addLowering({"cpu.assume",
                        "cpu",
                        "tile.assume",
                        50,
                        [](Operation *, target::LoweringContext &) {
                          return success(); // costs nothing
                        },
                        {},
                        0});
  registry.addLowering({"cpu.print",
                        "cpu",
                        "tile.print",
                        50,
                        byEmitter<tile::PrintOp>(&KernelEmitter::emitPrint),
                        {},
                        0});
  registry.addLowering(
      {"cpu.inline_asm",
       "cpu",
       "tile.inline_asm",
       50,
       byEmitter<tile::InlineAsmOp>(&KernelEmitter::emitInlineAsm),
       {},
       0});
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
