// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions of a module are translated, and what their results are.
#include "Functions.h"
#include "Positions.h"

#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tensor_to_prim;

namespace {

/// The types of the arguments in prim; a scalar is a tensor of rank 0.
FailureOr<SmallVector<Type>> argumentTypes(func::FuncOp fn, Translator &e) {
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(fn.getArgumentTypes())) {
    RankedTensorType tensor = e.tensorType(type);
    if (!tensor && type.isIntOrIndexOrFloat())
      if (Type element = primElement(type))
        tensor = RankedTensorType::get({}, element);
    if (!tensor)
      return fn.emitError("unsupported: argument ")
             << i << " of '" << fn.getName() << "' has type " << type;
    types.push_back(tensor);
  }
  return types;
}

/// What a function gives: what it returns and, after that, what it has written
/// to buffers among its arguments. Without either, what it prints or prepares
/// for printing.
/// `sources` tells for each of them which one the function returns.
FailureOr<SmallVector<Value>> resultsOf(func::FuncOp fn, Translator &e,
                                        SmallVectorImpl<unsigned> &sources) {
  SmallVector<Value> needed(
      fn.getBody().front().getTerminator()->getOperands());
  for (Value argument : fn.getArguments())
    if (auto place = e.placeOf(argument); place && place->written)
      needed.push_back(argument);
  if (needed.empty()) {
    auto &all = e.printed.empty() ? e.unranked : e.printed;
    llvm::append_range(sources, llvm::seq<unsigned>(0, all.size()));
    return all;
  }
  SmallVector<Value> results;
  Operation *terminator = fn.getBody().front().getTerminator();
  e.b.setLoc(terminator->getLoc());
  for (auto [source, returned] : llvm::enumerate(needed)) {
    if (Operation *call = e.getOpaque(returned)) {
      e.reported = true;
      InFlightDiagnostic diag =
          call->emitError("unsupported: call of undefined function '")
          << cast<func::CallOp>(call).getCallee() << "'";
      diag.attachNote(terminator->getLoc()) << "its result is needed here";
      return diag;
    }
    Value value = e.isKnown(returned) ? e.get(returned) : Value();
    if (!value) {
      if (e.isKnown(returned) && !e.reported)
        return e.unsupported(terminator, "returns a shape");
      return failure();
    }
    // What stands for several tensors is returned as all of them.
    if (auto list = value.getDefiningOp<UnrealizedConversionCastOp>();
        list && !isa<RankedTensorType>(value.getType()) &&
        llvm::all_of(list.getOperandTypes(), llvm::IsaPred<RankedTensorType>)) {
      llvm::append_range(results, list.getOperands());
      sources.append(list.getNumOperands(), source);
      continue;
    }
    if (!isa<RankedTensorType>(value.getType())) {
      e.reported = true;
      return fn.emitError("unsupported: result ")
             << results.size() << " of '" << fn.getName() << "' has type "
             << returned.getType();
    }
    results.push_back(value);
    sources.push_back(source);
  }
  return results;
}

/// Keeps what a function says of its results for those that became of them: the
/// parts of one are numbered.
void describeResults(func::FuncOp fn, func::FuncOp result,
                     ArrayRef<unsigned> sources) {
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (source >= fn.getNumResults())
      continue;
    for (StringRef entry : {target::kNameEntry, target::kDimensionNamesEntry,
                            target::kUnsignedEntry})
      if (Attribute said = target::getResultEntry(fn, source, entry))
        target::setResultEntry(result, i, entry, said);
    auto name = dyn_cast_or_null<StringAttr>(
        target::getResultEntry(fn, source, target::kNameEntry));
    if (!name || llvm::count(sources, source) == 1)
      continue;
    unsigned part = i - (llvm::find(sources, source) - sources.begin());
    target::setResultEntry(
        result, i, target::kNameEntry,
        StringAttr::get(fn.getContext(), name.getValue() + "." + Twine(part)));
  }
}

/// What the source calls an argument, if anything.
StringAttr nameOf(func::FuncOp fn, unsigned argument) {
  if (auto name = target::getArgumentEntry<StringAttr>(fn, argument,
                                                       target::kNameEntry))
    return name;
  return fn.getArgAttrOfType<StringAttr>(argument, "ml_program.identifier");
}

/// Removes what nobody needs, such as constants that became attributes.
void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// What prim does not take is not supported: said at the operation it is from.
LogicalResult check(Block &block) {
  for (Operation &op : block) {
    std::string message;
    {
      OwnDiagnostics handler(op.getContext(), [&](Diagnostic &diag) {
        if (message.empty())
          message = diag.str();
        return success();
      });
      if (succeeded(verify(&op)))
        continue;
    }
    return emitError(op.getLoc(), "unsupported: ") << message;
  }
  return success();
}

