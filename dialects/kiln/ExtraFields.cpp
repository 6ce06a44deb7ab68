//===- ExtraFields.cpp - Dictionaries in `extra` of descriptions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice of block sizes and the code generator for GPUs read dictionaries
// in `extra` by the names of their entries. An entry that nothing reads is a
// mistake in a name.
//
//===----------------------------------------------------------------------===//

#include "DescriptionChecks.h"
#include "kiln/Dialect/Kiln/ExtraCounts.h"
#include "kiln/Dialect/Kiln/Suggest.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <cmath>
#include <iterator>
#include <mutex>
#include <vector>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
enum class EntryKind {
  Count,      ///< an integer of at least 1
  Positive,   ///< a finite number above 0, integer or float
  Amount,     ///< a finite number of at least 0, integer or float
  Dictionary, ///< a dictionary with a list of its own
};

struct Entry {
  StringLiteral name;
  EntryKind kind;
};
} // namespace

/// Those that code generators have declared. Plug-ins add theirs at any time.
namespace {
struct DeclaredCounts {
  std::mutex mutex;
  std::vector<ExtraCounts> list; ///< one for each dictionary of a family
};
} // namespace

static DeclaredCounts &declaredCounts() {
  static DeclaredCounts declared;
  return declared;
}

ExtraCounts::ExtraCounts(StringLiteral family, StringLiteral dictionary,
                         std::initializer_list<StringLiteral> entries)
    : family(family), dictionary(dictionary), entries(entries) {
  DeclaredCounts &declared = declaredCounts();
  std::lock_guard lock(declared.mutex);
  auto known = llvm::find_if(declared.list, [&](const ExtraCounts &one) {
    return one.family == family && one.dictionary == dictionary;
  });
  if (known == declared.list.end()) {
    declared.list.push_back(*this);
    return;
  }
  for (StringLiteral entry : entries)
    if (!llvm::is_contained(known->entries, entry))
      known->entries.push_back(entry);
}

/// The dictionaries of a family.
static std::vector<ExtraCounts> countsOf(StringRef family) {
  DeclaredCounts &declared = declaredCounts();
  std::lock_guard lock(declared.mutex);
  std::vector<ExtraCounts> counts;
  llvm::copy_if(declared.list, std::back_inserter(counts),
                [&](const ExtraCounts &one) { return one.family == family; });
  return counts;
}

static constexpr Entry kOperandCopies[] = {
    {"threads", EntryKind::Positive}, {"step", EntryKind::Positive},
    {"rows", EntryKind::Amount},      {"ends", EntryKind::Amount},
    {"rest", EntryKind::Amount},      {"lines", EntryKind::Positive},
    {"within", EntryKind::Amount},    {"few", EntryKind::Dictionary}};
/// Those of `operand_copies` and of `few` in it.
static constexpr Entry kCopyRates[] = {{"whole", EntryKind::Positive},
                                       {"together", EntryKind::Positive},
                                       {"memory", EntryKind::Positive},
                                       {"line", EntryKind::Positive},
                                       {"loss", EntryKind::Amount}};
static constexpr Entry kMatmulCosts[] = {
    {"fragments", EntryKind::Positive},     {"memory", EntryKind::Positive},
    {"threads", EntryKind::Positive},       {"widened_rows", EntryKind::Amount},
    {"widened_share", EntryKind::Positive}, {"stored", EntryKind::Dictionary},
    {"one_step", EntryKind::Dictionary},    {"steps", EntryKind::Dictionary},
    {"parts", EntryKind::Dictionary}};
static constexpr Entry kStored[] = {
    {"share", EntryKind::Positive},    {"warps", EntryKind::Positive},
    {"operations", EntryKind::Amount}, {"access", EntryKind::Positive},
    {"alike", EntryKind::Positive},    {"seen", EntryKind::Amount}};
static constexpr Entry kOneStep[] = {
    {"store", EntryKind::Positive}, {"memory", EntryKind::Positive},
    {"begin", EntryKind::Amount},   {"launch", EntryKind::Amount},
    {"alone", EntryKind::Positive}, {"overlap", EntryKind::Positive}};
static constexpr Entry kSteps[] = {
    {"launch", EntryKind::Amount},  {"ends", EntryKind::Amount},
    {"way", EntryKind::Amount},     {"read", EntryKind::Positive},
    {"barrier", EntryKind::Amount}, {"part", EntryKind::Amount},
    {"next", EntryKind::Amount},    {"begin", EntryKind::Amount},
    {"seen", EntryKind::Amount},    {"few", EntryKind::Amount},
    {"first", EntryKind::Amount},   {"chain", EntryKind::Amount},
    {"hidden", EntryKind::Positive}};
static constexpr Entry kParts[] = {{"barrier", EntryKind::Amount},
                                   {"write", EntryKind::Positive},
                                   {"read", EntryKind::Positive},
                                   {"launch", EntryKind::Amount},
                                   {"share", EntryKind::Positive}};

