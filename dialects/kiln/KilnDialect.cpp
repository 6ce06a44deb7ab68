//===- Dialect.cpp - The kiln dialect and its attributes ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DescriptionChecks.h"
#include "DescriptionFields.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Kiln/Attributes.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Kiln/ExtraCounts.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Kiln/Suggest.h"
#include "kiln/Interfaces/KnownAttributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

#include "kiln/Dialect/Kiln/DescriptionDialect.cpp.inc"
#include "kiln/Dialect/Kiln/DescriptionEnums.cpp.inc"

namespace kiln::target {
/// Reads the word of an enum; `what` is what it says.
template <typename Enum>
static FailureOr<Enum> parseWord(AsmParser &parser, StringRef what) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return failure();
  if (std::optional<Enum> value = symbolizeEnum<Enum>(word))
    return *value;
  auto diag = parser.emitError(loc)
              << "expected the word for " << what << " to be one of: ";
  for (unsigned i = 0; !stringifyEnum(static_cast<Enum>(i)).empty(); ++i)
    diag << (i ? ", " : "") << stringifyEnum(static_cast<Enum>(i));
  return diag << ", found '" << word << "'";
}

/// Attributes of named fields are printed as their definition says.
static void printFields(AsmPrinter &, StringRef, StringRef) {}
} // namespace kiln::target

#define KILN_WORDS(...) #__VA_ARGS__
#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Kiln/DescriptionAttrs.cpp.inc"

void KilnDialect::initialize() {
  report = std::make_shared<Report>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Kiln/DescriptionAttrs.cpp.inc"
      >();
}

/// The operation of the dialect `tile` that a target compiles.
static constexpr StringLiteral kKernelOp = "tile.kernel";

/// Whether `kiln.spec` of a function names the targets of some of its groups,
/// by the names that their kernels will have.
static bool isListOfSpecs(Operation *op, NamedAttribute attr) {
  auto specs = dyn_cast<DictionaryAttr>(attr.getValue());
  return attr.getName() == kSpecAttr && specs &&
         op->getName().getStringRef() == "func.func" &&
         llvm::all_of(specs, [](NamedAttribute one) {
           return isa<StringAttr>(one.getValue());
         });
}

/// Attributes that operations have. Those of arguments and results are in
/// Arguments.cpp.
static constexpr KnownAttribute kKnownAttributes[] = {
    {kSpecAttr, AttributeRole::Decision},
    {kTargetAttr, AttributeRole::Decision},
    {kReportedAttr, AttributeRole::Decision},
    {kAskedAttr, AttributeRole::Decision},
};

LogicalResult KilnDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (failed(verifyKnownAttribute(op, attr, kKnownAttributes)))
    return failure();
  if ((attr.getName() == kSpecAttr || attr.getName() == kTargetAttr) &&
      !op->hasTrait<OpTrait::SymbolTable>() &&
      op->getName().getStringRef() != kKernelOp && !isListOfSpecs(op, attr))
    return op->emitOpError() << "expected '" << attr.getName().strref()
                             << "' on a module or a kernel";
  if (attr.getName() == kSpecAttr && !isa<StringAttr>(attr.getValue()) &&
      !isListOfSpecs(op, attr))
    return op->emitOpError() << "expected attribute '" << kSpecAttr
                             << "' to be a string, found " << attr.getValue();
  if (attr.getName() == kTargetAttr && !isa<TargetAttr>(attr.getValue()))
    return op->emitOpError()
           << "expected attribute '" << kTargetAttr
           << "' to be a #kiln.target, found " << attr.getValue();
  if (attr.getName() == kReportedAttr)
    return verifyReported(op, attr.getValue());
  return success();
}

//===----------------------------------------------------------------------===//
// Checks shared by the attributes
//===----------------------------------------------------------------------===//

