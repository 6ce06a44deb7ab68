//===- LowerOutput.cpp - Output, ends of threads, assembly ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LowerOps.h"
#include "device/Output.h"
#include "kiln/Gpu/OutputRecord.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

Value amd::callIntrinsic(OpBuilder &b, Location loc, Type type, StringRef name,
                         ValueRange operands) {
  std::string full =
      (name.starts_with("llvm.") ? "" : "llvm.amdgcn.") + name.str();
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(full),
                                       operands)
      .getResult(0);
}

/// The module's variable, which the device driver fills in.
static LLVM::GlobalOp outputVariable(ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(kOutputSymbol))
    return known;
  OpBuilder b(module.getBodyRegion());
  auto type = LLVM::LLVMArrayType::get(b.getI64Type(), 3);
  auto words = RankedTensorType::get({3}, b.getI64Type());
  auto variable = LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::External,
      kOutputSymbol, DenseElementsAttr::get(words, b.getI64IntegerAttr(0)),
      /*alignment=*/8, simt::kGlobal);
  // The driver finds it among the dynamic symbols; no other object has one.
  variable.setVisibility_(LLVM::Visibility::Protected);
  return variable;
}

void amd::lowerOutput(simt::OutputOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  LLVM::GlobalOp variable = outputVariable(op->getParentOfType<ModuleOp>());
  Type i64 = b.getI64Type();
  Value words = LLVM::AddressOfOp::create(b, loc, variable);
  auto at = [&](simt::OutputVariable word) -> Value {
    return LLVM::GEPOp::create(b, loc, words.getType(), i64, words,
                               ArrayRef<LLVM::GEPArg>{int32_t(word)});
  };
  auto load = [&](simt::OutputVariable word) -> Value {
    return LLVM::LoadOp::create(b, loc, i64, at(word), /*alignment=*/8,
                                /*isVolatile=*/true);
  };
  Value bytes =
      LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(op.getBytes()));
  Value begin = LLVM::AtomicRMWOp::create(
      b, loc, LLVM::AtomicBinOp::add, at(simt::kOutputUsed), bytes,
      LLVM::AtomicOrdering::monotonic, "agent");
  Value end = LLVM::AddOp::create(b, loc, begin, bytes);
  Value fits = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ule, end,
                                    load(simt::kOutputCapacity));
  Value place = LLVM::AddOp::create(b, loc, load(simt::kOutputAddress), begin);
  Value none = LLVM::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
  place = LLVM::SelectOp::create(b, loc, fits, place, none);
  op.replaceAllUsesWith(
      LLVM::IntToPtrOp::create(b, loc, op.getType(), place).getResult());
}

void amd::lowerStop(simt::StopOp op, OpBuilder &b) {
  LLVM::CallIntrinsicOp::create(
      b, op.getLoc(), b.getStringAttr("llvm.amdgcn.endpgm"), ValueRange());
}

LogicalResult amd::lowerInlineAsm(simt::InlineAsmOp op, OpBuilder &b) {
  if (op.getIsa() != "amdgcn" && !llvm::Triple(op.getIsa()).isAMDGCN())
    return op.emitError("unsupported: inline assembly of '")
           << op.getIsa() << "'";
  SmallVector<Type> types(op.getResultTypes()), results;
  if (types.size() == 1)
    results = types;
  else if (!types.empty())
    results.push_back(LLVM::LLVMStructType::getLiteral(b.getContext(), types));
  auto made = LLVM::InlineAsmOp::create(
      b, op.getLoc(), results, op.getOperands(), op.getText(),
      op.getConstraints(), /*has_side_effects=*/!op.getPure(),
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  if (types.size() == 1)
    op.getResult(0).replaceAllUsesWith(made.getResult(0));
  else
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      result.replaceAllUsesWith(LLVM::ExtractValueOp::create(
          b, op.getLoc(), made.getResult(0), int64_t(i)));
  return success();
}
