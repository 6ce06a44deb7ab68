//===- Names.cpp - What the source calls arguments and results ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Names.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace kiln::driver;

namespace {
/// Longer names help nobody on a command line.
constexpr size_t kLongestName = 200;

/// A name that can be told from a number and printed in one line.
bool isGood(StringRef name) {
  return !name.empty() && name.size() <= kLongestName &&
         llvm::all_of(name, [](char c) { return llvm::isPrint(c); }) &&
         !llvm::all_of(name, llvm::isDigit);
}

/// Finds identifiers by their places in the text.
class SourceText {
public:
  explicit SourceText(llvm::MemoryBufferRef buffer) : buffer(buffer) {}

  /// "x" for the place of "%x"; empty where no such thing stands.
  StringRef identifierAt(FileLineColLoc loc) {
    if (loc.getFilename().getValue() != buffer.getBufferIdentifier())
      return "";
    goTo(loc.getLine());
    StringRef text = buffer.getBuffer().slice(offset, end);
    if (loc.getColumn() == 0 || loc.getColumn() > text.size())
      return "";
    text = text.drop_front(loc.getColumn() - 1);
    if (!text.consume_front("%"))
      return "";
    return text.take_while([](char c) {
      return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
    });
  }

private:
  /// Lines are asked for in order, mostly, and those with many names often.
  void goTo(unsigned line) {
    StringRef text = buffer.getBuffer();
    if (line < current)
      current = 0;
    if (current == 0) {
      current = 1;
      offset = 0;
      end = text.find('\n');
    }
    for (; current < line && end != StringRef::npos; ++current) {
      offset = end + 1;
      end = text.find('\n', offset);
    }
    if (current < line) // there is none
      offset = end = text.size();
  }

  llvm::MemoryBufferRef buffer;
  unsigned current = 0;       ///< the line from `offset` to `end`; 0: none yet
  size_t offset = 0, end = 0; ///< `end`: npos in the last line
};

/// The names of one function.
class Collector {
public:
  Collector(FunctionOpInterface function, SourceText &text)
      : function(function), text(text) {}

  EntryNames collect() {
    EntryNames names;
    unsigned count = function.getNumArguments();
    inputs = listed("inputs", count);
    outputs = listed("outputs", function.getNumResults());
    for (unsigned i = 0; i < count; ++i) {
      names.arguments.push_back(argument(i).str());
      names.dims.push_back(
          dims(kiln::target::getArgumentEntry<ArrayAttr>(
                   function, i, kiln::target::kDimensionNamesEntry),
               function.getArgumentTypes()[i]));
      names.areUnsigned.push_back(
          isUnsigned(function.getArgumentTypes()[i],
                     kiln::target::getArgumentEntry(
                         function, i, kiln::target::kUnsignedEntry)));
      names.bits.push_back(bitsOf(function.getArgumentTypes()[i]));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      names.resultDims.push_back(
          dims(dyn_cast_or_null<ArrayAttr>(kiln::target::getResultEntry(
                   function, i, kiln::target::kDimensionNamesEntry)),
               function.getResultTypes()[i]));
      names.resultsAreUnsigned.push_back(
          isUnsigned(function.getResultTypes()[i],
                     kiln::target::getResultEntry(
                         function, i, kiln::target::kUnsignedEntry)));
      names.resultBits.push_back(bitsOf(function.getResultTypes()[i]));
      auto given = dyn_cast_or_null<StringAttr>(
          kiln::target::getResultEntry(function, i, kiln::target::kNameEntry));
      names.results.push_back(
          fromAttributes(i, outputs, given, [&](StringRef name) {
            return function.getResultAttr(i, name);
          }).str());
    }
    makeDistinct(names.arguments);
    makeDistinct(names.results);
    return names;
  }

private:
  /// Types of other dialects tell nothing here.
  static bool isOpaque(Type type) {
    return !isa<BuiltinDialect>(type.getDialect());
  }

  /// Integers narrower than a byte, other than truth values, lie in bytes.
  static int32_t bitsOf(Type type) {
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    bool isNarrow = element && element.getWidth() > 1 && element.getWidth() < 8;
    return isNarrow ? static_cast<int32_t>(element.getWidth()) : 0;
  }

  /// Sources whose integers have no sign, or whose types are their own, say it
  /// by an attribute.
  static bool isUnsigned(Type type, Attribute attribute) {
    Type element = getElementTypeOrSelf(type);
    return element.isUnsignedInteger() ||
           (attribute && (isOpaque(type) || (element.isSignlessInteger() &&
                                             !element.isInteger(1))));
  }

  StringRef argument(unsigned index) {
    auto given = kiln::target::getArgumentEntry<StringAttr>(
        function, index, kiln::target::kNameEntry);
    StringRef name = fromAttributes(index, inputs, given, [&](StringRef name) {
      return function.getArgAttr(index, name);
    });
    if (!name.empty())
      return name;
    Location loc = function.getArgument(index).getLoc();
    if (auto named = loc->findInstanceOf<NameLoc>())
      return named.getName();
    if (auto place = dyn_cast<FileLineColLoc>(loc))
      return text.identifierAt(place);
    return "";
  }

