//===- SharedSide.cpp - Registers of a tile against memory ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Exchange.h"
#include "LayoutChoice.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

using layout::LinearLayout;

Value simt::packWord(ThreadWriter &w, ArrayRef<Value> parts, unsigned count) {
  Type element = parts[0].getType();
  Value list =
      LLVM::PoisonOp::create(w.b, w.loc, VectorType::get({count}, element));
  // Places that nobody reads are filled: a word is poison if a part of it is.
  for (unsigned i = 0; i < count; ++i)
    list = LLVM::InsertElementOp::create(
        w.b, w.loc, list, parts[i < parts.size() ? i : 0], w.c32(i));
  unsigned bits = count * element.getIntOrFloatBitWidth();
  return LLVM::BitcastOp::create(w.b, w.loc, w.b.getIntegerType(bits), list);
}

void simt::unpackWord(ThreadWriter &w, Value word, Type element, unsigned count,
                      ArrayRef<unsigned> places,
                      MutableArrayRef<Value> values) {
  if (count == 1) {
    values[places[0]] =
        element.isInteger()
            ? word
            : Value(LLVM::BitcastOp::create(w.b, w.loc, element, word));
    return;
  }
  Value list = LLVM::BitcastOp::create(w.b, w.loc,
                                       VectorType::get({count}, element), word);
  for (auto [i, place] : llvm::enumerate(places))
    values[place] = LLVM::ExtractElementOp::create(w.b, w.loc, list, w.c32(i));
}

SharedSide::SharedSide(ThreadWriter &w, const layout::SharedAccess &access,
                       const layout::InstructionTile *tile,
                       target::TileMoveAttr move, unsigned scaleBits,
                       unsigned roundBits, int warpShift)
    : w(w), access(access), usesTile(tile), move(move),
      isOfWarp(warpShift >= 0), scaleBits(scaleBits),
      roundShift(llvm::Log2_64(access.offsets.getOutputs()[0].second) -
                 roundBits),
      accessBits(access.vectorBits),
      ordered(layout::getPermutedNumbers(access.order)) {
  LinearLayout places = access.offsets;
  if (tile) {
    unsigned matrixBits = std::min<unsigned>(
        tile->maxMatrixBits,
        access.order.size() - access.copyBits - access.vectorBits);
    accessBits += matrixBits;
    places = access.getRowAddresses(*tile, kExchangeLevels, matrixBits);
  }
  // Lane and warp are parts of one number, so that their bits move together.
  int64_t inRound = (int64_t(1) << roundShift) - 1;
  SmallVector<LinearLayout::Basis> registers, threads, rounds;
  for (const auto &basis : places.getBases("register"))
    registers.push_back({basis[0] & inRound});
  for (const auto &basis : places.getBases("lane"))
    threads.push_back({basis[0]});
  for (auto [bit, basis] : llvm::enumerate(places.getBases("warp")))
    threads.push_back(
        {basis[0] |
         (warpShift < 0 ? 0 : int64_t(1) << (warpShift - scaleBits + bit))});
  for (LinearLayout::Basis &basis : threads)
    if (warpShift < 0) {
      rounds.push_back({basis[0] >> roundShift});
      threadRounds |= rounds.back()[0];
      basis[0] &= inRound;
    }
  if (threadRounds) {
    LinearLayout own({}, {{layout::kOffset.str(), int64_t(1) << roundBits}});
    own.setBases("thread", rounds);
    ownRound = w.threadPart(layout::getAddressTerms(own, {"thread"}));
  }
  int64_t size = int64_t(1) << roundShift;
  if (warpShift >= 0)
    size = int64_t(1) << (warpShift - scaleBits + w.warpBits());
  LinearLayout offsets({}, {{layout::kOffset.str(), size}});
  offsets.setBases("register", registers);
  offsets.setBases("thread", threads);
  plan = layout::getAddressPlan(offsets, "register", scaleBits);
  variable = w.threadPart(plan.terms);
}

int64_t SharedSide::offsetOf(unsigned place) const {
  return access.offsets.apply({{"register", place}})[0];
}