namespace {
LogicalResult checkOneOf(EmitError emitError, const Twine &what,
                         StringRef value, ArrayRef<StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return success();
  auto diag = emitError() << "expected " << what << " to be one of ";
  llvm::interleaveComma(allowed, diag,
                        [&](StringRef s) { diag << "'" << s << "'"; });
  return diag << ", found '" << value << "'" << suggestNames(value, allowed);
}

/// Every element is a type that elements of tiles can have.
LogicalResult checkTypes(EmitError emitError, StringRef what,
                         ArrayRef<Type> types) {
  for (Type type : types)
    if (!type.isIntOrIndexOrFloat())
      return emitError() << "expected the types of " << what
                         << " to be those of numbers, found " << type;
  return success();
}

/// Reports what refers to a name that is not among the known ones.
LogicalResult reportUnknown(EmitError emitError, const Twine &what,
                            StringRef name, ArrayRef<StringRef> known) {
  return emitError() << what << " '" << name
                     << "', which the description does not have"
                     << suggestNames(name, known);
}

/// Every name of `list` is one of `known`, and in the list once.
LogicalResult checkKnown(EmitError emitError, const Twine &what,
                         ArrayRef<StringAttr> list, ArrayRef<StringRef> known) {
  for (StringAttr element : list)
    if (!llvm::is_contained(known, element.getValue()))
      return reportUnknown(emitError, what + " refers to memory",
                           element.getValue(), known);
  return checkOnce(emitError, what, list);
}
} // namespace

//===----------------------------------------------------------------------===//
// RangeAttr
//===----------------------------------------------------------------------===//

Attribute RangeAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> pieces;
  SMLoc loc = parser.getCurrentLocation();
  int64_t bare = 0;
  if (parser.parseOptionalInteger(bare).has_value()) {
    parser.emitError(loc) << "expected a range of sizes, such as <" << bare
                          << ">, found " << bare;
    return {};
  }
  auto parsePiece = [&]() -> ParseResult {
    int64_t min = 0, max = 0, granule = 1;
    if (parser.parseInteger(min))
      return failure();
    max = min;
    if (succeeded(parser.parseOptionalKeyword("to")))
      if (parser.parseInteger(max) || parser.parseKeyword("by") ||
          parser.parseInteger(granule))
        return failure();
    pieces.append({min, max, granule});
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parsePiece))
    return {};
  return parser.getChecked<RangeAttr>(loc, parser.getContext(), pieces);
}

void RangeAttr::print(AsmPrinter &printer) const {
  ArrayRef<int64_t> pieces = getPieces();
  printer << "<";
  for (size_t i = 0; i < pieces.size(); i += 3) {
    printer << (i ? ", " : "") << pieces[i];
    if (pieces[i + 1] != pieces[i])
      printer << " to " << pieces[i + 1] << " by " << pieces[i + 2];
  }
  printer << ">";
}

LogicalResult RangeAttr::verify(EmitError emitError, ArrayRef<int64_t> pieces) {
  if (pieces.empty() || pieces.size() % 3)
    return emitError() << "expected the smallest size, the largest size and "
                          "the granule of each piece of a range";
  for (size_t i = 0; i < pieces.size(); i += 3) {
    int64_t min = pieces[i], max = pieces[i + 1], granule = pieces[i + 2];
    if (failed(
            checkAtLeast(emitError, "the smallest size of a range", min, 1)) ||
        failed(checkAtLeast(emitError, "the granule of a range", granule, 1)))
      return failure();
    if (max < min || (max - min) % granule)
      return emitError() << "expected the largest size of a range to be " << min
                         << " plus a multiple of " << granule << ", found "
                         << max;
    if (i && min <= pieces[i - 2])
      return emitError() << "expected the sizes of a range in ascending order, "
                            "found "
                         << min << " behind " << pieces[i - 2];
  }
  return success();
}

bool RangeAttr::contains(int64_t size) const {
  ArrayRef<int64_t> pieces = getPieces();
  for (size_t i = 0; i < pieces.size(); i += 3)
    if (size >= pieces[i] && size <= pieces[i + 1] &&
        (size - pieces[i]) % pieces[i + 2] == 0)
      return true;
  return false;
}

LogicalResult InterleaveAttr::verify(EmitError emitError, int64_t group) {
  return checkAtLeast(emitError, "the group of an interleaved layout", group,
                      1);
}

//===----------------------------------------------------------------------===//
// Parts of a description
//===----------------------------------------------------------------------===//

