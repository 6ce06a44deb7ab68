//===- PrimPrecompute.cpp - Evaluates what depends on no argument ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of positions, such as the cosines and sines of rotary embeddings, are
// functions of constants alone. A program would compute them again in each
// call. The pass evaluates them, in the dialects' own evaluation, and puts
// constants in their place, which a session copies to its device once.
//
// It takes only what includes a function that is worth storing; masks and
// indices are cheaper to compute where they are used. Of a chain it takes the
// last value before it is repeated or widened, which has the fewest bytes.
//
//===----------------------------------------------------------------------===//

#include "Legality.h"
#include "Wrap.h"
#include "kiln/Conversion/PrimToTile.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "kiln/Interfaces/OwnDiagnostics.h"

namespace kiln {
#define GEN_PASS_DEF_PRIMPRECOMPUTE
#include "kiln/Conversion/PrimToTile.h.inc"
} // namespace kiln

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// The pass.
class PrimPrecompute : public kiln::impl::PrimPrecomputeBase<PrimPrecompute> {
public:
  using PrimPrecomputeBase::PrimPrecomputeBase;
  void getDependentDialects(DialectRegistry &registry) const override {
    eval::registerPrimEvaluation(registry);
  }
  void runOnOperation() override;

private:
  /// Whether the value of an operation depends on no argument and has at most
  /// `maxElements`.
  bool isKnown(Operation *op) const;
  /// Whether a constant takes the place of the value of an operation.
  bool isTable(Operation *op) const;

  /// What is known, and whether it includes a function that is worth storing.
  DenseMap<Operation *, bool> known;
};

} // namespace

/// What repeats or widens elements, or changes their places only.
static bool isGrowing(Operation *op) {
  return isViewMovement(op) || isWidening(op);
}

bool PrimPrecompute::isKnown(Operation *op) const {
  if (op->getNumResults() != 1 || op->getNumRegions() ||
      !(isElementwisePrim(op) || isMovement(op) || isReduction(op) ||
        isa<prim::IotaOp, prim::FullOp, prim::ConstantOp>(op)))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape() || !type.getNumElements() ||
      type.getNumElements() > static_cast<int64_t>(maxElements))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return source && known.contains(source);
  });
}

bool PrimPrecompute::isTable(Operation *op) const {
  if (!known.lookup(op) || isGrowing(op))
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8)
    return false;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return !known.contains(user) || isGrowing(user);
  });
}

void PrimPrecompute::runOnOperation() {
  func::FuncOp func = getOperation();
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return;
  known.clear();
  SmallVector<Operation *> tables;
  for (Operation &op : func.getBody().front())
    if (isKnown(&op))
      known[&op] =
          isExpensive(&op) || llvm::any_of(op.getOperands(), [&](Value value) {
            return known.lookup(value.getDefiningOp());
          });
  for (Operation &op : func.getBody().front())
    if (isTable(&op))
      tables.push_back(&op);
  if (tables.empty())
    return;
  // Only what the tables need is evaluated, in the order of the program.
  DenseSet<Operation *> needed;
  SmallVector<Operation *> work(tables);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (needed.insert(op).second)
      for (Value operand : op->getOperands())
        work.push_back(operand.getDefiningOp());
  }
  eval::Evaluator evaluator(func->getParentOp());
  eval::Frame frame(evaluator);
  {
    // What cannot be evaluated, or not in time, is computed at each call.
    OwnDiagnostics quiet(func.getContext(),
                         [](Diagnostic &) { return success(); });
    for (Operation &op : func.getBody().front())
      if (needed.contains(&op) && failed(frame.step(&op)))
        return;
  }
  for (Operation *op : tables) {
    const eval::Value &value = frame.get(op->getResult(0));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (value.hasPoison())
      continue;
    auto data = DenseElementsAttr::getFromRawBuffer(
        type, ArrayRef(static_cast<const char *>(value.data()),
                       static_cast<size_t>(value.bytes())));
    OpBuilder builder(op);
    Value constant = prim::ConstantOp::create(builder, op->getLoc(), type,
                                              cast<ElementsAttr>(data));
    op->getResult(0).replaceAllUsesWith(constant);
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (needed.contains(&op) && isOpTriviallyDead(&op))
      op.erase();
}
