// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signatures of packages: Ed25519, over all bytes of the file. docs/package.md
// says what exactly is signed and how keys are made.
#ifndef KILN_RUNTIME_SIGNATURE_H
#define KILN_RUNTIME_SIGNATURE_H

#include "kiln/Runtime/Blob.h"
#include "kiln/System/Error.h"
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::runtime {

/// Whose signatures are trusted.
struct PublicKey {
  std::array<uint8_t, 32> bytes = {};

  /// SHA-256, in hexadecimal digits, of the key as DER (SubjectPublicKeyInfo):
  /// what `openssl pkey -pubin -outform DER | sha256sum` prints.
  std::string fingerprint() const;
  bool operator==(const PublicKey &other) const { return bytes == other.bytes; }
};

/// What signs; wiped when it is destroyed.
class SecretKey {
public:
  SecretKey() = default;
  SecretKey(const SecretKey &) = default;
  SecretKey &operator=(const SecretKey &) = default;
  ~SecretKey();

  std::array<uint8_t, 64> bytes = {}; ///< the seed, then the public key
};

/// Reads the text of a PEM file: "PUBLIC KEY" as `openssl pkey -pubout` writes
/// it, "PRIVATE KEY" as `openssl genpkey -algorithm ed25519` does. Nothing else
/// may stand in the file.
Expected<PublicKey> parsePublicKey(std::string_view pem);
Expected<SecretKey> parseSecretKey(std::string_view pem);
/// The same from files; messages begin with the path.
Expected<PublicKey> readPublicKey(const std::string &path);
Expected<SecretKey> readSecretKey(const std::string &path);
/// All of several files.
Expected<std::vector<PublicKey>>
readPublicKeys(const std::vector<std::string> &paths);

} // namespace kiln::runtime

#endif
