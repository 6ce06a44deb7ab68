// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kiln/Interfaces/Version.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;

static std::string textOf(uint64_t major, uint64_t minor) {
  return "kiln " + llvm::utostr(major) + "." + llvm::utostr(minor);
}

void VersionedBytecode::writeVersion(DialectBytecodeWriter &writer) const {
  // The writer keeps a reference.
  static const std::string own = textOf(kDialectMajor, kDialectMinor);
  writer.writeOwnedString(own);
}

std::unique_ptr<DialectVersion>
VersionedBytecode::readVersion(DialectBytecodeReader &reader) const {
  StringRef name = getDialect()->getNamespace(), text;
  if (failed(reader.readString(text)))
    return nullptr;
  auto version = std::make_unique<VersionOfDialect>();
  StringRef rest = text;
  if (!rest.consume_front("kiln ") || rest.consumeInteger(10, version->major) ||
      !rest.consume_front(".") || rest.consumeInteger(10, version->minor) ||
      !rest.empty()) {
    reader.emitError() << "dialect '" << name
                       << "': expected a version such as '"
                       << textOf(kDialectMajor, kDialectMinor) << "', found '"
                       << text << "'";
    return nullptr;
  }
  if (version->major != kDialectMajor || version->minor > kDialectMinor) {
    reader.emitError() << "dialect '" << name << "' is of version '" << text
                       << "', this compiler reads '"
                       << textOf(kDialectMajor, kDialectMinor)
                       << "' and older minor versions";
    return nullptr;
  }
  return version;
}

LogicalResult
VersionedBytecode::upgradeFromVersion(Operation *top,
                                      const DialectVersion &version) const {
  const auto &found = static_cast<const VersionOfDialect &>(version);
  for (const DialectUpgrade &upgrade : upgrades)
    if (upgrade.to > found.minor && failed(upgrade.run(top)))
      return failure();
  return success();
}
