//===- Simt.cpp - Evaluation of the simt dialect --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "kiln/Eval/Kernel.h"
#include "kiln/Eval/Register.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::eval;

namespace {
/// Tiles with layouts, and what a thread does beyond other dialects.
struct SimtEvaluation : EvaluationInterface {
  explicit SimtEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    // Which thread holds an element does not change it.
    add<simt::ConvertLayoutOp>([](simt::ConvertLayoutOp op, Frame &frame) {
      return frame.set(op.getResult(), frame.get(op.getSource()));
    });
    add<simt::InlineAsmOp>([](simt::InlineAsmOp op, Frame &) -> LogicalResult {
      return op.emitOpError("unsupported: evaluation of text of '")
             << op.getIsa() << "'";
    });
    addSimtMemory(*this);
    addSimtCopies(*this);
    addSimtMatrices(*this);
    addSimtBulkCopies(*this);
    addSimtClusterCopies(*this);
    addSimtProducts(*this);
    addSimtAsyncProducts(*this);
  }
};

/// Addresses, memory and functions of threads.
struct LlvmEvaluation : EvaluationInterface {
  explicit LlvmEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    addLlvmValues(*this);
    addLlvmArithmetic(*this);
    addLlvmMemory(*this);
  }
};

struct ThreadLaunch : LaunchInterface {
  explicit ThreadLaunch(Dialect *dialect) : LaunchInterface(dialect) {
    add<LLVM::LLVMFuncOp>(launchThreads);
  }
};

struct GpuEvaluation : EvaluationInterface {
  explicit GpuEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    addGpu(*this);
  }
};

/// What lanes execute otherwise than the evaluation of their dialect has it.
struct ThreadEvaluation : EvaluationInterface {
  ThreadEvaluation() : EvaluationInterface(nullptr) {
    addThreadControl(*this);
    addThreadValues(*this);
    addClusterBarrier(*this);
  }
};
} // namespace

const EvaluateFn *eval::threadEvaluation(OperationName name) {
  static const ThreadEvaluation table;
  return table.lookup(name);
}

void eval::registerSimtEvaluation(DialectRegistry &registry) {
  registry.insert<simt::SimtDialect, target::KilnDialect, LLVM::LLVMDialect,
                  gpu::GPUDialect, cf::ControlFlowDialect>();
  registry.addExtension(+[](MLIRContext *, simt::SimtDialect *dialect) {
    dialect->addInterfaces<SimtEvaluation>();
  });
  registry.addExtension(+[](MLIRContext *, LLVM::LLVMDialect *dialect) {
    dialect->addInterfaces<LlvmEvaluation, ThreadLaunch>();
  });
  registry.addExtension(+[](MLIRContext *, gpu::GPUDialect *dialect) {
    dialect->addInterfaces<GpuEvaluation>();
  });
}
