//===- InlineAsm.cpp - Assembly of this machine on packs of elements ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/IR/InlineAsm.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The register that holds `shared` elements, which take `bytes` each.
static Type registerOf(OpBuilder &b, Type element, int64_t shared) {
  if (shared > 1)
    return b.getIntegerType(shared * KernelEmitter::storageBytes(element) * 8);
  return KernelEmitter::storageType(element);
}

/// What LLVM has against the constraints; empty if nothing.
static std::string findProblem(StringRef constraints, ArrayRef<Type> results,
                               ArrayRef<Type> operands) {
  llvm::LLVMContext context;
  auto convert = [&](Type type) -> llvm::Type * {
    if (type.isF32())
      return llvm::Type::getFloatTy(context);
    if (type.isF64())
      return llvm::Type::getDoubleTy(context);
    if (type.isIntOrFloat())
      return llvm::Type::getIntNTy(context, type.getIntOrFloatBitWidth());
    return llvm::PointerType::get(context, 0);
  };
  SmallVector<llvm::Type *> params, outputs;
  for (Type type : operands)
    params.push_back(convert(type));
  for (Type type : results)
    outputs.push_back(convert(type));
  llvm::Type *output = outputs.empty() ? llvm::Type::getVoidTy(context)
                       : outputs.size() == 1
                           ? outputs.front()
                           : llvm::StructType::get(context, outputs);
  llvm::Error error = llvm::InlineAsm::verify(
      llvm::FunctionType::get(output, params, /*isVarArg=*/false), constraints);
  return error ? llvm::toString(std::move(error)) : "";
}

namespace {
/// Assembly that runs once for each pack of elements.
class PackedAsm {
public:
  PackedAsm(tile::InlineAsmOp op, KernelEmitter &e)
      : op(op), e(e), pack(op.getPack()) {}
  LogicalResult emit();

private:
  /// How many elements share a register: several where they are narrower than
  /// 32 bits.
  int64_t sharing(Type element) const {
    return std::clamp<int64_t>(4 / KernelEmitter::storageBytes(element), 1,
                               pack);
  }
  LogicalResult checkMachine();
  LogicalResult checkRegisters();
  void addRegisters(Type type, SmallVector<Type> &registers);
  /// Gives operands and results row-major memory, with room for a whole last
  /// pack.
  LogicalResult findMemory();
  TileBuffer scalarPlace(Type type);
  void emitPack(Value first);
  void defineResult(Value result, const TileBuffer &target);

  tile::InlineAsmOp op;
  KernelEmitter &e;
  int64_t pack, count = 1, rounded = 1;
  SmallVector<Type> operandTypes, resultTypes; ///< of registers
  SmallVector<TileBuffer> sources, targets;
};
} // namespace

LogicalResult PackedAsm::checkMachine() {
  if (std::optional<StringRef> unknown = op.getUntranslated())
    return e.decline("unsupported: inline assembly with " + *unknown);
  llvm::Triple triple(e.description && !e.description.getTriple().empty()
                          ? e.description.getTriple()
                          : StringRef("x86_64-unknown-linux-gnu"));
  auto wanted = llvm::Triple(op.getIsa()).getArch();
  if (wanted != triple.getArch() || wanted == llvm::Triple::UnknownArch)
    return e.decline("its text is for '" + op.getIsa() + "', not for '" +
                     triple.getArchName() + "'");
  return success();
}

void PackedAsm::addRegisters(Type type, SmallVector<Type> &registers) {
  Type element = getElementTypeOrSelf(type);
  if (isa<tile::PtrType>(element))
    element = e.b.getI64Type();
  int64_t shared = sharing(element);
  registers.append(pack / shared, registerOf(e.b, element, shared));
}

LogicalResult PackedAsm::checkRegisters() {
  for (Type type : op.getOperandTypes())
    addRegisters(type, operandTypes);
  for (Type type : op.getResultTypes())
    addRegisters(type, resultTypes);
  std::string problem =
      findProblem(op.getConstraints(), resultTypes, operandTypes);
  if (!problem.empty())
    return e.decline("the constraints do not fit " + Twine(resultTypes.size()) +
                     " results and " + Twine(operandTypes.size()) +
                     " operands in registers: " + problem);
  return success();
}