LogicalResult ExecutionUnitAttr::verify(EmitError emitError, StringRef name,
                                        UnitKind kind, int64_t bits,
                                        int64_t registers, int64_t count,
                                        int64_t rate, ArrayRef<Type> types,
                                        ArrayRef<StringAttr> homes) {
  if (failed(checkName(emitError, "the name of a unit", name)) ||
      failed(checkAtLeast(emitError, "the bits of a unit", bits, 0)) ||
      failed(
          checkAtLeast(emitError, "the registers of a unit", registers, 0)) ||
      failed(checkAtLeast(emitError, "the count of a unit", count, 1)) ||
      failed(checkAtLeast(emitError, "the rate of a unit", rate, 1)) ||
      failed(checkTypes(emitError, "a unit", types)) ||
      failed(checkOnce(emitError, "unit '" + name + "'", types)))
    return failure();
  if (bits % 8)
    return emitError() << "expected the bits of unit '" << name
                       << "' to be whole bytes, found " << bits;
  if (kind != UnitKind::Vector || bits == 0)
    return success();
  // A machine without vectors computes wider numbers one by one.
  auto narrowest = llvm::find_if(types, [&](Type type) {
    return !type.isIntOrFloat() || type.getIntOrFloatBitWidth() <= bits;
  });
  if (types.empty() || narrowest != types.end())
    return success();
  return emitError() << "expected the vectors of unit '" << name
                     << "' to hold an element of type " << types.front()
                     << ", found " << bits << " bits";
}

LogicalResult OperandAttr::verify(EmitError emitError, ArrayRef<Type> types,
                                  StringRef, Attribute layout) {
  // A string was the name of one in older versions.
  if (isa_and_present<StringAttr>(layout))
    return emitError() << "expected the layout of an operand to be an "
                          "attribute such as #kiln.order<row>, found "
                       << layout;
  if (failed(checkTypes(emitError, "an operand", types)))
    return failure();
  return checkOnce(emitError, "an operand", types);
}

LogicalResult MatrixInstructionAttr::verify(
    EmitError emitError, StringRef name, StringRef unit, RangeAttr m,
    RangeAttr n, RangeAttr k, OperandAttr lhs, OperandAttr rhs, OperandAttr acc,
    Stationary stationary, bool accumulate, int64_t temporaries,
    bool flushesSubnormals, StringRef outputStage, int64_t cycles,
    bool losesHeldLhs, StringRef instruction) {
  if (failed(checkName(emitError, "the name of an instruction", name)) ||
      (!instruction.empty() &&
       failed(checkName(emitError, "the instruction of a row", instruction))) ||
      failed(checkAtLeast(emitError, "the temporaries of an instruction",
                          temporaries, 0)) ||
      failed(
          checkAtLeast(emitError, "the cycles of an instruction", cycles, 0)))
    return failure();
  for (OperandAttr operand : {lhs, rhs})
    if (auto layout = dyn_cast_if_present<InterleaveAttr>(operand.getLayout());
        layout && k.getMin() % layout.getGroup())
      return emitError() << "expected k of instruction '" << name
                         << "' to be a multiple of the " << layout.getGroup()
                         << " steps that its operand interleaves, found "
                         << k.getMin();
  return success();
}

LogicalResult ContractionTileAttr::verify(EmitError emitError, Type type,
                                          int64_t m, int64_t n, int64_t k) {
  if (failed(checkAtLeast(emitError, "m", m, 1)) ||
      failed(checkAtLeast(emitError, "n", n, 1)) ||
      failed(checkAtLeast(emitError, "k", k, 1)))
    return failure();
  return success();
}

