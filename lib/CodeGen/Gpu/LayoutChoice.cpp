//===- LayoutChoice.cpp - Layouts of accesses and products ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LayoutChoice.h"
#include "MemoryProducts.h"
#include "NarrowOperands.h"
#include "RowCosts.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Kiln/MatrixRows.h"
#include "kiln/Dialect/Tile/ScaledProducts.h"
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

/// The products of a block whose results a value is computed from in it.
static void addProductsBehind(Value value, Block *block,
                              SmallPtrSetImpl<Operation *> &seen,
                              SmallPtrSetImpl<Operation *> &products) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || !seen.insert(op).second)
    return;
  if (isa<MatrixProductOpInterface>(op)) {
    products.insert(op);
    return;
  }
  for (Value operand : op->getOperands())
    addProductsBehind(operand, block, seen, products);
}

bool simt::isChained(MatrixProductOpInterface op) {
  Block *block = op->getBlock();
  SmallVector<MatrixProductOpInterface> all(
      block->getOps<MatrixProductOpInterface>());
  if (all.size() < 2)
    return false;
  return llvm::any_of(all, [&](MatrixProductOpInterface other) {
    SmallPtrSet<Operation *, 16> seen, behind;
    addProductsBehind(other.getLhsOperand().get(), block, seen, behind);
    return other == op ? !behind.empty() : behind.contains(op);
  });
}

/// The instruction that a schedule script names.
static StringRef askedInstruction(const target::Asked &asked) {
  return cast<DictionaryAttr>(asked.value)
      .getAs<StringAttr>("instruction")
      .getValue();
}

std::string simt::whyNotAsked(MatrixProductOpInterface op,
                              const target::Asked &asked,
                              target::TargetAttr description, int64_t warps) {
  auto value = cast<DictionaryAttr>(asked.value);
  if (value.size() > 1)
    return "register blocks of threads follow from the warps and the "
           "instruction: expected no rows, columns or depth";
  StringRef name = askedInstruction(asked);
  target::MatrixInstructionAttr row = description.getMatrixInstruction(name);
  std::string why = !row                     ? "there is none"
                    : op.hasEncodedFactors() ? "its operands are encoded"
                    : op.getLhsScaleOperand()
                        ? "its operands have scales"
                        : whyRefused(op, row, description, warps);
  return why.empty() ? "" : "matrix instruction '" + name.str() + "': " + why;
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

target::MatrixInstructionAttr
simt::findInstruction(MatrixProductOpInterface op,
                      target::TargetAttr description, int64_t warps) {
  bool hasFormats = tile::hasFormats(op);
  if (!description ||
      (!hasFormats && (op.hasEncodedFactors() || op.getLhsScaleOperand())))
    return {};
  target::MatrixInstructionAttr best;
  RowCost bestCost;
  std::optional<target::Asked> asked = target::findAsked(op, "instruction");
  for (target::MatrixInstructionAttr row :
       description.getMatrixInstructions()) {
    if (asked && row.getName() != askedInstruction(*asked))
      continue;
    if (hasFormats ? !tile::takesScales(row, op, description)
                   : (readsMemory(row) && !warps) ||
                         !whyRefused(op, row, description, warps).empty())
      continue;
    RowCost cost = costOf(op, row, description, warps);
    if (best && !cost.isBetterThan(bestCost))
      continue;
    best = row;
    bestCost = cost;
  }
  return best;
}

/// Why an operand of a row is not one that threads have in registers.
static std::string whyNoFragment(StringRef name, target::OperandAttr operand,
                                 target::TargetAttr description) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  target::MemoryAttr home = description.getMemory(operand.getHome());
  if (home && home.getKind() != target::MemoryKind::Register)
    os << "its " << name << " lives in '" << home.getName()
       << "', but threads have it in registers"
       << (home == description.getSharedMemory()
               ? "; both factors in shared memory need #simt.swizzle as layout"
               : "");
  else if (!operand.getLayout())
    os << "its " << name << " has no layout of threads";
  else if (!isa<LayoutAttr>(operand.getLayout()))
    os << "its " << name << " lies as " << operand.getLayout()
       << ", which is no layout of threads";
  return reason;
}

