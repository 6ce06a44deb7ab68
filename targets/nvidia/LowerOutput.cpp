//===- LowerOutput.cpp - Output, ends of threads, text of PTX -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerOutput.h"
#include "Functions.h"
#include "kiln/Gpu/Lowering.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

LogicalResult nvidia::lowerOutput(simt::OutputOp op, OpBuilder &b) {
  simt::lowerOutput(op, b, "device");
  return success();
}

LogicalResult nvidia::lowerStop(simt::StopOp op, OpBuilder &b) {
  LLVM::CallIntrinsicOp::create(
      b, op.getLoc(), b.getStringAttr("llvm.nvvm.exit"), ValueRange());
  return success();
}

/// Whether threads wait for each other in the text, such as in `bar.sync`.
static bool waits(StringRef text) {
  if (text.contains(".sync"))
    return true;
  for (StringRef word : {"bar.", "barrier."})
    for (size_t at = text.find(word); at != StringRef::npos;
         at = text.find(word, at + 1))
      if (!at || !llvm::isAlpha(text[at - 1]))
        return true;
  return false;
}

LogicalResult nvidia::lowerInlineAsm(simt::InlineAsmOp op, OpBuilder &b) {
  if (op.getIsa() != "ptx" && !llvm::Triple(op.getIsa()).isNVPTX())
    return op.emitError("unsupported: inline assembly of '")
           << op.getIsa() << "'";
  // What has effects runs in one thread.
  if (!op.getPure() && waits(op.getText()))
    return op.emitError("unsupported: inline assembly with effects in which "
                        "threads wait for each other");
  simt::lowerInlineAsm(op, b);
  return success();
}
