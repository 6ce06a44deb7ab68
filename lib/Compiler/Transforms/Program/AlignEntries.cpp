//===- AlignEntries.cpp - Variants of kernels that anybody launches -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Program/AlignEntries.h"
#include "RowDivisors.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include <numeric>

using namespace mlir;
using namespace kiln;

namespace {
/// Facts that a variant has of one parameter.
struct Facts {
  unsigned parameter;
  int64_t align;
  SmallVector<int64_t> sizes, strides;
  bool isMore = false; ///< than the kernel has
};
} // namespace

/// What holds already, and what is wanted besides.
static Facts combine(tile::KernelOp kernel, const program::RowDivisors &wanted,
                     int64_t bytes) {
  Facts facts{wanted.parameter, bytes, wanted.sizes, wanted.strides};
  auto known =
      tile::getFact<IntegerAttr>(kernel, facts.parameter, tile::kAlignFact);
  facts.isMore = !known || known.getInt() < bytes;
  if (known)
    facts.align = std::max(facts.align, known.getInt());
  // A row by itself is masked where it ends.
  if (wanted.isSingle)
    llvm::fill(facts.sizes, 1);
  for (auto [name, list] : {std::pair(tile::kSizeDivFact, &facts.sizes),
                            {tile::kStrideDivFact, &facts.strides}}) {
    auto told = tile::getFact<DenseI64ArrayAttr>(kernel, facts.parameter, name);
    for (auto [dim, divisor] : llvm::enumerate(*list)) {
      int64_t is = told ? told[dim] : 1;
      facts.isMore |= is % divisor != 0;
      divisor = std::lcm(divisor, is);
    }
  }
  return facts;
}

static void addFacts(tile::KernelOp kernel, const Facts &facts) {
  Builder b(kernel.getContext());
  tile::setFact(kernel, facts.parameter, tile::kAlignFact,
                b.getI64IntegerAttr(facts.align));
  for (auto [name, list] : {std::pair(tile::kSizeDivFact, &facts.sizes),
                            {tile::kStrideDivFact, &facts.strides}})
    if (llvm::any_of(*list, [](int64_t divisor) { return divisor > 1; }))
      tile::setFact(kernel, facts.parameter, name,
                    b.getDenseI64ArrayAttr(*list));
}

void program::alignEntries(ModuleOp module,
                           function_ref<int64_t(Operation *)> bytesOf) {
  SymbolTable symbols(module);
  for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
    if (kernel.isPrivate() || kernel.isExternal() || kernel.getVariantsAttr())
      continue;
    int64_t bytes = bytesOf(kernel);
    if (bytes < 2)
      continue;
    SmallVector<Facts> all;
    for (BlockArgument argument : kernel.getBody().getArguments())
      if (auto divisors = rowDivisorsOf(argument, bytes))
        all.push_back(combine(kernel, *divisors, bytes));
    if (llvm::none_of(all, [](const Facts &facts) { return facts.isMore; }))
      continue;
    tile::KernelOp variant = kernel.clone();
    variant.setSymName((kernel.getSymName() + "_aligned").str());
    variant.setPrivate();
    StringAttr name = symbols.insert(variant, std::next(kernel->getIterator()));
    for (const Facts &facts : all)
      addFacts(variant, facts);
    Attribute symbol = FlatSymbolRefAttr::get(name);
    kernel.setVariantsAttr(ArrayAttr::get(module.getContext(), symbol));
  }
}
