//===- RowCopies.cpp - Copies that are written side by side ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowCopies.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

int64_t simt::rowCopyBytesOf(target::TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto bytes = extra ? extra.getAs<IntegerAttr>("row_copies") : IntegerAttr();
  return bytes ? bytes.getInt() : 0;
}

/// The coordinates of the element at a place that is a power of two.
static LayoutAttr::Basis elementAt(const StoragePlace &place, int64_t bytes) {
  int64_t panel = bytes / place.panelBytes(), rest = bytes % place.panelBytes();
  LayoutAttr::Basis at(2, 0);
  unsigned inner = place.inner();
  at[1 - inner] = rest / place.pieceBytes();
  // Where the first element of the row is: what that moves the others by.
  int64_t moved = place.placeOf(at) % place.pieceBytes();
  int64_t within = (rest % place.pieceBytes()) ^ moved;
  at[inner] = (panel * place.pieceBytes() + within) /
              ThreadBuilder::storedBytes(place.type.getElementType());
  return at;
}

LayoutAttr simt::rowLayout(const StoragePlace &place, int64_t bytes,
                           int64_t lanes, int64_t warps) {
  int64_t each = ThreadBuilder::storedBytes(place.type.getElementType());
  int64_t next = each;
  auto until = [&](int64_t end, SmallVectorImpl<LayoutAttr::Basis> &bases) {
    for (; next < end; next *= 2)
      bases.push_back(elementAt(place, next));
  };
  SmallVector<LayoutAttr::Basis> registers, ofLanes, ofWarps;
  until(bytes, registers);
  until(bytes * lanes, ofLanes);
  until(bytes * lanes * warps, ofWarps);
  until(place.type.getNumElements() * each, registers);
  return LayoutAttr::get(place.type.getContext(), 2, registers, ofLanes,
                         ofWarps);
}
