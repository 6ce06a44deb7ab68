// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Package -> file: what is checked before.
#include "PackageFormat.h"
#include "Parts.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Tensor.h"
#include <cstring>
#include <set>
#include <zlib.h>

using namespace kiln::runtime;

uint64_t kiln::runtime::packageChecksum(const void *data, size_t size) {
  return crc32_z(0, static_cast<const Bytef *>(data), size);
}

namespace {

Error checkConstants(const Package &package) {
  std::set<std::string> names;
  for (const Constant &constant : package.constants) {
    if (!names.insert(constant.name).second)
      return Error("constant '" + constant.name + "' is defined twice");
    std::optional<int64_t> count = checkedCount(constant.shape);
    if (count && constant.isSplat)
      count = 1;
    if (!count || uint64_t(*count) * uint64_t(dtypeBytes(constant.dtype)) !=
                      constant.bytes.size)
      return Error("constant '" + constant.name + "': type " +
                   typeString(constant.dtype, constant.shape) +
                   " does not take " + std::to_string(constant.bytes.size) +
                   " bytes");
  }
  return Error::success();
}

} // namespace

const Constant *Package::lookupConstant(const std::string &name) const {
  for (const Constant &constant : constants)
    if (constant.name == name)
      return &constant;
  return nullptr;
}

bool kiln::runtime::isPackage(const void *data, size_t size) {
  return size >= sizeof(kPackageMagic) &&
         std::memcmp(data, kPackageMagic, sizeof(kPackageMagic)) == 0;
}

Expected<std::vector<uint8_t>>
kiln::runtime::writePackage(const Package &package, const SecretKey *key) {
  for (const TargetProgram &target : package.targets)
    if (Error error = verify(target.program, target.modules.size()))
      return Error("target '" + target.spec + "': " + error.message());
  if (Error error = checkConstants(package))
    return error;
  Expected<const PackageWriterPart *> part = packageWriterPart();
  if (!part)
    return part.takeError();
  return (*part)->write(package, key);
}

std::string kiln::runtime::toJson(const HostProgram &program) {
  Expected<const PackageWriterPart *> part = packageWriterPart();
  return part ? (*part)->toJson(program) : "";
}
