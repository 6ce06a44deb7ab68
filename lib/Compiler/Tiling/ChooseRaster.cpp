//===- ChooseRaster.cpp - The order in which products take their blocks ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GridTraffic.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Tiling/Passes.h"
#include "kiln/Tiling/SetBlocks.h"
#include "kiln/Tiling/Tiling.h"
#include "kiln/Transforms/Tile/GridPasses.h"

namespace kiln::tiling {
#define GEN_PASS_DEF_TILECHOOSERASTER
#include "kiln/Tiling/Passes.h.inc"
} // namespace kiln::tiling

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

std::optional<tile::Bands> tiling::parseBands(StringRef text) {
  auto [group, along] = text.split('x');
  tile::Bands bands{0, 1};
  if (group.getAsInteger(10, bands.group) || bands.group < 1 ||
      bands.group > kLargestBlock ||
      (text.contains('x') && along.getAsInteger(10, bands.along)) ||
      bands.along < 0 || bands.along > 1)
    return std::nullopt;
  return bands;
}

/// Whether the order of the instances is free to choose, and may matter.
static bool isFree(tile::KernelOp kernel) {
  if (kernel.isExternal() || kernel.getProgress() == tile::Progress::concurrent)
    return false;
  bool multiplies = false, isOrdered = false;
  kernel.walk([&](Operation *op) {
    multiplies |= isa<MatrixProductOpInterface>(op);
    // Lines come in the usual order.
    isOrdered |= isa<tile::LaunchOutputOpInterface, tile::InstanceIdOp,
                     tile::ClusterBarrierOp>(op);
  });
  return multiplies && !isOrdered;
}

LogicalResult tiling::setBands(tile::KernelOp kernel, int64_t group,
                               int64_t along, std::string &why) {
  bool hasId = false, isNumbered = false;
  kernel.walk([&](Operation *op) {
    hasId |= isa<tile::ProgramIdOp>(op);
    isNumbered |= isa<tile::InstanceIdOp>(op);
  });
  if (isNumbered)
    why = "the kernel numbers its instances already";
  else if (!hasId)
    why = "the instances of the kernel are all alike";
  else if (!isFree(kernel))
    why = "the order of the kernel's instances is not free: bands are for "
          "kernels with a matmul that neither print nor wait for each other";
  else
    tile::applyBands(kernel, {group, along});
  return success(why.empty());
}

namespace {
struct TileChooseRaster : tiling::impl::TileChooseRasterBase<TileChooseRaster> {
  using TileChooseRasterBase::TileChooseRasterBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(target::readModuleOptions(module)))
      return signalPassFailure();
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      auto options =
          target::findModuleOptions(kernel).value_or(TargetOptions());
      std::optional<StringRef> asked = options.get("raster");
      if (asked == StringRef("off") || !isFree(kernel))
        continue;
      std::optional<tile::Bands> forced =
          asked ? tiling::parseBands(*asked) : std::nullopt;
      if (forced)
        tile::applyBands(kernel, *forced);
      else
        choose(kernel, target::getDescription(kernel));
    }
  }

private:
  void choose(tile::KernelOp kernel, TargetAttr description) {
    tile::IterationSpace space = tile::IterationSpace::analyze(kernel);
    std::optional<tiling::GridTraffic> traffic =
        tiling::GridTraffic::of(kernel, space);
    if (!traffic)
      return;
    std::optional<tiling::FarMemory> memory =
        tiling::FarMemory::of(description, *traffic);
    if (!memory)
      return;
    tile::Bands bands = tiling::chooseBands(*traffic, *memory);
    if (report) {
      auto mebibytes = [&](tile::Bands order) {
        return int64_t(tiling::farBytes(*traffic, *memory, order)) >> 20;
      };
      InFlightDiagnostic remark = kernel.emitRemark("kernel '");
      remark << kernel.getSymName() << "' moves " << mebibytes({})
             << " MiB of far memory in the order of its grid";
      if (bands)
        remark << ", " << mebibytes(bands) << " MiB in bands of " << bands.group
               << " along axis " << bands.along;
    }
    if (bands)
      tile::applyBands(kernel, bands);
  }
};
} // namespace
