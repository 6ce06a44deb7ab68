//===- SimtLayout.cpp - Layouts over registers, lanes and warps -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Simt/SimtOpsAttrs.cpp.inc"

void SimtDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kiln/Dialect/Simt/SimtOpsAttrs.cpp.inc"
      >();
}

using Basis = LayoutAttr::Basis;

static bool isZero(ArrayRef<int64_t> basis) {
  return llvm::all_of(basis, [](int64_t n) { return n == 0; });
}

static SmallVector<Basis> unflatten(ArrayRef<int64_t> flat, int64_t rank) {
  SmallVector<Basis> bases;
  for (size_t i = 0; rank && i < flat.size(); i += rank)
    bases.emplace_back(flat.slice(i, rank));
  return bases;
}

static SmallVector<int64_t> flatten(ArrayRef<Basis> bases) {
  SmallVector<int64_t> flat;
  for (const Basis &basis : bases)
    flat.append(basis.begin(), basis.end());
  return flat;
}

LayoutAttr LayoutAttr::get(MLIRContext *context, int64_t rank,
                           ArrayRef<Basis> registers, ArrayRef<Basis> lanes,
                           ArrayRef<Basis> warps) {
  SmallVector<Basis> kept(registers);
  llvm::erase_if(kept, [](const Basis &basis) { return isZero(basis); });
  while (!lanes.empty() && isZero(lanes.back()))
    lanes = lanes.drop_back();
  while (!warps.empty() && isZero(warps.back()))
    warps = warps.drop_back();
  return get(context, rank, flatten(kept), flatten(lanes), flatten(warps));
}

SmallVector<Basis> LayoutAttr::getRegisterBases() const {
  return unflatten(getRegisters(), getRank());
}

static SmallVector<Basis> padded(SmallVector<Basis> bases, unsigned bits,
                                 int64_t rank) {
  while (bases.size() < bits)
    bases.emplace_back(rank, 0);
  return bases;
}

SmallVector<Basis> LayoutAttr::getLaneBases(unsigned bits) const {
  return padded(unflatten(getLanes(), getRank()), bits, getRank());
}

SmallVector<Basis> LayoutAttr::getWarpBases(unsigned bits) const {
  return padded(unflatten(getWarps(), getRank()), bits, getRank());
}

Basis LayoutAttr::getRegisterOffset(int64_t reg) const {
  Basis at(getRank(), 0);
  for (unsigned bit = 0; bit < getRegisterBits(); ++bit)
    if (reg >> bit & 1)
      for (int64_t d = 0; d < getRank(); ++d)
        at[d] ^= getRegisters()[bit * getRank() + d];
  return at;
}

LayoutAttr
LayoutAttr::transform(int64_t rank,
                      function_ref<Basis(ArrayRef<int64_t>)> change) const {
  auto each = [&](ArrayRef<int64_t> flat) {
    SmallVector<Basis> bases;
    for (const Basis &basis : unflatten(flat, getRank()))
      bases.push_back(change(basis));
    return bases;
  };
  return get(getContext(), rank, each(getRegisters()), each(getLanes()),
             each(getWarps()));
}

LayoutAttr LayoutAttr::insertDim(unsigned axis) const {
  return transform(getRank() + 1, [&](ArrayRef<int64_t> basis) {
    Basis wider(basis);
    wider.insert(wider.begin() + axis, 0);
    return wider;
  });
}

LayoutAttr LayoutAttr::dropDim(unsigned axis) const {
  return transform(getRank() - 1, [&](ArrayRef<int64_t> basis) {
    Basis narrower(basis);
    narrower.erase(narrower.begin() + axis);
    return narrower;
  });
}

LayoutAttr LayoutAttr::permute(ArrayRef<int64_t> permutation) const {
  return transform(getRank(), [&](ArrayRef<int64_t> basis) {
    return llvm::map_to_vector<4>(permutation,
                                  [&](int64_t d) { return basis[d]; });
  });
}

