//===- LayoutChoice.cpp - Layouts of accesses -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayoutChoice.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// What is known of the first coordinate along an axis.
static index::Facts firstOf(const ViewAxis &axis, index::Analysis &facts) {
  index::Facts first;
  if (auto value = dyn_cast<Value>(axis.offset))
    first = facts.of(value);
  else
    first = index::Facts::exactly(
        cast<IntegerAttr>(cast<Attribute>(axis.offset)).getInt());
  return axis.countsBlocks
             ? index::mul(first, index::Facts::exactly(axis.block))
             : first;
}

/// Finds the axis and the dimension of a tile along which its indices name
/// neighbours in memory, as `found`, and how long runs of them are at multiples
/// of their length.
static int64_t findRuns(tile::ViewType view, ArrayRef<ViewAxis> axes,
                        tile::AxisAnalysis &tiles, Contiguity &found) {
  int64_t longest = 1;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (!axis.isIndirect() || view.getStaticStride(i) != 1)
      continue;
    auto shape = cast<RankedTensorType>(axis.indices.getType()).getShape();
    for (auto [d, run] :
         llvm::enumerate(tile::coordinateFacts(axis.indices, tiles).axes)) {
      // Vectors are in the tile as a whole.
      int64_t whole = shape[d] & -shape[d];
      int64_t length = std::min({run.contiguity, run.divisibility, whole});
      if (length <= longest)
        continue;
      longest = length;
      found.axis = i;
      found.dim = axis.tileDim + d;
    }
  }
  return longest;
}

/// Whether a vector at a multiple of its size is in the view as a whole, or not
/// at all: where the view ends with one, or beyond all memory.
static bool endsWithVectors(Value view, unsigned dim, int64_t count,
                            index::Analysis &facts) {
  int64_t size = cast<tile::ViewType>(view.getType()).getShape()[dim];
  return size >= kBeyondMemory || sizeDivisor(view, dim, facts) % count == 0;
}

Contiguity simt::contiguityOf(Value view, ArrayRef<ViewAxis> axes,
                              tile::AxisAnalysis &tiles) {
  index::Analysis &facts = tiles.getScalars();
  Contiguity found;
  auto viewType = cast<tile::ViewType>(view.getType());
  for (auto [i, axis] : llvm::enumerate(axes))
    if (!axis.isIndirect() && axis.tileDim >= 0 && axis.step == 1 &&
        viewType.getStaticStride(i) == 1) {
      found.axis = i;
      found.dim = axis.tileDim;
    }
  int64_t longest = 0; // of what indices name; 0: coordinates are counted
  if (found.axis < 0)
    longest = findRuns(viewType, axes, tiles, found);
  if (found.axis < 0)
    return found;
  // The address of each vector must be a multiple of its size.
  int64_t bytes = ThreadBuilder::storedBytes(viewType.getElementType());
  int64_t alignment = alignmentOf(view, facts);
  auto fits = [&](int64_t count) {
    if (count * bytes > 16 || alignment % (count * bytes))
      return false;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      if (axis.isIndirect()) {
        if (int(i) == found.axis) {
          if (count > longest || !endsWithVectors(view, i, count, facts))
            return false;
          continue;
        }
        int64_t stride = strideDivisor(view, i, facts);
        if (stride % count &&
            tile::coordinateDivisor(axis.indices, tiles) % count)
          return false;
        continue;
      }
      index::Facts first = firstOf(axis, facts);
      if (int(i) == found.axis) {
        if (first.divisor % count)
          return false;
        continue;
      }
      if (axis.block == 1 && first.divisor % count == 0)
        continue;
      if (strideDivisor(view, i, facts) % count)
        return false;
    }
    return true;
  };
  while (fits(found.count * 2))
    found.count *= 2;
  return found;
}

Contiguity simt::contiguityOf(Value pointers, Value mask,
                              tile::AxisAnalysis &tiles) {
  Contiguity found;
  auto type = cast<RankedTensorType>(pointers.getType());
  int64_t bytes = ThreadBuilder::storedBytes(
      cast<tile::PtrType>(type.getElementType()).getElementType());
  tile::TileFacts facts = tiles.of(pointers);
  SmallVector<tile::AxisFacts> masks(type.getRank());
  if (mask)
    masks = tiles.of(mask).axes;
  int64_t longest = 1;
  // Of dimensions with equal runs the last one.
  for (int dim = type.getRank(); dim-- > 0;) {
    const tile::AxisFacts &axis = facts.axes[dim];
    if (axis.contiguity <= longest)
      continue;
    longest = axis.contiguity;
    found.dim = dim;
    found.count =
        std::min({axis.contiguity, axis.divisibility / bytes, 16 / bytes,
                  mask ? masks[dim].constancy : axis.contiguity});
    found.count = std::max<int64_t>(found.count, 1);
  }
  return found;
}

SmallVector<unsigned> simt::vectorBits(LayoutAttr layout, int dim,
                                       int64_t count) {
  SmallVector<unsigned> found;
  auto bases = layout.getRegisterBases();
  for (int64_t next = 1; next < count; next *= 2) {
    auto it = llvm::find_if(bases, [&](const LayoutAttr::Basis &basis) {
      for (auto [d, n] : llvm::enumerate(basis))
        if (n != (int64_t(d) == dim ? next : 0))
          return false;
      return true;
    });
    if (it == bases.end())
      break;
    found.push_back(it - bases.begin());
  }
  return found;
}