std::optional<Value> SharedSide::isIn(unsigned place, unsigned round) {
  // What threads add to it has to lead to this round.
  int64_t rest = (offsetOf(place) >> roundShift) ^ round;
  if (rest & ~threadRounds)
    return std::nullopt;
  if (!threadRounds)
    return Value();
  Value &known = taking[rest];
  if (!known)
    known = w.compare(arith::CmpIPredicate::eq, ownRound, w.c32(rest));
  return known;
}

Value SharedSide::pointer(Value start, unsigned place) {
  const layout::Immediate &immediate =
      plan.immediates[usesTile ? place >> accessBits : place];
  Value &base = bases[{start, immediate.exclusive}];
  Type byte = w.b.getI8Type();
  if (!base)
    base = w.elementPointer(start, w.xor_(variable, w.c32(immediate.exclusive)),
                            byte);
  if (!immediate.additive)
    return base;
  return LLVM::GEPOp::create(
      w.b, w.loc, base.getType(), byte, base,
      ArrayRef<LLVM::GEPArg>{int32_t(immediate.additive)});
}

void SharedSide::store(ArrayRef<Value> regs, Value start, unsigned round) {
  if (usesTile)
    return storeMatrices(regs, start);
  int64_t copies = access.offsets.getFreeMask("register");
  int64_t threads = access.offsets.getFreeMask("lane") |
                    (isOfWarp ? 0 : access.offsets.getFreeMask("warp"))
                        << w.laneBits();
  Value isFirst;
  if (threads)
    isFirst = w.compare(arith::CmpIPredicate::eq,
                        w.and_(w.threadId(), w.c32(threads)), w.c32(0));
  unsigned count = 1u << access.vectorBits;
  // Addresses serve all rounds: they are made before the branch.
  llvm::MapVector<Value, SmallVector<std::pair<Value, Value>>> stores;
  for (unsigned place = 0; place < ordered.size(); place += count) {
    std::optional<Value> isTaken = isIn(place, round);
    if ((place & copies) || !isTaken)
      continue;
    Value value = w.toStored(regs[ordered[place]]);
    if (count > 1) {
      auto type = VectorType::get({count}, value.getType());
      Value list = LLVM::PoisonOp::create(w.b, w.loc, type);
      for (unsigned i = 0; i < count; ++i)
        list = LLVM::InsertElementOp::create(
            w.b, w.loc, list, w.toStored(regs[ordered[place + i]]), w.c32(i));
      value = list;
    }
    stores[*isTaken].emplace_back(pointer(start, place), value);
  }
  for (auto &[isTaken, group] : stores) {
    Value guard = isFirst && isTaken ? w.and_(isFirst, isTaken)
                  : isFirst          ? isFirst
                                     : isTaken;
    w.guarded(guard, [&, &group = group] {
      for (auto [address, value] : group)
        LLVM::StoreOp::create(w.b, w.loc, value, address, count << scaleBits);
    });
  }
}

void SharedSide::load(MutableArrayRef<Value> regs, Type stored, Value start,
                      unsigned round) {
  if (usesTile)
    return loadMatrices(regs, stored, start);
  unsigned count = 1u << access.vectorBits;
  Type type = count > 1 ? Type(VectorType::get({count}, stored)) : stored;
  auto define = [&](unsigned place, Value value) {
    for (unsigned i = 0; i < count; ++i)
      regs[ordered[place + i]] =
          count > 1 ? Value(LLVM::ExtractElementOp::create(w.b, w.loc, value,
                                                           w.c32(i)))
                    : value;
  };
  llvm::DenseMap<int64_t, Value> known; // by what registers add to the offset
  llvm::MapVector<Value, SmallVector<unsigned>> groups;
  for (unsigned place = 0; place < ordered.size(); place += count) {
    std::optional<Value> isTaken = isIn(place, round);
    if (!isTaken)
      continue;
    if (*isTaken) {
      groups[*isTaken].push_back(place);
      continue;
    }
    Value &value = known[offsetOf(place)];
    if (!value)
      value = LLVM::LoadOp::create(w.b, w.loc, type, pointer(start, place),
                                   count << scaleBits);
    define(place, value);
  }
  for (auto &[isTaken, places] : groups) {
    SmallVector<Value> values = loadGroup(places, type, start, isTaken);
    for (auto [place, value] : llvm::zip(places, values))
      define(place, value);
  }
}

