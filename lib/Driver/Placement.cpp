//===- Placement.cpp - Transfers around launches elsewhere ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "kiln/Dialect/Program/Program.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
/// Gives one launch its buffers on another device.
class LaunchMover {
public:
  LaunchMover(program::LaunchOp launch, StringRef device)
      : launch(launch), device(device), builder(launch) {}

  void move() {
    SmallVector<Value> args(launch.getArgs());
    ArrayRef<int64_t> writes = launch.getWrites();
    for (auto [index, arg] : llvm::enumerate(args))
      if (isa<MemRefType>(arg.getType()))
        arg = moved(arg);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(launch);
    SmallVector<Value> copied;
    for (int64_t index : writes) {
      Value root = rootOf(launch.getArgs()[index]);
      if (llvm::is_contained(copied, root))
        continue;
      copied.push_back(root);
      program::CopyOp::create(builder, launch.getLoc(), roots.lookup(root),
                              root);
    }
    launch.getArgsMutable().assign(args);
    launch.setDevice(device);
  }

private:
  static Value rootOf(Value value) {
    while (auto view = value.getDefiningOp<program::ViewOp>())
      value = view.getSource();
    return value;
  }

  /// The same view of the storage's copy there.
  Value moved(Value value) {
    if (Value known = roots.lookup(value))
      return known;
    Value result;
    if (auto view = value.getDefiningOp<program::ViewOp>()) {
      Value source = moved(view.getSource());
      IRMapping map;
      map.map(view.getSource(), source);
      result = builder.clone(*view, map)->getResult(0);
    } else {
      result = program::TransferOp::create(builder, launch.getLoc(),
                                           value.getType(), value, device);
    }
    roots[value] = result;
    return result;
  }

  program::LaunchOp launch;
  StringRef device;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> roots;
};
} // namespace

LogicalResult kiln::driver::placeElsewhere(
    ModuleOp module, const llvm::StringMap<std::string> &deviceOfKernel) {
  SmallVector<std::pair<program::LaunchOp, StringRef>> launches;
  module.walk([&](program::LaunchOp launch) {
    auto first = cast<FlatSymbolRefAttr>(launch.getKernels()[0]);
    auto device = deviceOfKernel.find(first.getValue());
    if (device != deviceOfKernel.end())
      launches.emplace_back(launch, device->second);
  });
  for (auto &[launch, device] : launches)
    LaunchMover(launch, device).move();
  return success();
}
