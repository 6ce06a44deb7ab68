// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontend `stablehlo`.
#include "../TensorToPrim/Functions.h"
#include "kiln/Conversion/StablehloToPrim.h"
#include "kiln/Dialect/Chlo/Chlo.h"
#include "kiln/Dialect/Sdy/Sdy.h"
#include "kiln/Dialect/Stablehlo/Stablehlo.h"
#include "kiln/Dialect/Vhlo/Vhlo.h"

#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace kiln;

/// A portable artifact's functions call each other by text, so that nothing
/// sees what they need before they are functions of StableHLO.
static OwningOpRef<ModuleOp> readArtifact(llvm::MemoryBufferRef input,
                                          MLIRContext *context) {
  ParserConfig config(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      input.getBuffer(), config, input.getBufferIdentifier());
  if (!module || failed(vhlo::convertToStablehlo(*module)))
    return {};
  return module;
}

/// A program that only hands on its arguments has no operation of StableHLO;
/// then what frameworks say about their modules tells it.
static frontend::Match matchOf(const frontend::Contents &contents) {
  auto uses = [&](StringRef dialect) { return contents.uses(dialect); };
  auto isOurs = [](NamedAttribute attribute) {
    return attribute.getName().strref().starts_with("mhlo.");
  };
  bool found =
      llvm::any_of(ArrayRef<StringRef>{"stablehlo", "chlo", "vhlo", "sdy"},
                   uses) ||
      llvm::any_of(contents.module()->getAttrs(), isOurs);
  return found ? frontend::Match::Own : frontend::Match::None;
}

void kiln::registerStablehloFrontend() {
  frontend::Frontend stablehlo =
      tensor_to_prim::sharedFrontend("convert-stablehlo-to-prim");
  stablehlo.name = "stablehlo";
  stablehlo.help = "functions of StableHLO and CHLO";
  stablehlo.match = matchOf;
  stablehlo.options.push_back(
      {"windows", "whole",
       "drops scattered windows that are partly outside, as XLA does"});
  stablehlo.pipeline = [](const frontend::Options &options) {
    return tensor_to_prim::pipelineOf("convert-stablehlo-to-prim", options,
                                      {"windows"});
  };
  // Bytecode of version 6, as every artifact of StableHLO 1.x is.
  stablehlo.magic = "ML\xEFR\x0DStableHLO_v";
  stablehlo.read = readArtifact;
  stablehlo.registerDialects =
      [shared = stablehlo.registerDialects](DialectRegistry &registry) {
        shared(registry);
        registry.insert<stablehlo::StablehloDialect, chlo::ChloDialect,
                        vhlo::VhloDialect, sdy::SdyDialect>();
      };
  frontend::FrontendRegistry::get().add(std::move(stablehlo));
}
