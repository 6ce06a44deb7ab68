//===- LaunchWords.cpp - Numbers that a launch computes -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LaunchWords.h"
#include "kiln/Dialect/Simt/ThreadCode.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

std::optional<int64_t> nvidia::parameterOf(BlockArgument argument,
                                           LLVM::LLVMFuncOp function) {
  std::optional<SmallVector<Type>> types = simt::getKernelParameters(function);
  if (!types || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  unsigned next = 0;
  for (auto [number, type] : llvm::enumerate(*types)) {
    if (next == argument.getArgNumber())
      return number;
    auto view = dyn_cast<tile::ViewType>(type);
    next += view ? 1 + 2 * view.getRank() : 1;
  }
  return std::nullopt;
}

bool nvidia::isPointer(int64_t parameter, LLVM::LLVMFuncOp function) {
  return isa<tile::PtrType>((*simt::getKernelParameters(function))[parameter]);
}

namespace {
/// Writes an expression that is small.
class WordWriter {
public:
  explicit WordWriter(LLVM::LLVMFuncOp function) : function(function) {}

  std::optional<std::string> write(Value scalar) {
    if (!left || !left--)
      return std::nullopt;
    APInt number;
    if (matchPattern(scalar, m_ConstantInt(&number)))
      return std::to_string(number.getSExtValue());
    if (auto argument = dyn_cast<BlockArgument>(scalar))
      return ofArgument(argument);
    Operation *op = scalar.getDefiningOp();
    StringRef name = isa<arith::AddIOp>(op)   ? "add"
                     : isa<arith::SubIOp>(op) ? "sub"
                     : isa<arith::MulIOp>(op) ? "mul"
                                              : "";
    // A cast of an index to an integer may cut it.
    if (isa<arith::ExtSIOp>(op) ||
        (isa<arith::IndexCastOp>(op) && op->getResult(0).getType().isIndex()))
      return write(op->getOperand(0));
    if (name.empty())
      return std::nullopt;
    std::optional<std::string> lhs = write(op->getOperand(0)),
                               rhs = write(op->getOperand(1));
    if (!lhs || !rhs)
      return std::nullopt;
    return wrapped(op, (name + "(" + *lhs + ", " + *rhs + ")").str());
  }

private:
  std::optional<std::string> ofArgument(BlockArgument argument) {
    std::optional<int64_t> number = nvidia::parameterOf(argument, function);
    if (!number || !argument.getType().isSignlessInteger())
      return std::nullopt;
    return "arg(" + std::to_string(*number) + ")";
  }

  /// A result as the bits of its type hold it: expressions have 64.
  static std::string wrapped(Operation *op, std::string text) {
    unsigned bits = op->getResult(0).getType().isIndex()
                        ? 64
                        : op->getResult(0).getType().getIntOrFloatBitWidth();
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (bits >= 64 || (flags && flags.hasNoSignedWrap()))
      return text;
    std::string half = std::to_string(int64_t(1) << (bits - 1)),
                whole = std::to_string(int64_t(1) << bits);
    return "sub(mod(add(" + text + ", " + half + "), " + whole + "), " + half +
           ")";
  }

  LLVM::LLVMFuncOp function;
  unsigned left = 64;
};
} // namespace

std::optional<std::string> nvidia::launchWord(Value scalar,
                                              LLVM::LLVMFuncOp function) {
  return WordWriter(function).write(scalar);
}
