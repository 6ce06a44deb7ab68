// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TinyCodegen.h"
#include "kiln-c/Device.h"
#include "kiln/Target/Plugin.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
/// The chip as data.
constexpr StringRef kDescription = R"(#kiln.target<
  name = "tiny", chip = "t1",
  topology = <cores = 1>,
  memories = [
    #kiln.memory<name = "tiles", scope = core, kind = register, size = 1048576>,
    #kiln.memory<name = "main", scope = device, kind = explicit, size = 268435456>],
  units = [
    #kiln.unit<name = "alu", kind = vector, bits = 32, types = [f32], homes = ["tiles"]>],
  tiles = <elementwise_rows = 4, elementwise_cols = 256, reduction_elements = 4096>,
  limits = {max_rank = 4 : i64, max_tile_elements = 4096 : i64}>)";

/// Where this library lies; the assembler lies beside it.
std::string assemblerPath() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&assemblerPath), &info))
    return "tiny-as";
  llvm::SmallString<128> path(info.dli_fname);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "tiny-as");
  return path.str().str();
}

/// Runs the assembler on `text`; on failure `error` is what it printed.
bool assemble(StringRef text, std::string &bytes, std::string &error) {
  llvm::SmallString<128> in, out, err;
  for (auto *path : {&in, &out, &err})
    if (llvm::sys::fs::createTemporaryFile("tiny", "tmp", *path)) {
      error = "no temporary files";
      return false;
    }
  llvm::FileRemover removers[] = {llvm::FileRemover(in), llvm::FileRemover(out),
                                  llvm::FileRemover(err)};
  std::error_code code;
  {
    llvm::raw_fd_ostream file(in, code);
    file << text;
  }
  std::string program = assemblerPath();
  std::optional<StringRef> redirects[] = {std::nullopt, std::nullopt,
                                          StringRef(err)};
  int status = llvm::sys::ExecuteAndWait(
      program, {program, in, out}, std::nullopt, redirects, 30, 0, &error);
  auto said = llvm::MemoryBuffer::getFile(err);
  if (status != 0) {
    if (said && !(*said)->getBuffer().empty())
      error = (*said)->getBuffer().rtrim().str();
    return false;
  }
  auto file = llvm::MemoryBuffer::getFile(out);
  if (!file) {
    error = "the assembler wrote nothing";
    return false;
  }
  bytes = (*file)->getBuffer().str();
  return true;
}

class TinyTarget : public Target {
public:
  StringRef name() const override { return "tiny"; }
  StringRef help() const override {
    return "an imaginary machine, simulated; an example of an outside vendor";
  }
  std::vector<ChipInfo> chips() const override {
    return {{"t1", "one core, f32 only"}};
  }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &options) const override {
    if (options.chip != "t1") {
      emitError(UnknownLoc::get(context))
          << "target 'tiny' has no chip '" << options.chip << "', expected t1";
      return {};
    }
    return parseDescription(kDescription, context, "tiny");
  }
  bool accepts(Operation *kernel, TargetAttr, const TargetOptions &,
               std::string &reason) const override {
    return tiny::canRun(cast<tile::KernelOp>(kernel), reason);
  }
  bool hasPipeline() const override { return true; }
  std::vector<ExtensionPoint> extensionPoints() const override {
    return {{"tiny.before-assembly", "verify-tile-form", "tile kernels"}};
  }
  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    runExtensionPoint(pm, options, "tiny.before-assembly");
  }
  LogicalResult emit(ModuleOp module, EmitKind kind,
                     const TargetOptions &options,
                     llvm::raw_ostream &os) const override {
    if (kind != EmitKind::Assembly)
      return Target::emit(module, kind, options, os);
    std::string text;
    for (auto kernel : module.getOps<tile::KernelOp>())
      if (failed(tiny::generate(kernel, text)))
        return failure();
    os << text;
    return success();
  }
  LogicalResult serialize(ModuleOp module, const TargetOptions &options,
                          Executable &result) const override {
    std::string text, bytes, error;
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      if (failed(tiny::generate(kernel, text)))
        return failure();
      CompiledKernel blob;
      blob.name = blob.symbol = kernel.getSymName().str();
      // The driver gets both back as they are here.
      blob.metadata = options.chip;
      blob.attributes.push_back({KILN_LAUNCH_THREADS, false, {1}});
      result.kernels.push_back(blob);
    }
    if (!assemble(text, bytes, error))
      return module.emitError() << "the tiny assembler failed: " << error;
    result.blobs.push_back(std::move(bytes));
    return success();
  }
};

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<TinyTarget>());
}
} // namespace

KILN_TARGET_PLUGIN("tiny", "1.0", registerAll)