void simt::forEachGroup(LayoutAttr layout, ArrayRef<unsigned> bits,
                        function_ref<void(ArrayRef<int64_t>)> body) {
  int64_t within = 0;
  for (unsigned bit : bits)
    within |= int64_t(1) << bit;
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
    if (reg & within)
      continue;
    SmallVector<int64_t> registers;
    for (int64_t i = 0; i < int64_t(1) << bits.size(); ++i) {
      int64_t other = reg;
      for (auto [step, bit] : llvm::enumerate(bits))
        if (i >> step & 1)
          other |= int64_t(1) << bit;
      registers.push_back(other);
    }
    body(registers);
  }
}

LayoutAttr simt::blockedLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                               int dim, int64_t count, int64_t lanes,
                               int64_t warps, bool isWhole, int64_t across,
                               int last, bool isLastOfWarps) {
  using Basis = LayoutAttr::Basis;
  int64_t rank = shape.size();
  SmallVector<unsigned> bits, taken(rank, 0);
  unsigned total = 0;
  for (int64_t size : shape) {
    bits.push_back(llvm::Log2_64_Ceil(size));
    total += bits.back();
  }
  if (dim < 0)
    dim = rank - 1;
  SmallVector<int64_t> order, others;
  for (int64_t d = rank; d-- > 0;)
    if (d != dim && d != last)
      others.push_back(d);
  if (last >= 0 && last != dim)
    others.push_back(last);
  if (rank)
    order.push_back(dim);
  order.append(others);
  SmallVector<int64_t> warpOrder(others);
  if (isLastOfWarps && last >= 0 && last != dim)
    warpOrder.insert(warpOrder.end() - 1, dim);
  warpOrder.push_back(dim);
  others.push_back(dim);
  SmallVector<Basis> registers, ofLanes, ofWarps;
  auto take = [&](ArrayRef<int64_t> dims, SmallVectorImpl<Basis> &into,
                  unsigned most) {
    for (int64_t d : dims)
      while (into.size() < most && d < rank && taken[d] < bits[d]) {
        Basis basis(rank, 0);
        basis[d] = int64_t(1) << taken[d]++;
        into.push_back(basis);
      }
  };
  unsigned laneBits = llvm::Log2_64(lanes), warpBits = llvm::Log2_64(warps);
  if (rank) {
    unsigned spare =
        total > laneBits + warpBits ? total - laneBits - warpBits : 0;
    take({dim}, registers,
         std::min<unsigned>(llvm::Log2_64(std::max<int64_t>(count, 1)),
                            isWhole ? 64 : spare));
    take(others, registers, registers.size() + llvm::Log2_64(across));
    take(order, ofLanes, laneBits);
    take(warpOrder, ofWarps, warpBits);
    take(order, registers, 64);
  }
  return LayoutAttr::get(context, rank, registers, ofLanes, ofWarps);
}

LayoutAttr simt::packedLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                              int64_t pack, int64_t lanes, int64_t warps) {
  using Basis = LayoutAttr::Basis;
  SmallVector<Basis> bits;
  for (size_t d = shape.size(); d-- > 0;)
    for (int64_t n = 1; n < shape[d]; n *= 2) {
      bits.emplace_back(shape.size(), 0);
      bits.back()[d] = n;
    }
  ArrayRef<Basis> rest = bits;
  auto take = [&](int64_t places) {
    size_t count = std::min<size_t>(llvm::Log2_64(places), rest.size());
    ArrayRef<Basis> taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  SmallVector<Basis> registers(take(pack));
  ArrayRef<Basis> ofLanes = take(lanes), ofWarps = take(warps);
  registers.append(rest.begin(), rest.end());
  return LayoutAttr::get(context, shape.size(), registers, ofLanes, ofWarps);
}

LayoutAttr simt::askedLayout(Operation *op) {
  std::optional<target::Asked> asked = target::findAsked(op, "layout");
  return asked ? dyn_cast<LayoutAttr>(asked->value) : LayoutAttr();
}

std::string simt::whyNoLayout(Operation *op, Attribute asked, int64_t lanes,
                              int64_t warps) {
  auto layout = dyn_cast<LayoutAttr>(asked);
  if (!layout)
    return "expected a #simt.layout";
  RankedTensorType tile;
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    tile = dyn_cast<RankedTensorType>(access.getAccessedType());
  else if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults())
    tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!tile)
    return "a layout for '" + op->getName().getStringRef().str() +
           "': expected an operation that loads, stores or computes a tile "
           "element by element";
  if (int64_t(1) << layout.getLaneBases(0).size() > lanes ||
      int64_t(1) << layout.getWarpBases(0).size() > warps)
    return "the layout has more lanes or warps than the kernel, which has " +
           std::to_string(lanes) + " and " + std::to_string(warps);
  std::string why;
  OwnDiagnostics handler(op->getContext(), [&](Diagnostic &diag) {
    why = diag.str();
    return success();
  });
  (void)layout.verifyLayoutFor(tile.getShape(),
                               [&] { return emitError(op->getLoc()); });
  return why;
}
