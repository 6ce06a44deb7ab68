//===- ShiftEdges.cpp - Last blocks of products that begin earlier --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where blocks do not divide the rows or columns of a product, the last ones
// reach beyond its operands, which copy units are slow to fill, or begin
// earlier, so that two instances compute some elements alike.
//
//===----------------------------------------------------------------------===//

#include "AlignRows.h"
#include "ContractBuilder.h"
#include "WindowInput.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

/// Bytes of a tensor, each element in whole ones; as many as there can be where
/// sizes are not known.
static int64_t countBytes(Type type) {
  constexpr int64_t kBits = 8;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return INT64_MAX;
  int64_t ofElement =
      llvm::divideCeil(tensor.getElementType().getIntOrFloatBitWidth(), kBits);
  return llvm::MulOverflow(tensor.getNumElements(), ofElement, ofElement)
             ? INT64_MAX
             : ofElement;
}

bool ContractBuilder::mayShareResult() const {
  int64_t bytes = countBytes(group.fusion.getResult(0).getType());
  Value factors[] = {beforeTransposes(group, factor(0)),
                     beforeTransposes(group, factor(1))};
  return llvm::any_of(group.fusion->getRegion(0).getArguments(),
                      [&](Value input) {
                        return !llvm::is_contained(factors, input) &&
                               (countBytes(input.getType()) >= bytes ||
                                (group.host.hasBuffer(input) &&
                                 group.host.buffer(input).base == out.base));
                      });
}

bool ContractBuilder::isWorthShifting() const {
  // Bytes of all steps of the sum. Of bf16, 1200 x 1600 x 6400 took
  // 36.5 us instead of 51, 400 x 8944 x 1488 took 24.6 instead of 23.2.
  constexpr int64_t kDeep = 4096, kBits = 8;
  TargetAttr chip = group.ctx.description;
  if (!chip || !chip.getUnitOfKind(UnitKind::DMA))
    return false;
  int64_t access = group.ctx.tiling.model().accessBytes();
  int64_t steps = 1;
  for (int dim : llvm::concat<const int>(dims.k, ArrayRef(tileK))) {
    const Extent &size = kernel.dims[dim].size;
    if (!size.isStatic() || llvm::MulOverflow(steps, size.get(), steps))
      return false;
  }
  // Blocks that begin earlier begin at the end of a row minus a block: threads
  // have to move as much at once there as elsewhere.
  auto hasWholeRows = [&](const Buffer &buffer, const AccessMap &map,
                          ArrayRef<int> along) {
    int64_t bits = buffer.elementType().getIntOrFloatBitWidth();
    return llvm::all_of(along, [&](int dim) {
      const Extent &size = kernel.dims[dim].size;
      return !group.strideOf(buffer, map, dim).is(1) ||
             (size.isStatic() && size.get() * bits % (kBits * access) == 0);
    });
  };
  for (unsigned side : {0, 1}) {
    FailureOr<Buffer> memory = memoryOf(group, factor(side));
    if (failed(memory) ||
        steps < kDeep * kBits /
                    int64_t(memory->elementType().getIntOrFloatBitWidth()) ||
        !hasWholeRows(*memory, anchor.operandMaps[operandOf[side]],
                      {side ? tileN : tileM, tileK}))
      return false;
  }
  return hasWholeRows(out, group.plan.rootMap, {tileM, tileN});
}

bool ContractBuilder::shiftsEdges() const {
  const target::TargetOptions &options = group.ctx.options;
  bool isDeep = options.get("shift_edges", "deep") == "deep";
  return (isDeep ? isWorthShifting() : options.getBool("shift_edges", false)) &&
         hasDot() && along < 0 && !isCluster && !mayShareResult() &&
         group.ctx.tiling.model().sharesTiles();
}

void ContractBuilder::shiftEdges() {
  if (!shiftsEdges())
    return;
  for (int number : {tileM, tileN}) {
    KernelDim &dim = kernel.dims[number];
    if (!dim.size.isStatic() || !dim.offset || dim.size.get() <= dim.block ||
        dim.size.get() % dim.block == 0)
      continue;
    dim.offset =
        arith::MinSIOp::create(kernel.b, kernel.loc, dim.offset,
                               kernel.constant(dim.size.get() - dim.block));
    dim.coord = Value();
  }
}