/// Why the layout of an operand that threads have in registers is none of its
/// elements.
static std::string whyMisfits(StringRef name, target::OperandAttr operand,
                              target::RangeAttr rows, target::RangeAttr columns,
                              int64_t lanes) {
  auto layout = cast<LayoutAttr>(operand.getLayout());
  int64_t shape[] = {rows.getMin(), columns.getMin()};
  std::string why, sizes = (Twine(shape[0]) + "x" + Twine(shape[1])).str();
  int64_t own = int64_t(1) << layout.getLaneBases(0).size();
  if (!layout.getWarps().empty())
    return ("its " + name + " has a layout for several warps, where one has it")
        .str();
  if (own > lanes)
    return ("its " + name + " has a layout for " + Twine(own) +
            " lanes, found warps of " + Twine(lanes))
        .str();
  if (!llvm::isPowerOf2_64(shape[0]) || !llvm::isPowerOf2_64(shape[1]))
    return ("its " + name + " of " + sizes +
            " elements has a layout, which is for powers of two")
        .str();
  OwnDiagnostics handler(layout.getContext(), [&](Diagnostic &diag) {
    why = diag.str();
    return success();
  });
  Location loc = UnknownLoc::get(layout.getContext());
  if (succeeded(layout.verifyLayoutFor(shape, [&] { return emitError(loc); })))
    return "";
  return ("its " + name + " has no layout of " + sizes + " elements: " + why)
      .str();
}

static bool isFloat8(Type factor) {
  return isa<FloatType>(factor) && factor.getIntOrFloatBitWidth() == 8;
}

static bool isPartOfSum(int64_t terms) {
  return terms > 0 && terms < kAllTermsImprecise;
}

bool simt::sumsWithFewerBits(MatrixProductOpInterface op) {
  return isFloat8(getElementTypeOrSelf(op.getLhsOperand().get().getType()));
}

bool simt::sumsWithFewerBits(stage::ProductOp op) {
  return isFloat8(op.getFactorType(0).getElementType());
}

bool simt::sumsInParts(MatrixProductOpInterface op) {
  return sumsWithFewerBits(op) && isPartOfSum(op.getImpreciseTerms());
}

bool simt::sumsInParts(stage::ProductOp op) {
  return sumsWithFewerBits(op) && isPartOfSum(op.getMaxImpreciseAcc());
}

std::string simt::whyImprecise(MatrixProductOpInterface op,
                               target::MatrixInstructionAttr row) {
  int64_t depth = row.getK().getMin(), allowed = op.getImpreciseTerms();
  if (!sumsWithFewerBits(op) || allowed >= depth)
    return "";
  return ("it may sum " + Twine(depth) +
          " terms with fewer bits, the product allows " + Twine(allowed))
      .str();
}

/// Whether the contract lets a product read subnormal numbers as zero.
static bool mayFlush(MatrixProductOpInterface op) {
  auto isBf16 = [](OpOperand &factor) {
    return getElementTypeOrSelf(factor.get().getType()).isBF16();
  };
  return (isBf16(op.getLhsOperand()) && isBf16(op.getRhsOperand())) ||
         mayFlushSubnormals(op);
}

std::string simt::whyRefused(MatrixProductOpInterface op,
                             target::MatrixInstructionAttr row,
                             target::TargetAttr description, int64_t warps) {
  if (!target::takesTypes(row, op))
    return target::whyTypesDiffer(row, op);
  if (std::string form = target::whyFormDiffers(row); !form.empty())
    return form;
  if (row.getFlushesSubnormals() && !mayFlush(op))
    return "it reads subnormal numbers as zero";
  if (readsMemory(row))
    return whyNotFromMemory(op, row, description, warps);
  for (auto [name, operand] :
       {std::pair("lhs", row.getLhs()), std::pair("rhs", row.getRhs()),
        std::pair("acc", row.getAcc())})
    if (std::string reason = whyNoFragment(name, operand, description);
        !reason.empty())
      return reason;
  for (auto [name, operand, rows, columns] :
       {std::tuple("lhs", row.getLhs(), row.getM(), row.getK()),
        std::tuple("rhs", row.getRhs(), row.getK(), row.getN()),
        std::tuple("acc", row.getAcc(), row.getM(), row.getN())})
    if (std::string reason =
            whyMisfits(name, operand, rows, columns, lanesOf(description));
        !reason.empty())
      return reason;
  auto lhs = cast<RankedTensorType>(op.getLhsOperand().get().getType());
  auto acc = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = acc.getRank(), depth = row.getK().getMin();
  int64_t m = acc.getDimSize(rank - 2), n = acc.getDimSize(rank - 1);
  int64_t k = lhs.getDimSize(rank - 1);
  std::string reason;
  llvm::raw_string_ostream os(reason);
  auto isPower = [](int64_t size) { return llvm::isPowerOf2_64(size); };
  if (!llvm::all_of(acc.getShape(), isPower) || !isPower(k))
    os << "layouts of threads are for powers of two, found " << m << "x" << k
       << " by " << k << "x" << n;
  else if (k < depth)
    os << "it sums at least " << depth << " terms, found " << m << "x" << k
       << " by " << k << "x" << n;
  else
    return whyImprecise(op, row);
  return reason;
}

