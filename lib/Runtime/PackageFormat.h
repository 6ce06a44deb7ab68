// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a package file; docs/package.md describes it.
#ifndef KILN_LIB_RUNTIME_PACKAGEFORMAT_H
#define KILN_LIB_RUNTIME_PACKAGEFORMAT_H

#include "kiln/Runtime/Blob.h"
#include "kiln/Runtime/Signature.h"
#include "kiln/System/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::runtime {

struct PackageHeader {
  char magic[8];
  uint32_t version;
  uint32_t numSections;
  uint64_t totalSize;
  uint64_t checksum; ///< CRC-32 of everything behind the header
};
static_assert(sizeof(PackageHeader) == 32);

struct SectionEntry {
  char name[40]; ///< ends with a zero
  uint64_t offset;
  uint64_t size;
  /// Of the contents, when the section is compressed (as by zlib's compress);
  /// else 0. Since version 4, for the two texts only.
  uint64_t unpackedSize;
};
static_assert(sizeof(SectionEntry) == 64);

constexpr size_t kSignatureBytes = 64;
constexpr char kSignatureAlgorithm[8] = "Ed25519";

/// The contents of the section "signature", which is the last one in the table
/// and ends with the file.
struct SignatureSection {
  char algorithm[8];
  uint8_t key[32];
  uint8_t signature[kSignatureBytes];
};
static_assert(sizeof(SignatureSection) == 104);
constexpr char kSignatureName[] = "signature";

constexpr uint64_t kSectionAlign = 64;
/// The first version with compressed sections.
constexpr uint32_t kPackedVersion = 4;
/// Shorter texts are kept as they are.
constexpr size_t kPackedBytes = 64 * 1024;
constexpr char kProgramName[] = "program.json";
constexpr char kSourceName[] = "source";
constexpr uint32_t kMaxSections = 1 << 20;

inline std::string moduleSection(size_t target, size_t module) {
  return "module." + std::to_string(target) + "." + std::to_string(module);
}
inline std::string constantSection(size_t index) {
  return "const." + std::to_string(index);
}

/// Fills in the signature of a file that ends with room for it. The checksum
/// of the header is not signed: it covers the signature.
Error signFile(std::vector<uint8_t> &file, const SecretKey &key);
/// Whose valid signature the file ends with. It is large enough to.
Expected<PublicKey> verifyFile(const Blob &file);

/// The contents of a section that is compressed. `size` is what they were,
/// which has to be right.
Expected<Blob> unpackSection(const Blob &packed, uint64_t size);

/// CRC-32 as in zlib.
uint64_t packageChecksum(const void *data, size_t size);

} // namespace kiln::runtime

#endif
