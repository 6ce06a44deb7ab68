// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notes accesses of whole words of LDS, all words of a lane at once.
#ifndef KILN_TARGETS_AMD_DEVICE_LDSWORDS_H
#define KILN_TARGETS_AMD_DEVICE_LDSWORDS_H

#include "Machine.h"
#include <algorithm>
#include <type_traits>

namespace kiln::amd::sim {

/// The number of a wave in an entry of readers: several ones.
constexpr uint32_t kSeveral = 255;

/// An entry of `writers` or `readers` of the epoch of `mine` that is another
/// wave's, as 1; else 0. Without branches, for many entries at once.
inline uint32_t isOthers(uint32_t entry, uint32_t mine) {
  return uint32_t((entry ^ mine) - 1 < kSeveral) &
         uint32_t((entry & kSeveral) != 0);
}

/// States of `n` words, in a vector of the host. GCC ignores a size that a
/// parameter tells behind the type of an alias: it makes one word of it.
template <unsigned n> struct WordsOf {
  using Type [[gnu::vector_size(4 * n)]] = uint32_t;
  static_assert(sizeof(Type) == 4 * n);
};
template <> struct WordsOf<1> {
  using Type = uint32_t;
};
template <unsigned n> using Words = typename WordsOf<n>::Type;

/// The result of a comparison as a mask.
template <typename V, typename B> V maskOf(B holds) {
  if constexpr (std::is_same_v<V, uint32_t>)
    return holds ? ~uint32_t(0) : 0;
  else
    return V(holds);
}

template <unsigned n> Words<n> loadWords(const uint32_t *from) {
  Words<n> words;
  std::memcpy(&words, from, sizeof words);
  return words;
}

/// Whether a word of a mask is not 0.
template <typename V> bool isAny(V mask) {
  uint32_t words[sizeof(V) / 4], all = 0;
  std::memcpy(words, &mask, sizeof mask);
  for (uint32_t word : words)
    all |= word;
  return all != 0;
}

/// `isOthers` of each word, as a mask. Comparisons for equality take hosts one
/// instruction. Entries of 0 are of no epoch, as these begin at 1.
template <typename V> V othersOf(V entries, uint32_t mine) {
  constexpr unsigned kNumberBits = 8;
  return maskOf<V>(entries >> kNumberBits == V{} + (mine >> kNumberBits)) &
         ~maskOf<V>(entries == V{} + mine);
}

/// The lesser ones of two words each.
template <typename V> V lesserOf(V a, V b) { return a < b ? a : b; }

/// The newest values that an instruction reads in each of `n` words of its
/// lanes, as epochs of barriers plus 1, and the oldest reads before, as epochs:
/// later ones than the current epoch for none.
template <unsigned n> struct Ages {
  Words<n> newest = {}, oldest = ~Words<n>{};
};

/// Notes reads of words of a block from `first` on, that are not split, that
/// were written before, and not by another wave since the last barrier: most
/// accesses. Returns false if one of them is to be looked at; those before it
/// may be noted again.
template <unsigned words, bool findsOld>
[[gnu::always_inline]] inline bool noteRead(LdsBlock &block, unsigned first,
                                            uint32_t mine, Ages<words> &ages) {
  using V = Words<words>;
  V writers = loadWords<words>(block.writers + first);
  if (isAny(othersOf(writers, mine) | maskOf<V>(writers == V{}) |
            maskOf<V>(writers == V{} + Lds::kSplit)))
    return false;
  V readers = loadWords<words>(block.readers + first);
  readers = (othersOf(readers, mine) & kSeveral) | mine;
  std::memcpy(block.readers + first, &readers, sizeof readers);
  if constexpr (findsOld) {
    uint32_t epoch = mine >> 8;
    V made = loadWords<words>(block.made + first);
    V used = loadWords<words>(block.used + first);
    V read = used - 1; // the greatest number for words that were not read
    ages.newest = made > ages.newest ? made : ages.newest;
    ages.oldest = lesserOf(ages.oldest, read);
    used = lesserOf(read, V{} + epoch) + 1;
    std::memcpy(block.used + first, &used, sizeof used);
  }
  return true;
}

/// The same of writes of words that are not split and that no other wave has
/// used.
template <unsigned words, bool findsOld>
bool noteWrite(LdsBlock &block, unsigned first, uint32_t mine) {
  using V = Words<words>;
  V writers = loadWords<words>(block.writers + first);
  V readers = loadWords<words>(block.readers + first);
  if (isAny(othersOf(writers, mine) | othersOf(readers, mine) |
            maskOf<V>(writers == V{} + Lds::kSplit)))
    return false;
  V now = V{} + mine;
  std::memcpy(block.writers + first, &now, sizeof now);
  if constexpr (findsOld) {
    V made = V{} + ((mine >> 8) + 1), used = {};
    std::memcpy(block.made + first, &made, sizeof made);
    std::memcpy(block.used + first, &used, sizeof used);
  }
  return true;
}

/// Calls `note` for the words of each lane of a mask, or `noteOne` for each of
/// them if they are in two blocks, until one returns false.
template <unsigned words, typename Note, typename NoteOne>
[[gnu::always_inline]] inline bool forLanes(Lds &lds, const uint32_t *addresses,
                                            uint64_t lanes, Note note,
                                            NoteOne noteOne) {
  LdsBlock *blocks = lds.blocks.data();
  constexpr unsigned kWords = LdsBlock::kWords;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    uint32_t at = addresses[__builtin_ctzll(rest)] / 4;
    // Vectors have no three words.
    if (words != 3 && at % kWords + words <= kWords) {
      if (!note(blocks[at / kWords], at % kWords))
        return false;
      continue;
    }
    for (unsigned i = 0; i < words; ++i)
      if (!noteOne(blocks[(at + i) / kWords], (at + i) % kWords, i))
        return false;
  }
  return true;
}