std::string simt::whyNoInstruction(MatrixProductOpInterface op,
                                   target::TargetAttr description) {
  std::string reason;
  llvm::raw_string_ostream os(reason);
  ArrayRef<target::MatrixInstructionAttr> rows;
  if (description)
    rows = description.getMatrixInstructions();
  auto element = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  Type lhs = element(op.getLhsOperand().get()),
       rhs = element(op.getRhsOperand().get());
  auto acc = cast<RankedTensorType>(op->getResult(0).getType());
  if (llvm::none_of(rows,
                    [&](auto row) { return target::takesTypes(row, op); })) {
    os << "none takes " << lhs << " * " << rhs << " + " << acc.getElementType();
    if (lhs.isF32() && op.getProductPrecision() == ProductPrecision::IEEE)
      os << " with all bits of the factors";
    return reason;
  }
  os << "those for " << lhs << " * " << rhs
     << " do not divide a product of sizes ";
  llvm::interleave(acc.getShape(), os, "x");
  os << ", depth "
     << cast<RankedTensorType>(op.getLhsOperand().get().getType())
            .getShape()
            .back();
  if (op.getImpreciseTerms() == 0 && isa<FloatType>(lhs) &&
      lhs.getIntOrFloatBitWidth() == 8)
    os << ", or sum with fewer bits";
  return reason;
}

namespace {
/// Puts the layouts of an instruction's operands together to those of a
/// product's.
class FragmentLayouts {
public:
  FragmentLayouts(MatrixProductOpInterface op,
                  target::MatrixInstructionAttr row, int64_t warps)
      : row(row), acc(op.getProductType().getShape()), fit(fitOf(op, row)),
        grid(shareOut(op, row, warps)) {}

  /// That of an operand (0: lhs, 1: rhs, 2: acc), of which an instruction takes
  /// `first` rows by `second` columns, and `shape` is the whole.
  LayoutAttr of(int operand, std::pair<int64_t, int64_t> shape, int64_t first,
                int64_t second) const {
    return of(atomOf(row, operand, fit.isExchanged), operand, shape, first,
              second);
  }
  /// The same where the lanes of an instruction have `atom`.
  LayoutAttr of(LayoutAttr atom, int operand, std::pair<int64_t, int64_t> shape,
                int64_t first, int64_t second) const;
  const RowFit &getFit() const { return fit; }

private:
  using Basis = LayoutAttr::Basis;
  Basis at(int64_t m, int64_t n) const {
    Basis basis(acc.size(), 0);
    basis[acc.size() - 2] = m;
    basis[acc.size() - 1] = n;
    return basis;
  }

  target::MatrixInstructionAttr row;
  ArrayRef<int64_t> acc;
  RowFit fit;
  WarpGrid grid;
};
} // namespace

LayoutAttr FragmentLayouts::of(LayoutAttr atom, int operand,
                               std::pair<int64_t, int64_t> shape, int64_t first,
                               int64_t second) const {
  // Rows and columns that the product does not have are copies.
  auto lift = [&](const Basis &basis) {
    return at(basis[0] < shape.first ? basis[0] : 0,
              basis[1] < shape.second ? basis[1] : 0);
  };
  auto isCopy = [](const Basis &basis) {
    return llvm::all_of(basis, [](int64_t n) { return n == 0; });
  };
  SmallVector<Basis> registers, lanes, ofWarps;
  for (const Basis &basis : atom.getRegisterBases())
    if (Basis own = lift(basis); !isCopy(own))
      registers.push_back(own);
  for (const Basis &basis : atom.getLaneBases(0))
    lanes.push_back(lift(basis));
  // Rows of warps run fastest; a factor has copies along the other side.
  bool hasRows = operand != 1, hasColumns = operand != 0;
  for (int64_t w = 1; w < grid.rows; w *= 2)
    ofWarps.push_back(at(hasRows ? first * w : 0, 0));
  for (int64_t w = 1; w < grid.columns; w *= 2)
    ofWarps.push_back(at(0, hasColumns ? second * w : 0));
  auto batch = [&](int64_t x) {
    Basis basis(acc.size(), 0);
    basis[0] = x;
    return basis;
  };
  for (int64_t x = 1; x < grid.batches; x *= 2)
    ofWarps.push_back(batch(x));
  for (int64_t x = second * (hasColumns ? grid.columns : 1); x < shape.second;
       x *= 2)
    registers.push_back(at(0, x));
  for (int64_t x = first * (hasRows ? grid.rows : 1); x < shape.first; x *= 2)
    registers.push_back(at(x, 0));
  if (acc.size() == 3)
    for (int64_t x = grid.batches; x < acc[0]; x *= 2)
      registers.push_back(batch(x));
  return LayoutAttr::get(row.getContext(), acc.size(), registers, lanes,
                         ofWarps);
}

