//===- MergeKernels.cpp - Keeps one of several equal kernels --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Program/BufferInterfaces.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Program/Passes.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::program {
#define GEN_PASS_DEF_PROGRAMMERGEKERNELS
#include "kiln/Transforms/Program/Passes.h.inc"
} // namespace kiln::program

using namespace kiln::program;
using kiln::tile::KernelOp;

/// Whether what an operation does may depend on where it stands in the source:
/// it reaches more than values and the memory behind them.
static bool showsItsPlace(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return !op->hasTrait<OpTrait::IsTerminator>();
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  return llvm::any_of(effects,
                      [](const auto &effect) { return !effect.getValue(); });
}

/// A kernel's attributes without its name and visibility.
static SmallVector<NamedAttribute> contentAttrs(KernelOp kernel) {
  SmallVector<NamedAttribute> attrs;
  for (NamedAttribute attr : kernel->getAttrs())
    if (attr.getName() != SymbolTable::getSymbolAttrName() &&
        attr.getName() != SymbolTable::getVisibilityAttrName())
      attrs.push_back(attr);
  return attrs;
}

namespace {
/// Kernels as keys of a table, by content.
struct ByContent : llvm::DenseMapInfo<KernelOp> {
  static unsigned getHashValue(KernelOp kernel) {
    llvm::hash_code hash = 0;
    for (NamedAttribute attr : contentAttrs(kernel))
      hash = llvm::hash_combine(hash, attr.getName(), attr.getValue());
    kernel.getBody().walk([&](Operation *op) {
      hash = llvm::hash_combine(hash,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return hash;
  }

  static bool isEqual(KernelOp lhs, KernelOp rhs) {
    if (lhs == rhs)
      return true;
    if (isSpecial(lhs) || isSpecial(rhs) ||
        contentAttrs(lhs) != contentAttrs(rhs) ||
        !OperationEquivalence::isRegionEquivalentTo(
            &lhs.getBody(), &rhs.getBody(),
            OperationEquivalence::IgnoreLocations))
      return false;
    SmallVector<Location> places, others;
    collectPlaces(lhs, places);
    collectPlaces(rhs, others);
    return places == others;
  }

private:
  static bool isSpecial(KernelOp kernel) {
    return kernel == getEmptyKey() || kernel == getTombstoneKey();
  }
  static void collectPlaces(KernelOp kernel, SmallVectorImpl<Location> &out) {
    kernel.getBody().walk([&](Operation *op) {
      if (showsItsPlace(op))
        out.push_back(op->getLoc());
    });
  }
};

/// The pass.
struct MergeKernels
    : kiln::program::impl::ProgramMergeKernelsBase<MergeKernels> {
  using ProgramMergeKernelsBase::ProgramMergeKernelsBase;

  void runOnOperation() override {
    DenseMap<KernelOp, KernelOp, ByContent> firsts;
    // What takes the place of a name.
    DenseMap<Attribute, Attribute> places;
    SmallVector<KernelOp> merged;
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      KernelOp first = firsts.try_emplace(kernel, kernel).first->second;
      if (first == kernel || !kernel.isPrivate())
        continue;
      places[FlatSymbolRefAttr::get(kernel.getSymNameAttr())] =
          FlatSymbolRefAttr::get(first.getSymNameAttr());
      kiln::target::Report::of(&getContext())
          .chose(kernel, "merge", /*target=*/"", first.getSymName(),
                 "equal kernels are compiled once");
      merged.push_back(kernel);
    }
    if (merged.empty())
      return markAllAnalysesPreserved();
    auto replaceIn = [&](ArrayAttr names) {
      SmallVector<Attribute> kernels(names.getValue());
      for (Attribute &kernel : kernels)
        if (Attribute first = places.lookup(kernel))
          kernel = first;
      return ArrayAttr::get(&getContext(), kernels);
    };
    getOperation().walk([&](LaunchOpInterface launch) {
      launch.setKernelsAttr(replaceIn(launch.getKernels()));
    });
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (auto names = kernel.getVariantsAttr())
        kernel.setVariantsAttr(replaceIn(names));
    for (KernelOp kernel : merged)
      kernel.erase();
  }
};
} // namespace
