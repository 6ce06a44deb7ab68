//===- VaryBlocks.cpp - Smaller blocks for launches of few instances ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductProblem.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Limits.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Tile/Retile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IntegerSet.h"
#include <cmath>

namespace kiln::tiling {
#define GEN_PASS_DEF_TILEVARYBLOCKS
#include "kiln/Tiling/Passes.h.inc"
} // namespace kiln::tiling

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

/// Blocks of a variant, and the problem that they were chosen for.
struct Smaller {
  TilingProblem problem;
  Tiling tiling;
};

/// Makes the variants of one kernel.
class BlockVariants {
public:
  BlockVariants(tile::KernelOp kernel, tiling::Chooser &chooser,
                SymbolTable &symbols, int64_t cores)
      : kernel(kernel), chooser(chooser), symbols(symbols), cores(cores) {}

  void run();

private:
  SmallVector<Smaller> choose(const tiling::ProductProblem &product) const;
  tile::KernelOp clone();
  void varyEntry(const tiling::ProductProblem &product,
                 ArrayRef<Smaller> smaller);
  void varyLaunches(const tiling::ProductProblem &product,
                    ArrayRef<Smaller> smaller,
                    ArrayRef<program::LaunchOp> launches);
  /// Holds where `larger` would have fewer instances than there are cores.
  IntegerSet leavesCoresIdle(tile::KernelOp larger);

  tile::KernelOp kernel;
  tiling::Chooser &chooser;
  SymbolTable &symbols;
  int64_t cores;
};

} // namespace

/// Blocks for grids of ever fewer instances, the largest first.
SmallVector<Smaller>
BlockVariants::choose(const tiling::ProductProblem &product) const {
  SmallVector<Smaller> result;
  SmallVector<int64_t> before(product.blocks.begin(), product.blocks.end());
  int64_t along = int64_t(std::ceil(std::sqrt(double(cores)) / 2));
  for (int64_t instances : {along, int64_t(1)}) {
    Smaller smaller{product.problem, {}};
    // As if there were enough to do for all cores.
    smaller.problem.work = double(cores) * (1 << 24);
    for (auto [dim, block] : llvm::zip(smaller.problem.dims, product.blocks))
      if (dim.role != TilingRole::Depth && ShapedType::isDynamic(dim.size))
        dim.size = block * instances;
    smaller.tiling = chooser.choose(smaller.problem);
    bool isSmaller = false;
    for (auto [dim, block, was] :
         llvm::zip(smaller.problem.dims, smaller.tiling.blocks, before)) {
      if (dim.role == TilingRole::Depth)
        continue;
      block = std::min(block, was);
      isSmaller |= block < was;
    }
    if (!isSmaller ||
        !chooser.model().allows(smaller.problem, smaller.tiling.blocks))
      continue;
    before.assign(smaller.tiling.blocks.begin(), smaller.tiling.blocks.end());
    result.push_back(std::move(smaller));
  }
  return result;
}

tile::KernelOp BlockVariants::clone() {
  tile::KernelOp variant = kernel.clone();
  variant.setSymName((kernel.getSymName() + "_small").str());
  variant.setPrivate();
  symbols.insert(variant, std::next(kernel->getIterator()));
  return variant;
}

IntegerSet BlockVariants::leavesCoresIdle(tile::KernelOp larger) {
  MLIRContext *context = kernel.getContext();
  auto scale = larger.getGridScaleAttr();
  unsigned parameters = kernel.getNumArguments();
  SmallVector<AffineExpr> conditions;
  AffineExpr all = getAffineConstantExpr(1, context);
  for (unsigned axis = 0; axis < 3; ++axis) {
    AffineExpr count = getAffineSymbolExpr(parameters + axis, context);
    if (scale && scale.size() == 6)
      count = (count * scale[2 * axis]).ceilDiv(scale[2 * axis + 1]);
    // Each by itself, so that their product is small.
    conditions.push_back(cores - 1 - count);
    all = all * count;
  }
  conditions.push_back(cores - 1 - all);
  return IntegerSet::get(0, parameters + 3, conditions,
                         SmallVector<bool>(conditions.size(), false));
}

void BlockVariants::varyEntry(const tiling::ProductProblem &product,
                              ArrayRef<Smaller> smaller) {
  SmallVector<Attribute> names;
  tile::KernelOp larger = kernel;
  for (const Smaller &blocks : smaller) {
    IntegerSet condition = leavesCoresIdle(larger);
    tile::KernelOp variant = clone();
    std::string why;
    if (failed(tile::retile(variant, product.sizesFor(blocks.tiling.blocks),
                            why))) {
      symbols.erase(variant);
      break;
    }
    tiling::noteTiling(variant, blocks.problem, blocks.tiling);
    variant.setConditionAttr(IntegerSetAttr::get(condition));
    names.push_back(FlatSymbolRefAttr::get(variant));
    larger = variant;
  }
  // The smallest blocks have the narrowest condition.
  std::reverse(names.begin(), names.end());
  if (!names.empty())
    kernel.setVariantsAttr(ArrayAttr::get(kernel.getContext(), names));
}

/// A launch of `kernel` in the place of the last variant of another one.
static program::LaunchOp launchOf(program::LaunchOp launch, Attribute kernel) {
  OpBuilder b(launch);
  ValueRange grid = launch.getGridOf(launch.getKernels().size() - 1);
  return program::LaunchOp::create(
      b, launch.getLoc(), b.getArrayAttr({kernel}), ValueRange(), grid,
      launch.getArgs(), launch.getWritesAttr(), launch.getFlops(),
      launch.getScheduleAttr(), launch.getDeviceAttr(), launch.getOrdinalAttr(),
      launch.getContractAttr());
}

