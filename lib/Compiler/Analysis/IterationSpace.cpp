//===- IterationSpace.cpp - What a kernel iterates over -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Analysis/IterationSpace.h"
#include "IterationSpaceBuilder.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

IterationSpace IterationSpace::analyze(KernelOp kernel) {
  IterationSpace space;
  IterationSpaceBuilder(kernel, space).run();
  return space;
}

const ViewAccess *IterationSpace::getAccess(Operation *op) const {
  for (const ViewAccess &access : accesses)
    if (access.op == op)
      return &access;
  return nullptr;
}

int IterationSpace::dimOf(Value tile, int64_t d) const {
  auto found = tileDims.find(tile);
  if (found == tileDims.end() || d < 0 ||
      d >= static_cast<int64_t>(found->second.size()))
    return -1;
  return found->second[d];
}

std::optional<index::Expr> IterationSpace::linearize(Value value) const {
  return Linearizer(dims, *symbols).get(value);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// A short name for a view: its position among the parameters.
static std::string viewName(Value view) {
  auto argument = dyn_cast<BlockArgument>(view);
  if (argument && isa<KernelOp>(argument.getOwner()->getParentOp()))
    return "arg" + std::to_string(argument.getArgNumber());
  return "view";
}

/// Symbols are numbered in the order in which the form has them.
static void printForm(llvm::raw_ostream &os, const index::Expr &form) {
  SmallVector<unsigned> order;
  form.substitute([&](unsigned symbol) {
    if (!llvm::is_contained(order, symbol))
      order.push_back(symbol);
    return index::Expr(1);
  });
  form.substitute([&](unsigned symbol) {
        return index::Expr::symbol(llvm::find(order, symbol) - order.begin());
      })
      .print(os);
}

static void printDim(llvm::raw_ostream &os, const IterationDim &dim) {
  os << (dim.kind == IterationDim::Parallel ? "parallel" : "reduction");
  if (dim.isLoop())
    os << ", loop step " << dim.indexStep;
  else
    os << ", grid " << dim.gridAxis << (dim.raster ? " digit" : "");
  os << ", block " << dim.block;
  if (dim.extentView)
    os << ", extent " << viewName(dim.extentView) << '[' << dim.extentDim
       << ']';
  if (!dim.pinned.empty())
    os << ", pinned: " << dim.pinned;
}

static void printAccess(llvm::raw_ostream &os, const ViewAccess &access) {
  os << (access.isWrite ? "store " : "load ") << viewName(access.view) << '[';
  llvm::interleaveComma(access.axes, os, [&](const AxisAccess &axis) {
    if (axis.indirect)
      os << "indirect";
    else if (!axis.affine)
      os << "not affine";
    else
      printForm(os, axis.offset);
    os << " : " << axis.block;
    if (axis.step != 1)
      os << " step " << axis.step;
  });
  os << ']';
}

void IterationSpace::print(llvm::raw_ostream &os) const {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    os << 'd' << i << ": ";
    printDim(os, dim);
    os << '\n';
  }
  for (const ViewAccess &access : accesses) {
    printAccess(os, access);
    os << '\n';
  }
  if (!isStructured())
    os << "not structured: " << reason << '\n';
}

DictionaryAttr IterationSpace::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<Attribute> dimTexts, accessTexts;
  auto add = [&](SmallVectorImpl<Attribute> &list, auto &&print) {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os);
    list.push_back(builder.getStringAttr(text));
  };
  for (const auto &indexed : llvm::enumerate(dims))
    add(dimTexts, [&](llvm::raw_ostream &os) {
      os << 'd' << indexed.index() << ": ";
      printDim(os, indexed.value());
    });
  for (const ViewAccess &access : accesses)
    add(accessTexts, [&](llvm::raw_ostream &os) { printAccess(os, access); });
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("dims", builder.getArrayAttr(dimTexts)),
       builder.getNamedAttr("accesses", builder.getArrayAttr(accessTexts))});
}
