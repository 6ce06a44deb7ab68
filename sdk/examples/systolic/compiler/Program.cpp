// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as words of the machine. Every value has a register of its own.
#include "../device/Isa.h"
#include "SystolicDialect.h"
#include "kiln/Dialect/Stage/Places.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace systolic;

/// The machine's type of elements, -1 for one that it lacks.
static int64_t typeOf(mlir::Type type) {
  type = getElementTypeOrSelf(type);
  std::string name = type.isIndex() ? "i64" : "";
  if (name.empty())
    llvm::raw_string_ostream(name) << type;
  for (int64_t i = 0; i < NumTypes; ++i)
    if (name == kTypes[i])
      return i;
  return -1;
}

namespace {

class Writer {
public:
  explicit Writer(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run(std::vector<uint64_t> &words) {
    for (auto [i, argument] : llvm::enumerate(kernel.getBody().getArguments()))
      if (!isa<tile::ViewType>(argument.getType()))
        add(In_parameter, {reg(argument), int64_t(i)});
    if (failed(writeBlock(kernel.getBody().front())) || !isGood)
      return failure();
    if (registers.size() > kMaxRegisters)
      return target::emitUnsupported(kernel, "more values than registers");
    StringRef name = kernel.getSymName();
    words.push_back(name.size());
    size_t at = words.size();
    words.resize(at + (name.size() + 7) / 8);
    memcpy(words.data() + at, name.data(), name.size());
    for (int64_t number : {scalars, vectors, rings, int64_t(code.size())})
      words.push_back(number);
    words.insert(words.end(), code.begin(), code.end());
    return success();
  }

private:
  /// The register of a value, of which vectors have their own; of a view the
  /// number of the parameter.
  int64_t reg(Value value) {
    if (isa<tile::ViewType>(value.getType()))
      return cast<BlockArgument>(value).getArgNumber();
    int64_t &next = isa<VectorType>(value.getType()) ? vectors : scalars;
    auto [it, isNew] = registers.try_emplace(value, next);
    next += isNew;
    return it->second;
  }
  size_t add(Code op, ArrayRef<int64_t> operands) {
    code.append({op, int64_t(operands.size())});
    code.append(operands.begin(), operands.end());
    return code.size() - operands.size(); // of the first operand
  }
  void move(Value to, Value from) {
    add(isa<VectorType>(to.getType()) ? In_copy : In_move,
        {reg(to), reg(from)});
  }
  /// All at once: a value may go where another one comes from.
  void moveAll(ValueRange to, ValueRange from) {
    SmallVector<int64_t> through;
    for (Value value : from) {
      bool isVector = isa<VectorType>(value.getType());
      through.push_back((isVector ? vectors : scalars)++);
      add(isVector ? In_copy : In_move, {through.back(), reg(value)});
    }
    for (auto [value, number] : llvm::zip(to, through))
      add(isa<VectorType>(value.getType()) ? In_copy : In_move,
          {reg(value), number});
  }

  LogicalResult writeBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(write(&op)))
        return failure();
    return success();
  }

