// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of kernels that are built, and what is stated about them.
#include "Check.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace kiln;

static const char *const kSource = R"(
program.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
  program.return
}
)";

/// A view that a kernel reads and writes is one parameter, whichever is first.
static void checkViews(bool writesFirst) {
  MLIRContext context;
  context.loadDialect<program::ProgramDialect, tile::TileDialect,
                      arith::ArithDialect, memref::MemRefDialect>();
  auto module = parseSourceString<ModuleOp>(kSource, &context);
  CHECK(module);
  if (!module)
    return;
  auto func = *module->getOps<program::FuncOp>().begin();
  OpBuilder builder(&func.getBody().front().front());
  schedule::HostProgramBuilder host(func, builder);
  auto bufferOf = [&](unsigned number) {
    return schedule::Buffer{func.getArgument(number), 0, {8}, {1}};
  };
  schedule::KernelBuilder kernel(host, func.getLoc(), "k");
  Value other = kernel.view(bufferOf(1), /*write=*/false);
  Value first = kernel.view(bufferOf(0), writesFirst);
  Value second = kernel.view(bufferOf(0), !writesFirst);
  CHECK(first == second && first != other);
  program::LaunchOp launch = kernel.finish("test");
  CHECK(launch.getArgs().size() == 2);
  CHECK(launch.getWrites() == ArrayRef<int64_t>{1});
  std::string facts;
  llvm::raw_string_ostream(facts) << kernel.kernel->getAttr("arg_attrs");
  CHECK_THAT(facts.find("readonly") < facts.find("noalias"), facts);
  CHECK_THAT(facts.find("readonly") == facts.rfind("readonly"), facts);
  CHECK(succeeded(verify(*module)));
}

void checkKernels() {
  checkViews(/*writesFirst=*/true);
  checkViews(/*writesFirst=*/false);
}
