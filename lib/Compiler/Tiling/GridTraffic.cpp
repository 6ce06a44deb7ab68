//===- GridTraffic.cpp - What the instances of a grid read ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GridTraffic.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/Limits.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace mlir;
using namespace kiln;
using namespace kiln::tiling;

/// What is not known is taken to be this long: where it is less, bands do no
/// harm.
static constexpr int64_t kUnknown = 8192;

/// The elements along an axis of a view that an instance reaches.
static double elementsAlong(const tile::ViewAccess &access, unsigned axis,
                            const tile::IterationSpace &space) {
  const tile::AxisAccess &reached = access.axes[axis];
  bool isStepped = llvm::any_of(reached.offset.dims(), [&](int dim) {
    return space.getDims()[dim].isLoop();
  });
  auto view = cast<tile::ViewType>(access.view.getType());
  int64_t size = view.getShape()[axis];
  if (!isStepped)
    return double(reached.block);
  return double(ShapedType::isDynamic(size) ? kUnknown : size);
}

/// Along how many points the grid goes for a dimension.
static int64_t countPoints(tile::KernelOp kernel,
                           const tile::IterationDim &dim) {
  int64_t size = kUnknown;
  if (auto view = dim.extentView
                      ? dyn_cast<tile::ViewType>(dim.extentView.getType())
                      : tile::ViewType())
    if (int64_t known = view.getShape()[dim.extentDim];
        !ShapedType::isDynamic(known))
      size = known;
  int64_t points = llvm::divideCeil(std::max<int64_t>(size, 1),
                                    std::max<int64_t>(dim.block, 1));
  if (auto most = kernel.getMostInstancesAttr())
    points = std::min(points, most[dim.gridAxis]);
  return points;
}

/// Multiply-adds of the products of an instance.
static double workOf(tile::KernelOp kernel, const tile::IterationSpace &space) {
  double work = 0;
  kernel.walk([&](MatrixProductOpInterface product) {
    std::optional<ProductShape> shape = getProductShape(product);
    Value left = product.getLhsOperand().get();
    auto lhs = dyn_cast<RankedTensorType>(left.getType());
    if (!shape || !lhs)
      return;
    double steps = double(lhs.getDimSize(shape->lhsSummed));
    int dim = space.dimOf(left, shape->lhsSummed);
    if (dim >= 0 && space.getDims()[dim].isLoop()) {
      const tile::IterationDim &loop = space.getDims()[dim];
      auto view = loop.extentView
                      ? dyn_cast<tile::ViewType>(loop.extentView.getType())
                      : tile::ViewType();
      int64_t size =
          view ? view.getShape()[loop.extentDim] : ShapedType::kDynamic;
      steps = double(ShapedType::isDynamic(size) ? kUnknown : size);
    }
    work += steps * double(product.getProductType().getNumElements());
  });
  return work;
}

