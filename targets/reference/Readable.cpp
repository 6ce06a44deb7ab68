// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the device can read of a module.
#include "Readable.h"
#include "kiln/Eval/Register.h"
#include "kiln/Interfaces/ProductSplit.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

/// The dialects of the device: those that can be evaluated, and what they need.
static const llvm::StringSet<> &dialectsOfDevice() {
  static const llvm::StringSet<> names = [] {
    DialectRegistry registry;
    kiln::eval::registerEvaluation(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    llvm::StringSet<> result;
    for (Dialect *dialect : context.getLoadedDialects())
      result.insert(dialect->getNamespace());
    return result;
  }();
  return names;
}

namespace {

/// Removes from operations what the device cannot read and does not need.
class Cleaner {
public:
  Cleaner() {
    auto check = [](auto value) {
      return dialectsOfDevice().contains(value.getDialect().getNamespace())
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    };
    walker.addWalk([check](Attribute value) { return check(value); });
    walker.addWalk([check](Type value) { return check(value); });
    // A debugger's view of a place is not a place.
    places.addReplacement([](FusedLoc place) -> std::optional<Attribute> {
      if (!place.getMetadata())
        return std::nullopt;
      return FusedLoc::get(place.getContext(), place.getLocations());
    });
    places.addReplacement([](OpaqueLoc place) -> std::optional<Attribute> {
      return Attribute(place.getFallbackLocation());
    });
  }

  LogicalResult clean(Operation *op) {
    if (!dialectsOfDevice().contains(op->getName().getDialectNamespace()))
      return op->emitError(
                 "unsupported: target 'reference' does not evaluate '")
             << op->getName() << "'";
    SmallVector<NamedAttribute> extra(op->getDiscardableAttrs());
    for (NamedAttribute attribute : extra)
      if (!isReadable(attribute.getValue()))
        op->removeDiscardableAttr(attribute.getName());
    // A result does not depend on how a code generator computes it.
    auto matmul = dyn_cast<kiln::ProductSplitOpInterface>(op);
    if (matmul && matmul.getSplitAttr() && !isReadable(matmul.getSplitAttr()))
      matmul.setSplitAttr({});
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      cleanSignature(function);
    for (NamedAttribute attribute : op->getAttrs())
      if (!isReadable(attribute.getValue()))
        return op->emitError("unsupported: target 'reference' cannot read "
                             "attribute '")
               << attribute.getName().getValue() << "' of '" << op->getName()
               << "'";
    for (Type type : op->getResultTypes())
      if (!isReadable(type))
        return op->emitError(
                   "unsupported: target 'reference' has no values of type ")
               << type;
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (!isReadable(argument.getType()))
          return op->emitError(
                     "unsupported: target 'reference' has no values of type ")
                 << argument.getType();
    places.replaceElementsIn(op, /*replaceAttrs=*/false, /*replaceLocs=*/true);
    return success();
  }

private:
  bool isReadable(Attribute value) {
    return !walker.walk(value).wasInterrupted();
  }
  bool isReadable(Type value) { return !walker.walk(value).wasInterrupted(); }

  /// The attributes of arguments and results.
  void cleanSignature(FunctionOpInterface function) {
    auto readable = [&](ArrayRef<NamedAttribute> from) {
      return llvm::filter_to_vector(from, [&](NamedAttribute attribute) {
        return isReadable(attribute.getValue());
      });
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto from = function.getArgAttrs(i); !from.empty())
        function.setArgAttrs(i, readable(from));
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto from = function.getResultAttrs(i); !from.empty())
        function.setResultAttrs(i, readable(from));
  }

  AttrTypeWalker walker;
  AttrTypeReplacer places;
};

} // namespace

LogicalResult kiln::reference::makeReadable(ModuleOp module) {
  Cleaner cleaner;
  WalkResult result = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(cleaner.clean(op)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
