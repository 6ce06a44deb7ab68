//===- PointContract.cpp - What passes of plug-ins leave alone ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointContract.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

static bool isPublicBody(FunctionOpInterface function) {
  return function.isPublic() && !function.isExternal();
}

/// The functions and kernels that others than what `root` holds count on; a
/// function is its own root.
static SmallVector<FunctionOpInterface> publicFunctions(Operation *root) {
  SmallVector<FunctionOpInterface> all;
  if (auto function = dyn_cast<FunctionOpInterface>(root)) {
    if (isPublicBody(function))
      all.push_back(function);
    return all;
  }
  for (Region &region : root->getRegions())
    for (auto function : region.getOps<FunctionOpInterface>())
      if (isPublicBody(function))
        all.push_back(function);
  return all;
}

static std::string describe(FunctionOpInterface function) {
  bool isKernel = function->getName().getStringRef() == "tile.kernel";
  return (isKernel ? "kernel '" : "function '") + function.getName().str() +
         "'";
}

void PointContract::record(Operation *root) {
  State state;
  state.target = root->getAttr(kTargetAttr);
  state.spec = root->getAttr(kSpecAttr);
  for (FunctionOpInterface function : publicFunctions(root))
    state.functions.insert({function.getNameAttr(),
                            {function.getFunctionType(), function.getLoc()}});
  std::lock_guard<std::mutex> lock(mutex);
  states[root] = std::move(state);
}

LogicalResult PointContract::check(Operation *root) {
  State state;
  {
    std::lock_guard<std::mutex> lock(mutex);
    state = std::move(states[root]);
    states.erase(root);
  }
  for (auto [name, before] :
       {std::pair(kTargetAttr, state.target), std::pair(kSpecAttr, state.spec)})
    if (Attribute now = root->getAttr(name); now != before) {
      Location loc = state.functions.empty()
                         ? root->getLoc()
                         : state.functions.front().second.loc;
      return emitError(loc)
             << owner << (now ? " changed" : " removed") << " attribute '"
             << name << "' of the module: it has to leave the target as it was";
    }
  llvm::DenseMap<StringAttr, FunctionOpInterface> left;
  for (FunctionOpInterface function : publicFunctions(root))
    left.try_emplace(function.getNameAttr(), function);
  for (const auto &[name, before] : state.functions) {
    FunctionOpInterface now = left.lookup(name);
    if (!now)
      return emitError(before.loc)
             << owner << " removed public symbol '" << name.getValue()
             << "': it has to keep symbols that packages name";
    if (now.getFunctionType() != before.type)
      return emitError(before.loc)
             << owner << " changed the type of " << describe(now)
             << ": it has to keep the parameters that launches pass, expected "
             << before.type << ", found " << now.getFunctionType();
  }
  return success();
}

namespace {
/// Runs wherever the plug-in's passes do: on a module, or on a function or
/// kernel where a target gives a pass manager that is nested there.
struct ContractPass : public PassWrapper<ContractPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ContractPass)
  ContractPass(std::shared_ptr<PointContract> contract, bool isBefore)
      : contract(std::move(contract)), isBefore(isBefore) {}
  StringRef getName() const final { return "PointContract"; }

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (isBefore)
      contract->record(getOperation());
    else if (failed(contract->check(getOperation())))
      signalPassFailure();
  }

  std::shared_ptr<PointContract> contract;
  bool isBefore;
};
} // namespace

std::unique_ptr<Pass>
kiln::target::createContractPass(std::shared_ptr<PointContract> contract,
                                 bool isBefore) {
  return std::make_unique<ContractPass>(std::move(contract), isBefore);
}
