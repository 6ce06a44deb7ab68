// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "TensorMap.h"
#include "NvidiaDevice.h"
#include "kiln/System/DType.h"
#include <algorithm>
#include <cstring>

using namespace kiln::nvidia;
using kiln::streams::Encoded;

static_assert(sizeof(Encoded) == kTensorMapBytes &&
              alignof(Encoded) == kTensorMapAlign);

namespace {

/// CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion.
enum : int { kUInt8 = 0, kUInt16 = 1, kUInt32 = 2, kUInt64 = 4 };
enum : int { kNoSwizzle = 0, kSwizzle32 = 1, kSwizzle64 = 2, kSwizzle128 = 3 };
enum : int { kPromote128 = 2, kPromote256 = 3 };

int typeOf(int64_t bytes) {
  return bytes == 1   ? kUInt8
         : bytes == 2 ? kUInt16
         : bytes == 4 ? kUInt32
         : bytes == 8 ? kUInt64
                      : -1;
}

int swizzleOf(int64_t row) {
  return row == 128  ? kSwizzle128
         : row == 64 ? kSwizzle64
         : row == 32 ? kSwizzle32
         : row == 0  ? kNoSwizzle
                     : -1;
}

/// How many bytes the cache fetches together, where rows begin at multiples of
/// what divides `starts`. Pieces of rows that begin within a line reach into
/// the next one, and a longer fetch brings more that nothing reads: 1112 x 1560
/// x 3256 of bf16 takes 37 us with 256 bytes, 32 with 128 on an H200.
int promotionFor(uint64_t starts) {
  constexpr uint64_t kLine = 128;
  return starts % kLine ? kPromote128 : kPromote256;
}

} // namespace

std::string NvidiaDevice::encode(const KilnArgumentEncoding &recipe,
                                 const KilnKernelArgument &view,
                                 Encoded &into) const {
  if (std::strcmp(recipe.recipe, kTensorMapRecipe) != 0)
    return KilnDevice::encode(recipe, view, into);
  if (!cuda->cuTensorMapEncodeTiled)
    return "libcuda.so.1 is too old: it lacks cuTensorMapEncodeTiled";
  // A pointer has no dimensions.
  const int64_t *words = recipe.words;
  uint32_t each = view.rank ? 2 : 4, known = view.rank,
           rank = known ? known : (recipe.numWords - 2) / each;
  if (!rank || rank > kTensorMapRank || recipe.numWords != 2 + each * rank ||
      typeOf(words[0]) < 0 || swizzleOf(words[1]) < 0)
    return "a recipe for another view";
  uint64_t sizes[kTensorMapRank], strides[kTensorMapRank];
  uint32_t box[kTensorMapRank], steps[kTensorMapRank];
  uint64_t address = view.buffer->address + view.byteOffset, starts = address;
  for (uint32_t k = 0; k < rank; ++k) {
    const int64_t *own = words + 2 + each * k;
    int64_t d = own[0], extent = own[1];
    if (d < 0 || d >= int64_t(rank) || extent < 1 || extent > kTensorMapExtent)
      return "a recipe for another view";
    int64_t size = known ? view.sizes[d] : std::min(own[2], kTensorMapSize);
    int64_t stride = known ? view.strides[d] : own[3];
    // Nothing is copied of a view without elements.
    if (size <= 0)
      return "";
    sizes[k] = uint64_t(size);
    strides[k] = uint64_t(stride) * uint64_t(words[0]);
    // A stride along one element counts for nothing, and may be any.
    if (size == 1)
      strides[k] = 16;
    else if (k)
      starts |= strides[k];
    box[k] = uint32_t(extent);
    steps[k] = 1;
  }
  int status = cuda->cuTensorMapEncodeTiled(
      into.bytes, typeOf(words[0]), rank, reinterpret_cast<void *>(address),
      sizes, strides + 1, box, steps, /*interleave=*/0, swizzleOf(words[1]),
      promotionFor(starts), /*fill=*/0);
  return status ? "its tensor map: " + cuda->describe(status) : "";
}