LayoutAttr LayoutAttr::collapse(unsigned axis) const {
  return transform(getRank(), [&](ArrayRef<int64_t> basis) {
    Basis flat(basis);
    flat[axis] = 0;
    return flat;
  });
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rank, ArrayRef<int64_t> registers,
                                 ArrayRef<int64_t> lanes,
                                 ArrayRef<int64_t> warps) {
  if (rank < 0 || rank > 16)
    return emitError() << "expected a rank between 0 and 16, found " << rank;
  for (ArrayRef<int64_t> flat : {registers, lanes, warps}) {
    // (C1) Whole bases.
    if (rank ? flat.size() % rank : !flat.empty())
      return emitError() << "expected bases of " << rank << " numbers";
    if (flat.size() > size_t(rank) * 24)
      return emitError() << "expected at most 24 bases";
    for (int64_t n : flat)
      if (n < 0 || n > (int64_t(1) << 30))
        return emitError() << "expected numbers between 0 and 2^30, found "
                           << n;
  }
  // (C2) Registers hold different elements.
  for (const Basis &basis : unflatten(registers, rank))
    if (isZero(basis))
      return emitError() << "expected bases of registers that are not zero";
  // (C3) One way to write it.
  for (ArrayRef<int64_t> flat : {lanes, warps})
    if (!flat.empty() && isZero(flat.take_back(rank)))
      return emitError() << "expected a last basis that is not zero";
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static ParseResult parseBases(AsmParser &parser, StringRef name, int64_t rank,
                              SmallVector<int64_t> &flat) {
  if (parser.parseKeyword(name) || parser.parseEqual())
    return failure();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc where = parser.getCurrentLocation();
        SmallVector<int64_t> basis;
        if (parser.parseCommaSeparatedList(
                AsmParser::Delimiter::Square, [&]() -> ParseResult {
                  return parser.parseInteger(basis.emplace_back());
                }))
          return failure();
        if (int64_t(basis.size()) != rank)
          return parser.emitError(where, "expected ")
                 << rank << " numbers, found " << basis.size();
        flat.append(basis);
        return success();
      });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  int64_t rank = 0;
  SmallVector<int64_t> registers, lanes, warps;
  if (parser.parseLess() || parser.parseKeyword("rank") ||
      parser.parseEqual() || parser.parseInteger(rank) || parser.parseComma() ||
      parseBases(parser, "register", rank, registers) || parser.parseComma() ||
      parseBases(parser, "lane", rank, lanes) || parser.parseComma() ||
      parseBases(parser, "warp", rank, warps) || parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(parser.getContext(), rank, registers,
                                       lanes, warps);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<rank = " << getRank();
  std::pair<StringRef, ArrayRef<int64_t>> parts[] = {
      {"register", getRegisters()}, {"lane", getLanes()}, {"warp", getWarps()}};
  for (auto [name, flat] : parts) {
    printer << ", " << name << " = [";
    llvm::interleaveComma(unflatten(flat, getRank()), printer,
                          [&](const Basis &basis) {
                            printer << '[';
                            llvm::interleaveComma(basis, printer);
                            printer << ']';
                          });
    printer << ']';
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

int64_t LayoutAttr::getNumTileDims() const { return getRank(); }
int64_t LayoutAttr::getNumPlaceDims() const { return 3; }

namespace {
/// Finds which bits have a given exclusive or: elimination over bases of at
/// most 64 bits.
struct Solver {
  struct Row {
    uint64_t value, bits;
  };
  SmallVector<Row> rows; ///< each with a leading bit of its own

  void add(uint64_t value, uint64_t bit) {
    uint64_t bits = reduce(value, bit);
    if (value)
      rows.push_back({value, bits});
  }
  uint64_t reduce(uint64_t &value, uint64_t bits) const {
    for (const Row &row : rows)
      if (value >> llvm::Log2_64(row.value) & 1) {
        value ^= row.value;
        bits ^= row.bits;
      }
    return bits;
  }
};
} // namespace

/// Coordinates as one number: the bits of each after those of the one before.
static uint64_t pack(ArrayRef<int64_t> coordinate, ArrayRef<int64_t> shape) {
  uint64_t packed = 0;
  unsigned at = 0;
  for (auto [n, size] : llvm::zip_equal(coordinate, shape)) {
    packed |= uint64_t(n) << at;
    at += llvm::Log2_64_Ceil(size);
  }
  return packed;
}

static Solver solverOf(LayoutAttr layout, ArrayRef<int64_t> shape) {
  Solver solver;
  unsigned bit = 0;
  // Registers first: of several places the one of the least warp counts.
  for (ArrayRef<int64_t> flat :
       {layout.getRegisters(), layout.getLanes(), layout.getWarps()}) {
    for (const Basis &basis : unflatten(flat, layout.getRank()))
      solver.add(pack(basis, shape), uint64_t(1) << bit++);
  }
  return solver;
}

void LayoutAttr::getPlace(ArrayRef<int64_t> shape, ArrayRef<int64_t> coordinate,
                          SmallVectorImpl<int64_t> &place) const {
  uint64_t value = pack(coordinate, shape);
  uint64_t bits = solverOf(*this, shape).reduce(value, 0);
  unsigned registers = getRegisterBits();
  unsigned lanes = getRank() ? getLanes().size() / getRank() : 0;
  auto take = [&](unsigned from, unsigned count) {
    return int64_t(bits >> from & llvm::maskTrailingOnes<uint64_t>(count));
  };
  place.append({take(0, registers), take(registers, lanes),
                take(registers + lanes, 64 - registers - lanes)});
}

LogicalResult LayoutAttr::verifyLayoutFor(
    ArrayRef<int64_t> shape,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (int64_t(shape.size()) != getRank())
    return emitError() << "expected a layout for " << shape.size()
                       << " dimensions, found one for " << getRank();
  unsigned bits = 0;
  for (int64_t size : shape)
    bits += llvm::Log2_64_Ceil(std::max<int64_t>(size, 1));
  for (ArrayRef<int64_t> flat : {getRegisters(), getLanes(), getWarps()})
    for (auto [i, n] : llvm::enumerate(flat))
      if (n >= int64_t(llvm::PowerOf2Ceil(shape[i % getRank()])))
        return emitError() << "a basis of the layout has " << n
                           << " along dimension " << i % getRank()
                           << " of size " << shape[i % getRank()];
  if (solverOf(*this, shape).rows.size() != bits)
    return emitError() << "elements of the tile have no place in the layout";
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  for (int64_t size : shape)
    if (ShapedType::isDynamic(size) || size < 1)
      return emitError() << "a layout is for tiles of static sizes";
  return verifyLayoutFor(shape, emitError);
}

LayoutAttr simt::getLayout(Type tile) {
  auto type = dyn_cast<RankedTensorType>(stage::getAwaitedType(tile));
  return type ? dyn_cast_or_null<LayoutAttr>(type.getEncoding()) : LayoutAttr();
}

LayoutAttr simt::getLayout(Value tile) { return getLayout(tile.getType()); }

layout::LinearLayout simt::getLinearLayout(LayoutAttr layout,
                                           ArrayRef<int64_t> shape,
                                           unsigned laneBits,
                                           unsigned warpBits) {
  auto sizes = llvm::map_to_vector(
      shape, [](int64_t n) { return int64_t(llvm::PowerOf2Ceil(n)); });
  std::pair<StringRef, SmallVector<Basis>> levels[] = {
      {"register", layout.getRegisterBases()},
      {"lane", layout.getLaneBases(laneBits)},
      {"warp", layout.getWarpBases(warpBits)}};
  SmallVector<layout::LinearLayout::Input> inputs;
  for (const auto &[name, bases] : levels) {
    inputs.push_back({name.str(), {}});
    for (const Basis &basis : bases)
      inputs.back().bases.emplace_back(basis.begin(), basis.end());
  }
  return layout::LinearLayout::withSizes(inputs, sizes);
}

LayoutAttr simt::getLayoutAttr(MLIRContext *context,
                               const layout::LinearLayout &layout) {
  auto bases = [&](StringRef level) {
    SmallVector<Basis> list;
    for (const auto &basis : layout.getBases(level))
      list.emplace_back(basis.begin(), basis.end());
    return list;
  };
  return LayoutAttr::get(context, layout.getNumOutputs(), bases("register"),
                         bases("lane"), bases("warp"));
}

RankedTensorType simt::withLayout(Type tile, LayoutAttr layout) {
  auto type = cast<RankedTensorType>(tile);
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}
