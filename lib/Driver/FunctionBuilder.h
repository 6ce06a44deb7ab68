//===- FunctionBuilder.h - One function of the host program -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_FUNCTIONBUILDER_H
#define KILN_LIB_DRIVER_FUNCTIONBUILDER_H

#include "HostProgram.h"
#include "kiln/Dialect/Program/CollectiveOps.h"
#include "kiln/Dialect/Program/HostOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"

namespace kiln::tile {
class KernelOp;
} // namespace kiln::tile

namespace kiln::driver {

/// Turns one function into instructions over registers.
class FunctionBuilder {
public:
  /// `names` may be null: nothing is known of them. `isOneDevice`: all devices
  /// that are named are the first.
  FunctionBuilder(const llvm::StringMap<uint32_t> &kernels,
                  const EntryNames *names, runtime::HostProgram &program,
                  ConstantPool &pool, bool isOneDevice = false)
      : kernels(kernels), names(names), program(program), pool(pool),
        isOneDevice(isOneDevice) {}

  /// A host program.
  mlir::LogicalResult build(program::FuncOp func,
                            const std::vector<runtime::Tolerance> *tolerances);
  /// A prim function that is one kernel.
  mlir::LogicalResult
  buildPrim(mlir::func::FuncOp func,
            const std::vector<runtime::Tolerance> *tolerances);
  /// One kernel, called with views, scalars and a grid.
  mlir::LogicalResult buildKernelEntry(tile::KernelOp kernel);

private:
  using Reg = runtime::Reg;
  using Buf = runtime::Buf;

  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lowerArith(mlir::Operation &op);
  mlir::LogicalResult lowerCompare(mlir::Operation &op);
  mlir::LogicalResult lowerConstant(mlir::Operation &op);
  mlir::LogicalResult lowerAlloc(program::AllocOp op);
  mlir::LogicalResult lowerArena(program::ArenaOp op);
  mlir::LogicalResult lowerConstantBuffer(program::ConstantOp op);
  mlir::LogicalResult lowerView(program::ViewOp op);
  mlir::LogicalResult lowerLaunch(program::LaunchOp op);
  mlir::LogicalResult lowerCollective(program::CollectiveOp op);
  mlir::LogicalResult lowerTransfer(program::TransferOp op);
  mlir::LogicalResult lowerReturn(program::ReturnOp op);
  mlir::LogicalResult lowerDim(mlir::memref::DimOp op);
  mlir::LogicalResult lowerCopy(program::CopyOp op);
  mlir::LogicalResult lowerCheck(program::CheckOp op);
  mlir::LogicalResult lowerFill(program::FillOp op);
  mlir::LogicalResult lowerWait(program::WaitOp op);
  mlir::LogicalResult lowerHost(program::HostOp op);
  mlir::LogicalResult lowerRead(program::ReadOp op);
  mlir::LogicalResult lowerAligned(program::AlignedOp op);

  // Entries of kernels (FunctionEntry.cpp).
  /// A kernel with the grid that callers give.
  runtime::LaunchVariant variantOf(tile::KernelOp kernel);
  /// Whether the facts of a variant that its kernel does not have hold for the
  /// arguments of a launch.
  Reg guardOf(tile::KernelOp variant, tile::KernelOp kernel,
              llvm::ArrayRef<runtime::LaunchArg> args);
  /// Whether a launch meets the `condition` of a kernel; kNone without one.
  Reg requirementsOf(tile::KernelOp kernel,
                     llvm::ArrayRef<runtime::LaunchArg> args);
  Reg conditionOf(mlir::AffineExpr expr,
                  llvm::ArrayRef<runtime::LaunchArg> args);

  // Control flow (FunctionControl.cpp).
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  /// The operations of a block but the terminator, as code of its own.
  mlir::LogicalResult lowerBlock(mlir::Block &block,
                                 std::vector<runtime::Instruction> &code,
                                 llvm::function_ref<void()> atEnd);
  /// Registers of their own for values that are assigned more than once.
  mlir::LogicalResult declare(mlir::ValueRange values, mlir::Operation *op);
  void assign(mlir::ValueRange to, mlir::ValueRange from);
  void copyBuffer(Buf to, Buf from, int64_t rank);

  mlir::LogicalResult addArgument(mlir::Type type, mlir::Value value,
                                  mlir::Operation *op);
  void addResult(mlir::Type type, const runtime::Tolerance *tolerance);

  Reg constant(int64_t value);
  Reg binary(runtime::IntOp op, Reg lhs, Reg rhs);
  /// The sizes of a type, the dynamic ones from `dynamic` in order.
  std::vector<Reg> sizes(llvm::ArrayRef<int64_t> shape,
                         mlir::ValueRange dynamic);
  Reg reg(mlir::Value value);
  Buf buf(mlir::Value value);
  /// Estimated bytes that a launch moves.
  Reg traffic(mlir::ValueRange args);
  /// The number of a device of the program, which is added when only its driver
  /// is there yet; reports on `op` when that is not, either.
  mlir::FailureOr<int> deviceNumber(mlir::Operation *op,
                                    std::optional<llvm::StringRef> name,
                                    std::optional<int64_t> ordinal,
                                    int otherwise = 0);
  /// A kernel on another device of the driver that it was compiled for.
  mlir::FailureOr<uint32_t> kernelOn(program::LaunchOp op, uint32_t kernel);

  template <typename T> void emit(T inst) {
    code->push_back(runtime::Instruction(std::move(inst)));
  }

  const llvm::StringMap<uint32_t> &kernels;
  const EntryNames *names;
  runtime::HostProgram &program;
  ConstantPool &pool;
  bool isOneDevice;
  runtime::Function function;
  std::vector<runtime::Instruction> *code = &function.code;
  llvm::DenseMap<mlir::Value, Reg> regs;
  llvm::DenseMap<mlir::Value, Buf> bufs;
  llvm::DenseMap<int64_t, Reg> constants;
  llvm::DenseMap<mlir::AffineExpr, Reg> conditions;
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_FUNCTIONBUILDER_H