LogicalResult TilesAttr::verify(EmitError emitError, int64_t elementwiseRows,
                                int64_t elementwiseCols,
                                int64_t reductionElements,
                                int64_t reductionRows,
                                ArrayRef<ContractionTileAttr>) {
  if (failed(checkAtLeast(emitError, "elementwise_rows", elementwiseRows, 1)) ||
      failed(checkAtLeast(emitError, "elementwise_cols", elementwiseCols, 1)) ||
      failed(checkAtLeast(emitError, "reduction_elements", reductionElements,
                          1)) ||
      failed(checkAtLeast(emitError, "reduction_rows", reductionRows, 1)))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// TargetAttr
//===----------------------------------------------------------------------===//

LogicalResult TargetAttr::verify(
    EmitError emitError, StringRef name, StringRef chip, StringRef family,
    StringRef triple, StringRef cpu, StringRef features, TopologyAttr topology,
    ArrayRef<MemoryAttr> memories, ArrayRef<ExecutionUnitAttr> units,
    ArrayRef<MatrixInstructionAttr> instructions, TilesAttr tiles,
    DictionaryAttr limits, ArrayRef<StringAttr> deviations,
    DictionaryAttr extra, ArrayRef<TileMoveAttr> tileMoves, CostsAttr costs) {
  if (failed(checkName(emitError, "the name of a target", name)) ||
      failed(checkName(emitError, "the name of a chip", chip)))
    return failure();

  SmallVector<StringRef> memoryNames, unitNames;
  for (MemoryAttr memory : memories) {
    if (llvm::is_contained(memoryNames, memory.getName()))
      return emitError() << "memory '" << memory.getName()
                         << "' is described twice";
    memoryNames.push_back(memory.getName());
  }
  for (ExecutionUnitAttr unit : units) {
    if (llvm::is_contained(unitNames, unit.getName()))
      return emitError() << "unit '" << unit.getName()
                         << "' is described twice";
    unitNames.push_back(unit.getName());
    if (failed(checkKnown(emitError, "unit '" + unit.getName() + "'",
                          unit.getHomes(), memoryNames)))
      return failure();
  }
  llvm::StringSet<> instructionNames;
  for (MatrixInstructionAttr inst : instructions) {
    if (!instructionNames.insert(inst.getName()).second)
      return emitError() << "instruction '" << inst.getName()
                         << "' is described twice";
    auto unit = llvm::find_if(units, [&](ExecutionUnitAttr unit) {
      return unit.getName() == inst.getUnit();
    });
    std::string what = ("instruction '" + inst.getName() + "'").str();
    if (unit == units.end())
      return reportUnknown(emitError, what + " refers to unit", inst.getUnit(),
                           unitNames);
    for (OperandAttr operand : {inst.getLhs(), inst.getRhs(), inst.getAcc()})
      if (!operand.getHome().empty() &&
          !llvm::is_contained(memoryNames, operand.getHome()))
        return reportUnknown(emitError, what + " has an operand in memory",
                             operand.getHome(), memoryNames);
    if (failed(checkInstruction(emitError, inst, *unit, memories)))
      return failure();
  }
  llvm::StringSet<> moveNames;
  for (TileMoveAttr move : tileMoves) {
    if (!moveNames.insert(move.getName()).second)
      return emitError() << "tile move '" << move.getName()
                         << "' is described twice";
    if (!llvm::is_contained(memoryNames, move.getHome()))
      return reportUnknown(
          emitError, "tile move '" + move.getName() + "' refers to memory",
          move.getHome(), memoryNames);
  }
  if (failed(checkExtra(emitError, family, extra, instructions)))
    return failure();
  if (!limits)
    return success();
  for (NamedAttribute limit : limits) {
    StringRef name = limit.getName().getValue();
    if (failed(checkOneOf(emitError, "a limit", name, kLimits)))
      return failure();
    auto number = dyn_cast<IntegerAttr>(limit.getValue());
    if (!number)
      return emitError() << "expected limit '" << name
                         << "' to be an integer, found " << limit.getValue();
    const APInt &value = number.getValue();
    if (value.isNegative() || value.getActiveBits() > 63)
      return emitError() << "expected limit '" << name
                         << "' to be at least 0 and less than 2^63, found "
                         << llvm::toString(value, 10, /*Signed=*/true);
  }
  return checkTilesFit(emitError, limits, instructions);
}

MemoryAttr TargetAttr::getMemory(StringRef name) const {
  for (MemoryAttr memory : getMemories())
    if (memory.getName() == name)
      return memory;
  return {};
}

ExecutionUnitAttr TargetAttr::getUnitOfKind(UnitKind kind) const {
  for (ExecutionUnitAttr unit : getUnits())
    if (unit.getKind() == kind)
      return unit;
  return {};
}

MatrixInstructionAttr TargetAttr::getMatrixInstruction(StringRef name) const {
  for (MatrixInstructionAttr inst : getMatrixInstructions())
    if (inst.getName() == name)
      return inst;
  return {};
}

int64_t TargetAttr::getLimit(StringRef name, int64_t otherwise) const {
  if (getLimits())
    if (auto value = getLimits().getAs<IntegerAttr>(name))
      return value.getValue().getSExtValue();
  return otherwise;
}