std::optional<int64_t> target::wholeNumber(Attribute value) {
  auto whole = dyn_cast_if_present<IntegerAttr>(value);
  if (!whole || isa<BoolAttr>(whole) ||
      !whole.getType().isSignlessIntOrIndex() ||
      whole.getValue().getBitWidth() > 64)
    return std::nullopt;
  return whole.getValue().getSExtValue();
}

/// The value of an integer or a float; NaN for anything else.
static double numberOf(Attribute value) {
  if (std::optional<int64_t> whole = wholeNumber(value))
    return double(*whole);
  if (auto fraction = dyn_cast<FloatAttr>(value))
    return fraction.getValueAsDouble();
  return std::nan("");
}

static LogicalResult checkEntries(EmitError emitError, StringRef where,
                                  Attribute given, ArrayRef<Entry> entries) {
  auto list = dyn_cast<DictionaryAttr>(given);
  if (!list)
    return emitError() << "expected '" << where
                       << "' in 'extra' to be a dictionary, found " << given;
  auto names = llvm::map_to_vector(
      entries, [](const Entry &entry) { return StringRef(entry.name); });
  for (NamedAttribute one : list) {
    StringRef name = one.getName();
    auto entry = llvm::find_if(
        entries, [&](const Entry &entry) { return entry.name == name; });
    if (entry == entries.end())
      return emitError() << "'" << where << "' in 'extra' has no entry '"
                         << name << "'" << suggestNames(name, names);
    if (entry->kind == EntryKind::Dictionary)
      continue;
    double number = numberOf(one.getValue());
    bool isCount = entry->kind == EntryKind::Count,
         mayBeZero = entry->kind == EntryKind::Amount;
    if (isCount
            ? wholeNumber(one.getValue()).value_or(0) >= 1
            : std::isfinite(number) && (mayBeZero ? number >= 0 : number > 0))
      continue;
    return emitError() << "expected '" << name << "' of '" << where
                       << "' in 'extra' to be "
                       << (isCount     ? "an integer of at least 1"
                           : mayBeZero ? "a number of at least 0"
                                       : "a positive number")
                       << ", found " << one.getValue();
  }
  return success();
}

/// `scaled` names matrix instructions, each with the elements that share one
/// scale.
static LogicalResult checkScaled(EmitError emitError, Attribute given,
                                 ArrayRef<MatrixInstructionAttr> instructions) {
  SmallVector<StringRef> names = llvm::map_to_vector(
      instructions, [](MatrixInstructionAttr row) { return row.getName(); });
  auto list = dyn_cast<DictionaryAttr>(given);
  if (!list)
    return checkEntries(emitError, "scaled", given, {});
  for (NamedAttribute one : list) {
    if (!llvm::is_contained(names, one.getName().getValue()))
      return emitError() << "'scaled' in 'extra' names instruction "
                         << one.getName()
                         << ", which the description does not have"
                         << suggestNames(one.getName(), names);
    if (wholeNumber(one.getValue()).value_or(0) < 1)
      return emitError() << "expected '" << one.getName().getValue()
                         << "' of 'scaled' in 'extra' to be an integer of at "
                            "least 1, found "
                         << one.getValue();
  }
  return success();
}

LogicalResult target::checkExtra(EmitError emitError, StringRef family,
                                 DictionaryAttr extra,
                                 ArrayRef<MatrixInstructionAttr> instructions) {
  if (!extra)
    return success();
  if (Attribute scaled = extra.get("scaled");
      scaled && family == "gpu" &&
      failed(checkScaled(emitError, scaled, instructions)))
    return failure();
  auto check = [&](DictionaryAttr list, StringRef name, StringRef where,
                   ArrayRef<Entry> entries) {
    Attribute given = list ? list.get(name) : Attribute();
    return given ? checkEntries(emitError, where, given, entries) : success();
  };
  for (const ExtraCounts &one : countsOf(family)) {
    auto entries = llvm::map_to_vector(one.entries, [](StringLiteral name) {
      return Entry{name, EntryKind::Count};
    });
    if (failed(check(extra, one.dictionary, one.dictionary, entries)))
      return failure();
  }
  SmallVector<Entry> copies = llvm::to_vector(ArrayRef<Entry>(kOperandCopies));
  llvm::append_range(copies, kCopyRates);
  if (failed(check(extra, "operand_copies", "operand_copies", copies)) ||
      failed(check(extra, "matmul_costs", "matmul_costs", kMatmulCosts)))
    return failure();
  // Both are dictionaries, if they are there.
  auto operands = extra.getAs<DictionaryAttr>("operand_copies"),
       costs = extra.getAs<DictionaryAttr>("matmul_costs");
  return failure(
      failed(check(operands, "few", "operand_copies.few", kCopyRates)) ||
      failed(check(costs, "stored", "matmul_costs.stored", kStored)) ||
      failed(check(costs, "one_step", "matmul_costs.one_step", kOneStep)) ||
      failed(check(costs, "steps", "matmul_costs.steps", kSteps)) ||
      failed(check(costs, "parts", "matmul_costs.parts", kParts)));
}
