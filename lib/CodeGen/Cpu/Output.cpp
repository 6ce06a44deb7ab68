//===- Output.cpp - What kernels tell the host ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln-c/Kernel.h"
#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/System/DType.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The address of a new constant of the module.
static Value constantGlobal(KernelEmitter &e, Operation *kernel, StringRef name,
                            Type type, Attribute value) {
  auto module = kernel->getParentOfType<ModuleOp>();
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(e.b, e.loc, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, name, value,
                                    /*alignment=*/8);
  }
  return LLVM::AddressOfOp::create(e.b, e.loc, global);
}

Value KernelEmitter::constantText(StringRef text) {
  std::string zeroEnded = text.str();
  zeroEnded.push_back(0);
  std::string name =
      (kernel.getSymName() + "_text" + Twine(tableCount++)).str();
  return constantGlobal(
      *this, kernel, name,
      LLVM::LLVMArrayType::get(b.getI8Type(), zeroEnded.size()),
      b.getStringAttr(zeroEnded));
}

Value KernelEmitter::constantWords(ArrayRef<int64_t> words) {
  std::string name =
      (kernel.getSymName() + "_words" + Twine(tableCount++)).str();
  return constantGlobal(*this, kernel, name,
                        LLVM::LLVMArrayType::get(b.getI64Type(), words.size()),
                        b.getI64TensorAttr(words));
}

void KernelEmitter::callRuntime(size_t field, Type result, ValueRange args,
                                llvm::function_ref<void(Value)> use) {
  Value runtime = entry->getArgument(4);
  Type pointer = runtime.getType();
  auto word = [&](Type type, int64_t offset) -> Value {
    return LLVM::LoadOp::create(b, loc, type,
                                gep(runtime, c64(offset), b.getI8Type()), 8);
  };
  Value size = word(b.getI64Type(), 0);
  Value covers = compare(arith::CmpIPredicate::ugt, size, c64(int64_t(field)));
  ifEnabled(covers, Type(), [&]() -> Value {
    Value function = word(pointer, int64_t(field));
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), function);
    Value isThere = compare(arith::CmpIPredicate::ne, address, c64(0));
    ifEnabled(isThere, Type(), [&]() -> Value {
      SmallVector<Type> types = {pointer};
      llvm::append_range(types, args.getTypes());
      SmallVector<Value> operands = {function, runtime};
      llvm::append_range(operands, args);
      auto type = LLVM::LLVMFunctionType::get(
          result ? result : LLVM::LLVMVoidType::get(b.getContext()), types);
      auto call = LLVM::CallOp::create(b, loc, type, operands);
      if (use)
        use(call.getResult());
      return {};
    });
    return {};
  });
}

void KernelEmitter::leave() { LeaveOp::create(b, loc); }

/// A message with the place in the source that it comes from.
static std::string locatedText(Location loc, StringRef message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  os << message;
  for (char &c : text)
    if (!llvm::isPrint(c))
      c = '?';
  return text;
}

static LogicalResult lowerAssert(tile::AssertOp op, KernelEmitter &e) {
  auto check = [&](Value holds) {
    Value always = e.constantOf(e.b.getI1Type(), e.b.getBoolAttr(true));
    Value fails = arith::XOrIOp::create(e.b, e.loc, holds, always);
    e.ifEnabled(fails, Type(), [&]() -> Value {
      Value text = e.constantText(locatedText(op.getLoc(), op.getMessage()));
      e.callRuntime(offsetof(KilnKernelRuntime, fault), Type(), text);
      e.leave();
      return {};
    });
  };
  Value condition = op.getCondition();
  if (!isTile(condition.getType())) {
    check(e.scalar(condition));
    return success();
  }
  e.freshLevels();
  auto shape = cast<RankedTensorType>(condition.getType()).getShape();
  Nest nest = e.nestOver(shape, condition, /*oneByOne=*/false);
  e.runNest(nest, [&](Point point, Value count) {
    Value holds = e.evaluate(condition, point);
    auto lanes = dyn_cast<VectorType>(holds.getType());
    if (lanes && count) {
      Value absent = arith::XOrIOp::create(
          e.b, e.loc, e.laneMask(count, point.lanes),
          arith::ConstantOp::create(e.b, e.loc,
                                    DenseElementsAttr::get(lanes, true)));
      holds = arith::OrIOp::create(e.b, e.loc, holds, absent);
    }
    if (lanes)
      holds = vector::ReductionOp::create(e.b, e.loc,
                                          vector::CombiningKind::AND, holds);
    check(holds);
  });
  return success();
}

static LogicalResult lowerPrint(tile::PrintOp op, KernelEmitter &e) {
  Value line = e.temporary(sizeof(KilnPrintedValue));
  auto set = [&](size_t field, Value value) {
    LLVM::StoreOp::create(e.b, e.loc, value,
                          e.gep(line, e.c64(int64_t(field)), e.b.getI8Type()),
                          8);
  };
  set(offsetof(KilnPrintedValue, structSize), e.c64(sizeof(KilnPrintedValue)));
  for (size_t d = 0; d < 3; ++d)
    set(offsetof(KilnPrintedValue, program) + d * sizeof(int64_t),
        e.programIds[d]);
  set(offsetof(KilnPrintedValue, prefix), e.constantText(op.getPrefix()));
  auto print = [&](runtime::DType dtype, int64_t flags, ArrayRef<int64_t> shape,
                   Value elements) {
    set(offsetof(KilnPrintedValue, dtype), e.c64(static_cast<int64_t>(dtype)));
    set(offsetof(KilnPrintedValue, flags), e.c64(flags));
    set(offsetof(KilnPrintedValue, rank), e.c64(int64_t(shape.size())));
    set(offsetof(KilnPrintedValue, shape),
        shape.empty() ? line : e.constantWords(shape));
    set(offsetof(KilnPrintedValue, elements), elements ? elements : line);
    e.callRuntime(offsetof(KilnKernelRuntime, print), Type(), line);
  };
  if (op.getOperands().empty())
    print(runtime::DType::none, KILN_PRINT_SCALAR, {}, Value());
  SmallVector<Type> types = tile::getPrintedTypes(op);
  for (auto [k, operand, type] : llvm::enumerate(op.getOperands(), types)) {
    bool isPointer = isa<tile::PtrType>(type);
    std::string name;
    llvm::raw_string_ostream(name) << type;
    runtime::DType dtype =
        isPointer ? runtime::DType::i64 : runtime::parseDType(name);
    if (dtype == runtime::DType::none)
      return e.decline("it prints values of type " + name);
    bool isUnsigned = op.getIsUnsigned() && k < op.getIsUnsigned()->size() &&
                      (*op.getIsUnsigned())[k];
    int64_t flags = (op.getHex() || isPointer ? KILN_PRINT_HEX : 0) |
                    (isUnsigned ? KILN_PRINT_UNSIGNED : 0);
    if (auto tile = dyn_cast<RankedTensorType>(operand.getType())) {
      TileBuffer rows = e.materializeDense(operand, tile.getNumElements());
      print(dtype, flags, tile.getShape(), rows.base);
      continue;
    }
    Value element = e.scalar(operand);
    if (isPointer)
      element = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), element);
    Value place = e.temporary(8);
    LLVM::StoreOp::create(e.b, e.loc, e.toStorage(element), place, 8);
    print(dtype, flags | KILN_PRINT_SCALAR, {}, place);
  }
  return success();
}

void cpu::addOutputLowerings(LoweringTable &table) {
  table.add<tile::AssertOp>(lowerAssert);
  table.add<tile::PrintOp>(lowerPrint);
}
