//===- Lowerings.cpp - What becomes of tiles, for the report --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Lowerings.h"
#include "Assigner.h"
#include "Fragments.h"
#include "LoweringOffer.h"
#include "MemoryProducts.h"
#include "ProductChoice.h"
#include "RegisterCandidates.h"
#include "RowCosts.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Declines.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
class Lowerings {
public:
  Lowerings(tile::KernelOp kernel, target::TargetAttr description)
      : report(target::Report::of(kernel.getContext())),
        description(description) {
    if (auto given = kernel.getWarpsAttr())
      warps = given.getInt();
  }

  void add(Operation *op);

private:
  void row(Operation *op, StringRef chosen, const Twine &detail = "") {
    target::restoreDeclines(op);
    report.chose(op, "lowering", description ? description.getName() : "",
                 chosen, detail);
  }
  void product(MatrixProductOpInterface op);
  std::string whySlower(MatrixProductOpInterface op,
                        target::MatrixInstructionAttr row,
                        target::MatrixInstructionAttr taken) const;
  StringRef readBy(Value factor) const;
  void access(Operation *op, LayoutAttr layout, Contiguity along, Type element);

  target::Report &report;
  target::TargetAttr description;
  int64_t warps = 4;
  index::Analysis scalars;
  tile::AxisAnalysis facts{scalars};
};
} // namespace

/// Why another row was taken than one that takes the product as well.
std::string Lowerings::whySlower(MatrixProductOpInterface op,
                                 target::MatrixInstructionAttr row,
                                 target::MatrixInstructionAttr taken) const {
  std::string reason;
  if (taken)
    llvm::raw_string_ostream(reason)
        << "it takes "
        << llvm::format("%.0f", costOf(op, row, description, warps).cycles)
        << " cycles, '" << taken.getName() << "' takes "
        << llvm::format("%.0f", costOf(op, taken, description, warps).cycles);
  return reason;
}

void Lowerings::product(MatrixProductOpInterface op) {
  auto name = getDecided<StringAttr>(op, kRowEntry);
  // Rows were looked at in this order, up to the one that was taken.
  if (description && !op.hasEncodedFactors() && !op.getLhsScaleOperand())
    for (target::MatrixInstructionAttr other :
         description.getMatrixInstructions()) {
      if (name && other.getName() == name.getValue())
        break;
      std::string reason = whyRefused(op, other, description, warps);
      if (reason.empty() && name)
        reason = whySlower(op, other,
                           description.getMatrixInstruction(name.getValue()));
      if (!reason.empty())
        report.declined(op, other.getName(), reason);
    }
  if (name)
    return row(op, name,
               getDecided(op, kExchangedEntry) ? "with lhs and rhs exchanged"
                                               : "");
  report.declined(op, "matrix instructions", whyNoInstruction(op, description));
  row(op, "multiply-adds of threads");
}

/// The row of the products that read a factor from the memory of the block, so
/// that no thread has it; empty where threads have it.
StringRef Lowerings::readBy(Value factor) const {
  StringRef name;
  for (Operation *user : factor.getUsers()) {
    // What a `stage.product` reads otherwise than by its row, threads read.
    if (isa<MatrixProductOpInterface>(user) &&
        isMemoryProduct(user, description))
      name = getDecided<StringAttr>(user, kRowEntry).getValue();
    else if (handsOnBytes(user))
      name = readBy(user->getResult(0));
    else
      return {};
    if (name.empty())
      return {};
  }
  return name;
}

void Lowerings::access(Operation *op, LayoutAttr layout, Contiguity along,
                       Type element) {
  int64_t count = 1;
  if (along.dim >= 0)
    count = int64_t(1) << vectorBits(layout, along.dim, along.count).size();
  row(op, "accesses of threads",
      "of " + Twine(count * ThreadBuilder::storedBytes(element)) + " bytes");
}

void Lowerings::add(Operation *op) {
  if ((op->hasTrait<OpTrait::ConstantLike>() &&
       !target::getReported(op, target::kDeclinedEntry)) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (auto known = dyn_cast<MatrixProductOpInterface>(op))
    return product(known);
  Value tile;
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (isTile(value.getType()) && getLayout(value))
      tile = value;
  if (!tile || op->getNumRegions() > 1 || isa<LoopLikeOpInterface>(op)) {
    if (target::getReported(op, target::kDeclinedEntry))
      row(op, "threads");
    return;
  }
  if (auto known = dyn_cast<ViewAccessOpInterface>(op);
      known && getLayout(known.getAccessedTile()))
    return access(op, getLayout(known.getAccessedTile()),
                  contiguityOf(known, facts),
                  known.getAccessedType().getElementType());
  if (auto known = getPointerAccess(op))
    return access(
        op, getLayout(known->pointers),
        contiguityOf(known->pointers, known->mask, facts),
        cast<tile::PtrType>(getElementTypeOrSelf(known->pointers.getType()))
            .getElementType());
  Operation *read = op;
  while (read && handsOnBytes(read))
    read = read->getOperand(0).getDefiningOp();
  if (isa_and_nonnull<stage::StorageReadOpInterface>(read))
    if (StringRef by = readBy(op->getResult(0)); !by.empty())
      return row(op, by, "from the memory of the block");
  row(op, "threads",
      "of " + Twine(getLayout(tile).getNumRegisters()) + " elements");
}

bool simt::hasRegisterLowering(Operation *op, RewriterBase &rewriter,
                               const target::TargetOptions &options,
                               target::TargetAttr description) {
  // What of tile has none is expanded, or an error that says more. Products
  // become those of stage.
  if (isa<tile::TileDialect>(op->getDialect()) ||
      isa<MatrixProductOpInterface>(op))
    return true;
  BlockThreads block{1, 1, description};
  RegisterLoweringContext context(rewriter, options, block);
  return target::LoweringRegistry::get().knows(op, context);
}

void simt::reportProduct(MatrixProductOpInterface product,
                         ArrayRef<Operation *> reads,
                         target::TargetAttr description) {
  Lowerings lowerings(product->getParentOfType<tile::KernelOp>(), description);
  for (Operation *read : reads)
    lowerings.add(read);
  lowerings.add(product);
}

void simt::reportLowerings(tile::KernelOp kernel, const BlockShape &block) {
  Lowerings lowerings(kernel, block.description);
  kernel.walk([&](Operation *op) {
    // What a region does with elements is its operation's affair.
    if (op->getParentOp() == kernel ||
        isa<scf::SCFDialect>(op->getParentOp()->getDialect())) {
      // What a plug-in takes is reported when it has.
      const RegisterCandidate *lowering = findLowering(op, block);
      if (!isa<stage::StorageProductOpInterface>(op) &&
          (!lowering || lowering->isOwn))
        lowerings.add(op);
    }
  });
}
