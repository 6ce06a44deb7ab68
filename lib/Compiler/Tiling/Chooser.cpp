//===- Chooser.cpp - One choice among candidates --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Cache.h"
#include "DescribedModel.h"
#include "GridTraffic.h"
#include "ThreadedModel.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/PluginLoader.h"
#include "kiln/Target/TargetRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace kiln::tiling;

static std::unique_ptr<TilingModel> createModel(TargetAttr description,
                                                const TargetOptions &options,
                                                TileSizes sizes, bool packs) {
  if (ThreadedModel::suits(description))
    return std::make_unique<ThreadedModel>(description, options,
                                           std::move(sizes), packs);
  return std::make_unique<DescribedModel>(description, options,
                                          std::move(sizes), packs);
}

std::unique_ptr<TilingModel>
kiln::tiling::createDescribedModel(TargetAttr description,
                                   const TargetOptions &options, bool packs) {
  return createModel(description, options,
                     TileSizes::fromDescription(description), packs);
}

/// Whether a candidate has one block for each dimension.
static bool isWhole(const Tiling &tiling, const TilingProblem &problem) {
  return tiling.blocks.size() == problem.dims.size() &&
         llvm::all_of(tiling.blocks, [](int64_t block) { return block >= 1; });
}

namespace {
/// The model of a target, whose answers are checked: one that fits no problem
/// is an error that names the target, once.
class CheckedModel : public TilingModel {
public:
  CheckedModel(const Target &target, std::unique_ptr<TilingModel> model,
               TargetAttr description, const TargetOptions &options)
      : target(target), model(std::move(model)), description(description),
        options(options) {}

  SmallVector<Tiling> candidates(const TilingProblem &problem) const override {
    SmallVector<Tiling> all = model->candidates(problem);
    if (all.empty() ||
        !llvm::all_of(all, [&](auto &one) { return isWhole(one, problem); })) {
      refuse(problem, all);
      all.clear();
    }
    // Blocks that are larger than tiles can be are passed over.
    llvm::erase_if(all, [](const Tiling &one) {
      return llvm::any_of(one.blocks,
                          [](int64_t block) { return block > kLargestBlock; });
    });
    if (!all.empty())
      return all;
    return createDescribedModel(description, options)->candidates(problem);
  }
  bool allows(const TilingProblem &problem,
              ArrayRef<int64_t> blocks) const override {
    return model->allows(problem, blocks);
  }
  bool sharesTiles() const override { return model->sharesTiles(); }
  bool readsAlongSum(const TilingProblem &problem) const override {
    return model->readsAlongSum(problem);
  }
  int64_t accessBytes() const override { return model->accessBytes(); }
  bool changesKernels() const override { return model->changesKernels(); }

private:
  void refuse(const TilingProblem &problem, ArrayRef<Tiling> all) const {
    if (!description || std::exchange(isRefused, true))
      return;
    std::string found = all.empty() ? "no candidate" : "";
    for (const Tiling &one : all)
      if (found.empty() && !isWhole(one, problem)) {
        llvm::raw_string_ostream os(found);
        os << "[";
        llvm::interleaveComma(one.blocks, os);
        os << "]";
      }
    emitError(UnknownLoc::get(description.getContext()))
        << describeTarget(target, "block sizes of") << " for '" << problem.str()
        << "': expected " << problem.dims.size() << ", each at least 1, found "
        << found;
  }

  const Target &target;
  std::unique_ptr<TilingModel> model;
  TargetAttr description;
  TargetOptions options;
  mutable bool isRefused = false;
};
} // namespace

Chooser::Chooser(const Target *target, TargetAttr description,
                 const TargetOptions &options)
    : description(description), options(options) {
  if (target)
    known = target->tilingModel(description, options);
  if (known && !isOwnPlugin(pluginOf(*target)))
    known = std::make_unique<CheckedModel>(*target, std::move(known),
                                           description, options);
  if (!known)
    known = createModel(description, options,
                        target ? target->tileSizes(description, options)
                               : TileSizes::fromDescription(description),
                        /*packs=*/false);
  if (std::optional<StringRef> path = options.get("tiling_cache"))
    cache = std::make_unique<Cache>(*path, keyOf(options, description));
}

