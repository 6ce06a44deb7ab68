//===- Wire.cpp - Kernels as text that outlives releases ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Isolated/Wire.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Composite.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::isolated;

/// Attributes of other dialects that operations of the table have as values.
static bool isWireAttribute(Attribute attr) {
  return llvm::TypeSwitch<Attribute, bool>(attr)
      .Case<IntegerAttr, FloatAttr, StringAttr, TypeAttr, UnitAttr,
            DenseArrayAttr, FlatSymbolRefAttr>([](auto) { return true; })
      .Case<DenseIntOrFPElementsAttr>([](auto) { return true; })
      .Case<ArrayAttr>(
          [](ArrayAttr list) { return llvm::all_of(list, isWireAttribute); })
      .Case<DictionaryAttr>([](DictionaryAttr dict) {
        return llvm::all_of(dict, [](NamedAttribute entry) {
          return isWireAttribute(entry.getValue());
        });
      })
      .Default([](Attribute other) {
        StringRef dialect = other.getDialect().getNamespace();
        return dialect == "tile" || dialect == "arith" || dialect == "math";
      });
}

/// Whether all strings and names within an attribute are UTF-8.
static bool isText(Attribute attr) {
  return !attr.walk([](StringAttr text) {
                return llvm::json::isUTF8(text.getValue())
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Whether a reader names an operation or a type. What every kernel has need
/// not be named, nor what the reader has claimed.
static bool isNamed(const llvm::StringSet<> &names, StringRef name) {
  return names.empty() || names.contains(name) || name == "builtin.module" ||
         name == "tile.kernel" || name == "tile.return" || name == "function" ||
         name == "index" || name == "tensor" || name == "tile.view" ||
         name.starts_with("prim.");
}

/// What is wrong with a type for a reader; empty: nothing.
static std::string whyNotType(Type type, const WireReader &reader) {
  std::string name = wireTypeName(type);
  unsigned since = wireTypeSince(name);
  if (!since)
    return "type '" + name + "' is not part of the wire form";
  if (since > reader.version)
    return "type '" + name + "' came with version " + std::to_string(since) +
           " of the wire form, the target reads version " +
           std::to_string(reader.version);
  if (!isNamed(reader.types, name))
    return "the target does not read type '" + name + "'";
  std::string why;
  type.walkImmediateSubElements([](Attribute) {},
                                [&](Type inner) {
                                  if (why.empty() && inner)
                                    why = whyNotType(inner, reader);
                                });
  return why;
}

/// Whether a reader knows an operation that others can stand for: else it is
/// written as what computes it.
static bool isExpanded(Operation *op, const WireReader &reader) {
  StringRef name = op->getName().getStringRef();
  const WireOperation *known = findWireOperation(name);
  bool isRead = known && known->since <= reader.version &&
                isNamed(reader.operations, name.str());
  return isa<CompositeOpInterface>(op) && !isRead;
}

/// What is wrong with an operation for a reader; empty: nothing.
static std::string whyNotOperation(Operation *op, const WireReader &reader,
                                   llvm::DenseSet<Type> &seen) {
  if (isExpanded(op, reader))
    return "";
  std::string name = op->getName().getStringRef().str();
  const WireOperation *known = findWireOperation(name);
  if (!known)
    return "'" + name + "' is not part of the wire form";
  if (known->since > reader.version && !known->downgrade)
    return "'" + name + "' came with version " + std::to_string(known->since) +
           " of the wire form, the target reads version " +
           std::to_string(reader.version);
  if (known->since <= reader.version && !isNamed(reader.operations, name))
    return "the target does not read '" + name + "'";
  const WireAttribute *later = findLaterAttribute(op, reader.version);
  if (later && !later->downgrade)
    return (later->value ? "a value of attribute '" : "attribute '") +
           later->name.str() + "' of '" + name + "' came with version " +
           std::to_string(later->since) +
           " of the wire form, the target reads version " +
           std::to_string(reader.version);
  std::string why;
  auto check = [&](Type type) {
    if (why.empty() && seen.insert(type).second)
      why = whyNotType(type, reader);
  };
  llvm::for_each(op->getOperandTypes(), check);
  llvm::for_each(op->getResultTypes(), check);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::for_each(block.getArgumentTypes(), check);
  if (!why.empty())
    return why;
  for (NamedAttribute attr : op->getAttrs()) {
    if (!op->getInherentAttr(attr.getName()) ||
        isDecision(op->getName(), attr.getName()))
      continue;
    std::string owner =
        "attribute '" + attr.getName().str() + "' of '" + name + "' has a ";
    if (!isWireAttribute(attr.getValue()))
      return owner + "value that is not part of the wire form";
    if (!isText(attr.getValue()))
      return owner + "text that is not UTF-8";
  }
  return "";
}

std::optional<WireProblem>
kiln::isolated::findWireProblem(Operation *kernel, const WireReader &reader) {
  std::optional<WireProblem> problem;
  // Frames hold UTF-8.
  if (auto name = kernel->getAttrOfType<StringAttr>("sym_name");
      name && !llvm::json::isUTF8(name.getValue()))
    return WireProblem{kernel, "a name that is no text in UTF-8"};
  // A type is wrong where it is met first.
  llvm::DenseSet<Type> seen;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::string why = whyNotOperation(op, reader, seen);
    if (why.empty())
      return WalkResult::advance();
    problem = WireProblem{op, std::move(why)};
    return WalkResult::interrupt();
  });
  return problem;
}

namespace {
/// Rewrites one module.
class WireWriter {
public:
  WireWriter(ModuleOp module, const WireReader &reader)
      : module(module), reader(reader), rewriter(module.getContext()) {}

  LogicalResult run() {
    if (failed(expandComposites()) || failed(downgrade()))
      return failure();
    for (Operation &kernel : *module.getBody())
      if (auto problem = findWireProblem(&kernel, reader))
        return problem->op->emitError("unsupported: ") << problem->reason;
    module->setAttrs(DictionaryAttr::get(module.getContext()));
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { simplify(op); });
    return success();
  }

private:
  LogicalResult expandComposites() {
    SmallVector<CompositeOpInterface> found;
    module.walk([&](CompositeOpInterface op) {
      if (isExpanded(op, reader))
        found.push_back(op);
    });
    for (CompositeOpInterface op : found)
      if (failed(expandComposite(op)))
        return failure();
    return success();
  }

  /// Replaces what came later, the newest first: it may become what came before
  /// it and is too new as well.
  LogicalResult downgrade() {
    for (unsigned version = kNewest; version > reader.version; --version) {
      SmallVector<Operation *> found, foundAttributes;
      module.walk([&](Operation *op) {
        const WireOperation *known =
            findWireOperation(op->getName().getStringRef());
        const WireAttribute *later = findLaterAttribute(op, version - 1);
        if (known && known->since == version && known->downgrade)
          found.push_back(op);
        else if (later && later->since == version && later->downgrade)
          foundAttributes.push_back(op);
      });
      for (Operation *op : foundAttributes) {
        const WireAttribute *later = findLaterAttribute(op, version - 1);
        if (failed(replace(op, later->downgrade,
                           "attribute '" + later->name.str() + "' of '" +
                               later->operation.str() + "'",
                           version)))
          return failure();
      }
      for (Operation *op : found) {
        StringRef name = op->getName().getStringRef();
        if (failed(replace(op, findWireOperation(name)->downgrade,
                           "'" + name.str() + "'", version)))
          return failure();
      }
    }
    return success();
  }

  /// Replaces `what` of an operation, which came with a version, by what was
  /// there before.
  LogicalResult replace(Operation *op,
                        LogicalResult (*downgrade)(Operation *, RewriterBase &),
                        const std::string &what, unsigned version) {
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (succeeded(downgrade(op, rewriter)))
      return success();
    return emitError(loc) << "unsupported: " << what << " came with version "
                          << version
                          << " of the wire form, and this one has no form "
                          << "in version " << reader.version
                          << ", which the target reads";
  }

  /// Plug-ins may add to the table ahead of this build's version.
  static constexpr unsigned kNewest = kWireVersion + 16;

  /// The text has facts and hints as attributes of their own (printWire).
  bool isKept(StringRef name) const {
    return name == tile::kFactsAttr || name == tile::kHintsAttr ||
           keepsAttribute(name, reader.version);
  }

  void simplify(Operation *op) {
    op->setLoc(simplify(op->getLoc()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument arg : block.getArguments())
          arg.setLoc(simplify(arg.getLoc()));
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (!isKept(attr.getName()))
        op->removeDiscardableAttr(attr.getName());
    for (NamedAttribute attr : llvm::to_vector(op->getAttrs()))
      if (isDecision(op->getName(), attr.getName()))
        op->removeAttr(attr.getName());
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        for (NamedAttribute attr : llvm::to_vector(function.getArgAttrs(i)))
          if (!isKept(attr.getName()))
            function.removeArgAttr(i, attr.getName());
    if (isa<FunctionOpInterface>(op))
      op->removeAttr(SymbolTable::getVisibilityAttrName());
  }

  /// The file, line and column of a location, which has many more forms. Bytes
  /// of the file's name that are not UTF-8 are replaced by U+FFFD.
  Location simplify(Location loc) {
    auto place = loc->findInstanceOf<FileLineColLoc>();
    if (!place)
      return UnknownLoc::get(loc.getContext());
    StringRef file = place.getFilename();
    if (llvm::json::isUTF8(file))
      return place;
    return FileLineColLoc::get(loc.getContext(), llvm::json::fixUTF8(file),
                               place.getLine(), place.getColumn());
  }

  ModuleOp module;
  const WireReader &reader;
  IRRewriter rewriter;
};

struct ToWirePass : public PassWrapper<ToWirePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToWirePass)
  ToWirePass() = default;
  ToWirePass(const ToWirePass &other) : PassWrapper(other) {}
  StringRef getName() const final { return "TileToWire"; }
  StringRef getArgument() const final { return "tile-to-wire"; }
  StringRef getDescription() const final {
    return "Converts kernels to the wire form that an isolated target reads";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, scf::SCFDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    WireReader reader;
    reader.version = version;
    for (const std::string &name : operations)
      reader.operations.insert(name);
    for (const std::string &name : types)
      reader.types.insert(name);
    if (failed(toWire(getOperation(), reader)))
      signalPassFailure();
  }

  Option<unsigned> version{*this, "version",
                           llvm::cl::desc("the version that is read"),
                           llvm::cl::init(kWireVersion)};
  ListOption<std::string> operations{
      *this, "operations", llvm::cl::desc("operations that are read; all")};
  ListOption<std::string> types{*this, "types",
                                llvm::cl::desc("types that are read; all")};
};
} // namespace

