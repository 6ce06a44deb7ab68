// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontend `linalg`.
#include "../TensorToPrim/Functions.h"
#include "kiln/Conversion/LinalgToPrim.h"
#include "kiln/Dialect/TmTensor/TmTensor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace kiln;

void kiln::registerLinalgFrontend() {
  frontend::Frontend linalg =
      tensor_to_prim::sharedFrontend("convert-linalg-to-prim");
  linalg.name = "linalg";
  linalg.help = "functions of linalg, and of tensor, memref, affine, scf and "
                "arith without it";
  linalg.match = [](const frontend::Contents &contents) {
    if (contents.uses("linalg") || contents.uses("tm_tensor"))
      return frontend::Match::Own;
    return contents.top("func.func") ? frontend::Match::Shared
                                     : frontend::Match::None;
  };
  linalg.registerDialects =
      [shared = linalg.registerDialects](DialectRegistry &registry) {
        shared(registry);
        registry.insert<linalg::LinalgDialect, quant::QuantDialect,
                        tosa::TosaDialect, tm_tensor::TmTensorDialect>();
      };
  frontend::FrontendRegistry::get().add(std::move(linalg));
}
