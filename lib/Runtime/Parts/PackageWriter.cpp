// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libkiln-package-writer.so: package -> file.
#include "PackageFormat.h"
#include "Parts.h"
#include "ProgramJson.h"
#include <cstring>
#include <zlib.h>

using namespace kiln::runtime;

namespace {

/// Compressed contents of a section.
Blob packSection(const Blob &contents) {
  uLongf size = compressBound(uLong(contents.size));
  std::vector<uint8_t> packed(size);
  if (compress2(packed.data(), &size, contents.data, uLong(contents.size),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    return contents;
  packed.resize(size);
  return Blob::own(std::move(packed));
}

struct Section {
  std::string name;
  Blob bytes;
  uint64_t unpackedSize = 0; ///< 0: not compressed
};

/// A text, compressed where that is worth it.
Section makeText(const char *name, const Blob &text) {
  if (text.size < kPackedBytes)
    return {name, text};
  Blob packed = packSection(text);
  return packed.size < text.size ? Section{name, packed, text.size}
                                 : Section{name, text};
}

Json describe(const Package &package, uint32_t version) {
  Json json = {{"format", version},
               {"producer", package.producer},
               {"source", package.sourceName},
               {"compileArgs", package.compileArgs}};
  Json &constants = json["constants"] = Json::array();
  for (const Constant &constant : package.constants) {
    constants.push_back({{"name", constant.name},
                         {"dtype", dtypeName(constant.dtype)},
                         {"shape", constant.shape}});
    if (constant.isSplat)
      constants.back()["splat"] = true;
  }
  Json &targets = json["targets"] = Json::array();
  for (const TargetProgram &target : package.targets)
    targets.push_back({{"spec", target.spec},
                       {"modules", target.modules.size()},
                       {"program", programToJson(target.program)}});
  return json;
}

uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

Expected<std::vector<uint8_t>> write(const Package &package,
                                     const SecretKey *key) {
  // Packages without compressed texts are what older runtimes read.
  Section source = makeText(kSourceName, package.source);
  uint32_t version = source.unpackedSize ? kPackedVersion : kPackedVersion - 1;
  Expected<std::string> json = dumpJson(describe(package, version));
  if (json && version < kPackedVersion && json->size() >= kPackedBytes) {
    version = kPackedVersion;
    json = dumpJson(describe(package, version));
  }
  if (!json)
    return json.takeError();

  std::vector<Section> sections;
  sections.push_back(
      makeText(kProgramName, Blob::borrow(json->data(), json->size())));
  for (size_t t = 0; t < package.targets.size(); ++t)
    for (size_t m = 0; m < package.targets[t].modules.size(); ++m)
      sections.push_back({moduleSection(t, m), package.targets[t].modules[m]});
  for (size_t c = 0; c < package.constants.size(); ++c)
    sections.push_back({constantSection(c), package.constants[c].bytes});
  if (package.source.size)
    sections.push_back(source);
  SignatureSection signature = {};
  if (key)
    sections.push_back(
        {kSignatureName, Blob::borrow(&signature, sizeof(signature))});
  if (sections.size() > kMaxSections)
    return Error("a package cannot hold " + std::to_string(sections.size()) +
                 " sections");

  uint64_t offset =
      sizeof(PackageHeader) + sections.size() * sizeof(SectionEntry);
  std::vector<SectionEntry> table;
  for (const Section &section : sections) {
    SectionEntry entry = {};
    section.name.copy(entry.name, sizeof(entry.name) - 1);
    entry.offset = aligned(offset);
    entry.size = section.bytes.size;
    entry.unpackedSize = section.unpackedSize;
    offset = entry.offset + entry.size;
    table.push_back(entry);
  }
  std::vector<uint8_t> file(offset);
  std::memcpy(file.data() + sizeof(PackageHeader), table.data(),
              table.size() * sizeof(SectionEntry));
  for (size_t i = 0; i < sections.size(); ++i)
    if (sections[i].bytes.size)
      std::memcpy(file.data() + table[i].offset, sections[i].bytes.data,
                  sections[i].bytes.size);
  PackageHeader header = {};
  std::memcpy(header.magic, kPackageMagic, sizeof(kPackageMagic));
  header.version = version;
  header.numSections = uint32_t(sections.size());
  header.totalSize = file.size();
  std::memcpy(file.data(), &header, sizeof(header));
  if (key)
    if (Error error = signFile(file, *key))
      return error;
  header.checksum = packageChecksum(file.data() + sizeof(header),
                                    file.size() - sizeof(header));
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

std::string textOf(const HostProgram &program) {
  return programToJson(program).dump(-1, ' ', false,
                                     Json::error_handler_t::replace);
}

} // namespace

const PackageWriterPart *kilnPackageWriterPart() {
  static constexpr PackageWriterPart part = {KILN_VERSION, write, textOf};
  return &part;
}
