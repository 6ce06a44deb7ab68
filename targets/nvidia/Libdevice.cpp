//===- Libdevice.cpp - CUDA's library of functions ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Libdevice.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdlib>

using namespace mlir;
using namespace kiln;

constexpr StringLiteral kPrefix = "__nv_";

/// The file, or an empty name.
static std::string findLibdevice(StringRef assembler) {
  SmallVector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable); root && *root)
      roots.push_back(root);
  // ROOT/bin/ptxas, whatever links lead there.
  SmallString<256> real;
  if (!assembler.empty() && !llvm::sys::fs::real_path(assembler, real))
    roots.push_back(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  roots.push_back("/usr/local/cuda");
  for (const std::string &root : roots)
    for (StringRef folder : {"nvvm/libdevice", "libdevice"}) {
      SmallString<256> path(root);
      llvm::sys::path::append(path, folder, "libdevice.10.bc");
      if (llvm::sys::fs::exists(path))
        return path.str().str();
    }
  return "";
}

/// Where `name` is called first.
static Location placeOfCall(ModuleOp module, StringRef name) {
  Location place = module.getLoc();
  module.walk([&](LLVM::CallOp call) {
    if (call.getCallee() != name)
      return WalkResult::advance();
    place = call.getLoc();
    return WalkResult::interrupt();
  });
  return place;
}

LogicalResult nvidia::linkLibdevice(ModuleOp module, llvm::Module &code,
                                    StringRef assembler) {
  auto firstMissing = [&]() -> llvm::Function * {
    for (llvm::Function &function : code)
      if (function.isDeclaration() && !function.use_empty() &&
          function.getName().starts_with(kPrefix))
        return &function;
    return nullptr;
  };
  llvm::Function *missing = firstMissing();
  if (!missing)
    return success();
  auto fail = [&](const Twine &why) {
    return emitError(placeOfCall(module, missing->getName()))
           << "unsupported: function '" << missing->getName() << "' without "
           << why;
  };
  std::string path = findLibdevice(assembler);
  if (path.empty())
    return fail("the file libdevice.10.bc of a CUDA toolkit (CUDA_HOME)");
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> library = llvm::getLazyIRFileModule(
      path, problem, code.getContext(), /*ShouldLazyLoadMetadata=*/true);
  if (!library)
    return fail(Twine(path) +
                ", which cannot be read: " + problem.getMessage());
  library->setTargetTriple(code.getTargetTriple());
  library->setDataLayout(code.getDataLayout());
  bool isLinked = !llvm::Linker::linkModules(
      code, std::move(library), llvm::Linker::LinkOnlyNeeded,
      [](llvm::Module &all, const llvm::StringSet<> &names) {
        for (const auto &entry : names) {
          llvm::GlobalValue *value = all.getNamedValue(entry.getKey());
          if (!value || value->isDeclaration())
            continue;
          value->setLinkage(llvm::GlobalValue::InternalLinkage);
          auto *function = dyn_cast<llvm::Function>(value);
          if (!function)
            continue;
          function->removeFnAttr(llvm::Attribute::NoInline);
          function->addFnAttr(llvm::Attribute::AlwaysInline);
          // Whatever the caller does with subnormal numbers.
          function->addFnAttr("denormal-fp-math", "dynamic,dynamic");
          function->addFnAttr("denormal-fp-math-f32", "dynamic,dynamic");
        }
      });
  if (!isLinked)
    return fail(Twine(path) + ", which cannot be linked");
  missing = firstMissing();
  if (missing)
    return fail(Twine(path) + " having it");
  // What the library says of its own compiler is not about this module.
  for (StringRef name : {"nvvmir.version", "nvvm.annotations", "llvm.ident"})
    if (llvm::NamedMDNode *node = code.getNamedMetadata(name))
      code.eraseNamedMetadata(node);
  // Reflection answers for all functions at once.
  if (!code.getModuleFlag("nvvm-reflect-ftz"))
    code.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", uint32_t(0));
  return success();
}