/// Converts the functions of a module.
class Functions {
public:
  Functions(ModuleOp module, const Rules &rules, ArrayRef<std::string> entries,
            StringRef elided)
      : module(module), rules(rules), entries(entries), elided(elided) {}

  LogicalResult run();

private:
  /// The translation of a function; null if it computes nothing.
  FailureOr<func::FuncOp> convert(func::FuncOp fn, bool wanted) {
    if (!llvm::hasSingleElement(fn.getBody())) {
      Operation *branch = fn.getBody().front().getTerminator();
      return branch->emitError("unsupported: control flow between blocks in '")
             << fn.getName() << "'";
    }
    Translator e(module, rules);
    e.elided = elided.str();
    auto types = argumentTypes(fn, e);
    if (failed(types))
      return failure();
    auto result =
        func::FuncOp::create(fn.getLoc(), fn.getName(),
                             FunctionType::get(fn.getContext(), *types, {}));
    OwningOpRef<func::FuncOp> owner(result);
    Block *entry = result.addEntryBlock();
    Block &source = fn.getBody().front();
    for (auto [from, to] :
         llvm::zip_equal(source.getArguments(), entry->getArguments())) {
      to.setLoc(from.getLoc());
      if (isa<BaseMemRefType>(from.getType()))
        e.setPlace(from, e.newPlace(to));
      else
        e.alias(from, to);
    }
    e.b.setInsertionPointToStart(entry);
    bool good = succeeded(e.emitBlock(source));
    SmallVector<unsigned> sources;
    auto values =
        good ? resultsOf(fn, e, sources) : FailureOr<SmallVector<Value>>();
    if (failed(values)) {
      if (!e.reported)
        fn.emitError("unsupported: function '") << fn.getName() << "'";
      return failure();
    }
    // One that is asked for may have no results.
    if (values->empty() && !wanted) {
      fn.emitRemark("ignored: function '")
          << fn.getName() << "' returns and prints nothing";
      return func::FuncOp();
    }
    func::ReturnOp::create(e.b, *values);
    SmallVector<Type> resultTypes = llvm::map_to_vector(
        *values, [](Value value) { return value.getType(); });
    result.setType(FunctionType::get(fn.getContext(), *types, resultTypes));
    for (unsigned i = 0; i < fn.getNumArguments(); ++i)
      if (StringAttr name = nameOf(fn, i))
        target::setArgumentEntry(result, i, target::kNameEntry, name);
    for (unsigned i = 0; i < fn.getNumArguments(); ++i)
      for (StringRef entry : {target::kDonatedEntry, target::kUnsignedEntry})
        if (Attribute said = target::getArgumentEntry(fn, i, entry))
          target::setArgumentEntry(result, i, entry, said);
    describeResults(fn, result, sources);
    // Whoever invents inputs has to keep to the indices that mean something.
    for (auto [value, largest] : e.largestIndex)
      target::setArgumentEntry(
          result, cast<BlockArgument>(value).getArgNumber(),
          target::kRangeEntry, e.b.getDenseI64ArrayAttr({0, largest}));
    eraseDead(*entry);
    if (failed(check(*entry)))
      return failure();
    return owner.release();
  }

  /// The error for an entry that is not there, with those that are.
  LogicalResult noSuchEntry(StringRef name) {
    auto diag = module.emitError("no function '") << name << "' with a body";
    StringRef separator = ", expected one of: ";
    for (auto fn : module.getOps<func::FuncOp>())
      if (!fn.isExternal()) {
        diag << separator << fn.getSymName();
        separator = ", ";
      }
    return diag;
  }

  /// The functions to convert, in order.
  LogicalResult select(SmallVectorImpl<func::FuncOp> &selected) {
    for (const std::string &name : entries) {
      Operation *symbol = module.lookupSymbol(name);
      auto fn = dyn_cast_or_null<func::FuncOp>(symbol);
      if (symbol && !fn)
        continue; // a kernel, which needs no conversion
      if (!fn || fn.isExternal())
        return noSuchEntry(name);
      selected.push_back(fn);
    }
    if (!entries.empty())
      return success();
    for (auto fn : module.getOps<func::FuncOp>())
      if (!fn.isExternal() && fn.isPublic())
        selected.push_back(fn);
    if (selected.empty()) // all of them are private: none is a helper
      for (auto fn : module.getOps<func::FuncOp>())
        if (!fn.isExternal())
          selected.push_back(fn);
    return success();
  }

