//===- Facts.cpp - What is known of parameters and operations -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Entries.h"
#include "kiln/Interfaces/Signature.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

//===----------------------------------------------------------------------===//
// Reading and writing
//===----------------------------------------------------------------------===//

Attribute tile::getFact(FunctionOpInterface function, unsigned parameter,
                        StringRef fact) {
  return entryOf(function.getArgAttr(parameter, kFactsAttr), fact);
}

void tile::setFact(FunctionOpInterface function, unsigned parameter,
                   StringRef fact, Attribute value) {
  Attribute facts = function.getArgAttr(parameter, kFactsAttr);
  function.setArgAttr(parameter, kFactsAttr, withEntry(facts, fact, value));
}

void tile::eraseFact(FunctionOpInterface function, unsigned parameter,
                     StringRef fact) {
  Attribute known = function.getArgAttr(parameter, kFactsAttr);
  if (!entryOf(known, fact))
    return;
  function.removeArgAttr(parameter, kFactsAttr);
  if (DictionaryAttr left = withoutEntries(known, fact))
    function.setArgAttr(parameter, kFactsAttr, left);
}

Attribute tile::getFact(Operation *op, StringRef fact) {
  return entryOf(op, kFactsAttr, fact);
}

void tile::setFact(Operation *op, StringRef fact, Attribute value) {
  setEntry(op, kFactsAttr, fact, value);
}

DictionaryAttr tile::statesFact(StringRef fact, Attribute value) {
  Builder b(value.getContext());
  return b.getDictionaryAttr(
      b.getNamedAttr(kFactsAttr, withEntry({}, fact, value)));
}

