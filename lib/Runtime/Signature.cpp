// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys, and the signature of a package, as a library computes them that is
// loaded when the first key or signature is met.
#include "kiln/Runtime/Signature.h"
#include "PackageFormat.h"
#include "Parts.h"
#include "kiln/Runtime/Package.h"
#include <cstring>

using namespace kiln::runtime;

namespace {

template <typename Key>
Expected<Key> readKey(const std::string &path,
                      Expected<Key> (*parse)(std::string_view)) {
  Expected<Blob> file = mapFile(path);
  if (!file)
    return file.takeError();
  Expected<Key> key = parse(file->str());
  if (!key)
    return Error(path + ": " + key.message());
  return key;
}

} // namespace

SecretKey::~SecretKey() { explicit_bzero(bytes.data(), bytes.size()); }

std::string PublicKey::fingerprint() const {
  // Loaded when the key was read.
  Expected<const SignaturePart *> part = signaturePart();
  return part ? (*part)->fingerprint(*this) : part.takeError().message();
}

Expected<PublicKey> kiln::runtime::parsePublicKey(std::string_view pem) {
  Expected<const SignaturePart *> part = signaturePart();
  if (!part)
    return part.takeError();
  return (*part)->parsePublicKey(pem);
}

Expected<SecretKey> kiln::runtime::parseSecretKey(std::string_view pem) {
  Expected<const SignaturePart *> part = signaturePart();
  if (!part)
    return part.takeError();
  return (*part)->parseSecretKey(pem);
}

Expected<PublicKey> kiln::runtime::readPublicKey(const std::string &path) {
  return readKey<PublicKey>(path, parsePublicKey);
}

Expected<SecretKey> kiln::runtime::readSecretKey(const std::string &path) {
  return readKey<SecretKey>(path, parseSecretKey);
}

Expected<std::vector<PublicKey>>
kiln::runtime::readPublicKeys(const std::vector<std::string> &paths) {
  std::vector<PublicKey> keys;
  for (const std::string &path : paths) {
    Expected<PublicKey> key = readPublicKey(path);
    if (!key)
      return key.takeError();
    keys.push_back(*key);
  }
  return keys;
}

Error kiln::runtime::signFile(std::vector<uint8_t> &file,
                              const SecretKey &key) {
  Expected<const SignaturePart *> part = signaturePart();
  if (!part)
    return part.takeError();
  return (*part)->sign(file, key);
}

Expected<PublicKey> kiln::runtime::verifyFile(const Blob &file) {
  Expected<const SignaturePart *> part = signaturePart();
  if (!part)
    return part.takeError();
  return (*part)->verify(file);
}