std::optional<GridTraffic> GridTraffic::of(tile::KernelOp kernel,
                                           const tile::IterationSpace &space) {
  if (!space.isStructured())
    return std::nullopt;
  GridTraffic traffic;
  for (const tile::IterationDim &dim : space.getDims()) {
    if (dim.isLoop())
      continue;
    if (dim.raster)
      return std::nullopt;
    if (dim.gridAxis < 2)
      traffic.points[dim.gridAxis] = countPoints(kernel, dim);
  }
  for (const tile::ViewAccess &access : space.getAccesses()) {
    auto view = cast<tile::ViewType>(access.view.getType());
    Type element = view.getElementType();
    double bytes = element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8.;
    bool moves[3] = {false, false, false};
    for (auto [i, axis] : llvm::enumerate(access.axes)) {
      bytes *= elementsAlong(access, i, space);
      for (int dim : axis.offset.dims())
        if (int along = space.getDims()[dim].gridAxis; along >= 0)
          moves[along] = true;
      if (!axis.affine)
        moves[0] = moves[1] = true;
    }
    if (access.isWrite || moves[0] == moves[1])
      traffic.own += bytes;
    else
      traffic.shared[moves[0] ? 0 : 1] += bytes;
  }
  traffic.work = workOf(kernel, space);
  kernel.walk([&](MatrixProductOpInterface product) {
    RankedTensorType type = product.getProductType();
    traffic.sums +=
        double(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
  });
  return traffic;
}

std::optional<FarMemory> FarMemory::of(target::TargetAttr description,
                                       const GridTraffic &traffic) {
  if (!description || !description.getTopology())
    return std::nullopt;
  FarMemory machine;
  double registers = 0;
  for (target::MemoryAttr memory : description.getMemories()) {
    bool isDevice = memory.getScope() == target::MemoryScope::Device;
    if (isDevice && memory.getKind() == target::MemoryKind::Cached &&
        memory.getSize() > 0 && !machine.cacheBytes)
      machine.cacheBytes = double(memory.getSize());
    // The last one is the farthest.
    if (isDevice && memory.getBandwidth() > 0)
      machine.bytesPerSecond = double(memory.getBandwidth());
    if (memory.getScope() == target::MemoryScope::Core &&
        memory.getKind() == target::MemoryKind::Register)
      registers = double(memory.getSize());
  }
  if (machine.cacheBytes <= 0 || machine.bytesPerSecond <= 0)
    return std::nullopt;
  target::TopologyAttr topology = description.getTopology();
  int64_t cores = target::countCores(description);
  // Half of the registers of a core hold sums, of one instance at least.
  constexpr int64_t kMost = 4;
  int64_t each = registers > 0 && traffic.sums > 0
                     ? int64_t(registers / 2 / traffic.sums)
                     : 1;
  machine.together = cores * std::clamp<int64_t>(each, 1, kMost);
  if (auto unit = description.getUnitOfKind(target::UnitKind::Matrix))
    machine.workPerSecond = double(unit.getRate()) * unit.getCount() *
                            double(cores) * double(topology.getFrequency());
  return machine;
}

double kiln::tiling::farBytes(const GridTraffic &traffic,
                              const FarMemory &memory, tile::Bands bands) {
  // Later instances do what these do.
  constexpr int64_t kMostWaves = 64;
  std::array<int64_t, 3> grid = {traffic.points[0], traffic.points[1], 1};
  int64_t all = grid[0] * grid[1];
  int64_t counted = std::min(all, kMostWaves * memory.together);
  std::vector<int64_t> last[2];
  for (int axis : {0, 1})
    last[axis].assign(size_t(grid[axis]), -1);
  std::vector<double> filled = {0}; // before each wave
  double bytes = 0;
  for (int64_t first = 0, wave = 0; first < counted;
       first += memory.together, ++wave) {
    double now = 0;
    int64_t end = std::min(first + memory.together, counted);
    for (int64_t number = first; number < end; ++number) {
      std::array<int64_t, 3> at = tile::coordinatesOf(bands, number, grid);
      for (int axis : {0, 1}) {
        int64_t &before = last[axis][size_t(at[axis])];
        if (before == wave)
          continue;
        now += traffic.shared[axis];
        bool isThere =
            before >= 0 && filled[size_t(wave)] - filled[size_t(before)] <=
                               memory.cacheBytes / 2;
        bytes += isThere ? 0 : traffic.shared[axis];
        before = wave;
      }
    }
    double own = traffic.own * double(end - first);
    bytes += own;
    filled.push_back(filled.back() + now + own);
  }
  return bytes * double(all) / double(counted);
}

tile::Bands kiln::tiling::chooseBands(const GridTraffic &traffic,
                                      const FarMemory &memory) {
  constexpr int64_t kWidest = 64;
  // A grid that no model has to look at.
  constexpr int64_t kMostPoints = int64_t(1) << 20;
  if (traffic.points[0] > kMostPoints || traffic.points[1] > kMostPoints ||
      traffic.points[0] * traffic.points[1] <= memory.together)
    return {};
  double plain = farBytes(traffic, memory, {}), best = plain * 0.9;
  double seconds = plain / memory.bytesPerSecond;
  double work = traffic.work * double(traffic.points[0] * traffic.points[1]);
  if (memory.workPerSecond > 0 && seconds < 0.25 * work / memory.workPerSecond)
    return {};
  tile::Bands chosen;
  for (int64_t along : {1, 0})
    for (int64_t group = 2; group <= kWidest; group *= 2) {
      if (group / 2 >= traffic.points[along])
        break;
      tile::Bands bands{group, along};
      double bytes = farBytes(traffic, memory, bands);
      // Wider bands have to be clearly better.
      if (bytes < best * (chosen ? 0.97 : 1)) {
        best = bytes;
        chosen = bands;
      }
    }
  return chosen;
}
