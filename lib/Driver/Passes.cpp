//===- Passes.cpp - Steps of the driver between the levels ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Driver/Passes.h"
#include "Domains.h"
#include "Kernels.h"
#include "Specs.h"
#include "kiln/Dialect/Kiln/Asked.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Target/Passes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::driver {
#define GEN_PASS_DEF_INFERDOMAINS
#define GEN_PASS_DEF_ISOLATEKERNELS
#define GEN_PASS_DEF_PLACEKERNELS
#define GEN_PASS_DEF_SETNUMERICS
#include "kiln/Driver/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kiln/Driver/Passes.h.inc"
} // namespace kiln::driver

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;

namespace {
struct InferDomainsPass
    : public driver::impl::InferDomainsBase<InferDomainsPass> {
  void runOnOperation() override { inferDomains(getOperation()); }
};

struct SetNumericsPass : public driver::impl::SetNumericsBase<SetNumericsPass> {
  using SetNumericsBase::SetNumericsBase;

  void runOnOperation() override {
    for (const std::string &mode : modes)
      if (!llvm::is_contained(
              {"strict", "contract", "approx", "ftz", "reassoc"},
              StringRef(mode))) {
        getOperation().emitError("expected modes of contract, approx, ftz, "
                                 "reassoc or strict, found '")
            << mode << "'";
        return signalPassFailure();
      }
    auto has = [&](StringRef name) { return llvm::is_contained(modes, name); };
    auto mode =
        tile::NumericsAttr::get(&getContext(), has("contract"), has("approx"),
                                has("ftz"), has("reassoc"));
    if (!modes.empty() && !has("reassoc"))
      target::ask(getOperation(), "keep_order", UnitAttr::get(&getContext()),
                  getOperation().getLoc());
    if (allowTf32) {
      allowOn<prim::DotGeneralOp>();
      allowOn<prim::ConvOp>();
    }
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      if (!kernel.getNumericsAttr() && !modes.empty())
        kernel.setNumericsAttr(mode);
      if (allowTf32)
        kernel.walk([](MatrixProductOpInterface product) {
          Type type = product.getLhsOperand().get().getType();
          if (getElementTypeOrSelf(type).isF32() &&
              product.getProductPrecision() == ProductPrecision::IEEE)
            (void)product.setProductPrecision(ProductPrecision::TF32);
        });
    }
  }

private:
  /// Lets prims read operands of f32 as tf32.
  template <typename Op> void allowOn() {
    getOperation().walk([](Op op) {
      if (llvm::all_of(op->getOperandTypes(), [](Type type) {
            return getElementTypeOrSelf(type).isF32();
          }))
        op.setPrecision(prim::Precision::tf32);
    });
  }
};

struct IsolateKernelsPass
    : public driver::impl::IsolateKernelsBase<IsolateKernelsPass> {
  using IsolateKernelsBase::IsolateKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (forTarget)
      nameOrigins(module);
    else
      module->setAttrs(DictionaryAttr::get(&getContext()));
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(*module.getBody())))
      if (isa<tile::KernelOp>(op))
        SymbolTable::setSymbolVisibility(&op, SymbolTable::Visibility::Public);
      else
        op.erase();
  }
};

/// What `compileKernels` decides, without what it compiles.
struct PlaceKernelsPass
    : public driver::impl::PlaceKernelsBase<PlaceKernelsPass> {
  using PlaceKernelsBase::PlaceKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    PlaceKernelsBase::getDependentDialects(registry);
    // Every target's pipeline may run.
    target::createTargetPipelinePass()->getDependentDialects(registry);
  }

  void runOnOperation() override {
    SmallVector<target::BoundTarget> bound;
    if (targets.empty()) {
      bound.push_back(
          target::TargetRegistry::get().boundTarget(getOperation()));
      if (!bound.front()) {
        getOperation().emitError("expected the option targets=SPEC of "
                                 "kiln-place-kernels, or a module that "
                                 "kiln-set-target has bound");
        return signalPassFailure();
      }
    }
    for (StringRef spec : targets.empty() ? SmallVector<StringRef>()
                                          : splitSpecs(targets.getValue())) {
      bound.push_back(target::TargetRegistry::get().bind(spec, &getContext()));
      if (!bound.back())
        return signalPassFailure();
    }
    DiagnosticPrinter printer(
        &getContext(), [](StringRef line) { llvm::errs() << line << "\n"; });
    TimingScope timing;
    LoweringPlan plan;
    plan.noFallback = noFallback;
    CompiledKernels kernels;
    if (failed(compileKernels(getOperation(), bound, printer, timing, plan,
                              kernels)))
      signalPassFailure();
  }
};
} // namespace

void kiln::driver::registerDriverPasses() { registerKilnDriverPasses(); }
