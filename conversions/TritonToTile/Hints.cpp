// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triton's hints in tile's words.
#include "Hints.h"
#include "kiln/Dialect/Tile/Facts.h"

#include "kiln/Index/List.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace kiln::triton_to_tile {

tile::CacheHint convertCache(tt::CacheModifier cache) {
  switch (cache) {
  case tt::CacheModifier::none:
    return tile::CacheHint::none;
  case tt::CacheModifier::ca:
    return tile::CacheHint::all_levels;
  case tt::CacheModifier::cg:
    return tile::CacheHint::outer;
  case tt::CacheModifier::wb:
    return tile::CacheHint::write_back;
  case tt::CacheModifier::cs:
    return tile::CacheHint::streaming;
  case tt::CacheModifier::wt:
    return tile::CacheHint::write_through;
  case tt::CacheModifier::cv:
    return tile::CacheHint::uncached;
  }
  return tile::CacheHint::none;
}

tile::EvictHint convertEvict(tt::EvictionPolicy evict) {
  switch (evict) {
  case tt::EvictionPolicy::evict_normal:
    return tile::EvictHint::normal;
  case tt::EvictionPolicy::evict_first:
    return tile::EvictHint::first;
  case tt::EvictionPolicy::evict_last:
    return tile::EvictHint::last;
  }
  return tile::EvictHint::normal;
}

/// The number of an integer attribute; nothing for others and for what does
/// not fit.
static std::optional<int64_t> getNumber(Attribute attribute) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!integer || !integer.getValue().isSignedIntN(64))
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

/// Takes a number of at least 0 off an operation; 0 where there is none.
static FailureOr<int64_t> takeNumber(Operation *op, StringRef name) {
  Attribute attribute =
      op->removeDiscardableAttr(StringAttr::get(op->getContext(), name));
  if (!attribute)
    return 0;
  std::optional<int64_t> number = getNumber(attribute);
  if (number && *number >= 0)
    return *number;
  return op->emitOpError("expected '")
         << name << "' to be an integer of at least 0, found " << attribute;
}

/// Takes a flag off an operation: a unit attribute, or a truth value.
static bool takeFlag(Operation *op, StringRef name) {
  Attribute attribute =
      op->removeDiscardableAttr(StringAttr::get(op->getContext(), name));
  auto truth = dyn_cast_or_null<BoolAttr>(attribute);
  return truth ? truth.getValue() : static_cast<bool>(attribute);
}

FailureOr<tile::KernelHintsAttr> takeKernelHints(ModuleOp module) {
  int64_t warps = 0, threads = 0, cluster = 0, registers = 0;
  for (StringRef prefix : {"ttg.", "triton_gpu."}) {
    std::pair<StringRef, int64_t *> numbers[] = {{"num-warps", &warps},
                                                 {"threads-per-warp", &threads},
                                                 {"num-ctas", &cluster},
                                                 {"maxnreg", &registers}};
    for (auto [name, number] : numbers) {
      FailureOr<int64_t> taken = takeNumber(module, (prefix + name).str());
      if (failed(taken))
        return failure();
      if (*taken)
        *number = *taken;
    }
  }
  SmallVector<StringAttr> rest;
  for (NamedAttribute attribute : module->getDiscardableAttrs())
    if (attribute.getName().getValue().starts_with("ttg.") ||
        attribute.getName().getValue().starts_with("triton_gpu."))
      rest.push_back(attribute.getName());
  for (StringAttr name : rest) {
    emitRemark(module.getLoc())
        << "ignored: module attribute '" << name.getValue() << "'";
    module->removeDiscardableAttr(name);
  }
  if (!warps && !threads && !cluster && !registers)
    return tile::KernelHintsAttr();
  return tile::KernelHintsAttr::getChecked([&] { return module.emitError(); },
                                           module.getContext(), warps, threads,
                                           cluster, registers);
}

