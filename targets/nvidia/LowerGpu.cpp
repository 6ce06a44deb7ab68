//===- LowerGpu.cpp - Threads in the llvm dialect -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the code of threads in order of the program. It replaces each
// operation by itself, as all that it works on are scalars.
//
//===----------------------------------------------------------------------===//

#include "LowerScalars.h"
#include "Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

Type nvidia::lowered(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    Type element = lowered(vector.getElementType());
    return element && vector.getRank() == 1 && !vector.isScalable()
               ? vector.clone(element)
               : Type();
  }
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  if (auto number = dyn_cast<FloatType>(type); number && number.getWidth() <= 8)
    return IntegerType::get(type.getContext(), number.getWidth());
  return LLVM::isCompatibleType(type) ? type : Type();
}

namespace {
/// Whether tables of lines find a place in a file.
bool hasPlace(Location loc) {
  if (auto site = dyn_cast<CallSiteLoc>(loc))
    return hasPlace(site.getCaller());
  if (auto name = dyn_cast<NameLoc>(loc))
    return hasPlace(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    return llvm::any_of(fused.getLocations(), hasPlace);
  return isa<FileLineColLoc>(loc);
}

/// What was inlined and has no place of its own stands where it was called.
Location placed(Location loc) {
  auto site = dyn_cast<CallSiteLoc>(loc);
  return site && !hasPlace(site.getCallee()) ? placed(site.getCaller()) : loc;
}

/// Several results become one struct.
Type packedResult(ArrayRef<Type> types, MLIRContext *context) {
  if (types.empty())
    return LLVM::LLVMVoidType::get(context);
  return types.size() == 1 ? types[0]
                           : LLVM::LLVMStructType::getLiteral(context, types);
}

LogicalResult lowerReturn(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  if (op->getNumOperands() < 2) {
    LLVM::ReturnOp::create(b, loc, op->getOperands());
    return success();
  }
  Value all = LLVM::PoisonOp::create(
      b, loc,
      packedResult(llvm::to_vector(op->getOperandTypes()), b.getContext()));
  for (auto [i, value] : llvm::enumerate(op->getOperands()))
    all = LLVM::InsertValueOp::create(b, loc, all, value, int64_t(i));
  LLVM::ReturnOp::create(b, loc, all);
  return success();
}

LogicalResult lowerCall(Operation *op, OpBuilder &b) {
  auto call = cast<func::CallOp>(op);
  Location loc = op->getLoc();
  SmallVector<Type> results;
  if (op->getNumResults())
    results.push_back(
        packedResult(llvm::to_vector(op->getResultTypes()), b.getContext()));
  auto made = LLVM::CallOp::create(b, loc, results, call.getCallee(),
                                   op->getOperands());
  if (op->getNumResults() == 1)
    op->getResult(0).replaceAllUsesWith(made.getResult());
  else
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      result.replaceAllUsesWith(
          LLVM::ExtractValueOp::create(b, loc, made.getResult(), int64_t(i)));
  return success();
}

LogicalResult lowerBranch(Operation *op, OpBuilder &b) {
  auto branch = cast<cf::BranchOp>(op);
  auto made = LLVM::BrOp::create(b, op->getLoc(), branch.getDestOperands(),
                                 branch.getDest());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return success();
}

LogicalResult lowerConditionalBranch(Operation *op, OpBuilder &b) {
  auto branch = cast<cf::CondBranchOp>(op);
  auto made = LLVM::CondBrOp::create(
      b, op->getLoc(), branch.getCondition(), branch.getTrueDest(),
      branch.getTrueDestOperands(), branch.getFalseDest(),
      branch.getFalseDestOperands());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return success();
}

LogicalResult lowerSwitch(Operation *op, OpBuilder &b) {
  auto from = cast<cf::SwitchOp>(op);
  SmallVector<ValueRange> operands(from.getCaseOperands().begin(),
                                   from.getCaseOperands().end());
  LLVM::SwitchOp::create(b, op->getLoc(), from.getFlag(),
                         from.getDefaultDestination(),
                         from.getDefaultOperands(), from.getCaseValuesAttr(),
                         from.getCaseDestinations(), operands);
  return success();
}

struct LowerGpu : PassWrapper<LowerGpu, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerGpu)
  StringRef getName() const final { return "NvidiaLowerGpu"; }
  StringRef getArgument() const final { return "nvidia-lower-gpu"; }
  StringRef getDescription() const final {
    return "Lowers thread code to the llvm dialect";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }
  LogicalResult initialize(MLIRContext *) override {
    addArithLowerings(table);
    addControlLowerings(table);
    addGpuLowerings(table);
    return success();
  }

