//===- Place.cpp - Space, alignment and strides of storage ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowChoice.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Stage/Places.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Interfaces/ProductSplit.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEPLACE
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

/// Rows and columns of the blocks that products compute of an accumulator.
struct Blocks {
  SmallVector<std::pair<int64_t, int64_t>> sizes;

  bool areGiven() const { return !sizes.empty(); }
  void include(int64_t rows, int64_t columns) {
    sizes.push_back({rows, columns});
  }
  /// What whole blocks of all of them cover of so many rows (columns).
  int64_t cover(int64_t size, bool areColumns) const {
    int64_t whole = size;
    for (auto [rows, columns] : sizes)
      whole = std::max(
          whole, int64_t(llvm::alignTo(size, areColumns ? columns : rows)));
    return whole;
  }
  int64_t widest() const {
    int64_t columns = 0;
    for (auto [rows, width] : sizes)
      columns = std::max(columns, width);
    return columns;
  }
};

/// What products accumulate in storage, in whole blocks.
Blocks blocksOf(Value storage) {
  Blocks blocks;
  for (Operation *user : storage.getUsers()) {
    if (auto product = dyn_cast<stage::StorageProductOpInterface>(user)) {
      if (product.getAcc() == storage && product.getBlock())
        blocks.include((*product.getBlock())[0], (*product.getBlock())[1]);
      continue;
    }
    // A product that is still whole may be split later.
    auto write = dyn_cast<stage::StorageWriteOpInterface>(user);
    auto whole =
        write ? write.getValue().getDefiningOp<MatrixProductOpInterface>()
              : MatrixProductOpInterface();
    for (NamedAttribute named :
         whole ? whole->getAttrs() : ArrayRef<NamedAttribute>())
      if (auto attr = dyn_cast<ProductSplitAttrInterface>(named.getValue()))
        if (auto how = attr.getProductSplit(whole))
          blocks.include(how->rows, how->columns);
  }
  return blocks;
}

struct StagePlacePass : staging::impl::StagePlaceBase<StagePlacePass> {
  using StagePlaceBase::StagePlaceBase;

  void runOnOperation() override {
    target::TargetAttr description = target::getDescription(getOperation());
    target::MemoryAttr memory = staging::chooseMemory(description, space);
    StringRef name = space;
    if (name.empty() && memory)
      name = memory.getName();
    if (name.empty()) {
      getOperation().emitError(
          "expected a description with a memory for storage, or the option "
          "'space'");
      return signalPassFailure();
    }
    if (description && !memory) {
      getOperation().emitError("expected target '")
          << description.getName()
          << "' to store in a memory of its description, found '" << name
          << "'";
      return signalPassFailure();
    }
    attr = stage::SpaceAttr::get(&getContext(), name, Attribute());
    line = memory ? std::max<int64_t>(memory.getLine(), 1) : 1;
    align = memory ? std::max<int64_t>(memory.getAlign(), line) : line;
    beyond = line;
    // A scratchpad ends where it ends: its units address no more of it.
    bool isExplicit =
        memory && memory.getKind() == target::MemoryKind::Explicit;
    if (target::ExecutionUnitAttr unit =
            description && !isExplicit
                ? description.getUnitOfKind(target::UnitKind::Vector)
                : target::ExecutionUnitAttr())
      beyond = std::max<int64_t>(beyond, unit.getBits() / 8);
    getOperation().walk([&](stage::StorageOpInterface alloc) { place(alloc); });
  }

private:
  /// Others that look at storage, by its strides.
  static bool hasAliases(Value storage) {
    return llvm::any_of(storage.getUsers(), [](Operation *user) {
      return isa<ViewLikeOpInterface>(user);
    });
  }

  void place(stage::StorageOpInterface alloc) {
    Value storage = alloc.getStorage();
    auto type = cast<MemRefType>(storage.getType());
    if (type.getMemorySpace())
      return;
    Builder b(&getContext());
    if (!alloc.getAlign() && align > 1)
      alloc.setAlign(align);
    int64_t slack = 0;
    if (type.getLayout().isIdentity() && type.getRank() && line > 1 &&
        !hasAliases(storage))
      type = withRows(type, blocksOf(storage), slack);
    // Whole vectors and blocks may be read and written at the end.
    if (!alloc.getSlack() && line > 1)
      alloc.setSlack(slack + beyond);
    setType(storage, type);
  }

  /// Rows start at lines, and have room for whole blocks.
  MemRefType withRows(MemRefType type, const Blocks &blocks, int64_t &slack) {
    int64_t bytes = stage::elementBytes(type.getElementType());
    int64_t perLine = std::max<int64_t>(line / bytes, 1);
    int64_t rank = type.getRank(), stride = 1;
    SmallVector<int64_t> strides(rank);
    bool isFirst = true;
    for (int64_t d = rank - 1; d >= 0; --d) {
      strides[d] = stride;
      int64_t size = type.getDimSize(d);
      bool isBlocked = blocks.areGiven() && d + 2 >= rank;
      if (size == 1 && !isBlocked)
        continue;
      if (isBlocked) {
        int64_t whole = blocks.cover(size, /*areColumns=*/d + 1 == rank);
        if (d + 2 == rank)
          slack = (whole - size) * stride * bytes;
        size = whole;
      }
      if (isFirst)
        size = llvm::alignTo(size, perLine);
      // Rows that share sets of the cache would drive each other out.
      if (isBlocked && isFirst && conflict > 0 && size * bytes % conflict == 0)
        size += perLine;
      isFirst = false;
      stride *= size;
    }
    if (blocks.areGiven())
      slack += strides.empty() ? 0 : blocks.widest() * bytes;
    auto layout = StridedLayoutAttr::get(type.getContext(), 0, strides);
    auto padded = MemRefType::get(type.getShape(), type.getElementType(),
                                  MemRefLayoutAttrInterface(layout));
    // Gaps only where there are any.
    return *stage::storageBytes(padded) == *stage::storageBytes(type) ? type
                                                                      : padded;
  }

  void setType(Value storage, MemRefType type) {
    auto placed = MemRefType::get(type.getShape(), type.getElementType(),
                                  type.getLayout(), attr);
    storage.setType(placed);
    for (Operation *user : storage.getUsers())
      if (isa<ViewLikeOpInterface>(user))
        for (Value result : user->getResults())
          if (auto alias = dyn_cast<MemRefType>(result.getType()))
            setType(result, alias);
  }

  stage::SpaceAttr attr;
  int64_t line = 1, align = 1;
  int64_t beyond = 1; ///< bytes that a vector or a line may be too long by
};

} // namespace