/// Whether Triton pipelines the loop: it moves loads ahead of the stores of
/// earlier iterations then, without a look at what they alias. It does so where
/// a loop asks for stages, and else where products stand in the loop itself.
static bool isPipelined(Operation *loop, int64_t stages) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!counted || stages == 1)
    return false;
  return stages > 1 || llvm::any_of(*counted.getBody(), [](Operation &op) {
           return isa<tt::DotOp, tt::DotScaledOp>(op);
         });
}

static LogicalResult convertLoop(Operation *loop) {
  FailureOr<int64_t> stages = takeNumber(loop, "tt.num_stages");
  FailureOr<int64_t> unroll = takeNumber(loop, "tt.loop_unroll_factor");
  if (failed(stages) || failed(unroll))
    return failure();
  bool flatten = takeFlag(loop, "tt.flatten");
  bool specialize = takeFlag(loop, "tt.warp_specialize");
  bool single = takeFlag(loop, "tt.disallow_acc_multi_buffer");
  bool independent = isPipelined(loop, *stages);
  if (*stages || *unroll || flatten || specialize || single || independent)
    loop->setAttr(tile::kHintsAttr,
                  tile::LoopHintsAttr::get(loop->getContext(), *stages, *unroll,
                                           flatten, specialize, single,
                                           independent));
  return success();
}

constexpr std::pair<StringLiteral, StringLiteral> kElementHints[] = {
    {"tt.contiguity", tile::kContiguityFact},
    {"tt.divisibility", tile::kDivisibilityFact},
    {"tt.constancy", tile::kConstancyFact}};

/// A number for each dimension of the only result; other forms go.
static void convertElementHints(Operation *op) {
  for (auto [from, to] : kElementHints) {
    auto numbers = dyn_cast_or_null<DenseIntElementsAttr>(
        op->removeDiscardableAttr(StringAttr::get(op->getContext(), from)));
    if (!numbers || op->getNumResults() != 1)
      continue;
    auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    int64_t rank = tile ? tile.getRank() : 1;
    auto values = index::readList(numbers, rank);
    if (values && int64_t(values->size()) == rank &&
        llvm::all_of(*values, [](int64_t value) { return value > 0; }))
      tile::setFact(op, to, DenseI64ArrayAttr::get(op->getContext(), *values));
  }
}

LogicalResult convertHints(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    if (isa<scf::ForOp, scf::WhileOp>(op) && failed(convertLoop(op)))
      return WalkResult::interrupt();
    if (!isa<FunctionOpInterface>(op))
      convertElementHints(op);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

DictionaryAttr convertParameterHints(FunctionOpInterface function,
                                     unsigned index) {
  Builder builder(function.getContext());
  NamedAttrList facts;
  Type type = function.getArgumentTypes()[index];
  for (auto [from, to] : kElementHints) {
    std::optional<int64_t> number = getNumber(function.getArgAttr(index, from));
    if (!number || *number < 1)
      continue;
    if (type.isInteger())
      facts.append(
          builder.getNamedAttr(to, builder.getI64IntegerAttr(*number)));
    else if (isa<tt::PointerType>(type) && to == tile::kDivisibilityFact)
      // Alignments are powers of two.
      facts.append(builder.getNamedAttr(
          tile::kAlignFact, builder.getI64IntegerAttr(*number & -*number)));
  }
  if (facts.empty())
    return builder.getDictionaryAttr({});
  return builder.getDictionaryAttr(builder.getNamedAttr(
      tile::kFactsAttr, facts.getDictionary(function.getContext())));
}

void HintCarrier::notifyOperationReplaced(Operation *op,
                                          ValueRange replacement) {
  if (replacement.size() != 1 || !replacement.front())
    return;
  Operation *to = replacement.front().getDefiningOp();
  if (!to || to == op || to->getNumResults() != 1)
    return;
  auto tile = dyn_cast<RankedTensorType>(replacement.front().getType());
  size_t rank = tile ? tile.getRank() : 1;
  for (auto [from, name] : kElementHints)
    if (auto hint = tile::getFact<DenseI64ArrayAttr>(op, name))
      if (static_cast<size_t>(hint.size()) == rank)
        tile::setFact(to, name, hint);
}

} // namespace kiln::triton_to_tile