/// Lets the variant of `small` run instead of the last one of `launch` where
/// that would have fewer instances than there are cores.
static program::LaunchOp addVariant(program::LaunchOp launch,
                                    program::LaunchOp small,
                                    ValueRange largerGrid, int64_t cores,
                                    size_t position) {
  OpBuilder b(small);
  Location loc = launch.getLoc();
  Value count = largerGrid[0];
  for (Value extent : largerGrid.drop_front())
    count = arith::MulIOp::create(b, loc, count, extent);
  Value isIdle =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, count,
                            arith::ConstantIndexOp::create(b, loc, cores));
  size_t variants = launch.getKernels().size();
  SmallVector<Attribute> kernels(launch.getKernels().getValue());
  SmallVector<Value> guards(launch.getGuards()), grid;
  for (size_t i = 0; i < variants; ++i)
    llvm::append_range(grid, launch.getGridOf(i));
  kernels.insert(kernels.begin() + position, small.getKernels()[0]);
  guards.insert(guards.begin() + position, isIdle);
  grid.insert(grid.begin() + 3 * position, small.getGrid().begin(),
              small.getGrid().end());
  auto joined = program::LaunchOp::create(
      b, loc, b.getArrayAttr(kernels), guards, grid, launch.getArgs(),
      launch.getWritesAttr(), launch.getFlops(), launch.getScheduleAttr(),
      launch.getDeviceAttr(), launch.getOrdinalAttr(),
      launch.getContractAttr());
  launch.erase();
  small.erase();
  return joined;
}

void BlockVariants::varyLaunches(const tiling::ProductProblem &product,
                                 ArrayRef<Smaller> smaller,
                                 ArrayRef<program::LaunchOp> launches) {
  SmallVector<program::LaunchOp> current(launches);
  SmallVector<size_t> positions;
  SmallVector<SmallVector<Value>> larger;
  for (program::LaunchOp launch : launches) {
    positions.push_back(launch.getKernels().size() - 1);
    larger.emplace_back(launch.getGridOf(launch.getKernels().size() - 1));
  }
  for (const Smaller &blocks : smaller) {
    tile::KernelOp variant = clone();
    SmallVector<program::LaunchOp> alone;
    for (program::LaunchOp launch : current)
      alone.push_back(launchOf(launch, FlatSymbolRefAttr::get(variant)));
    std::string why;
    if (failed(tile::retile(variant, product.sizesFor(blocks.tiling.blocks),
                            why))) {
      for (program::LaunchOp launch : alone)
        launch.erase();
      symbols.erase(variant);
      return;
    }
    tiling::noteTiling(variant, blocks.problem, blocks.tiling);
    for (auto [i, launch] : llvm::enumerate(current)) {
      SmallVector<Value> grid(alone[i].getGrid());
      launch = addVariant(launch, alone[i], larger[i], cores, positions[i]);
      larger[i] = grid;
    }
  }
}

void BlockVariants::run() {
  tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
  std::string reason;
  std::optional<tiling::ProductProblem> product =
      tiling::ProductProblem::of(kernel, space, reason);
  if (!product || llvm::none_of(product->problem.dims, [](const TilingDim &d) {
        return d.role != TilingRole::Depth && ShapedType::isDynamic(d.size);
      }))
    return;
  SmallVector<program::LaunchOp> launches;
  auto name = FlatSymbolRefAttr::get(kernel.getSymNameAttr());
  bool isLast = true;
  kernel->getParentOfType<ModuleOp>().walk([&](program::LaunchOp launch) {
    auto kernels = launch.getKernels().getAsRange<FlatSymbolRefAttr>();
    if (!llvm::is_contained(kernels, name))
      return;
    launches.push_back(launch);
    isLast &= *std::prev(kernels.end()) == name;
  });
  SmallVector<Smaller> smaller = choose(*product);
  if (launches.empty() && !kernel.isPrivate())
    varyEntry(*product, smaller);
  else if (!launches.empty() && kernel.isPrivate() && isLast)
    varyLaunches(*product, smaller, launches);
}

namespace {
struct TileVaryBlocks : tiling::impl::TileVaryBlocksBase<TileVaryBlocks> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    tiling::Choosers choosers(module);
    SymbolTable symbols(module);
    for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
      tiling::Chooser *chooser = choosers.of(kernel);
      if (!chooser)
        return signalPassFailure();
      int64_t cores = coresToFill(kernel);
      if (cores > 1 && chooser->model().changesKernels() &&
          !kernel.isExternal() && !kernel.getVariantsAttr() &&
          !kernel.getConditionAttr() && !target::findAsked(kernel, "blocks"))
        BlockVariants(kernel, *chooser, symbols, cores).run();
    }
  }

private:
  /// The cores that the description lists, where the model that reads it is the
  /// target's: one of its own knows how many rounds of instances cost what.
  static int64_t coresToFill(tile::KernelOp kernel) {
    TargetAttr description = target::getDescription(kernel);
    std::optional<TargetOptions> options = target::findModuleOptions(kernel);
    if (!description || !description.getTopology() || !options)
      return 1;
    const Target *target = TargetRegistry::get().find(options->name);
    if (target && target->tilingModel(description, *options))
      return 1;
    return target::countCores(description);
  }
};
} // namespace