LogicalResult kiln::isolated::toWire(ModuleOp module,
                                     const WireReader &reader) {
  // What later operations become (Downgrades.cpp).
  module.getContext()
      ->loadDialect<arith::ArithDialect, scf::SCFDialect,
                    tensor::TensorDialect>();
  return WireWriter(module, reader).run();
}

/// Takes attributes that have their defaults off. What is left is for the
/// printer alone: accessors of operations count on them.
static void dropDefaults(ModuleOp module) {
  llvm::DenseMap<OperationName, DictionaryAttr> known;
  module.walk([&](Operation *op) {
    DictionaryAttr &defaults = known.try_emplace(op->getName()).first->second;
    if (!defaults)
      defaults = defaultsOf(op->getName());
    for (NamedAttribute attr : defaults)
      if (op->getInherentAttr(attr.getName()) == attr.getValue())
        op->removeAttr(attr.getName());
  });
}

/// In the wire form each fact and each kind of hint is an attribute of its own.
static void spreadFacts(ModuleOp module) {
  module.walk([](Operation *op) {
    tile::splitFacts(op);
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (!keepsAttribute(attr.getName(), kWireVersion))
        op->removeDiscardableAttr(attr.getName());
  });
}

OwningOpRef<ModuleOp> kiln::isolated::readWire(StringRef text,
                                               MLIRContext *context) {
  ParserConfig config(context, /*verifyAfterParse=*/false);
  auto module = parseSourceString<ModuleOp>(text, config);
  if (module &&
      (failed(tile::joinAllFacts(*module)) || failed(verify(*module))))
    return {};
  return module;
}

