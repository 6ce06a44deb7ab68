//===- Placement.cpp - Transfers around launches on the host --------------===//

#include "Kernels.h"
#include "kiln/Dialect/Program/Program.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
/// Gives one launch its buffers on the host.
class LaunchMover {
public:
  explicit LaunchMover(program::LaunchOp launch)
      : launch(launch), builder(launch) {}

  void move() {
    SmallVector<Value> args(launch.getArgs());
    ArrayRef<int64_t> writes = launch.getWrites();
    for (auto [index, arg] : llvm::enumerate(args))
      if (isa<MemRefType>(arg.getType()))
        arg = onHost(arg);
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
    launch.setDevice(kHostDevice);
  }

private:
  static Value rootOf(Value value) {
    while (auto view = value.getDefiningOp<program::ViewOp>())
      value = view.getSource();
    return value;
  }

  /// The same view of the storage's copy on the host.
  Value onHost(Value value) {
    if (Value known = roots.lookup(value))
      return known;
    Value result;
    if (auto view = value.getDefiningOp<program::ViewOp>()) {
      Value source = onHost(view.getSource());
      IRMapping map;
      map.map(view.getSource(), source);
      result = builder.clone(*view, map)->getResult(0);
    } else {
      result = program::TransferOp::create(builder, launch.getLoc(),
                                           value.getType(), value, kHostDevice);
    }
    roots[value] = result;
    return result;
  }

  program::LaunchOp launch;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> roots;
};
} // namespace

LogicalResult kiln::driver::placeOnHost(ModuleOp module,
                                        const llvm::StringSet<> &onHost) {
  SmallVector<program::LaunchOp> launches;
  module.walk([&](program::LaunchOp launch) {
    auto first = cast<FlatSymbolRefAttr>(launch.getKernels()[0]);
    if (onHost.contains(first.getValue()))
      launches.push_back(launch);
  });
  for (program::LaunchOp launch : launches)
    LaunchMover(launch).move();
  return success();
}
