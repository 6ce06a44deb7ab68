//===- ExpandBessel.cpp - Bessel functions of any order -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libdevice's `jn` of f64 errs by up to 8e-14 near its zeros.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Gpu/Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;

namespace {
struct ExpandBessel : PassWrapper<ExpandBessel, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandBessel)
  StringRef getName() const final { return "NvidiaExpandBessel"; }
  StringRef getArgument() const final { return "nvidia-expand-bessel"; }
  StringRef getDescription() const final {
    return "Expands Bessel functions of any order into recurrences over those "
           "of orders 0 and 1";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    SmallVector<tile::CallExternOp> calls;
    getOperation().walk([&](tile::CallExternOp op) {
      const tile::CFunction *function = op.getCFunction();
      if (function && function->name == "jn" &&
          isa<FloatType>(op.getResult(0).getType()))
        calls.push_back(op);
    });
    for (tile::CallExternOp op : calls) {
      OpBuilder b(op);
      op.getResult(0).replaceAllUsesWith(simt::writeBesselJ(
          b, op.getLoc(), op.getOperand(0), op.getOperand(1)));
      op.erase();
    }
  }
};
} // namespace

std::unique_ptr<Pass> nvidia::createExpandBesselPass() {
  return std::make_unique<ExpandBessel>();
}
