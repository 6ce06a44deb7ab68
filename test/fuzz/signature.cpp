// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: keys, and packages that were signed and changed. The input is
// read as a key, and as changes of a signed package: two bytes for the place,
// one for the value.
#include "../../lib/Runtime/PackageFormat.h"
#include "kiln/Runtime/Package.h"
#include <cstring>

using namespace kiln::runtime;

namespace {

const char kKey[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9"
    "EdVhC\n-----END PRIVATE KEY-----\n";
const char kTrusted[] =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
    "-----END PUBLIC KEY-----\n";

std::vector<uint8_t> signedPackage() {
  Package package;
  package.producer = "fuzz";
  package.source = Blob::copy("source");
  Expected<SecretKey> key = parseSecretKey(kKey);
  Expected<std::vector<uint8_t>> file = writePackage(package, &*key);
  return *file;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  (void)bool(parsePublicKey(text));
  (void)bool(parseSecretKey(text));

  static const std::vector<uint8_t> original = signedPackage();
  static const std::vector<PublicKey> trusted = {*parsePublicKey(kTrusted)};
  std::vector<uint8_t> file = original;
  for (size_t i = 0; i + 3 <= size; i += 3)
    file[(data[i] << 8 | data[i + 1]) % file.size()] = data[i + 2];
  uint64_t checksum = packageChecksum(file.data() + sizeof(PackageHeader),
                                      file.size() - sizeof(PackageHeader));
  std::memcpy(file.data() + offsetof(PackageHeader, checksum), &checksum,
              sizeof(checksum));
  bool isSame = file == original;
  if (bool(readPackage(Blob::own(file), trusted)) != isSame)
    __builtin_trap();
  return 0;
}
