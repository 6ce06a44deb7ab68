// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontend `onnx`.
#include "../OnnxFile/Import.h"
#include "../TensorToPrim/Functions.h"
#include "kiln/Conversion/OnnxToPrim.h"
#include "kiln/Dialect/Torch/Torch.h"

using namespace mlir;
using namespace kiln;

/// A model that only hands on its inputs has the importer's attributes.
static frontend::Match matchOf(const frontend::Contents &contents) {
  auto isOurs = [](NamedAttribute attribute) {
    return attribute.getName().strref().starts_with("torch.onnx_meta.");
  };
  bool found = contents.uses("torch");
  for (auto fn : contents.module()->getRegion(0).front().getOps<func::FuncOp>())
    found |= llvm::any_of(fn->getAttrs(), isOurs);
  return found ? frontend::Match::Own : frontend::Match::None;
}

void kiln::registerOnnxFrontend() {
  frontend::Frontend onnx =
      tensor_to_prim::sharedFrontend("convert-onnx-to-prim");
  onnx.name = "onnx";
  onnx.help = "models of ONNX: files, and what torch-mlir imports";
  onnx.match = matchOf;
  // The number of the first field, the version of ONNX's IR.
  onnx.magic = "\x08";
  onnx.read = onnx_file::importModel;
  onnx.options.push_back(
      {"lengths", "NAME:N+NAME:NxRANK",
       "how long sequences among the arguments are; 0 or 1 of optionals"});
  onnx.options.push_back({"fixed", "NAME:N+NAME:NxN",
                          "arguments of integers that become constants"});
  onnx.pipeline = [](const frontend::Options &options) {
    return tensor_to_prim::pipelineOf("convert-onnx-to-prim", options,
                                      {"lengths", "fixed"});
  };
  onnx.suffixes = {".onnx"};
  onnx.registerDialects =
      [shared = onnx.registerDialects](DialectRegistry &registry) {
        shared(registry);
        registry.insert<torch::TorchDialect>();
      };
  frontend::FrontendRegistry::get().add(std::move(onnx));
}
