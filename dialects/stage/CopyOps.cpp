//===- CopyOps.cpp - Copies and waits -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/CopyOps.h"
#include "Async.h"
#include "kiln/Dialect/Tile/Padding.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::stage;
using namespace kiln::tile;

//===----------------------------------------------------------------------===//
// Assembly: the token of `async`, what is waited for
//===----------------------------------------------------------------------===//

static ParseResult parseToken(OpAsmParser &parser, UnitAttr async, Type &type) {
  if (async)
    type = TokenType::get(parser.getContext());
  return success();
}

static void printToken(OpAsmPrinter &, Operation *, UnitAttr, Type) {}

static ParseResult
parseAwaited(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &awaited,
             SmallVectorImpl<Type> &types) {
  if (parser.parseOperandList(awaited))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseTypeList(types);
  types.assign(awaited.size(), TokenType::get(parser.getContext()));
  return success();
}

static void printAwaited(OpAsmPrinter &p, Operation *, OperandRange awaited,
                         TypeRange types) {
  p << awaited;
  if (!llvm::all_of(types, llvm::IsaPred<TokenType>))
    p << " : " << types;
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/CopyOps.cpp.inc"

void StageDialect::registerCopyOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stage/CopyOps.cpp.inc"
      >();
}

namespace {

/// Caches, which no result depends on.
struct CacheResource : SideEffects::Resource::Base<CacheResource> {
  StringRef getName() final { return "<Cache>"; }
};

} // namespace

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> CopyOp::getCopied() {
  if (auto box = getBox())
    return *box;
  auto source = dyn_cast<MemRefType>(getSource().getType());
  return source ? source.getShape()
                : cast<MemRefType>(getTarget().getType()).getShape();
}

static Type elementOf(Type type) {
  if (auto view = dyn_cast<ViewType>(type))
    return view.getElementType();
  return cast<MemRefType>(type).getElementType();
}

/// Checks one side of a copy against the box.
static LogicalResult verifySide(CopyOp op, StringRef what, Type type,
                                size_t numCoords) {
  ArrayRef<int64_t> box = op.getCopied();
  int64_t boxRank = box.size();
  if (auto view = dyn_cast<ViewType>(type)) {
    // (C2) One coordinate per dimension of a view.
    if (static_cast<int64_t>(numCoords) != view.getRank())
      return op.emitOpError()
             << "expected " << view.getRank() << " coordinates of the " << what
             << ", found " << numCoords;
    // (C3) The box has at most the view's rank.
    if (boxRank > view.getRank())
      return op.emitOpError() << "expected a box of rank at most "
                              << view.getRank() << ", found " << boxRank;
    return success();
  }
  auto storage = cast<MemRefType>(type);
  // (C2) One coordinate per dimension of storage, or none.
  if (numCoords && static_cast<int64_t>(numCoords) != storage.getRank())
    return op.emitOpError() << "expected " << storage.getRank()
                            << " coordinates of the " << what << " or none, "
                            << "found " << numCoords;
  // (C3) The box lies in the storage.
  if (boxRank != storage.getRank())
    return op.emitOpError() << "expected a box of rank " << storage.getRank()
                            << " for the " << what << ", found " << boxRank;
  for (auto [size, most] : llvm::zip(box, storage.getShape()))
    if (size < 1 || size > most || (!numCoords && !op.getBox() && size != most))
      return op.emitOpError()
             << "expected a box that the " << what
             << " has room for, found size " << size << " of " << storage;
  return success();
}