void tile::eraseElementFacts(NamedAttrList &attributes) {
  Attribute known = attributes.get(kFactsAttr);
  if (DictionaryAttr left =
          withoutEntries(known, llvm::to_vector_of<StringRef>(kElementFacts)))
    attributes.set(kFactsAttr, left);
  else if (known)
    attributes.erase(kFactsAttr);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// The only function beside kernels whose parameters have a fact. The dialect
/// of programs is above this one.
static constexpr StringLiteral kHostProgram = "program.func";

static bool isPositive(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isInteger(64) && number.getInt() >= 1;
}

static bool arePositive(Attribute value, int64_t count) {
  auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
  return numbers && numbers.size() == count &&
         llvm::all_of(numbers.asArrayRef(), [](int64_t n) { return n >= 1; });
}

/// What a fact of a parameter of this type should be; empty where it is that.
static std::string expectedForm(StringRef fact, Attribute value, Type type) {
  auto view = dyn_cast<ViewType>(type);
  if (fact == kReadonlyFact || fact == kNoaliasFact) {
    if (!isa<UnitAttr>(value))
      return "to be a unit attribute";
    return isa<ViewType, PtrType>(type) ? "" : "on a view or pointer";
  }
  if (fact == kAlignFact)
    return isPositive(value) &&
                   llvm::isPowerOf2_64(cast<IntegerAttr>(value).getInt())
               ? ""
               : "to be a power of two of type i64";
  if (fact == kSizeDivFact || fact == kStrideDivFact)
    return view && arePositive(value, view.getRank())
               ? ""
               : "to be one positive integer per dimension of a view";
  if (llvm::is_contained(kElementFacts, fact))
    return isPositive(value) && type.isIntOrIndex()
               ? ""
               : "to be a positive i64 on an integer";
  return "to be one of 'readonly', 'noalias', 'align', 'size_div', "
         "'stride_div', 'contiguity', 'divisibility' and 'constancy'";
}

LogicalResult tile::verifyParameterFacts(Operation *function,
                                         unsigned parameter,
                                         NamedAttribute facts) {
  StringRef name = facts.getName();
  auto entries = dyn_cast<DictionaryAttr>(facts.getValue());
  if (name != kFactsAttr || !entries)
    // A fact that nothing reads is a name with a mistake in it.
    return function->emitOpError()
           << "expected facts of parameter " << parameter
           << " in a dictionary '" << kFactsAttr << "', found '" << name
           << "' = " << facts.getValue();
  bool isKernel = isa<Kernel>(function);
  if (!isKernel && function->getName().getStringRef() != kHostProgram)
    return function->emitOpError()
           << "expected '" << kFactsAttr << "' on parameters of 'tile.kernel' "
           << "and '" << kHostProgram << "', found it on parameter "
           << parameter;
  Type type = cast<FunctionOpInterface>(function).getArgumentTypes()[parameter];
  for (NamedAttribute fact : entries) {
    StringRef of = fact.getName();
    // Analyses ask kernels, and those who call a program keep to alignments.
    std::string form = isKernel || of == kAlignFact
                           ? expectedForm(of, fact.getValue(), type)
                           : "on a kernel ('align' alone is one of buffers)";
    if (!form.empty())
      return function->emitOpError()
             << "expected fact '" << of << "' of parameter " << parameter << " "
             << form << ", found " << fact.getValue() << " on " << type;
  }
  return success();
}

/// What a fact about elements is about: the only result, or the tile that an
/// operation stores.
static Type knownType(Operation *op) {
  if (op->getNumResults() == 1)
    return op->getResult(0).getType();
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return access.getAccessedTile().getType();
  if (auto store = dyn_cast<StorePtrOp>(op))
    return store.getValue().getType();
  return {};
}

static LogicalResult verifyElementFact(Operation *op, NamedAttribute fact) {
  Type type = knownType(op);
  if (!type)
    return op->emitOpError() << "expected fact '" << fact.getName().strref()
                             << "' on an operation with one result or one "
                                "that stores a tile";
  auto tile = dyn_cast<RankedTensorType>(type);
  int64_t rank = tile ? tile.getRank() : 1;
  if (!arePositive(fact.getValue(), rank))
    return op->emitOpError() << "expected fact '" << fact.getName().strref()
                             << "' to be an array of " << rank
                             << " positive integers, found " << fact.getValue();
  return success();
}

/// Checks the type that an operation combines bytes in memory as.
static LogicalResult verifyCombinedAs(Operation *op, Attribute type) {
  Type known = knownType(op);
  auto floats = dyn_cast<FloatType>(cast<TypeAttr>(type).getValue());
  if (hasEffect<MemoryEffects::Write>(op) &&
      (!known || getElementTypeOrSelf(known).isInteger(8)) && floats &&
      floats.getWidth() <= 8)
    return success();
  return op->emitOpError()
         << "expected fact '" << kCombinedAsFact
         << "' to be a float of 8 bits on an operation that combines bytes in "
            "memory, found "
         << type;
}

LogicalResult tile::verifyFacts(Operation *op, Attribute facts) {
  FailureOr<DictionaryAttr> entries = verifiedEntries(op, kFactsAttr, facts);
  if (failed(entries))
    return failure();
  for (NamedAttribute fact : *entries) {
    StringRef name = fact.getName();
    if (name == kCombinedAsFact && isa<TypeAttr>(fact.getValue())) {
      if (failed(verifyCombinedAs(op, fact.getValue())))
        return failure();
      continue;
    }
    if (!llvm::is_contained(kElementFacts, name))
      return op->emitOpError()
             << "expected facts of an operation to be 'contiguity', "
                "'divisibility', 'constancy' and a type as 'combined_as', "
                "found '"
             << name << "' = " << fact.getValue();
    if (failed(verifyElementFact(op, fact)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Version 0.2
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kAllFacts[] = {
    kReadonlyFact,     kNoaliasFact,   kAlignFact,
    kSizeDivFact,      kStrideDivFact, kContiguityFact,
    kDivisibilityFact, kConstancyFact, kCombinedAsFact};

/// Takes facts that are attributes of their own, and gives back the rest with
/// one dictionary for them.
static void join(NamedAttrList &attributes, MLIRContext *context) {
  NamedAttrList facts;
  if (auto known = dyn_cast_or_null<DictionaryAttr>(attributes.get(kFactsAttr)))
    facts.append(known.getValue());
  bool isOld = false;
  for (StringRef fact : kAllFacts)
    if (Attribute value = attributes.erase(("tile." + fact).str())) {
      facts.set(fact, value);
      isOld = true;
    }
  if (isOld)
    attributes.set(kFactsAttr, facts.getDictionary(context));
}

DictionaryAttr tile::joinFacts(DictionaryAttr attributes) {
  if (!attributes)
    return attributes;
  NamedAttrList list(attributes.getValue());
  join(list, attributes.getContext());
  return list.getDictionary(attributes.getContext());
}

static void joinFactsOf(Operation *op) {
  for (StringRef hints : {"tile.loop", "tile.launch"})
    if (Attribute value = op->removeDiscardableAttr(hints))
      op->setDiscardableAttr(kHintsAttr, value);
  auto isOld = [](NamedAttribute attribute) {
    StringRef name = attribute.getName();
    return name.consume_front("tile.") && llvm::is_contained(kAllFacts, name);
  };
  if (llvm::none_of(op->getDiscardableAttrs(), isOld))
    return;
  op->setDiscardableAttrs(joinFacts(op->getDiscardableAttrDictionary()));
}

void tile::joinFacts(Region &region) { region.walk(joinFactsOf); }

LogicalResult tile::joinAllFacts(Operation *top) {
  top->walk([](Operation *op) {
    joinFactsOf(op);
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (function && hasSignature(function))
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        if (DictionaryAttr known = function.getArgAttrDict(i))
          function.setArgAttrs(i, joinFacts(known));
  });
  return success();
}

LogicalResult tile::upgradeFacts(Operation *top) {
  if (failed(joinAllFacts(top)))
    return failure();
  top->walk([](FunctionOpInterface function) {
    if (isa<Kernel>(function.getOperation()) || !hasSignature(function))
      return;
    bool isProgram = function->getName().getStringRef() == kHostProgram;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      auto facts = dyn_cast_or_null<DictionaryAttr>(
          function.removeArgAttr(i, kFactsAttr));
      Attribute align = facts && isProgram ? facts.get(kAlignFact) : nullptr;
      if (align)
        setFact(function, i, kAlignFact, align);
    }
  });
  return success();
}

void tile::splitFacts(Operation *op) {
  auto split = [&](DictionaryAttr attributes) {
    NamedAttrList list(attributes.getValue());
    if (auto facts = dyn_cast_or_null<DictionaryAttr>(list.erase(kFactsAttr)))
      for (NamedAttribute fact : facts)
        list.set(("tile." + fact.getName().getValue()).str(), fact.getValue());
    if (Attribute hints = list.erase(kHintsAttr))
      list.set(isa<LoopHintsAttr>(hints) ? "tile.loop" : "tile.launch", hints);
    return list.getDictionary(attributes.getContext());
  };
  op->setDiscardableAttrs(split(op->getDiscardableAttrDictionary()));
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
      if (DictionaryAttr known = function.getArgAttrDict(i))
        function.setArgAttrs(i, split(known));
}
