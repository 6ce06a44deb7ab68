//===- Proposals.cpp - Operations from their definitions ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Proposals.h"
#include "Text.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>

using namespace mlir;
using namespace kiln::conform;

namespace {

constexpr StringLiteral kElements[] = {"f32", "f64",      "f16",   "bf16",
                                       "i32", "i64",      "i8",    "i16",
                                       "i1",  "f8E4M3FN", "f8E5M2"};
/// What second operands may be instead of the first one's type.
constexpr StringLiteral kSeconds[] = {"i32", "i1", "f8E8M0FNU"};

/// Floats that are converted, and else only computed with as these are.
constexpr StringLiteral kConverted[] = {
    "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E4M3",  "f8E3M4",
    "f8E8M0FNU",  "f6E2M3FN",   "f6E3M2FN",      "f4E2M1FN"};

class Trial {
public:
  /// Ends after `most` proposals.
  Trial(RegisteredOperationName name, MLIRContext &context,
        size_t most = SIZE_MAX)
      : name(name), context(context), loc(UnknownLoc::get(&context)),
        quiet(&context, [](Diagnostic &) { return success(); }), most(most) {}

  std::vector<Proposal> run() {
    unsigned operands = numOperands();
    bool isOne = name.hasTrait<OpTrait::OneResult>();
    if (!operands || !name.hasTrait<OpTrait::ZeroRegions>() ||
        (!isOne && !name.hasTrait<OpTrait::NResults<2>::Impl>()))
      return {};
    numResults = isOne ? 1 : 2;
    for (StringRef first : kElements) {
      if (operands == 1)
        tryOperands({first});
      if (operands == 2) {
        tryOperands({first, first});
        for (StringRef second : kSeconds)
          if (second != first)
            tryOperands({first, second});
      }
      if (operands == 3) {
        tryOperands({first, first, first});
        if (first != "i1")
          tryOperands({"i1", first, first});
      }
    }
    if (name.getStringRef() == "prim.convert_element_type")
      tryConversions();
    return std::move(found);
  }

private:
  /// From and to floats that few operations are tried with.
  void tryConversions() {
    auto attempt = [&](StringRef from, StringRef to) {
      operandElements = from;
      tryResults(to);
    };
    for (StringRef narrow : kConverted) {
      for (StringRef other : kElements) {
        attempt(narrow, other);
        attempt(other, narrow);
      }
      for (StringRef other : kConverted)
        if (other != narrow)
          attempt(narrow, other);
    }
  }

  unsigned numOperands() const {
    if (name.hasTrait<OpTrait::OneOperand>())
      return 1;
    if (name.hasTrait<OpTrait::NOperands<2>::Impl>())
      return 2;
    return name.hasTrait<OpTrait::NOperands<3>::Impl>() ? 3 : 0;
  }

  Type tile(StringRef element) {
    Type &type = tiles[element];
    if (!type)
      type = RankedTensorType::get({4}, parseType(element, &context));
    return type;
  }

  void tryOperands(ArrayRef<StringRef> elements) {
    if (found.size() >= most)
      return;
    operandElements = elements;
    if (name.hasInterface<InferTypeOpInterface>()) {
      tryResults({});
      return;
    }
    for (StringRef element : kElements)
      tryResults(SmallVector<StringRef>(numResults, element));
  }

  void tryResults(ArrayRef<StringRef> results) {
    resultElements.assign(results.begin(), results.end());
    SmallVector<NamedAttribute> none;
    Builder b(&context);
    ArrayRef<StringAttr> names = name.getAttributeNames();
    if (accept(none)) {
      // Flags that results may be poison by are no operations of their own.
      for (StringAttr attribute : names)
        if (attribute != "isExact" && attribute != "nonNeg")
          accept({b.getNamedAttr(attribute, b.getUnitAttr())});
      return;
    }
    // One that has to be there: numbers, which enumerations are, too.
    constexpr int64_t kMost = 32;
    for (StringAttr attribute : names)
      for (unsigned width : {64, 32}) {
        std::vector<Proposal> before = found;
        int64_t taken = 0;
        for (int64_t value = 0; value < kMost; ++value) {
          NamedAttribute number = b.getNamedAttr(
              attribute, b.getIntegerAttr(b.getIntegerType(width), value));
          if (!accept({number}))
            continue;
          ++taken;
          for (StringAttr other : names)
            if (other != attribute)
              accept({number, b.getNamedAttr(other, b.getUnitAttr())});
        }
        if (taken == kMost) { // any number: a few of them
          found = std::move(before);
          for (int64_t value : {0, 1, 3})
            accept({b.getNamedAttr(
                attribute, b.getIntegerAttr(b.getIntegerType(width), value))});
        }
        if (taken)
          return;
      }
  }

