// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libkiln-signature.so: keys, and the signature of a package.
#include "PackageFormat.h"
#include "Parts.h"
#include <cstring>
#include <sodium.h>

using namespace kiln::runtime;

static_assert(crypto_sign_PUBLICKEYBYTES == sizeof(PublicKey::bytes) &&
              crypto_sign_SECRETKEYBYTES == sizeof(SecretKey::bytes) &&
              crypto_sign_BYTES == kSignatureBytes);

namespace {

// The DER of an Ed25519 key is these bytes and the key's 32 (RFC 8410).
constexpr uint8_t kPublicPrefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                     0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
constexpr uint8_t kSecretPrefix[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30,
                                     0x05, 0x06, 0x03, 0x2b, 0x65, 0x70,
                                     0x04, 0x22, 0x04, 0x20};
constexpr size_t kSeedBytes = 32;
/// Larger files hold no key.
constexpr size_t kMaxPemBytes = 4096;

/// What is signed begins with this, so that a signature made for something else
/// never fits.
constexpr char kDomain[] = "Kiln package signature 1\n";

bool isReady() {
  static const bool ready = sodium_init() >= 0;
  return ready;
}

Error notReady() { return Error("the signature library does not start"); }

std::string_view strip(std::string_view text) {
  constexpr const char *space = " \t\r\n";
  size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos)
    return "";
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// The bytes between the lines of a PEM text with one object of `kind`.
Expected<std::vector<uint8_t>> parsePem(std::string_view pem,
                                        std::string_view kind) {
  std::string_view text = strip(pem);
  std::string begin = "-----BEGIN " + std::string(kind) + "-----";
  std::string end = "-----END " + std::string(kind) + "-----";
  if (pem.size() > kMaxPemBytes || text.substr(0, 11) != "-----BEGIN ")
    return Error("expected a PEM file with '" + begin + "'");
  if (text.substr(0, begin.size()) != begin) {
    std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    return Error("expected '" + begin + "', found '" + std::string(line) + "'");
  }
  text.remove_prefix(begin.size());
  if (text.size() < end.size() || text.substr(text.size() - end.size()) != end)
    return Error("expected '" + end + "' at the end");
  text.remove_suffix(end.size());
  std::vector<uint8_t> bytes(text.size());
  size_t size = 0;
  const char *stop = nullptr;
  int status = sodium_base642bin(bytes.data(), bytes.size(), text.data(),
                                 text.size(), " \t\r\n", &size, &stop,
                                 sodium_base64_VARIANT_ORIGINAL);
  // Padding is part of what is decoded, white space behind it is not.
  std::string_view rest = text.substr(size_t(stop - text.data()));
  if (status != 0 || !strip(rest).empty())
    return Error("the PEM file is not valid base64");
  bytes.resize(size);
  return bytes;
}

/// The 32 bytes behind a prefix that must be there.
template <size_t N>
Expected<const uint8_t *> keyBytes(const std::vector<uint8_t> &der,
                                   const uint8_t (&prefix)[N]) {
  if (der.size() != N + 32 || std::memcmp(der.data(), prefix, N) != 0)
    return Error("expected an Ed25519 key, found another kind");
  return der.data() + N;
}

/// What is signed: the domain and a hash of the file without its checksum,
/// which is computed later, and without the signature itself.
std::vector<uint8_t> signedMessage(const uint8_t *file, size_t size) {
  PackageHeader header;
  std::memcpy(&header, file, sizeof(header));
  header.checksum = 0;
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(
      &state, reinterpret_cast<const unsigned char *>(&header), sizeof(header));
  crypto_hash_sha512_update(&state, file + sizeof(header),
                            size - sizeof(header) - kSignatureBytes);
  std::vector<uint8_t> message(sizeof(kDomain) - 1 + crypto_hash_sha512_BYTES);
  std::memcpy(message.data(), kDomain, sizeof(kDomain) - 1);
  crypto_hash_sha512_final(&state, message.data() + sizeof(kDomain) - 1);
  return message;
}

std::string fingerprint(const PublicKey &key) {
  uint8_t der[sizeof(kPublicPrefix) + sizeof(key.bytes)];
  std::memcpy(der, kPublicPrefix, sizeof(kPublicPrefix));
  std::memcpy(der + sizeof(kPublicPrefix), key.bytes.data(), key.bytes.size());
  uint8_t hash[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(hash, der, sizeof(der));
  char text[2 * sizeof(hash) + 1];
  return sodium_bin2hex(text, sizeof(text), hash, sizeof(hash));
}

Expected<PublicKey> readPublic(std::string_view pem) {
  if (!isReady())
    return notReady();
  Expected<std::vector<uint8_t>> der = parsePem(pem, "PUBLIC KEY");
  if (!der)
    return der.takeError();
  Expected<const uint8_t *> bytes = keyBytes(*der, kPublicPrefix);
  if (!bytes)
    return bytes.takeError();
  PublicKey key;
  std::memcpy(key.bytes.data(), *bytes, key.bytes.size());
  return key;
}

Expected<SecretKey> readSecret(std::string_view pem) {
  if (!isReady())
    return notReady();
  Expected<std::vector<uint8_t>> der = parsePem(pem, "PRIVATE KEY");
  if (!der)
    return der.takeError();
  Expected<const uint8_t *> seed = keyBytes(*der, kSecretPrefix);
  if (!seed)
    return seed.takeError();
  SecretKey key;
  static_assert(kSeedBytes == crypto_sign_SEEDBYTES);
  uint8_t unused[crypto_sign_PUBLICKEYBYTES];
  crypto_sign_seed_keypair(unused, key.bytes.data(), *seed);
  sodium_memzero(der->data(), der->size());
  return key;
}

Error sign(std::vector<uint8_t> &file, const SecretKey &key) {
  if (!isReady())
    return notReady();
  SignatureSection section;
  std::memcpy(section.algorithm, kSignatureAlgorithm,
              sizeof(section.algorithm));
  std::memcpy(section.key, key.bytes.data() + kSeedBytes, sizeof(section.key));
  uint8_t *at = file.data() + file.size() - sizeof(section);
  std::memcpy(at, &section, sizeof(section) - kSignatureBytes);
  std::vector<uint8_t> message = signedMessage(file.data(), file.size());
  uint8_t *signature = file.data() + file.size() - kSignatureBytes;
  if (crypto_sign_detached(signature, nullptr, message.data(), message.size(),
                           key.bytes.data()) != 0)
    return Error("the package cannot be signed");
  return Error::success();
}

Expected<PublicKey> verify(const Blob &file) {
  if (!isReady())
    return notReady();
  SignatureSection section;
  std::memcpy(&section, file.data + file.size - sizeof(section),
              sizeof(section));
  if (std::memcmp(section.algorithm, kSignatureAlgorithm,
                  sizeof(section.algorithm)) != 0)
    return Error("the signature is not one of Ed25519");
  PublicKey key;
  std::memcpy(key.bytes.data(), section.key, key.bytes.size());
  std::vector<uint8_t> message = signedMessage(file.data, file.size);
  if (crypto_sign_verify_detached(section.signature, message.data(),
                                  message.size(), key.bytes.data()) != 0)
    return Error("the signature does not fit the file: it was changed");
  return key;
}

} // namespace

const SignaturePart *kilnSignaturePart() {
  static constexpr SignaturePart part = {KILN_VERSION, readPublic, readSecret,
                                         fingerprint,  sign,       verify};
  return &part;
}
