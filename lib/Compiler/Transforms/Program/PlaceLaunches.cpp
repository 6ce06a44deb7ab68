//===- PlaceLaunches.cpp - Buffers and transfers of launches elsewhere ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Program/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMPLACELAUNCHES
#include "kiln/Transforms/Program/Passes.h.inc"
} // namespace kiln::program

using namespace mlir;
using namespace kiln;

namespace {
/// The buffer that a view is of.
Value rootOf(Value value) {
  while (Value viewed = program::getViewedBuffer(value.getDefiningOp()))
    value = viewed;
  return value;
}

/// Calls fn for everything that uses a buffer or a view of it; false when that
/// cannot be told, as the buffer may be known by other names.
template <typename Fn> bool walkUses(Value buffer, Fn fn) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (isa<memref::DimOp>(user))
      continue;
    if (program::getViewedBuffer(user)) {
      if (!walkUses(user->getResult(0), fn))
        return false;
      continue;
    }
    if (!isa<program::LaunchOp, program::CopyOp, program::TransferOp,
             program::FillOp, program::ReadOp, program::AlignedOp,
             program::ReturnOp>(user))
      return false;
    fn(use);
  }
  return true;
}

/// Whether an operation writes to a buffer that it has as this operand.
bool writes(OpOperand &use) {
  if (auto launch = dyn_cast<program::LaunchOp>(use.getOwner())) {
    unsigned first = launch.getArgs().getBeginOperandIndex();
    return llvm::is_contained(launch.getWrites(),
                              int64_t(use.getOperandNumber()) - first);
  }
  if (auto copy = dyn_cast<program::CopyOp>(use.getOwner()))
    return use.get() == copy.getTarget();
  return isa<program::FillOp>(use.getOwner());
}

/// Whether a buffer may hold anything before `op` runs.
bool hasContents(Value root, Operation *op) {
  auto alloc = root.getDefiningOp<program::AllocOp>();
  if (!alloc || alloc->getBlock() != op->getBlock())
    return true;
  bool isWritten = false;
  bool isKnown = walkUses(root, [&](OpOperand &use) {
    Operation *at = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
    isWritten |= writes(use) && at && at->isBeforeInBlock(op);
  });
  return isWritten || !isKnown;
}

/// Gives one launch its buffers on another device.
class LaunchMover {
public:
  explicit LaunchMover(program::LaunchOp launch)
      : launch(launch), device(*launch.getDevice()), builder(launch) {}

  void move() {
    SmallVector<Value> args(launch.getArgs());
    ArrayRef<int64_t> writes = launch.getWrites();
    for (Value &arg : args)
      if (isa<MemRefType>(arg.getType()))
        arg = moved(arg);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(launch);
    SmallVector<Value> copied;
    for (int64_t index : writes) {
      Value root = rootOf(launch.getArgs()[index]);
      if (roots.lookup(root) == root || llvm::is_contained(copied, root))
        continue;
      copied.push_back(root);
      program::CopyOp::create(builder, launch.getLoc(), roots.lookup(root),
                              root);
    }
    launch.getArgsMutable().assign(args);
  }

private:
  /// The same view of the storage's copy there.
  Value moved(Value value) {
    if (Value known = roots.lookup(value))
      return known;
    Value result;
    Operation *view = value.getDefiningOp();
    if (Value viewed = program::getViewedBuffer(view)) {
      Value source = moved(viewed);
      IRMapping map;
      map.map(viewed, source);
      result =
          source == viewed ? value : builder.clone(*view, map)->getResult(0);
    } else {
      result = movedRoot(value);
    }
    roots[value] = result;
    return result;
  }

  Value movedRoot(Value value) {
    StringAttr name = builder.getStringAttr(device);
    auto alloc = value.getDefiningOp<program::AllocOp>();
    if (alloc && alloc.getDevice() == device)
      return value;
    if (auto constant = value.getDefiningOp<program::ConstantOp>())
      return program::ConstantOp::create(builder, launch.getLoc(),
                                         value.getType(), constant.getValue(),
                                         name, IntegerAttr());
    // Of what nobody has written there is nothing to be copied.
    if (alloc && !hasContents(value, launch))
      return program::AllocOp::create(builder, launch.getLoc(), alloc.getType(),
                                      alloc.getSizes(), Value(), name,
                                      IntegerAttr(), StringAttr());
    return program::TransferOp::create(builder, launch.getLoc(),
                                       value.getType(), value, name,
                                       IntegerAttr(), StringAttr());
  }

  program::LaunchOp launch;
  StringRef device;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> roots;
};

/// A buffer that one device alone uses is there.
void placeBuffer(program::AllocOp alloc) {
  StringAttr device;
  bool isShared = false;
  bool isKnown = walkUses(alloc.getResult(), [&](OpOperand &use) {
    if (isa<program::ReturnOp>(use.getOwner()))
      return;
    auto launch = dyn_cast<program::LaunchOp>(use.getOwner());
    StringAttr wanted = launch ? launch.getDeviceAttr() : StringAttr();
    isShared |= !wanted || (device && device != wanted);
    device = wanted;
  });
  if (!isKnown || isShared || !device || alloc.getDevice())
    return;
  alloc.setDeviceAttr(device);
  // Its place in the arena was one of another device.
  alloc.getOffsetMutable().clear();
}

struct PlaceLaunches
    : public program::impl::ProgramPlaceLaunchesBase<PlaceLaunches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<StringAttr> devices;
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (auto device = kernel.getDeviceAttr())
        devices[kernel.getSymName()] = device;
    if (devices.empty())
      return;
    SmallVector<program::LaunchOp> launches;
    module.walk([&](program::LaunchOp launch) {
      auto first = cast<FlatSymbolRefAttr>(launch.getKernels()[0]);
      auto device = devices.find(first.getValue());
      if (device == devices.end() || launch.getDevice())
        return;
      launch.setDeviceAttr(device->second);
      launches.push_back(launch);
    });
    module.walk([](program::AllocOp alloc) { placeBuffer(alloc); });
    for (program::LaunchOp launch : launches)
      LaunchMover(launch).move();
  }
};
} // namespace
