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
    if (!isa<program::BufferUserOpInterface>(user))
      return false;
    fn(use);
  }
  return true;
}

/// Whether an operation writes to a buffer that it has as this operand.
bool writes(OpOperand &use) {
  auto user = dyn_cast<program::BufferUserOpInterface>(use.getOwner());
  return user && user.writesBuffer(use);
}

/// Whether a buffer may hold anything before `op` runs.
bool hasContents(Value root, Operation *op) {
  auto buffer = root.getDefiningOp<program::BufferOpInterface>();
  if (!buffer || !buffer.startsUnwritten() ||
      buffer->getBlock() != op->getBlock())
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
  explicit LaunchMover(program::LaunchOpInterface launch)
      : launch(launch), device(launch.getDeviceAttr()), builder(launch) {}

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
    auto buffer = value.getDefiningOp<program::BufferOpInterface>();
    if (buffer && buffer.getBufferDevice() == device)
      return value;
    // Of elements that no operation has written there is nothing to be copied.
    if (buffer && (!buffer.startsUnwritten() || !hasContents(value, launch)))
      if (Value made = buffer.buildOnDevice(builder, device))
        return made;
    return program::TransferOp::create(builder, launch.getLoc(),
                                       value.getType(), value, device,
                                       IntegerAttr(), StringAttr());
  }

  program::LaunchOpInterface launch;
  StringAttr device;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> roots;
};

/// A buffer that one device alone uses is there.
void placeBuffer(program::BufferOpInterface buffer) {
  if (!buffer.startsUnwritten())
    return;
  StringAttr device;
  bool isShared = false;
  bool isKnown = walkUses(buffer->getResult(0), [&](OpOperand &use) {
    if (isa<program::ReturnOp>(use.getOwner()))
      return;
    auto launch = dyn_cast<program::LaunchOpInterface>(use.getOwner());
    StringAttr wanted = launch ? launch.getDeviceAttr() : StringAttr();
    isShared |= !wanted || (device && device != wanted);
    device = wanted;
  });
  if (isKnown && !isShared && device && !buffer.getBufferDevice())
    buffer.placeOnDevice(device);
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
    SmallVector<program::LaunchOpInterface> launches;
    module.walk([&](program::LaunchOpInterface launch) {
      auto first = cast<FlatSymbolRefAttr>(launch.getKernels()[0]);
      auto device = devices.find(first.getValue());
      if (device == devices.end() || launch.getDeviceAttr())
        return;
      launch.setDeviceAttr(device->second);
      launches.push_back(launch);
    });
    module.walk([](program::BufferOpInterface buffer) { placeBuffer(buffer); });
    for (program::LaunchOpInterface launch : launches)
      LaunchMover(launch).move();
  }
};
} // namespace
