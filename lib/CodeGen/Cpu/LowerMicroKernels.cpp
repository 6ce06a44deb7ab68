//===- LowerMicroKernels.cpp - Functions of micro-kernels -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutlineProducts.h"
#include "kiln/Cpu/Config.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Cpu/RowUse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace kiln::cpu {
#define GEN_PASS_DEF_LOWERMICROKERNELS
#include "kiln/Cpu/Passes.h.inc"
} // namespace kiln::cpu

/// sum + x * y in the type of the sum.
static Value multiplyAndAdd(OpBuilder &b, Location loc, Value x, Value y,
                            Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return math::FmaOp::create(b, loc, x, y, sum);
  return arith::AddIOp::create(b, loc, sum,
                               arith::MulIOp::create(b, loc, x, y));
}

void cpu::addFamilyInstructions() {
  for (StringRef name : {"fma.f32", "fma.f64"})
    addMatrixInstruction(
        {name.str(),
         [](MicroKernelOp op, RewriterBase &b) -> LogicalResult {
           auto description = target::getDescription(op);
           auto row = description
                          ? description.getMatrixInstruction(*op.getRow())
                          : target::MatrixInstructionAttr();
           if (!row)
             return op.emitOpError("expected a description with its row");
           return lowerToRegisterBlock(op, b, row.getN().getMin(),
                                       multiplyAndAdd);
         },
         nullptr, nullptr,
         /*entryAttributes=*/{},
         /*insideAttributes=*/{},
         /*takesRows=*/true});
}

namespace {
/// Outlines and lowers micro-kernels.
struct LowerMicroKernelsPass
    : cpu::impl::LowerMicroKernelsBase<LowerMicroKernelsPass> {
  using LowerMicroKernelsBase::LowerMicroKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(outlineProducts(module)))
      return signalPassFailure();
    config = CpuConfig::fromDescription(target::getDescription(module));
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isa<MicroKernelOp, AcquireOp, ReleaseOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      LogicalResult done = failure();
      if (auto kernel = dyn_cast<MicroKernelOp>(op))
        done = outline(kernel, rewriter);
      else if (auto acquire = dyn_cast<AcquireOp>(op))
        done = prepare(op, acquire.getRow(), &MatrixInstruction::acquire,
                       rewriter);
      else
        done = prepare(op, cast<ReleaseOp>(op).getRow(),
                       &MatrixInstruction::release, rewriter);
      if (failed(done))
        return signalPassFailure();
    }
  }

private:
  const MatrixInstruction *find(Operation *op, StringRef row) {
    const MatrixInstruction *instruction = findMatrixInstruction(row);
    if (!instruction)
      op->emitError()
          << "unsupported: no plug-in has registered code for matrix "
             "instruction '"
          << row << "'";
    return instruction;
  }

  LogicalResult
  prepare(Operation *op, StringRef row,
          std::function<void(OpBuilder &, Location)> MatrixInstruction::*emit,
          IRRewriter &rewriter) {
    const MatrixInstruction *instruction = find(op, row);
    if (!instruction)
      return failure();
    rewriter.setInsertionPoint(op);
    if (instruction->*emit)
      (instruction->*emit)(rewriter, op->getLoc());
    rewriter.eraseOp(op);
    return success();
  }

  /// Letters and digits that tell this micro-kernel from others.
  static std::string nameOf(MicroKernelOp op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (op.getRow())
      os << *op.getRow();
    else
      os << op.getAccType();
    os << "_" << op.getRows() << "x" << op.getColumns();
    if (op.getRow())
      os << "_" << op.getLhsType() << "_" << op.getRhsType();
    if (op.getLhsGroup() != op.getRhsGroup())
      os << "_apart" << op.getLhsGroup();
    if (auto runs = op->getAttrOfType<DenseI64ArrayAttr>(kRuns)) {
      os << "_runs";
      llvm::interleave(runs.asArrayRef(), os, "_");
    }
    if (op.getMinus())
      os << "_minus";
    if (op.getFresh())
      os << "_fresh";
    for (char &c : text)
      if (!llvm::isAlnum(c))
        c = '_';
    return "kiln_micro_kernel_" + text;
  }

  LogicalResult outline(MicroKernelOp op, IRRewriter &rewriter) {
    ModuleOp module = getOperation();
    std::string name = nameOf(op);
    SmallVector<Value> operands(op->getOperands());
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function) {
      rewriter.setInsertionPointToEnd(module.getBody());
      function = func::FuncOp::create(
          rewriter, op.getLoc(), name,
          rewriter.getFunctionType(TypeRange(ValueRange(operands)), {}));
      function.setPrivate();
      const MatrixInstruction *instruction =
          op.getRow() ? findMatrixInstruction(*op.getRow()) : nullptr;
      setAttributes(function, instruction ? instruction->insideAttributes
                                          : std::vector<std::string>());
      Block *entry = function.addEntryBlock();
      rewriter.setInsertionPointToStart(entry);
      auto copy = cast<MicroKernelOp>(rewriter.clone(*op));
      copy->setOperands(entry->getArguments());
      func::ReturnOp::create(rewriter, op.getLoc());
      if (failed(lower(copy, rewriter)))
        return failure();
    }
    rewriter.setInsertionPoint(op);
    func::CallOp::create(rewriter, op.getLoc(), function, operands);
    rewriter.eraseOp(op);
    return success();
  }

  LogicalResult lower(MicroKernelOp op, IRRewriter &rewriter) {
    if (!op.getRow()) {
      int64_t bits = op.getAccType().getIntOrFloatBitWidth();
      return lowerToRegisterBlock(op, rewriter, config.lanes(bits),
                                  multiplyAndAdd);
    }
    const MatrixInstruction *instruction = find(op, *op.getRow());
    return failure(!instruction || failed(instruction->lower(op, rewriter)));
  }

  CpuConfig config;
};
} // namespace
