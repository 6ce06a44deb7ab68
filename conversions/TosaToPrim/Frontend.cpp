// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontend `tosa`.
#include "../TensorToPrim/Functions.h"
#include "kiln/Conversion/TosaToPrim.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace kiln;

void kiln::registerTosaFrontend() {
  frontend::Frontend tosa =
      tensor_to_prim::sharedFrontend("convert-tosa-to-prim");
  tosa.name = "tosa";
  tosa.help = "functions of TOSA";
  // What is half lowered to linalg is for the frontend of linalg.
  tosa.match = [](const frontend::Contents &contents) {
    return contents.uses("tosa") && !contents.uses("linalg")
               ? frontend::Match::Own
               : frontend::Match::None;
  };
  tosa.registerDialects =
      [shared = tosa.registerDialects](DialectRegistry &registry) {
        shared(registry);
        registry.insert<quant::QuantDialect, tosa::TosaDialect>();
      };
  frontend::FrontendRegistry::get().add(std::move(tosa));
}
