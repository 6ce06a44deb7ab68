// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a researcher writes: some 80 lines that replace the matrix product of
// `cpu` by one of their own and count the loads of every kernel.
#include "kiln/Cpu/Lowering.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
/// The plain triple loop, for products of f32 with the inner dimension first:
/// for p, i, j: result[i, j] = fma(lhs[i, p], rhs[p, j], result[i, j]).
LogicalResult lowerDot(Operation *op, LoweringContext &base) {
  auto *ctx = base.as<cpu::CpuLoweringContext>();
  if (!ctx)
    return base.decline(op, "it is written for the cpu family");
  auto dot = cast<tile::DotOp>(op);
  auto type = cast<RankedTensorType>(dot.getResult().getType());
  auto lhsType = cast<RankedTensorType>(dot.getLhs().getType());
  if (type.getRank() != 2)
    return base.decline(op, "it has a batch dimension");
  if (!type.getElementType().isF32() || !lhsType.getElementType().isF32())
    return base.decline(op, "it is not a product of f32");
  if (dot.getInputPrecision() != tile::InputPrecision::ieee)
    return base.decline(op, "its factors are to be rounded");

  Location loc = op->getLoc();
  RewriterBase &b = ctx->rewriter;
  cpu::TileBuffer lhs = ctx->materialize(dot.getLhs());
  cpu::TileBuffer rhs = ctx->materialize(dot.getRhs());
  cpu::TileBuffer result = ctx->createResult(dot.getResult(), dot.getAcc());
  ctx->forEach({lhsType.getDimSize(1), type.getDimSize(0), type.getDimSize(1)},
               [&](ValueRange at) {
                 Value p = at[0], i = at[1], j = at[2];
                 Value sum = math::FmaOp::create(b, loc, ctx->load(lhs, {i, p}),
                                                 ctx->load(rhs, {p, j}),
                                                 ctx->load(result, {i, j}));
                 ctx->store(sum, result, {i, j});
               });
  return success();
}

/// Says how many loads each kernel has.
struct CountLoads : public PassWrapper<CountLoads, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountLoads)
  StringRef getArgument() const final { return "researcher-count-loads"; }
  StringRef getDescription() const final {
    return "Remarks on the number of loads of every kernel";
  }
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      int64_t loads = 0;
      kernel.walk([&](tile::LoadOp) { ++loads; });
      emitRemark(kernel.getLoc())
          << "kernel '" << kernel.getSymName() << "' has " << loads << " loads";
      Report::of(&getContext())
          .chose(kernel, "pass", "cpu", getArgument(),
                 "loads = " + Twine(loads));
    }
  }
};

void registerAll(TargetRegistry &registry) {
  Lowering dot;
  dot.name = "researcher.dot";
  dot.target = "cpu";
  dot.op = "tile.dot";
  dot.priority = 200;
  dot.lower = lowerDot;
  registry.addLowering(dot);

  registry.addOption("cpu", {"count-loads", "0|1",
                             "remark on the number of loads of every kernel"});
  registry.addPass("cpu.tile", "researcher-count-loads",
                   [](OpPassManager &pm, const TargetOptions &options) {
                     if (options.getBool("count-loads", false))
                       pm.addPass(std::make_unique<CountLoads>());
                   });
  // Plain registration makes the pass known to kiln-opt, too.
  registerPass([] { return std::make_unique<CountLoads>(); });
}
} // namespace

KILN_TARGET_PLUGIN("researcher", "1.0", registerAll)
