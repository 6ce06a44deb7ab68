//===- Fragments.cpp - What threads read of storage -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fragments.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
/// The dimension whose elements lie side by side, the bytes that are permuted
/// as one, and those of a row that lie together, 0 for all.
struct Permutation {
  unsigned inner = 1;
  int64_t unit = 16, piece = 0;
};
} // namespace

static Permutation permutationOf(MemRefType type) {
  auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
  Attribute permute = space ? space.getPermute() : Attribute();
  Permutation result;
  if (auto all = dyn_cast_or_null<DenseI64ArrayAttr>(permute)) {
    result.inner = all[0] == 0 ? 0 : 1;
    result.unit = all[1];
    if (all.size() > 2)
      result.piece = all[2];
  } else if (auto dim = dyn_cast_or_null<IntegerAttr>(permute)) {
    result.inner = dim.getInt() == 0 ? 0 : 1;
  }
  return result;
}

unsigned StoragePlace::inner() const { return permutationOf(type).inner; }

int64_t StoragePlace::rowBytes() const {
  return type.getDimSize(inner()) *
         ThreadBuilder::storedBytes(type.getElementType());
}

int64_t StoragePlace::pieceBytes() const {
  int64_t piece = permutationOf(type).piece;
  return piece ? std::min(piece, rowBytes()) : rowBytes();
}

unsigned StoragePlace::permuteShift() const {
  // Eight rows in a run of 128 bytes or more: each its own chunk.
  return llvm::Log2_64(std::max<int64_t>(1, 128 / pieceBytes()));
}

int64_t StoragePlace::permuteMask() const {
  int64_t unit = permutationOf(type).unit;
  return std::max<int64_t>(std::min<int64_t>(pieceBytes(), 128) / unit, 1) - 1;
}

int64_t StoragePlace::placeOf(ArrayRef<int64_t> at) const {
  int64_t outer = at[1 - inner()];
  int64_t within =
      at[inner()] * ThreadBuilder::storedBytes(type.getElementType());
  int64_t piece = within / pieceBytes();
  within %= pieceBytes();
  return piece * panelBytes() + outer * pieceBytes() +
         (within ^ ((outer >> permuteShift() & permuteMask()) *
                    permutationOf(type).unit));
}

Value StoragePlace::threadPlace(ThreadBuilder &w, LayoutAttr layout) const {
  int64_t each = ThreadBuilder::storedBytes(type.getElementType());
  Value outer = w.threadCoordinate(layout, 1 - inner());
  Value within = w.mul(w.threadCoordinate(layout, inner()), w.c32(each));
  Value panel;
  if (pieceBytes() < rowBytes()) {
    panel =
        w.mul(w.and_(within, w.c32(~(pieceBytes() - 1))), w.c32(outerSize()));
    within = w.and_(within, w.c32(pieceBytes() - 1));
  }
  if (int64_t mask = permuteMask()) {
    Value bits = outer;
    if (permuteShift())
      bits =
          w.b.createOrFold<arith::ShRUIOp>(w.loc, bits, w.c32(permuteShift()));
    bits = w.and_(bits, w.c32(mask));
    int64_t unit = llvm::Log2_64(permutationOf(type).unit);
    within = w.xor_(within,
                    w.b.createOrFold<arith::ShLIOp>(w.loc, bits, w.c32(unit)));
  }
  Value place = w.add(w.mul(outer, w.c32(pieceBytes())), within);
  return panel ? w.add(panel, place) : place;
}

