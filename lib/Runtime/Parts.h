// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only some packages need lies in libraries of its own, in the folder
// `kiln` beside the runtime, which loads each when it first needs it.
#ifndef KILN_LIB_RUNTIME_PARTS_H
#define KILN_LIB_RUNTIME_PARTS_H

#include "HostFunctions.h"
#include "kiln/Runtime/Package.h"

namespace kiln::runtime {

/// libkiln-signature.so: keys and signatures, by libsodium.
struct SignaturePart {
  const char *version;
  Expected<PublicKey> (*parsePublicKey)(std::string_view pem);
  Expected<SecretKey> (*parseSecretKey)(std::string_view pem);
  std::string (*fingerprint)(const PublicKey &key);
  Error (*sign)(std::vector<uint8_t> &file, const SecretKey &key);
  Expected<PublicKey> (*verify)(const Blob &file);
};

/// libkiln-linear-algebra.so: functions of the host that call LAPACK.
struct LinearAlgebraPart {
  const char *version;
  /// Runs the function of that name; types and shapes have been checked.
  Error (*run)(const std::string &name, HostCall &call);
};

/// libkiln-package-writer.so: what is in packages, as bytes.
struct PackageWriterPart {
  const char *version;
  /// The file of a package that has been checked.
  Expected<std::vector<uint8_t>> (*write)(const Package &package,
                                          const SecretKey *key);
  std::string (*toJson)(const HostProgram &program);
};

/// The parts, or why they cannot be loaded.
Expected<const SignaturePart *> signaturePart();
Expected<const LinearAlgebraPart *> linearAlgebraPart();
Expected<const PackageWriterPart *> packageWriterPart();

} // namespace kiln::runtime

extern "C" {
/// What the libraries export.
const kiln::runtime::SignaturePart *kilnSignaturePart();
const kiln::runtime::LinearAlgebraPart *kilnLinearAlgebraPart();
const kiln::runtime::PackageWriterPart *kilnPackageWriterPart();
}

#endif