  LogicalResult write(Operation *op) {
    if (isa<SystolicDialect>(op->getDialect()))
      return writeOwn(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<scf::ForOp, scf::IfOp, arith::ConstantOp, tile::DimOp,
              tile::ProgramIdOp, tile::NumProgramsOp>(
            [&](auto known) { return writeOp(known), success(); })
        .Default([&](Operation *) { return writeFunction(op); });
  }

  void writeOp(scf::ForOp loop) {
    moveAll(loop.getRegionIterArgs(), loop.getInitArgs());
    move(loop.getInductionVar(), loop.getLowerBound());
    int64_t again = code.size(), inside = scalars++;
    add(In_scalar, {Fn_cmpi, /*slt*/ 2, i1, i64, inside,
                    reg(loop.getInductionVar()), reg(loop.getUpperBound()), 0});
    size_t end = add(In_jump_zero, {inside, 0}) + 1;
    isGood &= succeeded(writeBlock(*loop.getBody()));
    moveAll(loop.getRegionIterArgs(), loop.getYieldedValues());
    int64_t at = reg(loop.getInductionVar());
    add(In_scalar, {Fn_addi, 0, i64, i64, at, at, reg(loop.getStep()), 0});
    add(In_jump, {again});
    code[end] = code.size();
    moveAll(loop.getResults(), loop.getRegionIterArgs());
  }
  void writeOp(scf::IfOp choice) {
    size_t other = add(In_jump_zero, {reg(choice.getCondition()), 0}) + 1;
    isGood &= succeeded(writeBlock(*choice.thenBlock()));
    moveAll(choice.getResults(), choice.thenYield().getOperands());
    size_t end = add(In_jump, {0});
    code[other] = code.size();
    if (choice.elseBlock()) {
      isGood &= succeeded(writeBlock(*choice.elseBlock()));
      moveAll(choice.getResults(), choice.elseYield().getOperands());
    }
    code[end] = code.size();
  }
  void writeOp(arith::ConstantOp constant) {
    Attribute value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    int64_t number =
        isa<FloatAttr>(value)
            ? cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue()
            : cast<IntegerAttr>(value).getValue().getSExtValue();
    if (auto type = dyn_cast<VectorType>(constant.getType())) {
      add(In_constant, {scalars, number});
      add(In_splat,
          {reg(constant), scalars++, typeOf(type), type.getNumElements()});
    } else {
      add(In_constant, {reg(constant), number});
    }
  }
  void writeOp(tile::DimOp dim) {
    add(In_dim, {reg(dim), reg(dim.getView()), int64_t(dim.getDim())});
  }
  void writeOp(tile::ProgramIdOp ids) {
    for (OpResult id : ids->getResults())
      add(In_program_id, {reg(id), id.getResultNumber()});
  }
  void writeOp(tile::NumProgramsOp counts) {
    for (OpResult count : counts->getResults())
      add(In_num_programs, {reg(count), count.getResultNumber()});
  }

  /// Operations of the dialect are written alike.
  LogicalResult writeOwn(Operation *op) {
    SmallVector<int64_t> operands;
    for (Value result : op->getResults())
      operands.push_back(reg(result));
    for (NamedAttribute named : op->getAttrs()) {
      if (auto array = dyn_cast<DenseI64ArrayAttr>(named.getValue()))
        llvm::append_range(operands, array.asArrayRef());
      else if (auto type = dyn_cast<TypeAttr>(named.getValue()))
        operands.push_back(typeOf(type.getValue()));
      else
        operands.push_back(cast<IntegerAttr>(named.getValue()).getInt());
      if (named.getName() == "ring")
        rings = std::max(rings, operands.back() + 1);
    }
    VectorType lanes;
    for (auto types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      if (!types.empty() && isa<VectorType>(types[0]))
        lanes = cast<VectorType>(types[0]);
    for (Value operand : op->getOperands())
      operands.push_back(reg(operand));
    if (lanes)
      operands.append({typeOf(lanes), lanes.getNumElements()});
    if (llvm::is_contained(operands, -1))
      return lack(op);
    const auto *name = llvm::find(kInstructions, op->getName().stripDialect());
    add(Code(name - kInstructions), operands);
    return success();
  }

  /// Functions of arith and math, on scalars and on lanes.
  LogicalResult writeFunction(Operation *op) {
    StringRef name = op->getName().stripDialect();
    const auto *found = llvm::find(kFunctions, name);
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        found == std::end(kFunctions))
      return lack(op);
    int64_t type = typeOf(op->getResult(0).getType());
    int64_t from = typeOf(op->getOperand(0).getType());
    if (type < 0 || from < 0)
      return lack(op);
    int64_t variant = 0;
    if (auto predicate = op->getAttrOfType<IntegerAttr>("predicate"))
      variant = predicate.getInt();
    SmallVector<int64_t> operands{found - kFunctions, variant, type, from,
                                  reg(op->getResult(0))};
    for (Value operand : op->getOperands())
      operands.push_back(reg(operand));
    operands.resize(8); // the first registers are unused
    auto lanes = dyn_cast<VectorType>(op->getResult(0).getType());
    if (lanes)
      operands.push_back(lanes.getNumElements());
    add(lanes ? In_vector : In_scalar, operands);
    return success();
  }
  static LogicalResult lack(Operation *op) {
    std::string text;
    llvm::raw_string_ostream(text) << "no instruction for '" << op->getName()
                                   << "' of " << op->getResult(0).getType();
    return target::emitUnsupported(op, text);
  }

  tile::KernelOp kernel;
  SmallVector<int64_t> code;
  DenseMap<Value, int64_t> registers;
  int64_t scalars = 1, vectors = 1, rings = 0;
  bool isGood = true;
};

} // namespace

LogicalResult systolic::writeKernel(tile::KernelOp kernel,
                                    std::vector<uint64_t> &words) {
  return Writer(kernel).run(words);
}
