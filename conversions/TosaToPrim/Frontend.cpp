// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frontends of functions on tensors.
#include "kiln/Frontend/Frontend.h"
#include "kiln/Conversion/TosaToPrim.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using frontend::Contents;
using frontend::Match;

/// What both frontends take of the command line.
static std::vector<frontend::OptionInfo> sharedOptions() {
  return {{"elided", "zeros|random",
           "stands for elements of constants that the file leaves out"}};
}

static std::string pipelineOf(const frontend::Options &options) {
  std::string inside;
  if (!options.entries.empty())
    inside = "entry=" + llvm::join(options.entries, ",");
  if (StringRef elided = options.get("elided"); !elided.empty())
    inside += (inside.empty() ? "elided=" : " elided=") + elided.str();
  std::string text = "convert-tosa-to-prim";
  if (!inside.empty())
    text += "{" + inside + "}";
  // Globals that became constants are needed no more.
  return text + ",kiln-keep-entries";
}

static frontend::Frontend sharedFrontend() {
  frontend::Frontend shared;
  shared.functions = {"func.func"};
  shared.options = sharedOptions();
  shared.pipeline = pipelineOf;
  shared.registerDialects = [](DialectRegistry &registry) {
    registry.insert<affine::AffineDialect, linalg::LinalgDialect,
                    ml_program::MLProgramDialect, quant::QuantDialect,
                    tosa::TosaDialect, ub::UBDialect, vector::VectorDialect>();
  };
  return shared;
}

void kiln::registerTosaFrontend() {
  frontend::Frontend tosa = sharedFrontend();
  tosa.name = "tosa";
  tosa.help = "functions of TOSA";
  // Half of a lowering to linalg is for the frontend of linalg.
  tosa.match = [](const Contents &contents) {
    return contents.uses("tosa") && !contents.uses("linalg") ? Match::Own
                                                             : Match::None;
  };
  frontend::FrontendRegistry::get().add(std::move(tosa));
}

void kiln::registerLinalgFrontend() {
  frontend::Frontend linalg = sharedFrontend();
  linalg.name = "linalg";
  linalg.help = "functions of linalg, and of tensor, memref, affine, scf and "
                "arith without it; TOSA may be left among them";
  linalg.match = [](const Contents &contents) {
    if (contents.uses("linalg"))
      return Match::Own;
    return contents.top("func.func") ? Match::Shared : Match::None;
  };
  frontend::FrontendRegistry::get().add(std::move(linalg));
}