Value StoragePlace::address(ThreadBuilder &w, LayoutAttr layout,
                            int64_t reg) const {
  // What a register changes of the bits that threads have takes an operation
  // of its own, once for all loops; the rest is a constant of the instruction.
  int64_t ofThreads = 0;
  for (const auto &basis : layout.getLaneBases(w.laneBits()))
    ofThreads |= placeOf(basis);
  for (const auto &basis : layout.getWarpBases(w.warpBits()))
    ofThreads |= placeOf(basis);
  int64_t ofRegister = placeOf(layout.getRegisterOffset(reg));
  Value sum = threadPlace(w, layout);
  if (int64_t both = ofRegister & ofThreads)
    sum = w.xor_(sum, w.c32(both));
  auto pointer = LLVM::LLVMPointerType::get(w.b.getContext(), kShared);
  auto advance = [&](Value address, LLVM::GEPArg by) -> Value {
    return LLVM::GEPOp::create(w.b, w.loc, pointer, w.b.getI8Type(), address,
                               ArrayRef<LLVM::GEPArg>{by});
  };
  Value address = advance(w.shared(0), sum);
  if (start)
    address = advance(address, start);
  int64_t rest = offset + (ofRegister & ~ofThreads);
  return rest ? advance(address, int32_t(rest)) : address;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

StoragePlace StoragePlace::transposed() const {
  auto space = cast<stage::SpaceAttr>(type.getMemorySpace());
  Builder b(type.getContext());
  int64_t dim = 1 - inner();
  Attribute permute = b.getI64IntegerAttr(dim);
  if (auto all = dyn_cast<DenseI64ArrayAttr>(space.getPermute())) {
    SmallVector<int64_t> others(all.asArrayRef());
    others[0] = dim;
    permute = b.getDenseI64ArrayAttr(others);
  }
  StoragePlace result = *this;
  result.type = MemRefType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType(),
      MemRefLayoutAttrInterface(),
      stage::SpaceAttr::get(b.getContext(), space.getName(), permute));
  return result;
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// The dimension that a basis runs along, if it is a unit of one.
static int unitDim(ArrayRef<int64_t> basis, int64_t size) {
  int dim = -1;
  for (auto [d, n] : llvm::enumerate(basis)) {
    if (n && (n != size || dim >= 0))
      return -1;
    if (n)
      dim = d;
  }
  return dim;
}

FragmentReader::FragmentReader(KernelWalk &w, const StoragePlace &place,
                               LayoutAttr layout, Type element)
    : w(w), place(place), layout(layout), element(element) {
  result.resize(layout.getNumRegisters());
  findMatrices();
}

/// Finds how words of the layout are those of matrices of 8 rows of 16 bytes:
/// word of lane l is word l mod 4 of row l / 4.
void FragmentReader::findMatrices() {
  int64_t bits = ThreadBuilder::storedBytes(element) * 8;
  if (w.lanes != 32 || layout.getRank() != 2 || bits > 32 || !w.description ||
      !w.description.getExtra() || !w.description.getExtra().get("load_matrix"))
    return;
  perWord = 32 / bits;
  auto lanes = layout.getLaneBases(5);
  auto registers = layout.getRegisterBases();
  // Along k: elements of a word, then four lanes; eight lanes along the rows.
  int k = unitDim(lanes[0], perWord), rows = unitDim(lanes[2], 1);
  if (k < 0 || rows < 0 || k == rows || unitDim(lanes[1], 2 * perWord) != k ||
      unitDim(lanes[3], 2) != rows || unitDim(lanes[4], 4) != rows)
    return;
  wordBits = llvm::Log2_64(perWord);
  if (registers.size() < wordBits)
    return;
  for (unsigned bit = 0; bit < wordBits; ++bit)
    if (unitDim(registers[bit], int64_t(1) << bit) != k)
      return;
  isTransposed = int(place.inner()) != k;
  if (isTransposed && bits != 16)
    return;
  // Which of the other registers are matrices of one instruction.
  ArrayRef<Basis> others = ArrayRef<Basis>(registers).drop_front(wordBits);
  matrixBits = std::min<size_t>(2, others.size());
  int along = isTransposed ? k : rows;
  SmallVector<Basis> addressLanes;
  for (int64_t n = 1; n < 8; n *= 2) {
    Basis basis(2, 0);
    basis[along] = n;
    addressLanes.push_back(basis);
  }
  for (unsigned bit = 0; bit < 2; ++bit)
    addressLanes.push_back(bit < matrixBits ? others[bit] : Basis(2, 0));
  // Rows begin at chunks.
  int inner = place.inner();
  int64_t chunk = 16 / ThreadBuilder::storedBytes(element);
  for (const Basis &basis : others)
    if (basis[inner] % chunk)
      return;
  for (const Basis &basis : layout.getWarpBases(w.warpBits()))
    if (basis[inner] % chunk)
      return;
  addresses =
      LayoutAttr::get(layout.getContext(), 2, others.drop_front(matrixBits),
                      addressLanes, layout.getWarpBases(w.warpBits()));
}

void FragmentReader::readMatrices(int64_t group) {
  Type i32 = w.b.getI32Type();
  unsigned matrices = 1u << matrixBits;
  auto load =
      LoadMatrixOp::create(w.b, w.loc, SmallVector<Type>(matrices, i32),
                           place.address(w, addresses, group), isTransposed);
  for (unsigned m = 0; m < matrices; ++m) {
    Value word = load.getResult(m);
    int64_t first = ((group << matrixBits) | m) << wordBits;
    if (perWord == 1) {
      result[first] =
          element == i32
              ? word
              : w.b.createOrFold<LLVM::BitcastOp>(w.loc, element, word);
      continue;
    }
    Value list = LLVM::BitcastOp::create(
        w.b, w.loc, VectorType::get({perWord}, element), word);
    for (int64_t i = 0; i < perWord; ++i)
      result[first + i] =
          LLVM::ExtractElementOp::create(w.b, w.loc, list, w.c32(i));
  }
}

Value FragmentReader::get(int64_t reg) {
  if (result[reg])
    return result[reg];
  if (addresses) {
    readMatrices(reg >> (matrixBits + wordBits));
    return result[reg];
  }
  Type stored = ThreadBuilder::storedType(element);
  result[reg] = w.fromStored(
      LLVM::LoadOp::create(w.b, w.loc, stored, place.address(w, layout, reg)),
      element);
  return result[reg];
}

const Regs &FragmentReader::all() {
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
    get(reg);
  return result;
}