std::string kiln::isolated::printWire(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  return printOwnWire(*copy);
}

std::string kiln::isolated::printOwnWire(ModuleOp module) {
  dropDefaults(module);
  spreadFacts(module);
  OpPrintingFlags flags;
  flags.printGenericOpForm().enableDebugInfo().useLocalScope();
  flags.assumeVerified();
  flags.elideLargeElementsAttrs(std::numeric_limits<int64_t>::max());
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, flags);
  os << "\n";
  return text;
}

OwningOpRef<ModuleOp> kiln::isolated::isolateKernel(Operation *kernel) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel->getLoc());
  module->getBody()->push_back(kernel->clone());
  return module;
}

Operation *kiln::isolated::findNumbered(Operation *kernel, int64_t number) {
  Operation *found = nullptr;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (number-- > 0)
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

std::unique_ptr<Pass>
kiln::isolated::createToWirePass(const WireReader &reader) {
  auto pass = std::make_unique<ToWirePass>();
  pass->version = reader.version;
  auto sorted = [](const llvm::StringSet<> &names) {
    std::vector<std::string> all;
    for (const auto &entry : names)
      all.push_back(entry.first().str());
    llvm::sort(all);
    return all;
  };
  for (const std::string &name : sorted(reader.operations))
    pass->operations.push_back(name);
  for (const std::string &name : sorted(reader.types))
    pass->types.push_back(name);
  return pass;
}

void kiln::isolated::registerIsolatedPasses() {
  registerPass([] { return createToWirePass({}); });
}
