//===- RingOps.cpp - Rings ------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/RingOps.h"
#include "kiln/Dialect/Stage/ComputeOps.h"
#include "kiln/Dialect/Stage/Places.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::stage;

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/RingOps.cpp.inc"

void StageDialect::registerRingOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stage/RingOps.cpp.inc"
      >();
}

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// What moves a queue on is ordered against all that reads or writes slots.
static void addQueueEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// RingOp
//===----------------------------------------------------------------------===//

LogicalResult RingOp::verify() {
  // (C1) The alignment is a power of two.
  int64_t align = getAlign().value_or(1);
  if (align < 1 || !llvm::isPowerOf2_64(align))
    return emitOpError() << "expected 'align' to be a power of two, found "
                         << align;
  // (C2) The offset is aligned.
  int64_t offset = getOffset().value_or(0);
  if (offset < 0 || offset % align)
    return emitOpError() << "expected 'offset' to be a multiple of " << align
                         << " that is not negative, found " << offset;
  // (C5) Slots that are held leave one to fill.
  int64_t held = getHeld().value_or(0), depth = getRing().getType().getDepth();
  if (held < 0 || held >= depth)
    return emitOpError() << "expected 'held' to be less than the " << depth
                         << " slots and not negative, found " << held;
  ArrayRef<MemRefType> parts = getRing().getType().getParts();
  for (MemRefType part : parts) {
    // (C3) One space of this dialect.
    Attribute space = part.getMemorySpace();
    if (space && !isa<SpaceAttr>(space))
      return emitOpError() << "expected a space #stage.space<...>, found "
                           << space;
    auto name = [](Attribute attr) {
      return attr ? cast<SpaceAttr>(attr).getName() : StringRef();
    };
    if (name(space) != name(parts.front().getMemorySpace()))
      return emitOpError() << "expected parts in one space, found "
                           << parts.front() << " and " << part;
    // (C4) The layout can be computed.
    std::string reason;
    if (!Places::of(part, &reason))
      return emitOpError() << "unsupported: layout of " << part << " "
                           << reason;
  }
  return success();
}

void RingOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getRing()));
}

//===----------------------------------------------------------------------===//
// ProduceOp: `stage.produce %ring -> (%a, %b) : !stage.ring<...> {...}`
//===----------------------------------------------------------------------===//

ParseResult ProduceOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand ring;
  SmallVector<OpAsmParser::Argument> parts;
  Type type;
  SMLoc loc;
  if (parser.parseOperand(ring) || parser.parseArrow() ||
      parser.parseArgumentList(parts, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() ||
      parser.getCurrentLocation(&loc) || parser.parseType(type) ||
      parser.resolveOperand(ring, type, result.operands))
    return failure();
  auto ringType = dyn_cast<RingType>(type);
  if (!ringType)
    return parser.emitError(loc) << "expected !stage.ring, found " << type;
  if (ringType.getParts().size() != parts.size())
    return parser.emitError(loc) << "expected " << ringType.getParts().size()
                                 << " parts of a slot, found " << parts.size();
  for (auto [part, partType] : llvm::zip(parts, ringType.getParts()))
    part.type = partType;
  return parser.parseRegion(*result.addRegion(), parts);
}

void ProduceOp::print(OpAsmPrinter &p) {
  p << ' ' << getRing() << " -> (";
  llvm::interleaveComma(getBody().getArguments(), p,
                        [&](BlockArgument part) { p.printOperand(part); });
  p << ')';
  p.printOptionalAttrDict((*this)->getAttrs());
  p << " : " << getRing().getType() << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ProduceOp::verifyRegions() {
  ArrayRef<MemRefType> parts = getRing().getType().getParts();
  Block &block = getBody().front();
  // (C1) One argument per part.
  if (block.getArgumentTypes() !=
      TypeRange(ArrayRef<Type>(SmallVector<Type>(parts))))
    return emitOpError() << "expected one argument of the region per part of "
                            "a slot of "
                         << getRing().getType();
  // (C2) It ends in commit.
  if (block.empty() || !isa<CommitOp>(block.back()))
    return emitOpError() << "expected the region to end in 'stage.commit'";
  return success();
}

void ProduceOp::getEffects(Effects &effects) { addQueueEffects(effects); }

//===----------------------------------------------------------------------===//
// ConsumeOp, ReleaseOp
//===----------------------------------------------------------------------===//

LogicalResult ConsumeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  if (auto ring = dyn_cast<RingType>(adaptor.getRing().getType()))
    llvm::append_range(types, ring.getParts());
  return success();
}

void ConsumeOp::getEffects(Effects &effects) { addQueueEffects(effects); }
void ReleaseOp::getEffects(Effects &effects) { addQueueEffects(effects); }
