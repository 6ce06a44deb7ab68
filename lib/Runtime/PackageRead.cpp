// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// File -> package. Nothing in the file is trusted.
#include "PackageFormat.h"
#include "ProgramJson.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Tensor.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace kiln::runtime;

namespace {

/// A splat does not take the bytes that it stands for; this many are too many.
constexpr int64_t kMaxConstantBytes = int64_t(1) << 40;
constexpr uint32_t kFirstSplatVersion = 2;

/// Splits the file into sections and reads program.json.
class PackageReader {
public:
  PackageReader(Blob file, const std::vector<PublicKey> &trusted)
      : file(std::move(file)), trusted(trusted) {}

  Expected<Package> read() {
    if (Error error = readSections())
      return error;
    if (Error error = checkSignature())
      return error;
    if (Error error = unpackTexts())
      return error;
    auto program = sections.find(kProgramName);
    if (program == sections.end())
      return Error("no section 'program.json'");
    Expected<Json> json =
        parseJson(program->second.str(), "section 'program.json'");
    if (!json)
      return json.takeError();
    Package package;
    package.signer = signer;
    package.format = version;
    describe(*json, package);
    if (reader.failed())
      return Error("program.json: " + reader.error);
    for (const auto &[name, bytes] : sections)
      if (!used.count(name))
        return Error("section '" + name + "' is not expected");
    for (const TargetProgram &target : package.targets) {
      if (Error error = verify(target.program, target.modules.size()))
        return Error("target '" + target.spec + "': " + error.message());
    }
    return package;
  }

private:
  Error readSections() {
    PackageHeader header;
    if (!isPackage(file.data, file.size))
      return Error("not a Kiln package");
    if (file.size < sizeof(header))
      return Error("truncated: " + std::to_string(file.size) +
                   " bytes cannot hold the header");
    std::memcpy(&header, file.data, sizeof(header));
    if (header.version < kOldestPackageVersion ||
        header.version > kPackageVersion)
      return Error("package version " + std::to_string(header.version) +
                   " found, this runtime reads versions " +
                   std::to_string(kOldestPackageVersion) + " to " +
                   std::to_string(kPackageVersion));
    if (header.totalSize != file.size)
      return Error("the header says " + std::to_string(header.totalSize) +
                   " bytes, the file has " + std::to_string(file.size));
    version = reader.version = header.version;
    uint64_t tableSize = uint64_t(header.numSections) * sizeof(SectionEntry);
    if (header.numSections > kMaxSections ||
        tableSize > file.size - sizeof(header))
      return Error("a table of " + std::to_string(header.numSections) +
                   " sections does not fit the file");
    if (packageChecksum(file.data + sizeof(header),
                        file.size - sizeof(header)) != header.checksum)
      return Error("the checksum does not match: the file is damaged");
    for (uint32_t i = 0; i < header.numSections; ++i) {
      SectionEntry entry;
      std::memcpy(&entry, file.data + sizeof(header) + i * sizeof(SectionEntry),
                  sizeof(entry));
      if (!std::memchr(entry.name, 0, sizeof(entry.name)))
        return Error("the name of section " + std::to_string(i) +
                     " does not end");
      if (entry.offset > file.size || entry.size > file.size - entry.offset)
        return Error("section '" + std::string(entry.name) +
                     "' lies outside of the file");
      Blob bytes{file.owner, file.data + entry.offset, size_t(entry.size)};
      if (version >= kPackedVersion && entry.unpackedSize)
        packed.emplace(entry.name, entry.unpackedSize);
      if (!sections.emplace(entry.name, bytes).second)
        return Error("section '" + std::string(entry.name) +
                     "' is there twice");
      bool isLast =
          i + 1 == header.numSections && entry.offset + entry.size == file.size;
      if (std::strcmp(entry.name, kSignatureName) == 0 &&
          (!isLast || entry.size != sizeof(SignatureSection)))
        return Error("the signature is not at the end of the file");
    }
    return Error::success();
  }

  /// After the signature, so that nothing of another's file is looked at.
  Error unpackTexts() {
    for (const auto &[name, size] : packed) {
      std::string what = "section '" + name + "': ";
      if (name != kProgramName && name != kSourceName)
        return Error(what + "it must not be compressed");
      Expected<Blob> contents = unpackSection(sections[name], size);
      if (!contents)
        return Error(what + contents.message());
      sections[name] = *contents;
    }
    return Error::success();
  }

