//===- OutlineProducts.cpp - Functions of whole products ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutlineProducts.h"
#include "KernelEmitter.h"
#include "kiln/Cpu/MatrixInstructions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// The operations from an acquisition to its release, and what they exchange
/// with the others.
struct Stretch {
  SmallVector<Operation *> ops;       ///< both ends among them
  llvm::SetVector<Value> taken;       ///< defined before
  SmallVector<Operation *> constants; ///< of those: repeated inside
  SmallVector<Value> given;           ///< used behind
};
} // namespace

static FailureOr<Stretch> findStretch(AcquireOp acquire) {
  Stretch stretch;
  llvm::DenseSet<Operation *> inside;
  for (Operation *op = acquire; op; op = op->getNextNode()) {
    stretch.ops.push_back(op);
    inside.insert(op);
    if (isa<ReleaseOp>(op))
      break;
  }
  if (!isa<ReleaseOp>(stretch.ops.back()))
    return acquire.emitOpError("expected a 'cpu.release' behind it in its "
                               "block");
  auto isInside = [&](Operation *op) {
    Operation *ancestor = acquire->getBlock()->findAncestorOpInBlock(*op);
    return ancestor && inside.contains(ancestor);
  };
  auto take = [&](Value value) {
    Operation *by = value.getDefiningOp();
    if (isInside(by ? by : value.getParentBlock()->getParentOp()))
      return;
    if (stretch.taken.insert(value) && matchPattern(value, m_Constant()))
      stretch.constants.push_back(by);
  };
  for (Operation *op : stretch.ops) {
    WalkResult walked = op->walk([&](Operation *inner) -> WalkResult {
      for (Value operand : inner->getOperands())
        take(operand);
      return isa<LeaveOp>(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return acquire.emitOpError()
             << "unsupported: a kernel that may end before the unit of '"
             << acquire.getRow() << "' is released";
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        stretch.given.push_back(result);
  }
  for (Operation *constant : stretch.constants)
    for (Value result : constant->getResults())
      stretch.taken.remove(result);
  return stretch;
}

void cpu::setAttributes(func::FuncOp function,
                        ArrayRef<std::string> attributes) {
  Builder b(function.getContext());
  SmallVector<Attribute> all = {b.getStringAttr("noinline")};
  for (const std::string &attribute : attributes)
    all.push_back(b.getStringAttr(attribute));
  function->setAttr("passthrough", b.getArrayAttr(all));
}

/// A private function with an empty block.
static func::FuncOp makeFunction(OpBuilder &b, Location loc, const Twine &name,
                                 FunctionType type,
                                 ArrayRef<std::string> attributes) {
  auto function = func::FuncOp::create(b, loc, name.str(), type);
  function.setPrivate();
  setAttributes(function, attributes);
  function.addEntryBlock();
  return function;
}

/// Moves a stretch into a function, whose arguments are what it takes.
static void moveInto(func::FuncOp function, const Stretch &stretch) {
  Block *entry = &function.getBody().front();
  auto replace = [&](Value from, Value to) {
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return function->isProperAncestor(use.getOwner());
    });
  };
  for (Operation *op : stretch.ops)
    op->moveBefore(entry, entry->end());
  OpBuilder b = OpBuilder::atBlockEnd(entry);
  func::ReturnOp::create(b, function.getLoc(), stretch.given);
  for (auto [from, to] : llvm::zip_equal(stretch.taken, entry->getArguments()))
    replace(from, to);
  b.setInsertionPointToStart(entry);
  for (Operation *constant : stretch.constants)
    replace(constant->getResult(0), b.clone(*constant)->getResult(0));
}

/// Moves a stretch of a kernel into a function that another one calls.
static LogicalResult outline(AcquireOp acquire,
                             const MatrixInstruction &instruction,
                             const std::string &name) {
  FailureOr<Stretch> stretch = findStretch(acquire);
  if (failed(stretch))
    return failure();
  Location loc = acquire.getLoc();
  auto kernel = acquire->getParentOfType<func::FuncOp>();
  ValueRange taken(stretch->taken.getArrayRef()), given(stretch->given);
  OpBuilder b(acquire);
  std::string entryName = name + "_entry";
  auto call = func::CallOp::create(b, loc, entryName, TypeRange(given), taken);
  auto type = b.getFunctionType(TypeRange(taken), TypeRange(given));
  b.setInsertionPointAfter(kernel);
  auto entry =
      makeFunction(b, loc, entryName, type, instruction.entryAttributes);
  auto inside = makeFunction(b, loc, name, type, instruction.insideAttributes);
  b.setInsertionPointToEnd(&entry.getBody().front());
  auto inner = func::CallOp::create(b, loc, inside, entry.getArguments());
  func::ReturnOp::create(b, loc, inner.getResults());
  moveInto(inside, *stretch);
  for (auto [from, to] : llvm::zip_equal(stretch->given, call.getResults()))
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return !inside->isProperAncestor(use.getOwner());
    });
  return success();
}

LogicalResult cpu::outlineProducts(ModuleOp module) {
  SmallVector<AcquireOp> found;
  module.walk([&](AcquireOp op) { found.push_back(op); });
  int64_t number = 0;
  auto takeName = [&] {
    std::string name;
    do
      name = "kiln_product_" + std::to_string(number++);
    while (module.lookupSymbol(name) || module.lookupSymbol(name + "_entry"));
    return name;
  };
  for (AcquireOp acquire : found) {
    const MatrixInstruction *instruction =
        findMatrixInstruction(acquire.getRow());
    // What has no code is reported where it is needed.
    if (!instruction || instruction->entryAttributes.empty())
      continue;
    if (failed(outline(acquire, *instruction, takeName())))
      return failure();
  }
  return success();
}
