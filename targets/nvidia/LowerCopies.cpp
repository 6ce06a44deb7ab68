//===- LowerCopies.cpp - cp.async -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA 8.8, "Data Movement and Conversion Instructions: cp.async", from
// sm_80 on. 16 bytes go past the first cache.
//
//===----------------------------------------------------------------------===//

#include "LowerCopies.h"
#include "kiln/Gpu/SimtDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace kiln;

void nvidia::lowerCopies(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  std::string text, constraints = "~{memory}";
  if (auto copy = dyn_cast<simt::CopyAsyncOp>(op)) {
    operands = {
        LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), copy.getTarget()),
        copy.getSource()};
    constraints = "r,l,~{memory}";
    bool isLarge = copy.getBytes() == 16;
    text = llvm::formatv("cp.async.{0}.shared.global [$0], [$1], {1}",
                         isLarge ? "cg" : "ca", copy.getBytes());
    if (copy.getValid()) {
      operands.push_back(copy.getValid());
      constraints = "r,l,r,~{memory}";
      text += ", $2";
    }
    text += ";";
  } else if (auto wait = dyn_cast<simt::WaitCopiesOp>(op)) {
    text = llvm::formatv("cp.async.wait_group {0};", wait.getBut());
  } else {
    text = "cp.async.commit_group;";
  }
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), operands, text, constraints,
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}
