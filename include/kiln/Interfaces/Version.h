// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Versions of dialects in bytecode: docs/versions.md says what they promise.
#ifndef KILN_INTERFACES_VERSION_H
#define KILN_INTERFACES_VERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Dialect.h"

namespace kiln {

/// The version of Kiln's own dialects that this build writes. The minor number
/// grows when operations, attributes or types of an older one have to be
/// rewritten, or when there are new ones.
constexpr uint64_t kDialectMajor = 0;
constexpr uint64_t kDialectMinor = 5;

/// What a file says of one dialect.
struct VersionOfDialect : public mlir::DialectVersion {
  uint64_t major = 0, minor = 0;
};

/// Whether a file of bytecode has its operations of `Dialect` from a version
/// before 0.`minor`, in which they may have fewer properties.
template <typename Dialect>
bool isOlder(mlir::DialectBytecodeReader &reader, uint64_t minor) {
  llvm::FailureOr<const mlir::DialectVersion *> version =
      reader.getDialectVersion<Dialect>();
  return succeeded(version) && *version &&
         static_cast<const VersionOfDialect *>(*version)->minor < minor;
}

/// Brings the operations of one dialect under `top` from the minor version
/// before `to` to `to`.
struct DialectUpgrade {
  uint64_t to;
  llvm::LogicalResult (*run)(mlir::Operation *top);
};

/// Writes the version into bytecode; refuses newer ones by name, and brings
/// older ones up to date. Attributes and types stay in their textual form.
class VersionedBytecode : public mlir::BytecodeDialectInterface {
public:
  explicit VersionedBytecode(mlir::Dialect *dialect,
                             llvm::ArrayRef<DialectUpgrade> upgrades = {})
      : BytecodeDialectInterface(dialect), upgrades(upgrades) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const final;
  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const final;
  llvm::LogicalResult
  upgradeFromVersion(mlir::Operation *top,
                     const mlir::DialectVersion &version) const final;

private:
  llvm::ArrayRef<DialectUpgrade> upgrades; ///< lives as long as the program
};

} // namespace kiln

#endif
