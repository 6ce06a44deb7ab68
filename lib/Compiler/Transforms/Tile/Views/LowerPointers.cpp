//===- LowerPointers.cpp - Tiles of pointers become tiles of addresses ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For code generators that compute with integers only: a tile of pointers is a
// tile of i64, and the operations that access memory take it through
// `tile.int_to_ptr`, which costs nothing.
//
//===----------------------------------------------------------------------===//

#include "../PrintedTypes.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILELOWERPOINTERS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

namespace {
/// The tile of addresses for a tile of pointers, or null for other types.
Type addressesOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || !isa<tile::PtrType>(tile.getElementType()))
    return {};
  return tile.clone(IntegerType::get(type.getContext(), 64));
}

/// Bytes from one element to the next.
int64_t pointeeBytes(Type pointers) {
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(pointers));
  Type element = pointer.getElementType();
  if (element.isIndex())
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

class PointerLowering {
public:
  explicit PointerLowering(tile::KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      bool touches = llvm::any_of(op->getResultTypes(), addressesOf) ||
                     llvm::any_of(op->getOperandTypes(), addressesOf);
      if (touches)
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    // What an access or a step needs of the types is noted before they change.
    llvm::DenseMap<Operation *, Type> pointers;
    for (Operation *op : ops)
      for (Type type : op->getOperandTypes())
        if (addressesOf(type)) {
          pointers[op] = type;
          break;
        }
    retype();
    for (Operation *op : ops)
      rewrite(op, pointers.lookup(op));
  }

private:
  void retype() {
    auto change = [](Value value) {
      if (Type addresses = addressesOf(value.getType()))
        value.setType(addresses);
    };
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        change(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (!isa<tile::KernelOp>(op))
            for (BlockArgument argument : block.getArguments())
              change(argument);
    });
  }

  void rewrite(Operation *op, Type pointers) {
    b.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (auto splat = dyn_cast<tile::SplatOp>(op)) {
      splat.getValueMutable().assign(
          tile::PtrToIntOp::create(b, loc, b.getI64Type(), splat.getValue()));
    } else if (tile::PointerOffsetOpInterface moved = tile::asPointerStep(op)) {
      replace(op, step(loc, moved.getBasePointers(),
                       moved.getOffsetInElements(), pointeeBytes(pointers)));
    } else if (isa<tile::IntToPtrOp, tile::PtrToIntOp, tile::PtrCastOp>(op)) {
      replace(op, resize(loc, op->getOperand(0),
                         cast<RankedTensorType>(op->getResult(0).getType())));
    } else if (auto access = dyn_cast<PointerAccessOpInterface>(op)) {
      Value addresses = access.getAccessedPointers();
      OpOperand &operand =
          *llvm::find_if(op->getOpOperands(), [&](OpOperand &each) {
            return each.get() == addresses;
          });
      operand.set(tile::IntToPtrOp::create(b, loc, pointers, addresses));
    }
  }

  void replace(Operation *op, Value value) {
    if (Operation *made = value.getDefiningOp())
      for (StringRef fact : tile::kElementFacts)
        if (Attribute known = tile::getFact(op, fact))
          tile::setFact(made, fact, known);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  /// Integers of another width, read as signed.
  Value resize(Location loc, Value value, RankedTensorType type) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from == type)
      return value;
    if (isa<IndexType>(from.getElementType()) ||
        isa<IndexType>(type.getElementType()))
      return arith::IndexCastOp::create(b, loc, type, value);
    if (from.getElementTypeBitWidth() < type.getElementTypeBitWidth())
      return arith::ExtSIOp::create(b, loc, type, value);
    return arith::TruncIOp::create(b, loc, type, value);
  }

  /// address + offset * bytes
  Value step(Location loc, Value address, Value offset, int64_t bytes) {
    auto type = cast<RankedTensorType>(address.getType());
    offset = resize(loc, offset, type);
    if (bytes != 1)
      offset = arith::MulIOp::create(
          b, loc, offset,
          arith::ConstantOp::create(
              b, loc,
              DenseElementsAttr::get(type, b.getI64IntegerAttr(bytes))));
    return arith::AddIOp::create(b, loc, address, offset);
  }

  tile::KernelOp kernel;
  OpBuilder b;
};

struct TileLowerPointers
    : tile::impl::TileLowerPointersBase<TileLowerPointers> {
  void runOnOperation() override {
    tile::keepPrintedTypes(getOperation());
    PointerLowering(getOperation()).run();
  }
};
} // namespace
