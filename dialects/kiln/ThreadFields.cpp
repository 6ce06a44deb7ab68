//===- ThreadFields.cpp - What descriptions say of threads ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of machines whose program instances are blocks of threads.
//
//===----------------------------------------------------------------------===//

#include "DescriptionChecks.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::target;

FailureOr<SmallVector<int64_t>> kiln::target::parseNumbers(AsmParser &parser) {
  SmallVector<int64_t> numbers;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(numbers.emplace_back());
      }))
    return failure();
  return numbers;
}

static LogicalResult checkPower(EmitError emitError, StringRef what,
                                int64_t value) {
  if (value > 0 && llvm::isPowerOf2_64(value))
    return success();
  return emitError() << "expected " << what << " to be a power of two, found "
                     << value;
}

/// Bits of a lane's number are small, and listed once each in order.
static LogicalResult checkLaneBits(EmitError emitError, StringRef what,
                                   ArrayRef<int64_t> bits) {
  constexpr int64_t kMostBits = 16;
  for (auto [i, bit] : llvm::enumerate(bits))
    if (bit < 0 || bit >= kMostBits || (i && bit <= bits[i - 1]))
      return emitError() << "expected the lane bits of " << what
                         << " in ascending order from 0 to " << kMostBits - 1
                         << ", found " << bit;
  return success();
}

LogicalResult LanePhaseAttr::verify(EmitError emitError, int64_t bytes,
                                    ArrayRef<int64_t> laneBits) {
  if (failed(checkPower(emitError, "the bytes of a lane phase", bytes)))
    return failure();
  return checkLaneBits(emitError, "a lane phase", laneBits);
}

LogicalResult
MemoryAttr::verify(EmitError emitError, StringRef name, MemoryScope scope,
                   MemoryKind kind, int64_t size, int64_t align, int64_t line,
                   int64_t banks, int64_t bandwidth, int64_t bankBytes,
                   ArrayRef<LanePhaseAttr> lanePhases, bool, bool) {
  if (failed(checkName(emitError, "the name of a memory", name)) ||
      failed(checkAtLeast(emitError, "the size of a memory", size, 0)) ||
      failed(checkAtLeast(emitError, "the line of a memory", line, 0)) ||
      failed(checkAtLeast(emitError, "the banks of a memory", banks, 1)) ||
      failed(
          checkAtLeast(emitError, "the bandwidth of a memory", bandwidth, 0)) ||
      failed(checkPower(emitError, "the alignment of a memory", align)))
    return failure();
  if (kind == MemoryKind::Register &&
      (scope == MemoryScope::Device || scope == MemoryScope::Host))
    return emitError() << "expected memory '" << name
                       << "' of kind register to have the scope of a thread, "
                          "a core or a cluster, found "
                       << stringifyMemoryScope(scope);
  if (size && align > size)
    return emitError() << "expected the alignment of memory '" << name
                       << "' to be at most its size, " << size << ", found "
                       << align;
  if (size && line > size)
    return emitError() << "expected the line of memory '" << name
                       << "' to be at most its size, " << size << ", found "
                       << line;
  if (bankBytes &&
      failed(checkPower(emitError, "the bytes of a bank's word", bankBytes)))
    return failure();
  for (auto [i, phase] : llvm::enumerate(lanePhases)) {
    if (!phase)
      return emitError() << "expected lane phases of a memory to be "
                            "#kiln.lane_phase";
    for (LanePhaseAttr earlier : lanePhases.take_front(i))
      if (earlier.getBytes() == phase.getBytes())
        return emitError() << "the lane phase of memory '" << name
                           << "' for accesses of " << phase.getBytes()
                           << " bytes is described twice";
  }
  return success();
}

/// Less is a number of another unit: no chip is as slow.
static constexpr int64_t kLeastFrequency = 1000000;

LogicalResult TopologyAttr::verify(EmitError emitError, int64_t cores,
                                   int64_t clusters, int64_t threads,
                                   int64_t frequency, ArrayRef<StringAttr>,
                                   int64_t lanes, int64_t threadsPerBlock,
                                   int64_t gridAxes) {
  if (failed(checkAtLeast(emitError, "cores", cores, 1)) ||
      failed(checkAtLeast(emitError, "clusters", clusters, 1)) ||
      failed(checkAtLeast(emitError, "threads", threads, 1)) ||
      failed(checkAtLeast(emitError, "the frequency", frequency, 0)) ||
      failed(checkAtLeast(emitError, "the threads of a block", threadsPerBlock,
                          0)) ||
      (lanes && failed(checkPower(emitError, "lanes", lanes))))
    return failure();
  if (frequency && frequency < kLeastFrequency)
    return emitError() << "expected the frequency in Hz, at least "
                       << kLeastFrequency << ", found " << frequency;
  if (lanes && threadsPerBlock && threadsPerBlock < lanes)
    return emitError() << "expected the threads of a block to be at least the "
                       << lanes << " lanes that run in step, found "
                       << threadsPerBlock;
  if (lanes && threadsPerBlock % lanes)
    return emitError() << "expected the threads of a block to be a multiple of "
                          "the "
                       << lanes << " lanes that run in step, found "
                       << threadsPerBlock;
  if (gridAxes != 1 && gridAxes != 3)
    return emitError() << "expected 1 or 3 axes of a grid, found " << gridAxes;
  return success();
}

LogicalResult TileMoveAttr::verify(EmitError emitError, StringRef name,
                                   MoveKind, StringRef, int64_t bits,
                                   int64_t matrices, Attribute held,
                                   Attribute addressed) {
  if (failed(checkName(emitError, "the name of a tile move", name)) ||
      failed(checkPower(emitError, "the bits of an element of a tile move",
                        bits)) ||
      failed(checkPower(emitError, "the matrices of a tile move", matrices)))
    return failure();
  if (!held || !addressed)
    return emitError() << "expected layouts of tile move '" << name << "'";
  return success();
}

LogicalResult ExchangeCostAttr::verify(EmitError emitError,
                                       ArrayRef<int64_t> laneBits,
                                       int64_t cost) {
  if (laneBits.empty())
    return emitError() << "expected the lane bits of an exchange";
  if (failed(checkLaneBits(emitError, "an exchange", laneBits)))
    return failure();
  return checkAtLeast(emitError, "the cost of an exchange", cost, 0);
}

LogicalResult CostsAttr::verify(EmitError emitError, int64_t shuffle,
                                int64_t indexed, int64_t select, int64_t pack,
                                int64_t wavefront, int64_t barrier,
                                int64_t warpBarrier,
                                ArrayRef<ExchangeCostAttr>) {
  for (auto [what, cost] :
       {std::pair("the cost of a shuffle", shuffle),
        std::pair("the cost of an indexed shuffle", indexed),
        std::pair("the cost of a select", select),
        std::pair("the cost of packing", pack),
        std::pair("the cost of a wavefront", wavefront),
        std::pair("the cost of a barrier", barrier),
        std::pair("the cost of a barrier of a warp", warpBarrier)})
    if (failed(checkAtLeast(emitError, what, cost, 0)))
      return failure();
  return success();
}

MemoryAttr TargetAttr::getSharedMemory(std::string *reason) const {
  MemoryAttr found;
  for (MemoryAttr memory : getMemories()) {
    if (memory.getScope() != MemoryScope::Core ||
        memory.getKind() != MemoryKind::Explicit)
      continue;
    if (found) {
      if (reason)
        *reason =
            ("found '" + found.getName() + "' and '" + memory.getName() + "'")
                .str();
      return {};
    }
    found = memory;
  }
  if (!found && reason)
    *reason = "found none";
  return found;
}
