//===- DeviceLibrary.cpp - AMD's functions in bitcode ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceLibrary.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

static bool isOfLibrary(StringRef name) {
  return name.starts_with("__ocml_") || name.starts_with("__ockl_");
}

/// The first function that the library should have.
static const llvm::Function *firstMissing(const llvm::Module &code) {
  for (const llvm::Function &function : code)
    if (function.isDeclaration() && !function.use_empty() &&
        isOfLibrary(function.getName()))
      return &function;
  return nullptr;
}

/// The folder that holds `ocml.bc`, or nothing; `looked` lists folders.
static std::string findFolder(const target::TargetOptions &options,
                              std::string &looked) {
  SmallVector<std::string> folders;
  StringRef given = options.get("device_libs", "");
  if (!given.empty()) {
    folders.push_back(given.str());
  } else {
    if (auto path = llvm::sys::Process::GetEnv("HIP_DEVICE_LIB_PATH"))
      folders.push_back(*path);
    std::string root = "/opt/rocm";
    if (auto path = llvm::sys::Process::GetEnv("ROCM_PATH"))
      root = *path;
    folders.push_back(root + "/amdgcn/bitcode");
    folders.push_back("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
  }
  for (const std::string &folder : folders) {
    looked += (looked.empty() ? "" : ", ") + folder;
    if (llvm::sys::fs::exists(folder + "/ocml.bc"))
      return folder;
  }
  return "";
}

/// What the library leaves open: constants that the code around it decides on,
/// by the names and values of its documentation ("OCLC").
static void defineConstants(llvm::Module &code, const Chip &chip) {
  std::pair<StringRef, unsigned> constants[] = {
      {"__oclc_ISA_version", chip.isaVersion},
      {"__oclc_ABI_version", 500},
      {"__oclc_wavefrontsize64", chip.lanes == 64},
      {"__oclc_finite_only_opt", 0},
      {"__oclc_unsafe_math_opt", 0},
      {"__oclc_daz_opt", 0},
      {"__oclc_correctly_rounded_sqrt32", 1}};
  for (auto [name, value] : constants) {
    llvm::GlobalVariable *variable = code.getNamedGlobal(name);
    if (!variable || !variable->isDeclaration())
      continue;
    variable->setInitializer(
        llvm::ConstantInt::get(variable->getValueType(), value));
    variable->setLinkage(llvm::GlobalValue::InternalLinkage);
    variable->setConstant(true);
  }
}

LogicalResult amd::linkDeviceLibrary(ModuleOp module, llvm::Module &code,
                                     const Chip &chip,
                                     const target::TargetOptions &options) {
  const llvm::Function *missing = firstMissing(code);
  if (!missing)
    return success();
  auto fail = [&](const Twine &why) {
    Location where = module.getLoc();
    if (auto function =
            module.lookupSymbol<LLVM::LLVMFuncOp>(missing->getName()))
      where = function.getLoc();
    return emitError(where, "unsupported: '")
           << missing->getName() << "' of AMD's device library: " << why;
  };
  std::string looked;
  std::string folder = findFolder(options, looked);
  if (folder.empty())
    return fail("expected ocml.bc in one of the folders " + looked +
                " (package rocm-device-libs, or device_libs=PATH)");
  for (StringRef file : {"ocml.bc", "ockl.bc"}) {
    std::string path = folder + "/" + file.str();
    if (!llvm::sys::fs::exists(path))
      continue;
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> library =
        llvm::parseIRFile(path, problem, code.getContext());
    if (!library)
      return fail(path + " cannot be read: " + problem.getMessage());
    library->setTargetTriple(code.getTargetTriple());
    library->setDataLayout(code.getDataLayout());
    bool isBad = llvm::Linker::linkModules(
        code, std::move(library), llvm::Linker::LinkOnlyNeeded,
        [](llvm::Module &linked, const llvm::StringSet<> &names) {
          llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
            return !value.hasName() || !names.count(value.getName());
          });
          for (const auto &entry : names)
            if (llvm::Function *function = linked.getFunction(entry.getKey())) {
              function->removeFnAttr("target-cpu");
              function->removeFnAttr("target-features");
              function->removeFnAttr(llvm::Attribute::NoInline);
              function->removeFnAttr(llvm::Attribute::OptimizeNone);
              function->addFnAttr(llvm::Attribute::AlwaysInline);
            }
        });
    if (isBad)
      return fail(path + " cannot be linked");
  }
  missing = firstMissing(code);
  if (missing)
    return fail("it is not in " + folder);
  defineConstants(code, chip);
  // What the library says of its compiler is not about this module.
  for (StringRef name : {"opencl.ocl.version", "llvm.ident"})
    if (llvm::NamedMDNode *node = code.getNamedMetadata(name))
      code.eraseNamedMetadata(node);
  return success();
}
