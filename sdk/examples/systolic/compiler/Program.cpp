// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as words of the machine, see device/Isa.h.
#include "../device/Isa.h"
#include "SystolicDialect.h"
#include "kiln/Target/LinearCode.h"

using namespace mlir;
using namespace kiln;
using namespace systolic;

/// The machine's type of elements.
static FailureOr<int64_t> typeOf(mlir::Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  const auto *found = llvm::find(kTypes, name == "index" ? "i64" : name);
  return found == std::end(kTypes) ? FailureOr<int64_t>(failure())
                                   : found - kTypes;
}

namespace {

class Writer : public target::LinearCode {
public:
  LogicalResult run(tile::KernelOp kernel, std::vector<uint64_t> &module,
                    raw_ostream &text) {
    for (unsigned file : {0, 1})
      newRegister(file); // for operands that an instruction lacks
    for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments()))
      if (!isa<tile::ViewType>(argument.getType()))
        add(In_parameter, {reg(argument), int64_t(i)});
    if (failed(writeBlock(kernel.getBody().front())))
      return failure();
    if (used(0) > kMaxRegisters || used(1) > kMaxRegisters)
      return target::emitUnsupported(kernel, "more values than registers");
    StringRef name = kernel.getSymName();
    module.push_back(name.size());
    size_t at = module.size();
    module.resize(at + (name.size() + 7) / 8);
    memcpy(module.data() + at, name.data(), name.size());
    for (int64_t number : {used(0), used(1), rings, int64_t(words.size())})
      module.push_back(number);
    module.insert(module.end(), words.begin(), words.end());
    print(text);
    return success();
  }

private:
  /// Writes an instruction; gives the place of its last operand.
  size_t add(Code code, ArrayRef<int64_t> operands) {
    int64_t head[] = {code, int64_t(operands.size())};
    return append(kInstructions[code], head, operands);
  }
  unsigned fileOf(mlir::Type type) const override {
    return isa<VectorType>(type);
  }
  void writeMove(unsigned file, int64_t to, int64_t from) override {
    add(file ? In_copy : In_move, {to, from});
  }
  void writeLess(int64_t to, int64_t a, int64_t b) override {
    add(In_scalar,
        {Fn_cmpi, int64_t(arith::CmpIPredicate::slt), i1, i64, to, a, b, 0});
  }
  void writeAdd(int64_t to, int64_t a, int64_t b) override {
    add(In_scalar, {Fn_addi, 0, i64, i64, to, a, b, 0});
  }
  size_t writeJump() override { return add(In_jump, {0}); }
  size_t writeJumpUnless(int64_t condition) override {
    return add(In_jump_zero, {condition, 0});
  }

  LogicalResult write(Operation *op) override {
    StringRef dialect = op->getDialect()->getNamespace();
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return writeConstant(constant);
    if (dialect == "arith" || dialect == "math")
      return writeFunction(op);
    return writeOwn(op);
  }

  LogicalResult writeConstant(arith::ConstantOp constant) {
    Attribute value = constant.getValue();
    auto lanes = dyn_cast<DenseElementsAttr>(value);
    if (lanes)
      value = lanes.getSplatValue<Attribute>();
    auto number = dyn_cast<FloatAttr>(value);
    APInt bits = number ? number.getValue().bitcastToAPInt()
                        : cast<IntegerAttr>(value).getValue();
    if (bits.getBitWidth() > 64 || failed(typeOf(constant.getType())))
      return lack(constant);
    int64_t scalar = lanes ? newRegister() : reg(constant);
    add(In_constant, {scalar, int64_t(bits.getZExtValue())});
    if (lanes)
      add(In_splat, {reg(constant), scalar, *typeOf(constant.getType()),
                     lanes.getNumElements()});
    return success();
  }

  /// Operations of the dialect, and what tile has of scalars.
  LogicalResult writeOwn(Operation *op) {
    const auto *name = llvm::find(kInstructions, op->getName().stripDialect());
    if (name == std::end(kInstructions))
      return lack(op);
    Code code = Code(name - kInstructions);
    if (isa<tile::ProgramIdOp, tile::NumProgramsOp>(op)) {
      for (OpResult id : op->getResults())
        add(code, {reg(id), id.getResultNumber()});
      return success();
    }
    SmallVector<int64_t> operands;
    auto addType = [&](mlir::Type type) {
      FailureOr<int64_t> known = typeOf(type);
      operands.push_back(known.value_or(0));
      return known;
    };
    for (Value result : op->getResults())
      operands.push_back(reg(result));
    for (NamedAttribute named : op->getAttrs()) {
      if (auto array = dyn_cast<DenseI64ArrayAttr>(named.getValue()))
        llvm::append_range(operands, array.asArrayRef());
      else if (auto number = dyn_cast<IntegerAttr>(named.getValue()))
        operands.push_back(number.getInt());
      else if (failed(addType(cast<TypeAttr>(named.getValue()).getValue())))
        return lack(op);
      if (named.getName() == "ring")
        rings = std::max(rings, operands.back() + 1);
    }
    VectorType lanes;
    for (mlir::Type type : op->getResultTypes())
      lanes = dyn_cast<VectorType>(type);
    for (Value operand : op->getOperands()) {
      bool isView = isa<tile::ViewType>(operand.getType());
      operands.push_back(isView ? cast<BlockArgument>(operand).getArgNumber()
                                : reg(operand));
      if (auto vector = dyn_cast<VectorType>(operand.getType()); !lanes)
        lanes = vector;
    }
    if (lanes) {
      if (failed(addType(lanes)))
        return lack(op);
      operands.push_back(lanes.getNumElements());
    }
    add(code, operands);
    return success();
  }

  /// Functions of arith and math, on scalars and on lanes.
  LogicalResult writeFunction(Operation *op) {
    const auto *name = llvm::find(kFunctions, op->getName().stripDialect());
    auto type = typeOf(op->getResult(0).getType());
    auto from = typeOf(op->getOperand(0).getType());
    if (name == std::end(kFunctions) || failed(type) || failed(from))
      return lack(op);
    auto predicate = op->getAttrOfType<IntegerAttr>("predicate");
    SmallVector<int64_t> operands{name - kFunctions,
                                  predicate ? predicate.getInt() : 0, *type,
                                  *from, reg(op->getResult(0))};
    for (Value operand : op->getOperands())
      operands.push_back(reg(operand));
    operands.resize(8);
    auto lanes = dyn_cast<VectorType>(op->getResult(0).getType());
    if (lanes)
      operands.push_back(lanes.getNumElements());
    add(lanes ? In_vector : In_scalar, operands);
    return success();
  }

  static LogicalResult lack(Operation *op) {
    std::string types;
    llvm::raw_string_ostream os(types);
    llvm::interleaveComma(op->getResultTypes(), os);
    return target::emitUnsupported(op, "no instruction for '" +
                                           op->getName().getStringRef() +
                                           "' of " + types);
  }

  int64_t rings = 0;
};

} // namespace

LogicalResult systolic::writeKernel(tile::KernelOp kernel,
                                    std::vector<uint64_t> &words,
                                    raw_ostream &text) {
  return Writer().run(kernel, words, text);
}
