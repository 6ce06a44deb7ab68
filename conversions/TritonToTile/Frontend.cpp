// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontend: what Triton writes of its kernels.
#include "kiln/Frontend/Frontend.h"
#include "kiln/Conversion/TritonToTile.h"
#include "kiln/Dialect/Triton/Triton.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace kiln;

/// The place of an attribute or a region that only Triton's compiler for
/// graphics processors makes, which comes after what is read here.
static std::optional<std::string> findGpuForm(StringRef text) {
  for (StringRef word : {"= #ttg.", "= #triton_gpu.", "ttg.warp_specialize"}) {
    size_t at = text.find(word);
    if (at == StringRef::npos)
      continue;
    StringRef before = text.take_front(at);
    size_t column = at - (before.rfind('\n') + 1) + 1;
    return std::to_string(before.count('\n') + 1) + ":" +
           std::to_string(column) +
           ": error: unsupported: Triton's form for graphics processors (a "
           ".ttgir file); give the .ttir that Triton writes beside it";
  }
  return std::nullopt;
}

void kiln::registerTritonFrontend() {
  frontend::Frontend triton;
  triton.name = "triton";
  triton.help = "kernels of Triton, as its .ttir files have them";
  triton.level = frontend::Level::Tile;
  triton.functions = {"tt.func"};
  triton.dialects = {"tt"};
  triton.suffixes = {".ttir"};
  triton.refuse = findGpuForm;
  triton.registerDialects = [](DialectRegistry &registry) {
    registry.insert<tt::TritonDialect, cf::ControlFlowDialect, gpu::GPUDialect,
                    LLVM::LLVMDialect, ub::UBDialect>();
  };
  triton.options = {
      {"numerics", "triton|strict",
       "numerics mode of kernels: Triton's own contracts and approximates"},
      {"recover-views", "on|off", "off: pointer arithmetic stays as it is"}};
  triton.pipeline = [](const frontend::Options &options) {
    StringRef numerics = options.get("numerics", "triton");
    return numerics == "triton"
               ? std::string("convert-triton-to-tile")
               : ("convert-triton-to-tile{numerics=" + numerics + "}").str();
  };
  triton.improve = [](const frontend::Options &options) {
    // Bounds of loops decide comparisons that authors write to steer another
    // compiler, such as `if i >= 0`.
    std::string text = "canonicalize,cse,int-range-optimizations,"
                       "tile.kernel(tile-find-exchanges),canonicalize,cse";
    if (options.get("recover-views", "on") != "off")
      text += ",tile-vary-views,canonicalize,cse";
    return text;
  };
  frontend::FrontendRegistry::get().add(std::move(triton));
}