SmallVector<Value> SharedSide::loadGroup(ArrayRef<unsigned> places, Type type,
                                         Value start, Value isTaken) {
  // Addresses serve all rounds: they are made before the branch.
  llvm::MapVector<int64_t, Value> addresses; // by what registers add
  for (unsigned place : places)
    if (Value &address = addresses[offsetOf(place)]; !address)
      address = pointer(start, place);
  unsigned bytes = (1u << access.vectorBits) << scaleBits;
  SmallVector<Type> types(addresses.size(), type);
  auto choice = scf::IfOp::create(w.b, w.loc, types, isTaken, true, true);
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToEnd(choice.thenBlock());
    SmallVector<Value> loaded, before;
    for (auto &[offset, address] : addresses)
      loaded.push_back(LLVM::LoadOp::create(w.b, w.loc, type, address, bytes));
    scf::YieldOp::create(w.b, w.loc, loaded);
    // What other rounds brought stays.
    w.b.setInsertionPointToEnd(choice.elseBlock());
    for (auto &[offset, address] : addresses) {
      Value brought = held.lookup(offset);
      before.push_back(brought ? brought
                               : LLVM::PoisonOp::create(w.b, w.loc, type));
    }
    scf::YieldOp::create(w.b, w.loc, before);
  }
  for (auto [entry, value] : llvm::zip(addresses, choice.getResults()))
    entry.second = held[entry.first] = value;
  SmallVector<Value> values;
  for (unsigned place : places)
    values.push_back(addresses[offsetOf(place)]);
  return values;
}

void SharedSide::storeMatrices(ArrayRef<Value> regs, Value start) {
  int64_t copies = access.offsets.getFreeMask("register");
  unsigned perWord = 1u << access.vectorBits;
  Value isFirst;
  // All lanes of a warp take part.
  if (int64_t warps = isOfWarp ? 0 : access.offsets.getFreeMask("warp"))
    isFirst =
        w.compare(arith::CmpIPredicate::eq,
                  w.and_(w.threadId(), w.c32(warps << w.laneBits())), w.c32(0));
  SmallVector<std::pair<Value, SmallVector<Value>>> stores;
  for (unsigned first = 0; first < ordered.size(); first += 1u << accessBits) {
    if (first & copies)
      continue;
    SmallVector<Value> words;
    for (unsigned i = 0; i < 1u << accessBits; i += perWord) {
      SmallVector<Value> parts;
      for (unsigned j = 0; j < perWord; ++j)
        parts.push_back(regs[ordered[first + i + j]]);
      words.push_back(packWord(w, parts, perWord));
    }
    stores.emplace_back(pointer(start, first), words);
  }
  w.guarded(isFirst, [&] {
    for (auto &[address, words] : stores)
      StoreMatrixOp::create(w.b, w.loc, words, address, move.getName(),
                            addressLanes(move, words.size(), w.lanes),
                            bytesOfAddress(move));
  });
}

void SharedSide::loadMatrices(MutableArrayRef<Value> regs, Type stored,
                              Value start) {
  unsigned perWord = 1u << access.vectorBits;
  unsigned places = ordered.size() >> access.copyBits;
  Type word = w.b.getIntegerType(perWord * move.getBits());
  for (unsigned first = 0; first < places; first += 1u << accessBits) {
    SmallVector<Type> types((1u << accessBits) / perWord, word);
    auto load = LoadMatrixOp::create(
        w.b, w.loc, types, pointer(start, first), move.getName(),
        addressLanes(move, types.size(), w.lanes), bytesOfAddress(move));
    for (auto [i, word] : llvm::enumerate(load.getWords())) {
      SmallVector<unsigned> to;
      for (unsigned j = 0; j < perWord; ++j)
        to.push_back(ordered[first + i * perWord + j]);
      unpackWord(w, word, stored, perWord, to, regs);
    }
  }
  for (unsigned place = places; place < ordered.size(); ++place)
    regs[ordered[place]] = regs[ordered[place % places]];
}
