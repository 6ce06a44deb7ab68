// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass that shows copies as planes: test.plane with the address, the rows and
// the columns, and the coordinates.
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/Scratchpad.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

namespace {
struct Planes : PassWrapper<Planes, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Planes)
  StringRef getArgument() const final { return "test-planes"; }
  void runOnOperation() override {
    OpBuilder b(&getContext());
    staging::Addresses addresses(b);
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      b.setInsertionPoint(op);
      addresses.bind(op);
      auto copy = dyn_cast<stage::CopyOp>(op);
      if (!copy)
        continue;
      for (const staging::TransferBox &box : addresses.transfers(copy)) {
        show(b, "test.box", {staging::isInside(b, op->getLoc(), box)}, {});
        for (staging::TransferPlane &plane :
             staging::planesOf(b, op->getLoc(), box)) {
          SmallVector<Value> values{plane.address, plane.rows, plane.columns};
          llvm::append_range(values, plane.offsets);
          show(b, "test.plane", values, {plane.rowStride, plane.columnStride});
        }
      }
    }
  }

  void show(OpBuilder &b, StringRef name, ValueRange values,
            ArrayRef<int64_t> strides) {
    OperationState state(b.getUnknownLoc(), name);
    state.addOperands(values);
    SmallVector<Attribute> known;
    for (Value value : values) {
      IntegerAttr number;
      known.push_back(matchPattern(value, m_Constant(&number))
                          ? Attribute(b.getI64IntegerAttr(number.getInt()))
                          : b.getUnitAttr());
    }
    state.addAttribute("known", b.getArrayAttr(known));
    state.addAttribute("strides", b.getDenseI64ArrayAttr(strides));
    b.create(state);
  }
};

void registerAll(target::TargetRegistry &registry) {
  registry.addOption("cpu", {"planes", "", "nothing"});
  registerPass([] { return std::make_unique<Planes>(); });
}
} // namespace

KILN_TARGET_PLUGIN("planes", "1", registerAll)