LayoutAttr simt::scaleAtomOf(target::MatrixInstructionAttr row, int operand) {
  LayoutAttr atom = atomOf(row, operand, /*isExchanged=*/false);
  unsigned depth = operand == 0 ? 1 : 0;
  SmallVector<LayoutAttr::Basis> lanes;
  int64_t block = 1;
  for (LayoutAttr::Basis basis : atom.getLaneBases(0)) {
    if (basis[depth]) {
      basis[depth] = block;
      block *= 2;
    }
    lanes.push_back(basis);
  }
  return LayoutAttr::get(row.getContext(), 2, {}, lanes, {});
}

LayoutAttr simt::packedAtomOf(target::MatrixInstructionAttr row, int operand,
                              int64_t packed) {
  unsigned depth = operand == 0 ? 1 : 0;
  return atomOf(row, operand, /*isExchanged=*/false)
      .transform(2, [&](ArrayRef<int64_t> basis) {
        LayoutAttr::Basis bytes(basis);
        bytes[depth] /= packed;
        return bytes;
      });
}

/// The layouts of a product with scales. Those of its rhs are n x blocks.
static ProductChoice chooseScaledProduct(MatrixProductOpInterface op,
                                         target::MatrixInstructionAttr row,
                                         target::TargetAttr description,
                                         int64_t warps) {
  RankedTensorType acc = op.getProductType();
  int64_t rank = acc.getRank(), m = acc.getDimSize(rank - 2),
          n = acc.getDimSize(rank - 1), k = tile::depthOf(op);
  int64_t deep = row.getK().getMin(),
          block = tile::scaledBlockOf(row, description);
  FragmentLayouts layouts(op, row, warps);
  RowFit fit = layouts.getFit();
  int64_t packed[] = {tile::packedOf(op, 0), tile::packedOf(op, 1)};
  ProductChoice choice;
  choice.row = row;
  choice.lhs = layouts.of(packedAtomOf(row, 0, packed[0]), 0,
                          {m, k / packed[0]}, fit.m, deep / packed[0]);
  choice.rhs = layouts.of(packedAtomOf(row, 1, packed[1]), 1,
                          {k / packed[1], n}, deep / packed[1], fit.n);
  choice.acc = layouts.of(2, {m, n}, fit.m, fit.n);
  choice.lhsScale =
      layouts.of(scaleAtomOf(row, 0), 0, {m, k / block}, fit.m, deep / block);
  auto turned = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(turned[rank - 2], turned[rank - 1]);
  choice.rhsScale =
      layouts.of(scaleAtomOf(row, 1), 1, {k / block, n}, deep / block, fit.n)
          .permute(turned);
  return choice;
}

std::optional<ProductChoice> simt::chooseProduct(MatrixProductOpInterface op,
                                                 target::TargetAttr description,
                                                 int64_t warps,
                                                 bool inRegisters) {
  target::MatrixInstructionAttr row =
      findInstruction(op, description, inRegisters ? 0 : warps);
  if (!row)
    return std::nullopt;
  if (tile::hasFormats(op))
    return chooseScaledProduct(op, row, description, warps);
  if (readsMemory(row))
    return chooseMemoryProduct(op, row, warps);
  auto lhs = cast<RankedTensorType>(op.getLhsOperand().get().getType());
  RankedTensorType acc = op.getProductType();
  int64_t rank = acc.getRank();
  int64_t m = acc.getDimSize(rank - 2), n = acc.getDimSize(rank - 1);
  int64_t k = lhs.getDimSize(rank - 1), deep = row.getK().getMin();
  FragmentLayouts layouts(op, row, warps);
  const RowFit &fit = layouts.getFit();
  ProductChoice choice;
  choice.row = row;
  choice.isExchanged = fit.isExchanged;
  choice.lhs = layouts.of(0, {m, k}, fit.m, deep);
  choice.rhs = layouts.of(1, {k, n}, deep, fit.n);
  choice.acc = layouts.of(2, {m, n}, fit.m, fit.n);
  return choice;
}
