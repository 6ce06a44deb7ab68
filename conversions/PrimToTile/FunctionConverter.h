//===- FunctionConverter.h - One function to a host program -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_FUNCTIONCONVERTER_H
#define KILN_CONVERSIONS_PRIMTOTILE_FUNCTIONCONVERTER_H

#include "HostSizes.h"
#include "Wrap.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "kiln/Interfaces/HostOp.h"
#include "kiln/Schedule/Loops.h"
#include "kiln/Schedule/Schedules.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Converts one function.
class FunctionConverter {
public:
  FunctionConverter(mlir::func::FuncOp func, const target::BoundTarget &target,
                    mlir::SymbolTable &symbols)
      : func(func), target(target), symbols(symbols), builder(func) {}

  mlir::LogicalResult run();
  /// The claim that all schedules declined, of those in the function; it ended
  /// the conversion without an error.
  std::optional<unsigned> declinedClaim;

private:
  mlir::LogicalResult makeProgram();
  mlir::LogicalResult convert(mlir::Operation *op);
  bool isReadOnce(mlir::OpOperand &operand);
  mlir::LogicalResult convertFusion(prim::FusionOp fusion);
  mlir::LogicalResult convertClaim(prim::ClaimOp claim);
  mlir::LogicalResult convertCat(prim::CatOp cat);
  mlir::LogicalResult convertReturn(mlir::func::ReturnOp op);
  /// A dense copy of a value, made before `before`; fails after an error.
  mlir::FailureOr<schedule::Buffer> copyOf(mlir::Value value,
                                           mlir::Operation *before);
  /// The operations of a block, in their order.
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult convertIf(prim::IfOp op);
  mlir::LogicalResult convertWhile(prim::WhileOp op);
  /// A loop whose number of iterations is known, without its condition.
  mlir::LogicalResult convertCounted(prim::WhileOp op, int64_t iterations,
                                     llvm::ArrayRef<schedule::Buffer> states);
  /// A loop that is one kernel, which carries tensors as `kinds` says.
  mlir::LogicalResult
  convertSmallLoop(prim::WhileOp op, llvm::ArrayRef<schedule::LoopState> kinds);
  /// A region whose values are wanted in `results`.
  mlir::LogicalResult convertBranch(mlir::Region &region,
                                    llvm::ArrayRef<schedule::Buffer> results);
  /// Memory for a tensor that a loop carries, which holds its init: that of the
  /// init where that may be overwritten.
  mlir::FailureOr<schedule::Buffer> makeState(prim::WhileOp op,
                                              unsigned number);
  /// What a loop carries: memory of its own for all that changes.
  mlir::LogicalResult
  makeStates(prim::WhileOp op, llvm::SmallVectorImpl<schedule::Buffer> &states);
  /// Ends an iteration: the yielded values replace the carried ones.
  mlir::LogicalResult writeStates(prim::WhileOp op,
                                  llvm::ArrayRef<schedule::Buffer> states);
  /// Copies a value to where it is wanted, unless it is there; gives what is
  /// there.
  mlir::FailureOr<mlir::Value> writeTo(mlir::Value value,
                                       const schedule::Buffer &target,
                                       mlir::Operation *before);
  // Exchanges between ranks (Collective.cpp).
  /// One that was started and not waited for.
  struct UnderWay {
    mlir::Value result, target, source;
  };
  mlir::LogicalResult convertRank(prim::RankOp op);
  mlir::LogicalResult convertCollective(mlir::Operation *op);
  /// A value whose elements lie one after the other: a copy where they do not.
  mlir::FailureOr<mlir::Value> makeDense(mlir::Value value,
                                         mlir::Operation *before);
  /// Dense memory for a result: where it is wanted, if that is dense.
  schedule::Buffer denseTarget(mlir::Value result);
  void waitFor(const UnderWay &exchange);
  /// Before `op` is converted: what it reads has to be there.
  void waitForOperands(mlir::Operation *op);
  void waitForAll();
  /// What the host computes itself (Host.cpp).
  mlir::LogicalResult convertHost(HostOpInterface op);
  /// Whether a tensor<i1> holds, known to the host.
  mlir::Value readCondition(mlir::Value condition);
  /// The one element of a tensor of integers, known to the host.
  mlir::Value readNumber(mlir::Value tensor);
  mlir::LogicalResult convertToIndex(prim::ToIndexOp op);
  void planCat(prim::CatOp cat);
  /// The result of a claim that `value` is after reshapes and transposes, and
  /// where it lies if `value` is to lie in `buffer`; null: it is none, or its
  /// kernel had better write another order.
  std::pair<mlir::Value, std::optional<schedule::Buffer>>
  claimedBefore(mlir::Value value, const schedule::Buffer &buffer);
  mlir::LogicalResult schedule(mlir::Operation *group, llvm::StringRef kind,
                               llvm::StringRef name);
  /// Schedules a group with the blocks that a script asks for, and keeps them
  /// from passes that would choose others.
  mlir::LogicalResult scheduleInBlocks(mlir::Operation *group,
                                       llvm::StringRef kind,
                                       const target::Asked &blocks);
  /// Schedules a group for the target that `kiln.spec` of the function names
  /// for its kernel, and binds the kernels to it. Fails, without an error, if
  /// there is none, or if no schedule of it takes the group.
  mlir::LogicalResult scheduleForOther(mlir::Operation *group,
                                       llvm::StringRef kind);
  /// The parts of the result of a `cat` that its operands fill.
  schedule::Buffer partOf(prim::CatOp cat, unsigned number,
                          const schedule::Buffer &whole);

  mlir::func::FuncOp func;
  const target::BoundTarget &target;
  mlir::SymbolTable &symbols;
  mlir::OpBuilder builder;
  std::unique_ptr<schedule::HostProgramBuilder> host;
  std::unique_ptr<HostSizes> sizes;
  std::unique_ptr<tiling::Chooser> tiling;
  std::unique_ptr<schedule::ScheduleContext> ctx;
  std::unique_ptr<mlir::IRRewriter> rewriter;
  target::TargetOptions noOptions;
  mlir::Operation *next = nullptr; ///< to convert
  /// What the maps of `host` may still know by address.
  Retired retired;
  unsigned kernels = 0;
  llvm::SmallVector<UnderWay, 2> underWay;
  llvm::DenseMap<mlir::Operation *, schedule::Buffer> catBuffers;
};

/// Whether one of the sizes is known to be 0.
bool hasNoElements(llvm::ArrayRef<schedule::Extent> sizes);

/// Whether the memory of an operand can become that of a result of its owner:
/// nobody else reads it, before or after.
bool mayOverwrite(mlir::OpOperand &operand);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_FUNCTIONCONVERTER_H
