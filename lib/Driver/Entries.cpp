//===- Entries.cpp - Leaving out what is not wanted -----------------------===//

#include "Input.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

/// The error for an entry that is not there, with those that are.
static LogicalResult noSuchEntry(ModuleOp module, StringRef name) {
  auto diag = module.emitError("no function '") << name << "' with a body";
  StringRef separator = ", expected one of: ";
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal()) {
      diag << separator << function.getName();
      separator = ", ";
    }
  return diag;
}

LogicalResult kiln::driver::keepEntries(ModuleOp module,
                                        ArrayRef<std::string> entries) {
  if (entries.empty())
    return success();
  llvm::SetVector<Operation *> needed;
  for (const std::string &name : entries) {
    Operation *symbol = module.lookupSymbol(name);
    auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
    if (!function || function.isExternal())
      return noSuchEntry(module, name);
    needed.insert(symbol);
  }
  size_t numEntries = needed.size();
  for (size_t i = 0; i < needed.size(); ++i) {
    auto uses = SymbolTable::getSymbolUses(needed[i]);
    if (!uses)
      continue;
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *symbol = module.lookupSymbol(
              use.getSymbolRef().getRootReference().getValue()))
        needed.insert(symbol);
  }
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<FunctionOpInterface>(op) && !needed.contains(&op))
      op.erase();
  for (auto [number, op] : llvm::enumerate(needed))
    if (isa<FunctionOpInterface>(op))
      SymbolTable::setSymbolVisibility(
          op, number < numEntries ? SymbolTable::Visibility::Public
                                  : SymbolTable::Visibility::Private);
  return success();
}
