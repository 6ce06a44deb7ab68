//===- Scratch.h - Static allocation of per-thread scratch ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_SCRATCH_H
#define KILN_LIB_CPU_SCRATCH_H

#include <cstdint>
#include <map>

namespace kiln::cpu {

/// First-fit allocator of offsets that are known while code is emitted:
/// buffers are freed when the walk passes their last use.
class ScratchAllocator {
public:
  int64_t allocate(int64_t bytes);
  void free(int64_t offset);
  /// Bytes that were in use at once, with slack for reads of whole vectors
  /// past the end of the last buffer.
  int64_t highWater() const { return peak + 512; }

private:
  std::map<int64_t, int64_t> used; // offset -> bytes
  int64_t peak = 0;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_SCRATCH_H
