//===- Fragments.cpp - What threads read of storage -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fragments.h"
#include "LayoutChoice.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using Basis = LayoutAttr::Basis;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

unsigned StoragePlace::inner() const { return permutationOf(type).inner; }

int64_t StoragePlace::rowBytes() const {
  return type.getDimSize(inner()) *
         ThreadBuilder::storedBytes(type.getElementType());
}

int64_t StoragePlace::pieceBytes() const {
  int64_t piece = permutationOf(type).piece;
  return piece ? std::min(piece, rowBytes()) : rowBytes();
}

int64_t StoragePlace::runBytes() const {
  int64_t piece = permutationOf(type).piece;
  return piece ? piece : run;
}

unsigned StoragePlace::permuteShift() const {
  return llvm::Log2_64(std::max<int64_t>(1, runBytes() / pieceBytes()));
}

int64_t StoragePlace::permuteMask() const {
  int64_t unit = permutationOf(type).unit;
  return std::max<int64_t>(std::min(pieceBytes(), runBytes()) / unit, 1) - 1;
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

FragmentReader::FragmentReader(ThreadWriter &w, const StoragePlace &place,
                               LayoutAttr layout, Type element)
    : w(w), place(place), layout(layout), element(element) {
  result.resize(layout.getNumRegisters());
  findMatrices();
  if (!addresses)
    findRuns();
}

/// Finds the registers of a thread whose elements one load takes together: no
/// more than the permutation of rows moves as one.
void FragmentReader::findRuns() {
  if (layout.getRank() != 2)
    return;
  int inner = place.inner();
  int64_t each = ThreadBuilder::storedBytes(element),
          most = permutationOf(place.type).unit / each;
  runBits = vectorBits(layout, inner, most);
  auto isApart = [&](const Basis &basis) {
    return basis[inner] % (int64_t(1) << runBits.size()) == 0;
  };
  // The filtered range below keeps iterators, not the list.
  SmallVector<Basis> registers = layout.getRegisterBases();
  auto others =
      llvm::make_filter_range(llvm::enumerate(registers), [&](auto entry) {
        return !llvm::is_contained(runBits, entry.index());
      });
  while (!runBits.empty() &&
         !(llvm::all_of(layout.getLaneBases(w.laneBits()), isApart) &&
           llvm::all_of(layout.getWarpBases(w.warpBits()), isApart) &&
           llvm::all_of(others,
                        [&](auto entry) { return isApart(entry.value()); })))
    runBits.pop_back();
}

void FragmentReader::readRun(int64_t reg) {
  int64_t count = int64_t(1) << runBits.size(), first = reg;
  for (unsigned bit : runBits)
    first &= ~(int64_t(1) << bit);
  Type stored = ThreadBuilder::storedType(element);
  Value list = LLVM::LoadOp::create(
      w.b, w.loc, VectorType::get({count}, stored),
      place.address(w, layout, first),
      unsigned(count * ThreadBuilder::storedBytes(element)));
  for (int64_t i = 0; i < count; ++i) {
    int64_t to = first;
    for (auto [step, bit] : llvm::enumerate(runBits))
      to |= (i >> step & 1) << bit;
    result[to] = w.fromStored(
        LLVM::ExtractElementOp::create(w.b, w.loc, list, w.c32(i)), element);
  }
}

/// Finds the tile move whose matrices are those that the layout has.
void FragmentReader::findMatrices() {
  unsigned bits = ThreadBuilder::storedBytes(element) * 8;
  if (layout.getRank() != 2)
    return;
  for (target::TileMoveAttr row :
       tileMovesOf(w.description, target::MoveKind::Load, bits, w.lanes).rows)
    if (takesMove(row))
      return;
}

/// Whether the first registers, and the lanes, hold the elements of a matrix of
/// a move as it leaves them there; takes it then.
bool FragmentReader::takesMove(target::TileMoveAttr row) {
  auto held = cast<LayoutAttr>(row.getHeld()),
       addressed = cast<LayoutAttr>(row.getAddressed());
  int inner = place.inner();
  // Rows of matrices run along the dimension whose elements lie side by side.
  // Rows that storage does not have are copies of those that it has.
  auto turned = [&](const Basis &basis) {
    Basis result(2, 0);
    result[1 - inner] =
        basis[0] < place.type.getDimSize(1 - inner) ? basis[0] : 0;
    result[inner] = basis[1];
    return result;
  };
  auto begins = [&](ArrayRef<Basis> all, ArrayRef<Basis> first) {
    return all.size() >= first.size() &&
           llvm::all_of(llvm::zip(all, first), [&](auto pair) {
             return std::get<0>(pair) == turned(std::get<1>(pair));
           });
  };
  auto lanes = layout.getLaneBases(w.laneBits());
  auto registers = layout.getRegisterBases();
  auto heldRegisters = held.getRegisterBases(),
       heldLanes = held.getLaneBases(0);
  if (!begins(registers, heldRegisters) || !begins(lanes, heldLanes))
    return false;
  wordBits = heldRegisters.size();
  perWord = int64_t(1) << wordBits;
  // Which of the other registers are matrices of one instruction.
  ArrayRef<Basis> others = ArrayRef<Basis>(registers).drop_front(wordBits);
  matrixBits =
      std::min<size_t>(llvm::Log2_64(row.getMatrices()), others.size());
  SmallVector<Basis> addressLanes =
      llvm::map_to_vector(addressed.getLaneBases(0), turned);
  unsigned rowBits = addressLanes.size();
  addressLanes.append(others.begin(), others.begin() + matrixBits);
  while (addressLanes.size() < rowBits + llvm::Log2_64(row.getMatrices()))
    addressLanes.push_back(Basis(2, 0));
  // Lanes that the matrix does not use have matrices of their own.
  for (unsigned bit = addressLanes.size(); bit < lanes.size(); ++bit)
    addressLanes.push_back(bit < heldLanes.size() ? Basis(2, 0) : lanes[bit]);
  // What an address moves is not cut.
  int64_t chunk = bytesOfAddress(row) / ThreadBuilder::storedBytes(element);
  SmallVector<Basis> further = layout.getWarpBases(w.warpBits());
  llvm::append_range(further, others);
  llvm::append_range(further, ArrayRef(lanes).drop_front(heldLanes.size()));
  for (const Basis &basis : further)
    if (basis[inner] % chunk)
      return false;
  move = row;
  addresses =
      LayoutAttr::get(layout.getContext(), 2, others.drop_front(matrixBits),
                      addressLanes, layout.getWarpBases(w.warpBits()));
  return true;
}

void FragmentReader::readMatrices(int64_t group) {
  unsigned matrices = 1u << matrixBits;
  Type type = w.b.getIntegerType(perWord * move.getBits());
  auto load = LoadMatrixOp::create(
      w.b, w.loc, SmallVector<Type>(matrices, type),
      place.address(w, addresses, group), move.getName(),
      addressLanes(move, matrices, w.lanes), bytesOfAddress(move));
  for (unsigned m = 0; m < matrices; ++m) {
    Value word = load.getResult(m);
    int64_t first = ((group << matrixBits) | m) << wordBits;
    if (perWord == 1) {
      result[first] =
          element == type
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
  if (!runBits.empty()) {
    readRun(reg);
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

std::optional<StoragePlace> simt::storageOf(ThreadWriter &w,
                                            stage::ProductOp op, int which) {
  auto place = w.storages.find(op.getFactor(which));
  if (place == w.storages.end())
    return std::nullopt;
  bool isTransposed =
      which == 0 ? op.getLhsTransposed() : op.getRhsTransposed();
  return isTransposed ? place->second.transposed() : place->second;
}

std::unique_ptr<FragmentReader> simt::readerOf(ThreadWriter &w,
                                               stage::ProductOp op, int which) {
  std::optional<StoragePlace> place = storageOf(w, op, which);
  if (!place)
    return nullptr;
  return std::make_unique<FragmentReader>(
      w, *place, getLayout(Type(op.getFactorType(which))),
      ThreadBuilder::scalarType(place->type.getElementType()));
}
