// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How tensors lie on devices, as sdy says it beside StableHLO. A program of one
// device holds all of every tensor.
#include "Rules.h"

#include "kiln/Dialect/Sdy/Sdy.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::stablehlo_to_prim;

namespace {

/// The operand: where its elements are is no part of its value.
template <typename Op> LogicalResult handOn(Op op, Translator &e) {
  return bindAll(op->getResults(), tensorsOf(op->getOperands(), e), e);
}

/// The mesh that a sharding names; null when there is none.
sdy::MeshAttr meshOf(Operation *op, sdy::TensorShardingAttr sharding) {
  if (auto mesh = dyn_cast<sdy::MeshAttr>(sharding.getMesh()))
    return mesh;
  auto name = cast<FlatSymbolRefAttr>(sharding.getMesh());
  auto mesh = SymbolTable::lookupNearestSymbolFrom<sdy::MeshOp>(op, name);
  return mesh ? mesh.getMesh() : sdy::MeshAttr();
}

/// On one device the parts are the whole.
LogicalResult manualComputation(sdy::ManualComputationOp op, Translator &e) {
  for (ArrayAttr list : {op.getInShardings(), op.getOutShardings()})
    for (Attribute sharding : list) {
      sdy::MeshAttr mesh = meshOf(op, cast<sdy::TensorShardingAttr>(sharding));
      if (!mesh)
        return e.unsupported(op, "on a mesh that the module does not have");
      if (mesh.getNumDevices() != 1)
        return e.unsupported(op,
                             "on " + Twine(mesh.getNumDevices()) + " devices");
    }
  if (TypeRange(op.getBody().getArgumentTypes()) != op.getTensors().getTypes())
    return e.unsupported(op, "with parts of other types than the whole");
  auto results = inlineRegion(op.getBody(), tensorsOf(op.getTensors(), e), e);
  return failed(results) ? failure() : bindAll(op.getResults(), *results, e);
}

} // namespace

void kiln::stablehlo_to_prim::addShardingRules(Rules &rules) {
  rules.add<sdy::ShardingConstraintOp>(handOn);
  rules.add<sdy::ReshardOp>(handOn);
  rules.add<sdy::ManualComputationOp>(manualComputation);
}
