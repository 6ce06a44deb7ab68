// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plug-in that asks for traits of MLIR's and of Kiln's operations while it
// is registered, and throws where one is missing.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <stdexcept>

template <template <typename> class Trait>
static void expect(mlir::MLIRContext &context, const char *operation) {
  auto name = mlir::RegisteredOperationName::lookup(operation, &context);
  if (!name || !name->hasTrait<Trait>())
    throw std::runtime_error(std::string(operation) + " lacks a trait");
}

static void registerAll(kiln::target::TargetRegistry &registry) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, kiln::tile::TileDialect>();
  expect<mlir::OpTrait::Elementwise>(context, "arith.addf");
  expect<mlir::OpTrait::NOperands<2>::Impl>(context, "arith.addf");
  expect<mlir::OpTrait::IsTerminator>(context, "tile.return");
  expect<mlir::OpTrait::HasParent<kiln::tile::KernelOp>::Impl>(context,
                                                               "tile.return");
  registry.addOption("cpu", {"compiled-elsewhere", "on|off", "for a test"});
}
KILN_TARGET_PLUGIN("elsewhere", "1.0", registerAll)
