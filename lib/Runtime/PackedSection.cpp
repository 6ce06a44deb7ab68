// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts in a package that are compressed.
#include "PackageFormat.h"
#include <zlib.h>

using namespace kiln::runtime;

namespace {

/// No stream of zlib's grows by more, so that a short file cannot ask for much.
constexpr uint64_t kMaxRatio = 1032;

} // namespace

Expected<Blob> kiln::runtime::unpackSection(const Blob &packed, uint64_t size) {
  if (size / kMaxRatio > packed.size)
    return Error(std::to_string(packed.size) +
                 " bytes cannot be the compressed form of " +
                 std::to_string(size));
  std::vector<uint8_t> contents(size);
  uLongf written = size;
  uLong read = uLong(packed.size);
  if (uncompress2(contents.data(), &written, packed.data, &read) != Z_OK ||
      written != size || read != packed.size)
    return Error("its compressed contents are damaged");
  return Blob::own(std::move(contents));
}
