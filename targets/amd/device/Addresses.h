// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the lanes of a memory instruction access: global, flat, scratch and
// buffer forms.
#ifndef KILN_TARGETS_AMD_DEVICE_ADDRESSES_H
#define KILN_TARGETS_AMD_DEVICE_ADDRESSES_H

#include "Values.h"

namespace kiln::amd::sim {

/// The form of a memory instruction, `Inst::aux`.
/// Addresses of kLaneSpace come from a scalar and the number of the lane.
enum Space : uint8_t {
  kGlobalSpace,
  kFlatSpace,
  kScratchSpace,
  kBufferSpace,
  kLaneSpace
};

/// Addresses of the lanes of an access, in the host's memory. Null for lanes
/// that access nothing: those of buffers that are outside of its range.
struct LaneAddresses {
  /// The operands from `first` on are the address's (without the data, which
  /// stand between for stores: `skip` of them).
  LaneAddresses(Wave &wave, const Inst &inst, unsigned first, unsigned skip);

  /// Whether no lane has to be looked at by itself: the bytes from all
  /// addresses on are in one allocation. Takes those that are outside of the
  /// range of a buffer out of the mask.
  bool areInOne(unsigned bytes, bool writes);
  /// The bytes of a lane if they are.
  uint8_t *of(unsigned lane) const {
    return reinterpret_cast<uint8_t *>(address[lane]);
  }

  /// The bytes of one lane from `offset` on, checked.
  uint8_t *at(unsigned lane, unsigned offset, unsigned bytes, bool writes,
              bool isAtomic = false) const;

  Wave &wave;
  const Inst &inst;
  uint64_t mask; ///< lanes that take part
  bool isScratch = false;
  alignas(64) uint64_t address[kMaxLanes];
  uint64_t range = ~uint64_t(0), base = 0; ///< of a buffer, in bytes
};

} // namespace kiln::amd::sim

#endif
