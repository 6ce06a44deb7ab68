//===- Dialect.cpp - The kiln dialect and its attributes ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Description.h"
#include "kiln/Target/Report.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln::target;

#include "kiln/Target/KilnDialectDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Target/KilnDialectAttrs.cpp.inc"

void KilnDialect::initialize() {
  report = std::make_shared<Report>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Target/KilnDialectAttrs.cpp.inc"
      >();
}

LogicalResult KilnDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (attr.getName() == kSpecAttr && !isa<StringAttr>(attr.getValue()))
    return op->emitOpError() << "expected attribute '" << kSpecAttr
                             << "' to be a string, found " << attr.getValue();
  if (attr.getName() == kTargetAttr && !isa<TargetAttr>(attr.getValue()))
    return op->emitOpError()
           << "expected attribute '" << kTargetAttr
           << "' to be a #kiln.target, found " << attr.getValue();
  return success();
}

//===----------------------------------------------------------------------===//
// Checks shared by the attributes
//===----------------------------------------------------------------------===//

namespace {
using EmitError = llvm::function_ref<InFlightDiagnostic()>;

LogicalResult checkOneOf(EmitError emitError, StringRef what, StringRef value,
                         ArrayRef<StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return success();
  auto diag = emitError() << "expected " << what << " to be one of ";
  llvm::interleaveComma(allowed, diag,
                        [&](StringRef s) { diag << "'" << s << "'"; });
  return diag << ", found '" << value << "'";
}

LogicalResult checkAtLeast(EmitError emitError, StringRef what, int64_t value,
                           int64_t least) {
  if (value >= least)
    return success();
  return emitError() << "expected " << what << " to be at least " << least
                     << ", found " << value;
}

LogicalResult checkName(EmitError emitError, StringRef what, StringRef name) {
  auto legal = [](char c) {
    return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ||
           c == '.';
  };
  if (!name.empty() && llvm::all_of(name, legal))
    return success();
  return emitError() << "expected " << what
                     << " of letters, digits, '_', '-' and '.', found '" << name
                     << "'";
}

/// Every element is of class T.
template <typename T>
LogicalResult checkList(EmitError emitError, StringRef what, ArrayAttr list) {
  if (!list)
    return success();
  for (auto [index, element] : llvm::enumerate(list))
    if (!isa<T>(element))
      return emitError() << "expected element " << index << " of " << what
                         << " to be of its kind, found " << element;
  return success();
}

/// Every name of `list` is one of `known`.
LogicalResult checkKnown(EmitError emitError, StringRef what, ArrayAttr list,
                         const llvm::StringSet<> &known) {
  if (!list)
    return success();
  for (Attribute element : list)
    if (!known.contains(cast<StringAttr>(element).getValue()))
      return emitError() << what << " refers to memory " << element
                         << ", which the description does not have";
  return success();
}
} // namespace

//===----------------------------------------------------------------------===//
// RangeAttr
//===----------------------------------------------------------------------===//

Attribute RangeAttr::parse(AsmParser &parser, Type) {
  int64_t min = 0, max = 0, granule = 1;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(min))
    return {};
  max = min;
  if (succeeded(parser.parseOptionalKeyword("to")))
    if (parser.parseInteger(max) || parser.parseKeyword("by") ||
        parser.parseInteger(granule))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RangeAttr>(loc, parser.getContext(), min, max,
                                      granule);
}

void RangeAttr::print(AsmPrinter &printer) const {
  printer << "<" << getMin();
  if (getMax() != getMin())
    printer << " to " << getMax() << " by " << getGranule();
  printer << ">";
}

