//===- InlineAsm.cpp - Assembly of this machine on packs of elements ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/IR/InlineAsm.h"
#include "KernelEmitter.h"
#include "SmallFloats.h"
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

LogicalResult KernelEmitter::emitInlineAsm(tile::InlineAsmOp op) {
  if (auto unknown = op->getAttrOfType<StringAttr>(tile::kUntranslatedAttr))
    return decline("unsupported: inline assembly with " + unknown.getValue());
  llvm::Triple triple(description && !description.getTriple().empty()
                          ? description.getTriple()
                          : StringRef("x86_64-unknown-linux-gnu"));
  auto wanted = llvm::Triple(op.getIsa()).getArch();
  if (wanted != triple.getArch() || wanted == llvm::Triple::UnknownArch)
    return decline("its text is for '" + op.getIsa() + "', not for '" +
                   triple.getArchName() + "'");

  int64_t pack = op.getPack();
  // Elements share a register where they are narrower than 32 bits.
  auto sharing = [&](Type element) {
    return std::clamp<int64_t>(4 / storageBytes(element), 1, pack);
  };
  SmallVector<Type> operandTypes, resultTypes;
  auto addRegisters = [&](Type type, SmallVector<Type> &registers) {
    Type element = getElementTypeOrSelf(type);
    if (isa<tile::PtrType>(element))
      element = b.getI64Type();
    int64_t shared = sharing(element);
    registers.append(pack / shared, registerOf(b, element, shared));
  };
  for (Type type : op.getOperandTypes())
    addRegisters(type, operandTypes);
  for (Type type : op.getResultTypes())
    addRegisters(type, resultTypes);
  std::string problem =
      findProblem(op.getConstraints(), resultTypes, operandTypes);
  if (!problem.empty())
    return decline("the constraints do not fit " + Twine(resultTypes.size()) +
                   " results and " + Twine(operandTypes.size()) +
                   " operands in registers: " + problem);

  // Row-major memory, with room for a whole last pack.
  int64_t count = 1;
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op.getOperandTypes()),
                                SmallVector<Type>(op.getResultTypes())))
    if (auto tile = dyn_cast<RankedTensorType>(type))
      count = tile.getNumElements();
  int64_t rounded = llvm::alignTo(count, pack);
  auto scalarPlace = [&](Type type) {
    Type element = isa<tile::PtrType>(type) ? Type(b.getI64Type()) : type;
    return temporaryTile(RankedTensorType::get({rounded}, element), rounded);
  };
  SmallVector<TileBuffer> sources, targets;
  for (Value operand : op.getOperands()) {
    if (isTile(operand.getType())) {
      sources.push_back(materializeDense(operand, rounded));
      continue;
    }
    sources.push_back(scalarPlace(operand.getType()));
    Value value = scalar(operand);
    if (isa<tile::PtrType>(operand.getType()))
      value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
    LLVM::StoreOp::create(b, loc, toStorage(value), sources.back().base, 1);
  }
  for (Value result : op.getResults()) {
    if (!isTile(result.getType())) {
      targets.push_back(scalarPlace(result.getType()));
      continue;
    }
    auto type = cast<RankedTensorType>(result.getType());
    targets.push_back(result.use_empty() ? temporaryTile(type, rounded)
                                         : resultBuffer(result));
    if (!isDense(targets.back()))
      return decline("its results need storage without gaps");
  }

  freshLevels();
  int64_t packs = llvm::divideCeil(count, pack);
  forLoop(c64(0), c64(packs), 1, {}, false, [&](Coord iv, ValueRange) {
    Value first = mul(coordValue(iv), c64(pack));
    SmallVector<Value> registers;
    auto place = [&](const TileBuffer &buffer, int64_t i) {
      Value start = gep(buffer.base, first, buffer.elementType);
      return gep(start, c64(i), buffer.elementType);
    };
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
    return SmallVector<Value>();
  });
  for (auto [result, target] : llvm::zip_equal(op.getResults(), targets)) {
    if (isTile(result.getType())) {
      define(result, target);
      continue;
    }
    Type element = result.getType();
    bool isPointer = isa<tile::PtrType>(element);
    Value value = LLVM::LoadOp::create(
        b, loc, isPointer ? scalarType(element) : storageType(element),
        target.base, 1);
    mapping.map(result, isPointer ? value : fromStorage(value, element));
  }
  return success();
}
