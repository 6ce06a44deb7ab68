// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontend `stablehlo`.
#include "../TensorToPrim/Functions.h"
#include "kiln/Conversion/StablehloToPrim.h"
#include "kiln/Dialect/Chlo/Chlo.h"
#include "kiln/Dialect/Stablehlo/Stablehlo.h"
#include "kiln/Dialect/Vhlo/Vhlo.h"

using namespace mlir;
using namespace kiln;

void kiln::registerStablehloFrontend() {
  frontend::Frontend stablehlo =
      tensor_to_prim::sharedFrontend("convert-stablehlo-to-prim");
  stablehlo.name = "stablehlo";
  stablehlo.help = "functions of StableHLO and CHLO";
  stablehlo.dialects = {"stablehlo", "chlo", "vhlo"};
  stablehlo.functions.push_back("vhlo.func_v1");
  stablehlo.registerDialects =
      [shared = stablehlo.registerDialects](DialectRegistry &registry) {
        shared(registry);
        registry.insert<stablehlo::StablehloDialect, chlo::ChloDialect,
                        vhlo::VhloDialect>();
      };
  frontend::FrontendRegistry::get().add(std::move(stablehlo));
}
