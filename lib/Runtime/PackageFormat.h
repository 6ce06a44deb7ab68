// The layout of a package file; docs/package.md describes it.
#ifndef KILN_LIB_RUNTIME_PACKAGEFORMAT_H
#define KILN_LIB_RUNTIME_PACKAGEFORMAT_H

#include <cstdint>
#include <string>

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
  uint64_t reserved;
};
static_assert(sizeof(SectionEntry) == 64);

constexpr uint64_t kSectionAlign = 64;
constexpr uint32_t kMaxSections = 1 << 20;

inline std::string moduleSection(size_t target, size_t module) {
  return "module." + std::to_string(target) + "." + std::to_string(module);
}
inline std::string constantSection(size_t index) {
  return "const." + std::to_string(index);
}

/// CRC-32 as in zlib.
uint64_t packageChecksum(const void *data, size_t size);

} // namespace kiln::runtime

#endif