LogicalResult RangeAttr::verify(EmitError emitError, int64_t min, int64_t max,
                                int64_t granule) {
  if (failed(checkAtLeast(emitError, "the smallest size of a range", min, 1)) ||
      failed(checkAtLeast(emitError, "the granule of a range", granule, 1)))
    return failure();
  if (max < min || (max - min) % granule)
    return emitError() << "expected the largest size of a range to be " << min
                       << " plus a multiple of " << granule << ", found "
                       << max;
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of a description
//===----------------------------------------------------------------------===//

LogicalResult MemoryAttr::verify(EmitError emitError, StringRef name,
                                 StringRef scope, StringRef kind, int64_t size,
                                 int64_t align, int64_t line, int64_t banks,
                                 int64_t bandwidth) {
  if (failed(checkName(emitError, "the name of a memory", name)) ||
      failed(checkOneOf(emitError, "the scope of a memory", scope,
                        {"thread", "core", "cluster", "device", "host"})) ||
      failed(checkOneOf(emitError, "the kind of a memory", kind,
                        {"register", "explicit", "cached"})) ||
      failed(checkAtLeast(emitError, "the size of a memory", size, 0)) ||
      failed(checkAtLeast(emitError, "the line of a memory", line, 0)) ||
      failed(checkAtLeast(emitError, "the banks of a memory", banks, 1)) ||
      failed(
          checkAtLeast(emitError, "the bandwidth of a memory", bandwidth, 0)))
    return failure();
  if (align < 1 || (align & (align - 1)))
    return emitError() << "expected the alignment of a memory to be a power of "
                          "two, found "
                       << align;
  return success();
}

LogicalResult ExecutionUnitAttr::verify(EmitError emitError, StringRef name,
                                        StringRef kind, int64_t bits,
                                        int64_t registers, int64_t count,
                                        int64_t rate, ArrayAttr types,
                                        ArrayAttr homes) {
  if (failed(checkName(emitError, "the name of a unit", name)) ||
      failed(checkOneOf(emitError, "the kind of a unit", kind,
                        {"scalar", "vector", "matrix", "dma"})) ||
      failed(checkAtLeast(emitError, "the bits of a unit", bits, 0)) ||
      failed(
          checkAtLeast(emitError, "the registers of a unit", registers, 0)) ||
      failed(checkAtLeast(emitError, "the count of a unit", count, 1)) ||
      failed(checkAtLeast(emitError, "the rate of a unit", rate, 1)) ||
      failed(checkList<TypeAttr>(emitError, "types", types)) ||
      failed(checkList<StringAttr>(emitError, "homes", homes)))
    return failure();
  return success();
}

LogicalResult OperandAttr::verify(EmitError emitError, ArrayAttr types,
                                  StringRef home, StringRef layout) {
  return checkList<TypeAttr>(emitError, "types", types);
}

LogicalResult InstructionAttr::verify(EmitError emitError, StringRef name,
                                      StringRef unit, RangeAttr m, RangeAttr n,
                                      RangeAttr k, OperandAttr lhs,
                                      OperandAttr rhs, OperandAttr acc,
                                      StringRef stationary, bool accumulate,
                                      StringRef outputStage) {
  if (failed(checkName(emitError, "the name of an instruction", name)))
    return failure();
  return checkOneOf(emitError, "the stationary operand of an instruction",
                    stationary, {"", "none", "lhs", "rhs", "acc"});
}

LogicalResult TopologyAttr::verify(EmitError emitError, int64_t cores,
                                   int64_t clusters, int64_t threads,
                                   int64_t frequency, ArrayAttr links) {
  if (failed(checkAtLeast(emitError, "cores", cores, 1)) ||
      failed(checkAtLeast(emitError, "clusters", clusters, 1)) ||
      failed(checkAtLeast(emitError, "threads", threads, 1)) ||
      failed(checkAtLeast(emitError, "the frequency", frequency, 0)))
    return failure();
  return checkList<StringAttr>(emitError, "links", links);
}

LogicalResult ContractTileAttr::verify(EmitError emitError, Type type,
                                       int64_t m, int64_t n, int64_t k) {
  if (failed(checkAtLeast(emitError, "m", m, 1)) ||
      failed(checkAtLeast(emitError, "n", n, 1)) ||
      failed(checkAtLeast(emitError, "k", k, 1)))
    return failure();
  return success();
}

LogicalResult TilesAttr::verify(EmitError emitError, int64_t rows, int64_t cols,
                                int64_t rowElements, int64_t rowRows,
                                ArrayAttr contract) {
  if (failed(checkAtLeast(emitError, "rows", rows, 1)) ||
      failed(checkAtLeast(emitError, "cols", cols, 1)) ||
      failed(checkAtLeast(emitError, "row_elements", rowElements, 1)) ||
      failed(checkAtLeast(emitError, "row_rows", rowRows, 1)))
    return failure();
  return checkList<ContractTileAttr>(emitError, "contract", contract);
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(EmitError emitError, StringRef name,
                                 StringRef chip, StringRef family,
                                 StringRef triple, StringRef cpu,
                                 StringRef features, TopologyAttr topology,
                                 ArrayAttr memories, ArrayAttr units,
                                 ArrayAttr instructions, TilesAttr tiles,
                                 DictionaryAttr limits, ArrayAttr deviations,
                                 DictionaryAttr extra) {
  if (failed(checkName(emitError, "the name of a target", name)) ||
      failed(checkName(emitError, "the name of a chip", chip)) ||
      failed(checkList<MemoryAttr>(emitError, "memories", memories)) ||
      failed(checkList<ExecutionUnitAttr>(emitError, "units", units)) ||
      failed(checkList<InstructionAttr>(emitError, "instructions",
                                        instructions)) ||
      failed(checkList<StringAttr>(emitError, "deviations", deviations)))
    return failure();

  llvm::StringSet<> memoryNames, unitNames;
  if (memories)
    for (auto memory : memories.getAsRange<MemoryAttr>())
      if (!memoryNames.insert(memory.getName()).second)
        return emitError() << "memory '" << memory.getName()
                           << "' is described twice";
  if (units)
    for (auto unit : units.getAsRange<ExecutionUnitAttr>()) {
      if (!unitNames.insert(unit.getName()).second)
        return emitError() << "unit '" << unit.getName()
                           << "' is described twice";
      if (failed(checkKnown(emitError, ("unit '" + unit.getName() + "'").str(),
                            unit.getHomes(), memoryNames)))
        return failure();
    }
  if (instructions)
    for (auto inst : instructions.getAsRange<InstructionAttr>()) {
      if (!unitNames.contains(inst.getUnit()))
        return emitError() << "instruction '" << inst.getName()
                           << "' refers to unit '" << inst.getUnit()
                           << "', which the description does not have";
      for (OperandAttr operand : {inst.getLhs(), inst.getRhs(), inst.getAcc()})
        if (!operand.getHome().empty() &&
            !memoryNames.contains(operand.getHome()))
          return emitError()
                 << "instruction '" << inst.getName()
                 << "' has an operand in memory '" << operand.getHome()
                 << "', which the description does not have";
    }
  if (limits)
    for (NamedAttribute limit : limits)
      if (!isa<IntegerAttr>(limit.getValue()))
        return emitError() << "expected limit '" << limit.getName().getValue()
                           << "' to be an integer, found " << limit.getValue();
  return success();
}

MemoryAttr TargetAttr::getMemory(StringRef name) const {
  if (getMemories())
    for (auto memory : getMemories().getAsRange<MemoryAttr>())
      if (memory.getName() == name)
        return memory;
  return {};
}

ExecutionUnitAttr TargetAttr::getUnitOfKind(StringRef kind) const {
  if (getUnits())
    for (auto unit : getUnits().getAsRange<ExecutionUnitAttr>())
      if (unit.getKind() == kind)
        return unit;
  return {};
}

int64_t TargetAttr::getLimit(StringRef name, int64_t otherwise) const {
  if (getLimits())
    if (auto value = getLimits().getAs<IntegerAttr>(name))
      return value.getValue().getSExtValue();
  return otherwise;
}
