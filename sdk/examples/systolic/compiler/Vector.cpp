// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Step 2: the vector unit. Kiln turns regions into loops over lanes, and asks
// for its instructions.
#include "../device/Isa.h"
#include "Extensions.h"
#include "SystolicDialect.h"
#include "kiln/Staging/VectorRegions.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;
using namespace systolic;

namespace {

struct Unit : public staging::VectorUnit {
  Unit() : VectorUnit(kLanes) {}

  Value load(VectorType type, Value address, int64_t stride) override {
    return LoadOp::create(*builder, *location, type, address, stride);
  }
  void store(Value vector, Value address, int64_t stride) override {
    StoreOp::create(*builder, *location, vector, address, stride);
  }
  Value splat(VectorType type, Value scalar) override {
    return SplatOp::create(*builder, *location, type, scalar);
  }
  Value count(VectorType type, Value first, int64_t step) override {
    return CountOp::create(*builder, *location, type, first, step);
  }
  Value slice(VectorType type, Value vector, int64_t first) override {
    return SliceOp::create(*builder, *location, type, vector, first);
  }
  Value first(Value vector) override {
    return FirstOp::create(*builder, *location,
                           getElementTypeOrSelf(vector.getType()), vector);
  }
};

} // namespace

void systolic::registerVectorUnit(TargetRegistry &registry) {
  Lowering lowering;
  lowering.name = "systolic.lanes";
  lowering.target = "systolic";
  lowering.op = "stage.compute";
  lowering.priority = 50;
  lowering.lower = [](Operation *op, LoweringContext &base) -> LogicalResult {
    auto *ctx = base.as<staging::RegionContext>();
    if (!ctx)
      return base.decline(op, "it is no region of a scratchpad");
    Unit unit;
    return staging::lowerRegion(cast<stage::ComputeOp>(op), *ctx, unit);
  };
  registry.addLowering(lowering);
}