LogicalResult CopyOp::verify() {
  Type source = getSource().getType(), target = getTarget().getType();
  // (C1) One side is storage, the element types agree.
  if (isa<ViewType>(source) && isa<ViewType>(target))
    return emitOpError() << "expected storage on at least one side, found "
                         << source << " and " << target;
  if (elementOf(source) != elementOf(target))
    return emitOpError()
           << "expected source and target of one element type, found "
           << elementOf(source) << " and " << elementOf(target);
  if (failed(verifySide(*this, "source", source, getFrom().size())) ||
      failed(verifySide(*this, "target", target, getTo().size())))
    return failure();
  for (auto [offsets, type] :
       {std::pair(getFromOffsets(), source), std::pair(getToOffsets(), target)})
    if (offsets && !isa<ViewType>(type))
      return emitOpError() << "expected 'at' with coordinates of a view, found "
                           << type;
  // (C4) Padding is for sources that are views.
  Padding padding = getPadding();
  if (padding != Padding::zero && !isa<ViewType>(source))
    return emitOpError() << "expected padding with a view as source, found "
                         << source;
  if (padding == Padding::any)
    return emitOpError() << "expected padding 'zero', 'nan' or a value, found "
                            "'any'";
  if ((padding == Padding::value) != static_cast<bool>(getPad()))
    return emitOpError() << "expected a pad operand exactly when padding is "
                            "'value', found padding '"
                         << stringifyPadding(padding) << "'";
  if (getPad() && getPad().getType() != elementOf(source))
    return emitOpError() << "expected a pad of type " << elementOf(source)
                         << ", found " << getPad().getType();
  if (padding == Padding::nan && !isa<FloatType>(elementOf(source)))
    return emitOpError()
           << "expected a float element type with padding 'nan', found "
           << elementOf(source);
  // (C5) Asynchronous copies have a token.
  if (getAsync() != static_cast<bool>(getToken()))
    return emitOpError() << "expected a token exactly with 'async'";
  // (C6) Copies of a copy unit are asynchronous.
  if (getBulk() &&
      (!getAsync() || !isa<ViewType>(source) || isa<ViewType>(target)))
    return emitOpError() << "expected a 'bulk' copy to be 'async', from a view "
                            "to storage";
  return success();
}

void CopyOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getTargetMutable());
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

LogicalResult WaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  for (Value awaited : adaptor.getAwaited())
    if (isa<FutureType>(awaited.getType()))
      types.push_back(getAwaitedType(awaited.getType()));
  for (Value kept : adaptor.getKept())
    if (isTileOrFuture(kept.getType()))
      types.push_back(kept.getType());
  return success();
}

LogicalResult WaitOp::verify() {
  // (C1) Something is waited for.
  if (getAwaited().empty())
    return emitOpError() << "expected at least one token or future";
  // (C2) Only matmuls are counted.
  if (!getBut())
    return success();
  if (int64_t(*getBut()) < 0)
    return emitOpError() << "expected 'but' not to be negative, found "
                         << int64_t(*getBut());
  for (Value awaited : getAwaited())
    if (!isa<FutureType>(awaited.getType()))
      return emitOpError() << "expected only futures with 'but', found "
                           << awaited.getType();
  return success();
}

void WaitOp::getEffects(Effects &effects) {
  // It orders accesses to whatever is under way.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

//===----------------------------------------------------------------------===//
// PrefetchOp
//===----------------------------------------------------------------------===//

LogicalResult PrefetchOp::verify() {
  int64_t rank = getView().getType().getRank();
  // (C1) One coordinate per dimension.
  if (static_cast<int64_t>(getCoords().size()) != rank)
    return emitOpError() << "expected " << rank << " coordinates, found "
                         << getCoords().size();
  // (C2) The box has positive sizes, and no more than the view.
  if (static_cast<int64_t>(getBox().size()) > rank)
    return emitOpError() << "expected a box of rank at most " << rank
                         << ", found " << getBox().size();
  for (int64_t size : getBox())
    if (size < 1)
      return emitOpError() << "expected positive sizes of the box, found "
                           << size;
  // (C3) A positive distance.
  if (getEvery() && *getEvery() < 1)
    return emitOpError() << "expected a positive distance 'every', found "
                         << *getEvery();
  return success();
}

void PrefetchOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), CacheResource::get());
}

//===----------------------------------------------------------------------===//
// PrefetchAheadOp
//===----------------------------------------------------------------------===//

LogicalResult PrefetchAheadOp::verify() {
  // (C1) What reads through a view makes the tile.
  auto read = getTile().getDefiningOp<kiln::ViewAccessOpInterface>();
  if (!read || !read.isRead() ||
      llvm::any_of(read.getAxes(), [](const kiln::ViewAxis &axis) {
        return axis.isIndirect();
      }))
    return emitOpError() << "expected a tile that an operation reads through a "
                            "view, without indirect dimensions";
  // (C2) One distance per dimension of the view.
  size_t rank = read.getAxes().size();
  if (getBy().size() != rank)
    return emitOpError() << "expected " << rank << " distances, found "
                         << getBy().size();
  return success();
}

void PrefetchAheadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), CacheResource::get());
}
