//===- TraitNames.cpp - Traits of plug-ins by other compilers -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/TraitNames.h"
#include "llvm/ADT/StringSet.h"
#include <cstdio>
#include <mutex>

using namespace kiln::target;
using llvm::StringRef;

// The function by which MLIR registers a name, with `--wrap` and without.
#define KILN_REGISTER_NAME                                                     \
  "_ZN4mlir6detail22FallbackTypeIDResolver22registerImplicitTypeIDEN4llvm9"    \
  "StringRefE"

namespace {
#ifdef __clang__
struct Resolver : mlir::detail::FallbackTypeIDResolver {
  using FallbackTypeIDResolver::registerImplicitTypeID;
};
mlir::TypeID registerName(StringRef name) {
  return Resolver::registerImplicitTypeID(name);
}
#endif
} // namespace

#ifndef __clang__
mlir::TypeID registerName(StringRef name) __asm__("__real_" KILN_REGISTER_NAME);
#endif

/// What the linker calls for `registerImplicitTypeID` in libraries of GCC.
mlir::TypeID
registerWrapped(StringRef name) __asm__("__wrap_" KILN_REGISTER_NAME);

std::string kiln::target::clangTypeName(StringRef name) {
  constexpr StringRef kMiddle = "<mlir::TypeID::get<", kEnd = "()::Empty>";
  constexpr size_t kAround = kMiddle.size() + 1 + kEnd.size();
  size_t length = name.size() < kAround ? 0 : (name.size() - kAround) / 2;
  StringRef trait = name.take_front(length);
  if (!length || name != (trait + kMiddle + trait + ">" + kEnd).str())
    return name.str();
  std::string result = (trait + "<Empty>").str();
  // GCC 12 keeps a template's two closing brackets apart.
  for (size_t at; (at = result.find("> >")) != std::string::npos;)
    result.erase(at + 1, 1);
  return result;
}

mlir::TypeID registerWrapped(StringRef name) {
#if KILN_MLIR_HAS_CLANG_NAMES
  // MLIR keeps the reference, not the text.
  static auto *names = new llvm::StringSet<>;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  return registerName(names->insert(clangTypeName(name)).first->getKey());
#else
  return registerName(name);
#endif
}

bool kiln::target::checkTraitNames(mlir::TypeID trait, const char *compiler,
                                   char *error, size_t size) {
  if (trait == mlir::TypeID::get<mlir::OpTrait::IsTerminator>())
    return true;
  std::snprintf(
      error, size,
      "expected MLIR's traits to have the names that Kiln's compiler gives "
      "them, found those of %s: link with Kiln::Kiln of find_package(Kiln) or "
      "with -Wl,--wrap=" KILN_REGISTER_NAME ", or use %s",
      compiler, KILN_PLUGIN_COMPILER);
  return false;
}