TileBuffer PackedAsm::scalarPlace(Type type) {
  Type element = isa<tile::PtrType>(type) ? Type(e.b.getI64Type()) : type;
  return e.temporaryTile(RankedTensorType::get({rounded}, element), rounded);
}

LogicalResult PackedAsm::findMemory() {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op.getOperandTypes()),
                                SmallVector<Type>(op.getResultTypes())))
    if (auto tile = dyn_cast<RankedTensorType>(type))
      count = tile.getNumElements();
  rounded = llvm::alignTo(count, pack);
  for (Value operand : op.getOperands()) {
    if (isTile(operand.getType())) {
      sources.push_back(e.materializeDense(operand, rounded));
      continue;
    }
    sources.push_back(scalarPlace(operand.getType()));
    Value value = e.scalar(operand);
    if (isa<tile::PtrType>(operand.getType()))
      value = LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), value);
    LLVM::StoreOp::create(e.b, e.loc, e.toStorage(value), sources.back().base,
                          1);
  }
  for (Value result : op.getResults()) {
    if (!isTile(result.getType())) {
      targets.push_back(scalarPlace(result.getType()));
      continue;
    }
    auto type = cast<RankedTensorType>(result.getType());
    targets.push_back(result.use_empty() ? e.temporaryTile(type, rounded)
                                         : e.resultBuffer(result));
    if (!isDense(targets.back()))
      return e.decline("its results need storage without gaps");
  }
  return success();
}

void PackedAsm::emitPack(Value first) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  auto place = [&](const TileBuffer &buffer, int64_t i) {
    Value start = e.gep(buffer.base, first, buffer.elementType);
    return e.gep(start, e.c64(i), buffer.elementType);
  };
  SmallVector<Value> registers;
  for (const TileBuffer &source : sources) {
    int64_t shared = sharing(source.elementType);
    for (int64_t i = 0; i < pack; i += shared)
      registers.push_back(LLVM::LoadOp::create(
          b, loc, registerOf(b, source.elementType, shared), place(source, i),
          1));
  }
  SmallVector<Type> outputs;
  if (resultTypes.size() == 1)
    outputs = resultTypes;
  else if (!resultTypes.empty())
    outputs.push_back(
        LLVM::LLVMStructType::getLiteral(b.getContext(), resultTypes));
  auto code = LLVM::InlineAsmOp::create(
      b, loc, outputs, registers, op.getText(), op.getConstraints(),
      /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  int64_t next = 0;
  for (const TileBuffer &target : targets) {
    int64_t shared = sharing(target.elementType);
    for (int64_t i = 0; i < pack; i += shared, ++next) {
      Value value = code->getResult(0);
      if (resultTypes.size() > 1)
        value = LLVM::ExtractValueOp::create(b, loc, value, next);
      LLVM::StoreOp::create(b, loc, value, place(target, i), 1);
    }
  }
}

void PackedAsm::defineResult(Value result, const TileBuffer &target) {
  if (isTile(result.getType()))
    return e.define(result, target);
  Type element = result.getType();
  bool isPointer = isa<tile::PtrType>(element);
  Value value = LLVM::LoadOp::create(
      e.b, e.loc,
      isPointer ? e.scalarType(element) : KernelEmitter::storageType(element),
      target.base, 1);
  e.mapping.map(result, isPointer ? value : e.fromStorage(value, element));
}

LogicalResult PackedAsm::emit() {
  if (failed(checkMachine()) || failed(checkRegisters()) ||
      failed(findMemory()))
    return failure();
  e.freshLevels();
  int64_t packs = llvm::divideCeil(count, pack);
  e.forLoop(e.c64(0), e.c64(packs), 1, {}, false, [&](Coord iv, ValueRange) {
    emitPack(e.mul(e.coordValue(iv), e.c64(pack)));
    return SmallVector<Value>();
  });
  for (auto [result, target] : llvm::zip_equal(op.getResults(), targets))
    defineResult(result, target);
  return success();
}

static LogicalResult lowerInlineAsm(tile::InlineAsmOp op, KernelEmitter &e) {
  return PackedAsm(op, e).emit();
}

void cpu::addInlineAsmLowerings(LoweringTable &table) {
  table.add<tile::InlineAsmOp>(lowerInlineAsm);
}