  /// What importers leave behind, the most deliberate first.
  StringRef fromAttributes(unsigned index, ArrayRef<StringRef> list,
                           StringAttr given,
                           llvm::function_ref<Attribute(StringRef)> get) {
    if (given && !given.getValue().empty())
      return given.getValue();
    static constexpr StringLiteral kKeys[] = {
        "ml_program.identifier", "jax.arg_info", "jax.result_info"};
    for (StringRef key : kKeys)
      if (auto name = dyn_cast_or_null<StringAttr>(get(key)))
        if (!name.getValue().empty())
          return name.getValue();
    if (auto path =
            dyn_cast_or_null<ArrayAttr>(get("tf_saved_model.index_path")))
      if (path.size() == 1)
        if (auto name = dyn_cast<StringAttr>(path[0]))
          return name.getValue();
    return index < list.size() ? list[index].trim() : "";
  }

  /// Names in {inputs = "a,b", outputs = "c"}, if there are `count`.
  SmallVector<StringRef> listed(StringRef key, unsigned count) {
    auto entry = function->getAttrOfType<DictionaryAttr>("tf.entry_function");
    auto names = entry ? entry.getAs<StringAttr>(key) : StringAttr();
    SmallVector<StringRef> parts;
    if (names)
      names.getValue().split(parts, ',');
    if (parts.size() != count)
      parts.clear();
    return parts;
  }

  /// `kiln.dims = ["batch", ""]` names the dimensions of an argument or a
  /// result. The parts of complex numbers become a last dimension, "complex".
  static std::vector<std::string> dims(ArrayAttr list, Type type) {
    std::vector<std::string> result;
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped && isOpaque(type) && list)
      for (Attribute attr : list) {
        auto name = dyn_cast<StringAttr>(attr);
        result.push_back(name && isGood(name.getValue()) ? name.str() : "");
      }
    if (!shaped || !shaped.hasRank())
      return result;
    bool isComplex = isa<ComplexType>(shaped.getElementType());
    size_t rank = static_cast<size_t>(shaped.getRank());
    if (list && list.size() == rank)
      for (Attribute attr : list) {
        auto name = dyn_cast<StringAttr>(attr);
        bool good = name && isGood(name.getValue());
        result.push_back(good ? name.getValue().str() : "");
      }
    if (isComplex) {
      result.resize(rank);
      result.push_back("complex");
    }
    return result;
  }

  /// Parts of one argument, such as a descriptor's sizes, are numbered behind
  /// its name; names that still come twice name nothing.
  static void makeDistinct(std::vector<std::string> &names) {
    std::vector<std::string> whole = names;
    unsigned part = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!isGood(names[i]))
        names[i].clear();
      part = i && !whole[i].empty() && whole[i] == whole[i - 1] ? part + 1 : 0;
      if (part && !names[i].empty())
        names[i] += "." + std::to_string(part);
    }
    llvm::StringMap<unsigned> uses;
    for (const std::string &name : names)
      ++uses[name];
    for (std::string &name : names)
      if (uses[name] > 1)
        name.clear();
  }

  FunctionOpInterface function;
  SourceText &text;
  SmallVector<StringRef> inputs, outputs; ///< what tf.entry_function lists
};
} // namespace

/// Whether a function still has the arguments that are known of it: as many,
/// and none with another name. Known names are distinct: `x.1` is one of `x`.
static bool hasArguments(FunctionOpInterface function,
                         const EntryNames &known) {
  if (known.arguments.size() != function.getNumArguments())
    return false;
  for (auto [i, known] : llvm::enumerate(known.arguments)) {
    auto name = kiln::target::getArgumentEntry<StringAttr>(
        function, i, kiln::target::kNameEntry);
    if (name && !known.empty() && !StringRef(known).starts_with(name))
      return false;
  }
  return true;
}

/// Results that the source says no type of may turn out as unsigned when a
/// frontend infers it.
static void addUnsignedResults(FunctionOpInterface function,
                               EntryNames &known) {
  if (known.resultsAreUnsigned.size() != function.getNumResults())
    return;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (kiln::target::getResultEntry(function, i, kiln::target::kUnsignedEntry))
      known.resultsAreUnsigned[i] = true;
}

void kiln::driver::collectNames(ModuleOp module, llvm::MemoryBufferRef text,
                                Names &names) {
  SourceText source(text);
  MLIRContext *context = module.getContext();
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (function.isExternal())
      continue;
    auto known = names.find(function.getName().str());
    if (known != names.end() && hasArguments(function, known->second)) {
      addUnsignedResults(function, known->second);
      continue;
    }
    EntryNames found = Collector(function, source).collect();
    // Who evaluates the function later can tell, too.
    for (auto [arg, name] :
         llvm::zip_equal(function.getArguments(), found.arguments))
      if (!name.empty() && !arg.getLoc()->findInstanceOf<NameLoc>())
        arg.setLoc(NameLoc::get(StringAttr::get(context, name), arg.getLoc()));
    // What frontends do to arguments leaves results as the source has them,
    // unless the function names its own.
    bool hasNames = false;
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      hasNames |= bool(
          kiln::target::getResultEntry(function, i, kiln::target::kNameEntry));
    if (known != names.end() && !hasNames &&
        known->second.results.size() == function.getNumResults()) {
      found.results = known->second.results;
      found.resultDims = known->second.resultDims;
      found.resultsAreUnsigned = known->second.resultsAreUnsigned;
      found.resultBits = known->second.resultBits;
    }
    names[function.getName().str()] = std::move(found);
  }
}
