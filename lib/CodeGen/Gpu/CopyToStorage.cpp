//===- CopyToStorage.cpp - Loads as copies to shared memory ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "MemoryProducts.h"
#include "StagedLoads.h"
#include "SwizzleChoice.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Moves what hands a factor on to its product to the product,
/// and returns what reads the factor first.
static Operation *moveToProduct(Operation *user) {
  if (!handsOnBytes(user) || !user->hasOneUse())
    return user;
  Operation *next = moveToProduct(*user->getUsers().begin());
  if (next->getBlock() != user->getBlock())
    return user;
  user->moveBefore(next);
  return user;
}

/// Reads storage as a tile. One of a single dimension is a row of it.
static Value readAs(OpBuilder &b, Location loc, RankedTensorType type,
                    Value storage) {
  if (type.getRank() == 2)
    return stage::ReadOp::create(b, loc, type, storage, ValueRange());
  auto layout = cast<LayoutAttr>(type.getEncoding());
  auto inRow = [](SmallVector<LayoutAttr::Basis> bases) {
    for (LayoutAttr::Basis &basis : bases)
      basis.insert(basis.begin(), 0);
    return bases;
  };
  auto row = RankedTensorType::get(
      {1, type.getDimSize(0)}, type.getElementType(),
      LayoutAttr::get(b.getContext(), 2, inRow(layout.getRegisterBases()),
                      inRow(layout.getLaneBases(0)),
                      inRow(layout.getWarpBases(0))));
  Value read = stage::ReadOp::create(b, loc, row, storage, ValueRange());
  return tile::ReshapeOp::create(b, loc, type, read);
}

void simt::copyToStorage(StagedLoad &staged, Operation *place,
                         const BlockShape &block) {
  target::TargetAttr description = block.description;
  OpBuilder b(place);
  Location loc = staged.load->getLoc();
  auto type = cast<RankedTensorType>(staged.load->getResult(0).getType());
  Attribute permute = b.getI64IntegerAttr(staged.dim);
  if (staged.isRead())
    permute = permuteOf(staged.swizzle, staged.dim);
  else if (int64_t unit =
               type.getRank() < 2
                   ? kCopyBytes
                   : permutedBytes(staged.factor(), staged.dim, description,
                                   block.lanes, block.warps);
           unit != kCopyBytes)
    permute = b.getDenseI64ArrayAttr({staged.dim, unit});
  auto space = stage::SpaceAttr::get(b.getContext(), sharedSpaceOf(description),
                                     permute);
  SmallVector<int64_t> shape(2 - type.getRank(), 1);
  llvm::append_range(shape, type.getShape());
  auto storage = MemRefType::get(shape, type.getElementType(),
                                 MemRefLayoutAttrInterface(), space);
  auto alloc =
      stage::AllocOp::create(b, loc, storage, b.getI64IntegerAttr(staged.align),
                             IntegerAttr(), IntegerAttr());
  if (staged.isBox) {
    std::optional<Box> box = boxOf(staged.load);
    SmallVector<Value> coords;
    for (OpFoldResult offset : box->offsets)
      coords.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
    stage::CopyOp::create(
        b, loc, /*token=*/Type(), box->view, coords, alloc, ValueRange(),
        /*pad=*/Value(), UnitAttr(),
        box->countsBlocks ? UnitAttr() : b.getUnitAttr(), UnitAttr(),
        DenseI64ArrayAttr(),
        tile::PaddingAttr::get(b.getContext(), tile::Padding::zero));
  } else {
    // What is looked up keeps its layout: it says which thread moves what.
    Operation *moved = b.clone(*staged.load);
    stage::WriteOp::create(b, loc, moved->getResult(0), alloc, ValueRange());
  }
  // Every user reads for itself.
  SmallVector<Value> factors = {staged.load->getResult(0)};
  for (ConvertLayoutOp convert : staged.converts)
    factors.push_back(convert.getResult());
  for (Value factor : factors) {
    Operation *made = factor.getDefiningOp();
    for (OpOperand &use : llvm::make_early_inc_range(factor.getUses())) {
      if (llvm::is_contained(staged.converts, use.getOwner()))
        continue;
      Operation *user = moveToProduct(use.getOwner());
      b.setInsertionPoint(user->getBlock() == made->getBlock() ||
                                  isMemoryProduct(user, description)
                              ? user
                              : made);
      use.set(readAs(b, loc, cast<RankedTensorType>(factor.getType()), alloc));
    }
  }
  for (ConvertLayoutOp convert : staged.converts)
    convert.erase();
}
