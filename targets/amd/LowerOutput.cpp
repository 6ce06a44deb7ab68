//===- LowerOutput.cpp - Output, ends of threads, assembly ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerOps.h"
#include "kiln/Gpu/Lowering.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

Value amd::callIntrinsic(OpBuilder &b, Location loc, Type type, StringRef name,
                         ValueRange operands) {
  std::string full =
      (name.starts_with("llvm.") ? "" : "llvm.amdgcn.") + name.str();
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(full),
                                       operands)
      .getResult(0);
}

void amd::lowerOutput(simt::OutputOp op, OpBuilder &b) {
  // The driver finds it among the dynamic symbols; no other object has one.
  simt::lowerOutput(op, b, "agent").setVisibility_(LLVM::Visibility::Protected);
}

void amd::lowerStop(simt::StopOp op, OpBuilder &b) {
  LLVM::CallIntrinsicOp::create(
      b, op.getLoc(), b.getStringAttr("llvm.amdgcn.endpgm"), ValueRange());
}

LogicalResult amd::lowerInlineAsm(simt::InlineAsmOp op, OpBuilder &b) {
  if (op.getIsa() != "amdgcn" && !llvm::Triple(op.getIsa()).isAMDGCN())
    return op.emitError("unsupported: inline assembly of '")
           << op.getIsa() << "'";
  simt::lowerInlineAsm(op, b);
  return success();
}
