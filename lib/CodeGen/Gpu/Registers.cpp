//===- Registers.cpp - What lowerings of tiles in registers work with -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Gpu/Registers.h"
#include "StorageAreas.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

RegisterCode::~RegisterCode() = default;

/// Reports that the lowering which extends the code asks for what there is not.
static void reportMissing(Location loc, StringRef what, Value value) {
  InFlightDiagnostic diagnostic = emitError(loc)
                                  << "expected a lowering to ask for the "
                                  << what << " of a value that has any, found ";
  if (value)
    diagnostic << "one of type " << value.getType();
  else
    diagnostic << "none";
}

Value RegisterCode::scalar(Value value) {
  auto it = scalars.find(value);
  if (it != scalars.end())
    return it->second;
  reportMissing(loc, "scalar", value);
  Type type = value ? scalarType(getElementTypeOrSelf(value.getType()))
                    : b.getI64Type();
  return LLVM::PoisonOp::create(b, loc, type);
}

const Regs &RegisterCode::registers(Value tile) {
  auto it = tiles.find(tile);
  if (it != tiles.end())
    return it->second;
  reportMissing(loc, "registers", tile);
  Regs &made = tiles[tile];
  auto type =
      tile ? dyn_cast<RankedTensorType>(tile.getType()) : RankedTensorType();
  if (type && getLayout(tile))
    made.assign(
        getLayout(tile).getNumRegisters(),
        LLVM::PoisonOp::create(b, loc, scalarType(type.getElementType())));
  return made;
}

// What lowerings of plug-ins define is checked when they have returned.
void RegisterCode::define(Value value, Regs regs) {
  tiles[value] = std::move(regs);
}

void RegisterCode::define(Value value, Value scalar) {
  scalars[value] = scalar;
}

int64_t RegisterCode::scratch(int64_t bytes, int64_t warpBytes) {
  size_t at = 2 * scratchUsed++;
  if (at + 1 >= scratchPlaces.size() || scratchPlaces[at + 1] < bytes) {
    scratchPlaces = {};
    return 0; // the operation is in error
  }
  StorageArea area{scratchPlaces[at], scratchPlaces[at] + bytes};
  // Warps wait for themselves alone only where both pieces are parted alike.
  bool isOfWarps = warpBytes && warpBytes == scratchWarpBytes;
  if (at && area.overlaps({scratchPlaces[at - 2],
                           scratchPlaces[at - 2] + scratchPlaces[at - 1]}))
    isOfWarps ? warpBarrier() : barrier();
  scratchWarpBytes = warpBytes;
  return area.begin;
}

void RegisterCode::warpBarrier() { WarpBarrierOp::create(b, loc); }

int64_t RegisterCode::registerAt(LayoutAttr layout, ArrayRef<int64_t> offset) {
  // Elimination would do; there are few bits.
  Basis rest(offset);
  int64_t reg = 0;
  auto bases = layout.getRegisterBases();
  // Bases are mostly single bits of their own: greedy, then checked.
  for (auto [bit, basis] : llvm::enumerate(bases)) {
    bool covered = true, any = false;
    for (auto [have, want] : llvm::zip_equal(rest, basis)) {
      covered &= (have & want) == want;
      any |= want != 0;
    }
    if (!covered || !any)
      continue;
    reg |= int64_t(1) << bit;
    for (auto [have, want] : llvm::zip_equal(rest, basis))
      have ^= want;
  }
  if (layout.getRegisterOffset(reg) == Basis(offset))
    return reg;
  for (reg = 0; reg < layout.getNumRegisters(); ++reg)
    if (layout.getRegisterOffset(reg) == Basis(offset))
      return reg;
  return -1;
}

void RegisterCode::guarded(Value condition, function_ref<void()> make) {
  if (!condition)
    return make();
  auto choice = scf::IfOp::create(b, loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  make();
}

void simt::addLowering(target::TargetRegistry &registry,
                       RegisterLowering lowering) {
  target::Lowering entry;
  entry.name = lowering.name;
  entry.target = lowering.target;
  entry.op = lowering.op;
  entry.priority = lowering.priority;
  entry.form = GpuLoweringContext::kRegisters;
  if (lowering.lower)
    entry.lower =
        [lower = std::move(lowering.lower), needs = std::move(lowering.needs)](
            Operation *op, target::LoweringContext &base) -> LogicalResult {
      auto *context = base.as<GpuLoweringContext>();
      if (!context || context->level != GpuLoweringContext::Level::Registers)
        return base.decline(op, "it is written for tiles in registers");
      auto &registers = *static_cast<RegisterLoweringContext *>(context);
      if (!registers.needs)
        return lower(op, registers);
      return needs ? needs(op, registers, *registers.needs) : success();
    };
  registry.addLowering(std::move(entry));
}
