// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: packages. The size and checksum in the header are put right, so
// that the contents are reached.
#include "../../lib/Runtime/PackageFormat.h"
#include "kiln/Runtime/Session.h"
#include <cstring>

using namespace kiln::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  if (size >= sizeof(PackageHeader)) {
    PackageHeader header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.totalSize = size;
    header.checksum =
        packageChecksum(bytes.data() + sizeof(header), size - sizeof(header));
    std::memcpy(bytes.data(), &header, sizeof(header));
  }
  Expected<Package> package = readPackage(Blob::own(std::move(bytes)));
  if (!package)
    return 0;
  for (const TargetProgram &target : package->targets) {
    toText(target.program);
    for (const Function &function : target.program.functions) {
      std::vector<std::vector<int64_t>> shapes;
      for (const Argument &arg : function.args) {
        shapes.push_back(arg.shape);
        for (int64_t &dim : shapes.back())
          dim = dim == kDynamic ? 3 : dim;
      }
      (void)bool(measure(*package, target, function, shapes));
    }
  }
  // What was read can be written, and reads as the same.
  Expected<std::vector<uint8_t>> again = writePackage(*package);
  if (again && !readPackage(Blob::own(*again)))
    __builtin_trap();
  return 0;
}