  Error checkSignature() {
    used = {kProgramName, kSourceName, kSignatureName};
    if (!sections.count(kSignatureName))
      return trusted.empty()
                 ? Error::success()
                 : Error("the package is not signed, and a signature is "
                         "required");
    Expected<PublicKey> key = verifyFile(file);
    if (!key)
      return key.takeError();
    signer = *key;
    if (trusted.empty() ||
        std::find(trusted.begin(), trusted.end(), *key) != trusted.end())
      return Error::success();
    return Error("the package is signed by another key than required: " +
                 key->fingerprint());
  }

  Blob section(const std::string &name, const std::string &where) {
    auto found = sections.find(name);
    used.insert(name);
    if (found != sections.end())
      return found->second;
    reader.fail(where, "section '" + name + "' is missing");
    return Blob();
  }

  void describe(const Json &json, Package &package) {
    reader.keys(json, "package",
                {"format", "producer", "source", "compileArgs", "constants",
                 "targets"});
    if (reader.integer(json, "format", "package", version) != version)
      reader.fail("package", "'format' is not that of the header");
    package.producer = reader.text(json, "producer", "package", "");
    package.sourceName = reader.text(json, "source", "package", "");
    package.compileArgs = reader.texts(json, "compileArgs", "package");
    if (const Json *list = reader.array(json, "constants", "package"))
      for (size_t i = 0; i < list->size() && !reader.failed(); ++i)
        package.constants.push_back(constant((*list)[i], i));
    if (const Json *list = reader.array(json, "targets", "package"))
      for (size_t i = 0; i < list->size() && !reader.failed(); ++i)
        package.targets.push_back(target((*list)[i], i));
    auto source = sections.find(kSourceName);
    if (source != sections.end())
      package.source = source->second;
  }

  Constant constant(const Json &json, size_t index) {
    std::string where = "constant " + std::to_string(index);
    Constant result;
    if (version < kFirstSplatVersion)
      reader.keys(json, where, {"name", "dtype", "shape"});
    else
      reader.keys(json, where, {"name", "dtype", "shape", "splat"});
    result.name = reader.text(json, "name", where);
    result.dtype = reader.dtype(json, "dtype", where);
    result.shape = reader.integers(json, "shape", where);
    result.bytes = section(constantSection(index), where);
    result.isSplat = reader.flag(json, "splat", where);
    std::optional<int64_t> count = checkedCount(result.shape);
    // Its elements are made when a session needs them.
    if (count && *count > kMaxConstantBytes / 8)
      reader.fail(where, "it has " + std::to_string(*count) + " elements");
    if (count && result.isSplat)
      count = 1;
    if (result.shape.size() > 32 || !count ||
        (*count && uint64_t(*count) > result.bytes.size) ||
        uint64_t(*count) * uint64_t(dtypeBytes(result.dtype)) !=
            result.bytes.size)
      reader.fail(where, "its type does not take " +
                             std::to_string(result.bytes.size) + " bytes");
    return result;
  }

  TargetProgram target(const Json &json, size_t index) {
    std::string where = "target " + std::to_string(index);
    TargetProgram result;
    reader.keys(json, where, {"spec", "modules", "program"});
    result.spec = reader.text(json, "spec", where);
    int64_t numModules = reader.integer(json, "modules", where, 0);
    for (int64_t i = 0; i < numModules && !reader.failed(); ++i)
      result.modules.push_back(section(moduleSection(index, i), where));
    const Json *program = JsonReader::member(json, "program");
    if (!program)
      reader.fail(where, "no program");
    else
      result.program = programFromJson(reader, *program, where);
    return result;
  }

  Blob file;
  const std::vector<PublicKey> &trusted;
  std::optional<PublicKey> signer;
  JsonReader reader;
  uint32_t version = kPackageVersion; ///< of the file
  std::map<std::string, Blob> sections;
  std::map<std::string, uint64_t> packed; ///< compressed ones, their full sizes
  std::set<std::string> used; ///< names of sections that somebody asks for
};

} // namespace

Expected<Package>
kiln::runtime::readPackage(Blob file, const std::vector<PublicKey> &trusted) {
  return PackageReader(std::move(file), trusted).read();
}

Expected<Package>
kiln::runtime::readPackageFile(const std::string &path,
                               const std::vector<PublicKey> &trusted) {
  Expected<Blob> file = trusted.empty() ? mapFile(path) : copyFile(path);
  if (!file)
    return file.takeError();
  Expected<Package> package = readPackage(*file, trusted);
  if (!package)
    return Error(path + ": " + package.message());
  return package;
}