  void runOnOperation() override {
    for (Operation &op :
         llvm::make_early_inc_range(*getOperation().getBody())) {
      LLVM::LLVMFuncOp function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (auto from = dyn_cast<func::FuncOp>(op)) {
        function = convert(from);
        if (!function)
          return signalPassFailure();
      }
      if (function && failed(lower(function)))
        return signalPassFailure();
    }
  }

private:
  LLVM::LLVMFuncOp convert(func::FuncOp from);
  LogicalResult lower(LLVM::LLVMFuncOp function);
  LogicalResult retype(Value value);

  ScalarTable table;
};
} // namespace

LLVM::LLVMFuncOp LowerGpu::convert(func::FuncOp from) {
  SmallVector<Type> arguments, results;
  for (auto [types, into] : {std::pair(from.getArgumentTypes(), &arguments),
                             std::pair(from.getResultTypes(), &results)})
    for (Type type : types) {
      into->push_back(lowered(type));
      if (!into->back()) {
        from.emitOpError("unsupported: a value of type ") << type;
        return nullptr;
      }
    }
  OpBuilder b(from);
  auto type = LLVM::LLVMFunctionType::get(packedResult(results, &getContext()),
                                          arguments);
  bool isOwn = from.isPrivate() && !from.isDeclaration();
  auto to = LLVM::LLVMFuncOp::create(b, from.getLoc(), from.getSymName(), type,
                                     isOwn ? LLVM::Linkage::Internal
                                           : LLVM::Linkage::External);
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
  if (ArrayAttr attrs = from.getArgAttrsAttr())
    to.setArgAttrsAttr(attrs);
  to.getBody().takeBody(from.getBody());
  from.erase();
  return to;
}

LogicalResult LowerGpu::retype(Value value) {
  Type type = lowered(value.getType());
  if (!type)
    return emitError(value.getLoc(), "unsupported: a value of type ")
           << value.getType() << " in the code of a thread";
  value.setType(type);
  return success();
}

LogicalResult LowerGpu::lower(LLVM::LLVMFuncOp function) {
  if (flushesSubnormals(function))
    function.setDenormalFpMathF32("preserve-sign,preserve-sign");
  Dialect *llvm = getContext().getLoadedDialect<LLVM::LLVMDialect>();
  Dialect *nvvm = getContext().getLoadedDialect<NVVM::NVVMDialect>();
  for (Block &block : function.getBody()) {
    for (Value argument : block.getArguments())
      if (failed(retype(argument)))
        return failure();
    for (Operation &op : block) {
      op.setLoc(placed(op.getLoc()));
      for (Value result : op.getResults())
        if (failed(retype(result)))
          return failure();
    }
  }
  OpBuilder b(&getContext());
  for (Block &block : function.getBody())
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.getDialect() == llvm || op.getDialect() == nvvm)
        continue;
      auto found = table.find(op.getName().getTypeID());
      if (found == table.end())
        return op.emitError("unsupported: no code for '")
               << op.getName() << "' in the code of a thread";
      b.setInsertionPoint(&op);
      if (failed(found->second(&op, b)))
        return failure();
      op.erase();
    }
  return success();
}

void nvidia::addControlLowerings(ScalarTable &table) {
  table[TypeID::get<func::ReturnOp>()] = lowerReturn;
  table[TypeID::get<func::CallOp>()] = lowerCall;
  table[TypeID::get<cf::BranchOp>()] = lowerBranch;
  table[TypeID::get<cf::CondBranchOp>()] = lowerConditionalBranch;
  table[TypeID::get<cf::SwitchOp>()] = lowerSwitch;
}

std::unique_ptr<Pass> nvidia::createLowerGpuPass() {
  return std::make_unique<LowerGpu>();
}
