//===- PointContract.cpp - What passes of plug-ins leave alone ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointContract.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

/// The functions and kernels that others than the module count on.
static SmallVector<FunctionOpInterface> publicFunctions(ModuleOp module) {
  SmallVector<FunctionOpInterface> all;
  for (auto function : module.getOps<FunctionOpInterface>())
    if (function.isPublic() && !function.isExternal())
      all.push_back(function);
  return all;
}

static std::string describe(FunctionOpInterface function) {
  bool isKernel = function->getName().getStringRef() == "tile.kernel";
  return (isKernel ? "kernel '" : "function '") + function.getName().str() +
         "'";
}

void PointContract::record(ModuleOp module) {
  State state;
  state.target = module->getAttr(kTargetAttr);
  state.spec = module->getAttr(kSpecAttr);
  for (FunctionOpInterface function : publicFunctions(module))
    state.functions.insert({function.getNameAttr(),
                            {function.getFunctionType(), function.getLoc()}});
  std::lock_guard<std::mutex> lock(mutex);
  states[module] = std::move(state);
}

LogicalResult PointContract::check(ModuleOp module) {
  State state;
  {
    std::lock_guard<std::mutex> lock(mutex);
    state = std::move(states[module]);
    states.erase(module);
  }
  for (auto [name, before] :
       {std::pair(kTargetAttr, state.target), std::pair(kSpecAttr, state.spec)})
    if (Attribute now = module->getAttr(name); now != before) {
      Location loc = state.functions.empty()
                         ? module.getLoc()
                         : state.functions.front().second.loc;
      return emitError(loc)
             << owner << (now ? " changed" : " removed") << " attribute '"
             << name << "' of the module: it has to leave the target as it was";
    }
  for (const auto &[name, before] : state.functions) {
    auto now = dyn_cast_or_null<FunctionOpInterface>(
        SymbolTable::lookupSymbolIn(module, name));
    if (!now || !now.isPublic() || now.isExternal())
      return emitError(before.loc)
             << owner << " removed public symbol '" << name.getValue()
             << "': it has to keep what packages name";
    if (now.getFunctionType() != before.type)
      return emitError(before.loc)
             << owner << " changed the type of " << describe(now)
             << ": it has to keep the parameters that launches pass, expected "
             << before.type << ", found " << now.getFunctionType();
  }
  return success();
}

namespace {
struct ContractPass
    : public PassWrapper<ContractPass, OperationPass<ModuleOp>> {
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