  /// Loops, conditions and accesses of affine in the terms of scf and memref.
  LogicalResult lowerAffine() {
    bool any =
        module
            .walk([](Operation *op) {
              return isa_and_nonnull<affine::AffineDialect>(op->getDialect())
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (!any)
      return success();
    RewritePatternSet patterns(module.getContext());
    populateAffineToStdConversionPatterns(patterns);
    ConversionTarget target(*module.getContext());
    target.addLegalDialect<arith::ArithDialect, memref::MemRefDialect,
                           scf::SCFDialect>();
    return applyPartialConversion(module, target, std::move(patterns));
  }

  /// Calls in bodies of operations: what is called is evaluated with the body.
  void inlineInBodies();

  /// The functions that a function calls.
  llvm::SmallPtrSet<Operation *, 4> calledFrom(func::FuncOp fn) {
    llvm::SmallPtrSet<Operation *, 4> called;
    fn.walk([&](func::CallOp call) {
      if (Operation *callee = module.lookupSymbol(call.getCallee()))
        called.insert(callee);
    });
    return called;
  }

  ModuleOp module;
  const Rules &rules;
  ArrayRef<std::string> entries;
  StringRef elided;
};

} // namespace

void Functions::inlineInBodies() {
  // What calls itself is left, and refused where it is.
  constexpr int mostRounds = 16;
  for (int round = 0; round < mostRounds; ++round) {
    SmallVector<func::CallOp> calls;
    module.walk([&](func::CallOp call) {
      for (Operation *op = call->getParentOp(); op && !isa<func::FuncOp>(op);
           op = op->getParentOp())
        if (!isa<scf::SCFDialect>(op->getDialect()))
          return calls.push_back(call);
    });
    bool changed = false;
    for (func::CallOp call : calls) {
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() ||
          !llvm::hasSingleElement(callee.getBody()) ||
          callee.getNumArguments() != call.getNumOperands())
        continue;
      Block &block = callee.getBody().front();
      IRMapping mapping;
      mapping.map(block.getArguments(), call.getOperands());
      OpBuilder builder(call);
      for (Operation &op : block.without_terminator())
        builder.clone(op, mapping);
      for (auto [result, value] : llvm::zip_equal(
               call.getResults(), block.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      call.erase();
      changed = true;
    }
    if (!changed)
      return;
  }
}

LogicalResult Functions::run() {
  if (!elided.empty() && elided != "zeros" && elided != "random") {
    module.emitError("expected elided=zeros or elided=random, found '")
        << elided << "'";
    return failure();
  }
  if (failed(lowerAffine()))
    return failure();
  SmallVector<func::FuncOp> selected, converted;
  if (failed(select(selected)))
    return failure();
  inlineInBodies();
  SmallVector<func::FuncOp> refused;
  llvm::MapVector<Operation *, std::vector<Diagnostic>> said;
  llvm::SmallPtrSet<Operation *, 4> helpers;
  for (func::FuncOp fn : selected) {
    // Kept until it is known whether another function takes it in.
    OwnDiagnostics handler(fn.getContext(), [&](Diagnostic &diag) {
      said[fn].push_back(std::move(diag));
      return success();
    });
    auto result = convert(fn, !entries.empty() || selected.size() == 1);
    if (failed(result)) {
      refused.push_back(fn);
      continue;
    }
    for (Operation *callee : calledFrom(fn))
      helpers.insert(callee);
    if (*result)
      converted.push_back(*result);
  }
  // With the sizes of its caller a helper may well be converted.
  if (entries.empty() && !converted.empty())
    llvm::erase_if(refused, [&](func::FuncOp fn) {
      if (!helpers.contains(fn))
        return false;
      said.erase(fn);
      fn.emitRemark("ignored: function '")
          << fn.getName() << "' is converted only where it is called";
      return true;
    });
  for (auto &[fn, diags] : said)
    for (Diagnostic &diag : diags)
      module.getContext()->getDiagEngine().emit(std::move(diag));
  bool good = refused.empty();
  if (entries.empty() && !converted.empty())
    for (func::FuncOp fn : refused)
      fn.emitRemark("function '")
          << fn.getName() << "' is not converted, others are: --entry=NAME "
          << "compiles one function and what it needs";
  if (good && !selected.empty() && converted.empty())
    good = succeeded(LogicalResult(
        module.emitError("unsupported: no function computes anything")));
  if (!good) {
    for (func::FuncOp fn : converted)
      fn.erase();
    return failure();
  }
  if (selected.empty() && entries.empty())
    return success();
  for (auto fn : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    fn.erase();
  for (auto global :
       llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    global.erase(); // what is needed of it has become a constant
  for (func::FuncOp fn : converted)
    module.push_back(fn);
  return success();
}

void kiln::tensor_to_prim::addSharedRules(Rules &rules) {
  addConstantRules(rules);
  addControlRules(rules);
  addTensorRules(rules);
  addSliceRules(rules);
  addCoordinateRules(rules);
  addArithRules(rules);
  addBitRules(rules);
  addConvertRules(rules);
  addMathRules(rules);
  addMemoryRules(rules);
}

LogicalResult
kiln::tensor_to_prim::convertFunctions(ModuleOp module, const Rules &rules,
                                       ArrayRef<std::string> entries,
                                       StringRef elided) {
  return Functions(module, rules, entries, elided).run();
}
