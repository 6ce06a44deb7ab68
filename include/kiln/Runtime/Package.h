// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The package: one file with kernels for one or several targets, the host
// program of each, constants, and the source.
#ifndef KILN_RUNTIME_PACKAGE_H
#define KILN_RUNTIME_PACKAGE_H

#include "kiln/Runtime/Blob.h"
#include "kiln/Runtime/Program.h"
#include "kiln/Runtime/Signature.h"
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// A tensor that the program refers to by name.
struct Constant {
  std::string name;
  DType dtype = DType::none;
  std::vector<int64_t> shape;
  Blob bytes; ///< row-major; written 64-byte aligned
  /// All elements are equal: `bytes` is one of them.
  bool isSplat = false;
};

/// What one target contributes.
struct TargetProgram {
  std::string spec; ///< as given to --target
  HostProgram program;
  std::vector<Blob> modules; ///< opaque to everything but the device driver
};

/// The contents of a package file.
struct Package {
  std::string producer;   ///< name and version of the compiler
  std::string sourceName; ///< the input's path, for messages
  Blob source;            ///< text or bytecode; empty when stripped
  /// Options other than --target that a recompilation of the source needs.
  std::vector<std::string> compileArgs;
  std::vector<TargetProgram> targets;
  std::vector<Constant> constants; ///< shared by the targets
  /// Whose valid signature the file that was read carries; set by the reader.
  std::optional<PublicKey> signer;
  /// The version of the file; set by the reader.
  uint32_t format = 0;

  const Constant *lookupConstant(const std::string &name) const;
};

/// The first bytes of every package.
constexpr char kPackageMagic[8] = {'K', 'I', 'L', 'N', 'P', 'K', 'G', '\0'};
/// The newest. Version 1 lacks constants whose elements are all equal, version
/// 2 the launch contract: attributes, recipes, workspaces and metadata of
/// kernels, ordinals and memories of devices; version 3 compressed sections. A
/// package without any is written as version 3.
constexpr uint32_t kPackageVersion = 4;
constexpr uint32_t kOldestPackageVersion = 1; ///< that is read

/// Returns whether the bytes begin as a package does.
bool isPackage(const void *data, size_t size);

/// Serialises; verifies the programs first. Signs with `key`, if there is one.
Expected<std::vector<uint8_t>> writePackage(const Package &package,
                                            const SecretKey *key = nullptr);
/// Checks magic, version, sizes, checksum, signature, JSON and every program. A
/// signature that is there has to be valid; with `trusted` keys there has to be
/// one, by one of them, and that is found out before anything is used. The
/// bytes must not change while the package lives.
Expected<Package> readPackage(Blob file,
                              const std::vector<PublicKey> &trusted = {});
/// Maps the file; with `trusted` keys it is copied, so that no later write can
/// change what was checked.
Expected<Package> readPackageFile(const std::string &path,
                                  const std::vector<PublicKey> &trusted = {});
/// Writes the file whole or not at all: under another name in its folder first.
/// What a link points to is replaced, not the link; devices, pipes and what
/// /dev/stdout and the like name are written to directly.
Error writeFile(const std::string &path, const void *data, size_t size);
/// Whether writeFile could begin; changes nothing.
Error checkWritable(const std::string &path);
Expected<Blob> mapFile(const std::string &path);
/// Whether reading the file would never come to an end.
bool isEndless(const std::string &path);
/// mapFile for files that must not be a pipe, a device or a directory, which
/// are refused without being opened.
Expected<Blob> mapRegularFile(const std::string &path);
/// A copy in memory, 64-byte aligned, which no other process can change.
Expected<Blob> copyFile(const std::string &path);

} // namespace kiln::runtime

#endif