Chooser::~Chooser() = default;

std::unique_ptr<Chooser> kiln::tiling::chooserOf(ModuleOp module) {
  FailureOr<TargetOptions> options = target::readModuleOptions(module);
  if (failed(options))
    return nullptr;
  return std::make_unique<Chooser>(TargetRegistry::get().find(options->name),
                                   target::getDescription(module), *options);
}

/// `64x64x32`, for rows, columns and depth, and, as a fourth number, how many
/// instances share out the depth. `?`, here 0, leaves a size to the model.
static std::optional<std::array<int64_t, 4>> parseBlocks(StringRef text) {
  SmallVector<StringRef, 4> words;
  text.split(words, 'x');
  std::array<int64_t, 4> numbers = {1, 1, 1, 1};
  if (words.size() < 3 || words.size() > 4)
    return std::nullopt;
  for (auto [word, number] : llvm::zip(words, numbers))
    if (word == "?")
      number = 0;
    else if (word.getAsInteger(10, number) || number < 1 ||
             number > kLargestBlock)
      return std::nullopt;
  return numbers;
}

bool Chooser::forcesParts() const {
  auto blocks = options.get("blocks");
  auto forced = blocks ? parseBlocks(*blocks) : std::nullopt;
  return forced && forced->back() > 1;
}

std::string kiln::tiling::checkOptions(const TargetOptions &options) {
  if (auto blocks = options.get("blocks"); blocks && !parseBlocks(*blocks))
    return ("option 'blocks': expected ROWSxCOLUMNSxDEPTH[xPARTS], found '" +
            *blocks + "'")
        .str();
  if (auto raster = options.get("raster");
      raster && *raster != "off" && !parseBands(*raster))
    return ("option 'raster': expected off, GROUP or GROUPxAXIS, found '" +
            *raster + "'")
        .str();
  if (auto path = options.get("tiling_cache"))
    return checkCache(*path);
  return "";
}

void kiln::tiling::noteTiling(Operation *kernel, const TilingProblem &problem,
                              const Tiling &tiling) {
  std::string text = problem.str() + " -> ";
  llvm::raw_string_ostream os(text);
  llvm::interleave(tiling.blocks, os, "x");
  cast<tile::KernelOp>(kernel).setTilingAttr(
      StringAttr::get(kernel->getContext(), text));
}

Tiling Chooser::choose(const TilingProblem &problem) {
  if (cache)
    if (std::optional<Tiling> found = cache->find(problem);
        found && known->allows(problem, found->blocks))
      return *found;
  SmallVector<Tiling> all = known->candidates(problem);
  llvm::erase_if(
      all, [&](const Tiling &tiling) { return !isWhole(tiling, problem); });
  if (all.empty())
    all = createDescribedModel(description, options)->candidates(problem);
  auto blocks = options.get("blocks");
  if (blocks && problem.kind == TilingProblem::Kind::Contraction) {
    std::optional<std::array<int64_t, 4>> forced = parseBlocks(*blocks);
    Tiling tiling = all.front();
    if (!forced)
      return tiling;
    for (auto [dim, block] : llvm::zip(problem.dims, tiling.blocks)) {
      int64_t wanted = (*forced)[dim.role == TilingRole::Row      ? 0
                                 : dim.role == TilingRole::Column ? 1
                                 : dim.role == TilingRole::Depth  ? 2
                                                                  : 3];
      if (!wanted)
        continue;
      block = wanted;
      if (!ShapedType::isDynamic(dim.most))
        block = std::min(block, dim.most);
      // Threads share out powers of two.
      if (!ShapedType::isDynamic(dim.size))
        block = std::clamp<int64_t>(
            known->sharesTiles() ? llvm::PowerOf2Ceil(dim.size) : dim.size, 1,
            block);
    }
    return tiling;
  }
  size_t wanted = std::max<int64_t>(options.getInt("candidate", 0), 0);
  return all[std::min(wanted, all.size() - 1)];
}