  /// Adds the proposal if the verifier takes it.
  bool accept(ArrayRef<NamedAttribute> attributes) {
    Block block;
    OperationState state(loc, name);
    for (StringRef element : operandElements)
      state.operands.push_back(block.addArgument(tile(element), loc));
    state.addAttributes(attributes);
    if (resultElements.empty()) {
      auto *infer = name.getInterface<InferTypeOpInterface>();
      // Attributes are read from properties, which the operation makes of them.
      OperationState typed(loc, name);
      typed.operands = state.operands;
      typed.addAttributes(attributes);
      typed.addTypes(SmallVector<Type>(numResults, tile(operandElements[0])));
      Operation *draft = Operation::create(typed);
      SmallVector<Type> types;
      bool isInferred = succeeded(infer->inferReturnTypes(
          &context, loc, draft->getOperands(), draft->getAttrDictionary(),
          draft->getPropertiesStorage(), draft->getRegions(), types));
      draft->destroy();
      if (!isInferred)
        return false;
      state.addTypes(types);
    } else {
      for (StringRef element : resultElements)
        state.addTypes(tile(element));
    }
    Operation *op = Operation::create(state);
    bool isGood = check(op, attributes);
    op->destroy();
    return isGood;
  }

  bool check(Operation *op, ArrayRef<NamedAttribute> attributes) {
    Proposal proposal;
    for (NamedAttribute attribute : attributes)
      if (op->getAttr(attribute.getName()) != attribute.getValue())
        return false;
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || tensor.getShape() != ArrayRef<int64_t>{4})
        return false;
      std::string text;
      llvm::raw_string_ostream(text) << tensor.getElementType();
      proposal.results.push_back(text);
    }
    if (!isMemoryEffectFree(op) || failed(verify(op)))
      return false;
    proposal.op = op->getName().getStringRef().str();
    for (StringRef element : operandElements)
      proposal.operands.push_back(element.str());
    llvm::raw_string_ostream os(proposal.attributes);
    for (NamedAttribute attribute : attributes) {
      os << (proposal.attributes.empty() ? "<{" : ", ")
         << attribute.getName().getValue();
      proposal.variant += attribute.getName().getValue();
      if (isa<UnitAttr>(attribute.getValue()))
        continue;
      os << " = " << attribute.getValue();
      proposal.variant +=
          std::to_string(cast<IntegerAttr>(attribute.getValue()).getInt());
    }
    if (!attributes.empty())
      os << "}>";
    found.push_back(std::move(proposal));
    return true;
  }

  RegisteredOperationName name;
  MLIRContext &context;
  Location loc;
  ScopedDiagnosticHandler quiet;
  size_t most;
  llvm::StringMap<Type> tiles; ///< by their elements
  unsigned numResults = 1;
  ArrayRef<StringRef> operandElements;
  SmallVector<StringRef> resultElements;
  std::vector<Proposal> found;
};

} // namespace

std::string Proposal::typeText() const {
  std::string text = operands[0];
  for (size_t i = 1; i < operands.size(); ++i)
    if (operands[i] != operands[0])
      text += "," + operands[i];
  bool isAlike = llvm::all_of(results, [&](const std::string &type) {
    return type == operands.back();
  });
  return isAlike ? text : text + "->" + results[0];
}

std::string Proposal::text(ArrayRef<std::string> values,
                           ArrayRef<int64_t> shape, bool isScalar) const {
  auto typeOf = [&](StringRef element) {
    return isScalar ? element.str() : tensorText(shape, element);
  };
  std::string text = "\"" + op + "\"(";
  for (auto [i, value] : llvm::enumerate(values))
    text += (i ? ", " : "") + value;
  text += ") " + attributes + " : (";
  for (auto [i, element] : llvm::enumerate(operands))
    text += (i ? ", " : "") + typeOf(element);
  text += ") -> ";
  if (results.size() > 1)
    text += "(";
  for (auto [i, element] : llvm::enumerate(results))
    text += (i ? ", " : "") + typeOf(element);
  return text + (results.size() > 1 ? ")" : "");
}

const std::vector<Proposal> &
kiln::conform::proposalsFor(RegisteredOperationName name,
                            MLIRContext &context) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<Proposal>> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto [at, isNew] = known.try_emplace(name.getStringRef().str());
  if (isNew)
    at->second = Trial(name, context).run();
  return at->second;
}

bool kiln::conform::hasProposal(RegisteredOperationName name,
                                MLIRContext &context) {
  return !Trial(name, context, /*most=*/1).run().empty();
}