template <unsigned words, bool findsOld>
bool noteReads(Lds &lds, const uint32_t *addresses, uint64_t lanes,
               uint32_t mine, bool isOneTile) {
  constexpr unsigned kVector = words == 3 ? 1 : words;
  Ages<kVector> ages;
  Ages<1> single[words];
  bool isUsual = forLanes<words>(
      lds, addresses, lanes,
      [&](LdsBlock &block, unsigned first) {
        return noteRead<kVector, findsOld>(block, first, mine, ages);
      },
      [&](LdsBlock &block, unsigned first, unsigned word) {
        return noteRead<1, findsOld>(block, first, mine, single[word]);
      });
  if (!isUsual)
    return false;
  uint32_t newest[words] = {}, oldest[words], newer[kVector], older[kVector];
  std::memcpy(newer, &ages.newest, sizeof newer);
  std::memcpy(older, &ages.oldest, sizeof older);
  for (unsigned i = 0; i < words; ++i) {
    unsigned own = i % kVector, to = isOneTile ? 0 : i;
    if (to == i)
      oldest[i] = ~uint32_t(0);
    newest[to] = std::max({newest[to], single[i].newest, newer[own]});
    oldest[to] = std::min({oldest[to], single[i].oldest, older[own]});
  }
  for (unsigned i = 0; i < (isOneTile ? 1 : words); ++i)
    if (oldest[i] < mine >> 8 && oldest[i] + 1 < newest[i])
      return false;
  return true;
}

template <unsigned words, bool findsOld>
bool noteWrites(Lds &lds, const uint32_t *addresses, uint64_t lanes,
                uint32_t mine) {
  constexpr unsigned kVector = words == 3 ? 1 : words;
  return forLanes<words>(
      lds, addresses, lanes,
      [&](LdsBlock &block, unsigned first) {
        return noteWrite<kVector, findsOld>(block, first, mine);
      },
      [&](LdsBlock &block, unsigned first, unsigned) {
        return noteWrite<1, findsOld>(block, first, mine);
      });
}

} // namespace kiln::amd::sim

#endif
