// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lowering of tiles in registers that does not keep what the code generator
// for GPUs asks of it.
#include "bad.h"
#include "kiln/Gpu/LayoutRule.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

LogicalResult lower(Operation *op, simt::RegisterLoweringContext &ctx) {
  simt::RegisterCode &code = ctx.code();
  if (bad("asks-result"))
    (void)code.registers(op->getResult(0));
  if (bad("asks-scalar"))
    (void)code.scalar(op->getOperand(0));
  simt::Regs regs = code.registers(op->getOperand(0));
  if (bad("few"))
    regs.pop_back();
  if (bad("null"))
    regs.back() = Value();
  if (bad("type"))
    for (Value &value : regs)
      value = LLVM::FPExtOp::create(code.b, code.loc,
                                    Float64Type::get(op->getContext()), value);
  if (bad("races") || bad("waits")) {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    int64_t start =
        code.scratch(code.tileBytes(type.getShape(), type.getElementType()));
    code.writeTile(start, code.registers(op->getOperand(0)),
                   simt::getLayout(op->getOperand(0)), type.getShape());
    if (bad("waits"))
      code.barrier();
    regs.back() = LLVM::LoadOp::create(code.b, code.loc, regs.back().getType(),
                                       code.shared(start));
  }
  if (bad("scalar"))
    code.define(op->getResult(0), regs.front());
  else
    code.define(op->getResult(0), regs);
  return success();
}

LogicalResult needs(Operation *op, simt::RegisterLoweringContext &,
                    simt::ScratchNeeds &needs) {
  if (bad("races") || bad("waits")) {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    needs.push_back({simt::RegisterCode::tileBytes(type.getShape(),
                                                   type.getElementType())});
  }
  if (bad("needs-negative"))
    needs.push_back({-16});
  if (bad("needs-warps"))
    needs.push_back({64, 64});
  return success();
}

/// Gives a result of two dimensions the layout of one.
struct Rule : simt::LayoutRuleOpInterface::ExternalModel<Rule, math::ExpOp> {
  simt::LayoutRule getLayoutRule(Operation *op,
                                 const simt::LayoutQuery &query) const {
    simt::LayoutRule rule(op);
    rule.results[0] = query.settled(op->getOperand(0)).dropDim(0);
    return rule;
  }
};

void registerAll(TargetRegistry &registry) {
  if (bad("layout"))
    registry.addDialects([](DialectRegistry &dialects) {
      dialects.addExtension(+[](MLIRContext *context, math::MathDialect *) {
        math::ExpOp::attachInterface<Rule>(*context);
      });
    });
  simt::addLowering(registry,
                    {"regs.exp", "nvidia", "math.exp", 200, lower, needs});
}

} // namespace

KILN_TARGET_PLUGIN("regs", "1.0", registerAll)
