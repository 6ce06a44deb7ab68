// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler of @name@: turns kernels into the words that device/Driver.cpp runs. Kiln starts it and talks to it through
// its standard input and output.
#include "Grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstring>

using namespace isolated;
using llvm::StringRef;

namespace {

/// The instructions of the machine, in the order of device/Driver.cpp: each is a word and its operands.
const char *const kCodes[] = {"const", "pid",   "programs", "dim",   "param", "add",  "sub",  "mul",  "min",  "max",  "div", "fill",
                              "splat", "load",  "store",    "vadd",  "vsub",  "vmul", "vdiv", "vmax", "vmin", "vneg", "vexp"};
constexpr int64_t kMost = 4096; // elements of a tile register

const llvm::StringMap<const char *> kScalars = {
    {"arith.addi", "add"},  {"arith.subi", "sub"},  {"arith.muli", "mul"},
    {"arith.minsi", "min"}, {"arith.maxsi", "max"}, {"arith.divsi", "div"}};
const llvm::StringMap<const char *> kVectors = {
    {"arith.addf", "vadd"},     {"arith.subf", "vsub"},     {"arith.mulf", "vmul"}, {"arith.divf", "vdiv"},
    {"arith.maximumf", "vmax"}, {"arith.minimumf", "vmin"}, {"arith.negf", "vneg"}, {"math.exp", "vexp"}};

const char kChip[] = R"(#kiln.target<
  name = "@name@", chip = "v1",
  topology = <cores = 1>,
  memories = [
    #kiln.memory<name = "tiles", scope = core, kind = register, size = 1048576>,
    #kiln.memory<name = "main", scope = device, kind = explicit, size = 268435456>],
  units = [
    #kiln.unit<name = "alu", kind = vector, bits = 32, types = [f32], homes = ["tiles"]>],
  tiles = <elementwise_rows = 4, elementwise_cols = 256, reduction_elements = 4096>,
  limits = {max_rank = 4 : i64, max_tile_elements = 4096 : i64}>)";

/// Writes one kernel: a list of instructions with their operands.
class Writer {
public:
  explicit Writer(Declined &declined)
      : declined(declined),
        grid({[this](int64_t value) { return result("const", {value}); },
              [this](StringRef name, int64_t lhs, int64_t rhs) { return result(kScalars.lookup(name), {lhs, rhs}); },
              [this](StringRef name, int64_t axis) { return result(name == "tile.program_id" ? "pid" : "programs", {axis}); },
              [this](mlir::Value view, int64_t dim) { return result("dim", {param(view), dim}); }}) {}

  bool run(mlir::Operation *kernel) {
    mlir::Block &body = kernel->getRegion(0).front();
    for (mlir::BlockArgument argument : body.getArguments()) {
      auto view = viewOf(argument.getType());
      if (argument.getType().isIndex() || argument.getType().isF32())
        emit("param", {define(argument), argument.getArgNumber()});
      else if (!view || !view->element.isF32())
        return decline(kernel, "an argument that is no number of type index or f32, and no view of f32");
    }
    return writeBlock(body);
  }

  std::string words(std::string name) const {
    std::vector<int64_t> all = {numRegisters};
    for (const auto &[code, operands] : code) {
      all.push_back(code);
      all.push_back(int64_t(operands.size()));
      all.insert(all.end(), operands.begin(), operands.end());
    }
    name.resize((name.size() + 7) / 8 * 8);
    int64_t sizes[2] = {int64_t(name.size()), int64_t(all.size())};
    return "KMACHIN2" + std::string(reinterpret_cast<const char *>(sizes), 16) + name +
           std::string(reinterpret_cast<const char *>(all.data()), all.size() * 8);
  }

  std::string text(StringRef name) const {
    std::string text = ".kernel " + name.str() + "\n";
    for (const auto &[number, operands] : code) {
      text += std::string("  ") + kCodes[number];
      for (int64_t operand : operands)
        text += " " + std::to_string(operand);
      text += "\n";
    }
    return text;
  }

private:
  using Operands = std::vector<int64_t>;

  bool decline(mlir::Operation *op, const llvm::Twine &reason) {
    declined = {op, reason.str()};
    return false;
  }
  bool emit(StringRef name, Operands operands) {
    for (size_t i = 0; i < std::size(kCodes); ++i)
      if (name == kCodes[i]) {
        code.emplace_back(int64_t(i), std::move(operands));
        return true;
      }
    llvm::report_fatal_error("kCodes has no '" + llvm::Twine(name) + "'", /*gen_crash_diag=*/false);
  }
  int64_t define(mlir::Value value) { return registers[value] = numRegisters++; }
  /// Emits an instruction whose result has no value of its own, and returns the register.
  int64_t result(StringRef name, Operands operands) {
    operands.insert(operands.begin(), numRegisters++);
    int64_t to = operands.front();
    emit(name, std::move(operands));
    return to;
  }

  Operands computed(mlir::Operation *op) {
    Operands operands;
    for (mlir::Value operand : op->getOperands())
      operands.push_back(registers.lookup(operand));
    operands.insert(operands.begin(), define(op->getResult(0)));
    return operands;
  }

  bool writeBlock(mlir::Block &block) {
    for (mlir::Operation &op : block)
      if (!write(&op))
        return false;
    return true;
  }

  bool write(mlir::Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name == "tile.return" || name == "prim.yield")
      return true;
    for (mlir::Value operand : op->getOperands())
      if (!registers.count(operand) && !llvm::isa<mlir::OpaqueType>(operand.getType())) // a view
        return decline(op, "it reads a value that no instruction writes: what computes it has no 'define'");
    if (op->getNumResults())
      if (auto tile = llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
          tile && (!tile.getElementType().isF32() || tile.getNumElements() > kMost))
        return decline(op, "it makes what is no tile of at most 4096 f32");
    if (auto found = kVectors.find(name); found != kVectors.end()) { // a number of f32 is a tile of one element
      for (mlir::Value operand : op->getOperands())
        if (countOf(operand.getType()) != countOf(op->getResult(0).getType()))
          return decline(op, "an operand of tiles that is a number");
      return emit(found->second, computed(op));
    }
    if (auto found = kScalars.find(name); found != kScalars.end() && op->getResult(0).getType().isIndex())
      return emit(found->second, computed(op));
    if (name == "tile.program_id" || name == "tile.num_programs") {
      for (mlir::OpResult result : op->getResults())
        emit(name == "tile.program_id" ? "pid" : "programs", {define(result), result.getResultNumber()});
      return true;
    }
    Operands numbers;
    for (mlir::Value operand : op->getOperands())
      numbers.push_back(registers.lookup(operand));
    if (auto places = grid.write(op, numbers); !places.empty()) {
      for (auto [value, place] : llvm::zip(op->getResults(), places))
        registers[value] = place;
      return true;
    }
    if (name == "prim.claim")
      return writeClaim(op);
    if (name == "tensor.extract") { // a number of a tile of one element is that tile
      if (countOf(op->getOperand(0).getType()) != 1 || !op->getResult(0).getType().isF32())
        return decline(op, "it reads one of many elements");
      registers[op->getResult(0)] = registers.lookup(op->getOperand(0));
      return true;
    }
    if (name == "tile.dim")
      return emit("dim", {define(op->getResult(0)), param(op->getOperand(0)), integer(op, "dim")});
    if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op))
      return writeConstant(constant);
    if (name == "tile.splat")
      return emit("splat", {define(op->getResult(0)), registers.lookup(op->getOperand(0)),
                            llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()).getNumElements()});
    if (name == "tile.load") {
      auto groups = segments(op);
      auto outside = padding(op);
      if (groups.size() != 3 || !outside)
        return decline(op, "it pads with a number that is no constant");
      return access("load", op, op->getResult(0), groups[0][0], groups[1], int64_t(outside->getZExtValue()));
    }
    if (name == "tile.store") {
      if (integer(op, "combine"))
        return decline(op, "it combines with what is there");
      return access("store", op, op->getOperand(0), op->getOperand(1), op->getOperands().drop_front(2), 0);
    }
    return decline(op, "no instruction for '" + name + "'");
  }

  /// What `claims` of the target took: operations of prim, which have the tables' names or code of their own in `write`.
  bool writeClaim(mlir::Operation *claim) {
    mlir::Block &body = claim->getRegion(0).front();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), claim->getOperands()))
      registers[argument] = registers.lookup(operand);
    if (!writeBlock(body))
      return false;
    for (auto [value, yielded] : llvm::zip(claim->getResults(), body.back().getOperands()))
      registers[value] = registers.lookup(yielded);
    return true;
  }

  /// The elements of a tile; a number is one.
  static int64_t countOf(mlir::Type type) {
    auto tile = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tile ? tile.getNumElements() : 1;
  }

  bool writeConstant(mlir::arith::ConstantOp op) {
    if (auto number = llvm::dyn_cast<mlir::IntegerAttr>(op.getValue()); number && op.getType().isIndex())
      return emit("const", {define(op), number.getInt()});
    if (auto number = llvm::dyn_cast<mlir::FloatAttr>(op.getValue()); number && op.getType().isF32())
      return emit("fill", {define(op), 1, bits(float(number.getValueAsDouble()))});
    auto numbers = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
    if (!numbers || !numbers.isSplat() || !numbers.getElementType().isF32())
      return decline(op, "its numbers differ");
    return emit("fill", {define(op), numbers.getNumElements(), bits(numbers.getSplatValue<float>())});
  }

  static int64_t bits(float number) {
    uint32_t word;
    std::memcpy(&word, &number, 4);
    return word;
  }
  static int64_t param(mlir::Value view) { return llvm::cast<mlir::BlockArgument>(view).getArgNumber(); }

  /// name tile parameter outside rank, then for each dimension: block, register of the offset, step.
  bool access(StringRef name, mlir::Operation *op, mlir::Value tile, mlir::Value view, mlir::ValueRange coords,
              int64_t outside) {
    auto type = llvm::cast<mlir::RankedTensorType>(tile.getType());
    auto steps = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(attribute(op, "step"));
    bool countsBlocks = !attribute(op, "element_offsets");
    int64_t rank = int64_t(coords.size()), lacks = rank - type.getRank();
    Operands places;
    for (int64_t d = 0; d < rank; ++d) {
      int64_t block = d < lacks ? 1 : type.getDimSize(d - lacks);
      int64_t offset = registers.lookup(coords[size_t(d)]);
      if (countsBlocks && block != 1) {
        int64_t size = numRegisters++, place = numRegisters++;
        emit("const", {size, block});
        emit("mul", {place, offset, size});
        offset = place;
      }
      places.insert(places.end(), {block, offset, steps ? steps[size_t(d)] : 1});
    }
    Operands operands = {op->getNumResults() ? define(tile) : registers.lookup(tile), param(view), outside, rank};
    operands.insert(operands.end(), places.begin(), places.end());
    return emit(name, std::move(operands));
  }

  Declined &declined;
  Grid grid;
  std::vector<std::pair<int64_t, Operands>> code;
  llvm::DenseMap<mlir::Value, int64_t> registers;
  int64_t numRegisters = 0;
};

class @Name@ : public Target {
public:
  @Name@() {
    name = "@name@";
    help = "a made-up machine with registers of tiles";
    chips = {{"v1", "in software"}};
    printsAssembly = true;
  }
  std::string describe(const Spec &) override { return kChip; }
  std::optional<Code> compile(mlir::Operation *kernel, const Spec &, Declined &declined) override {
    Writer writer(declined);
    if (!writer.run(kernel))
      return std::nullopt;
    Code code;
    code.data = writer.words(symbol(kernel));
    code.metadata = "v1";
    return code;
  }
  std::optional<std::string> assembly(mlir::Operation *kernel, const Spec &, Declined &declined) override {
    Writer writer(declined);
    if (!writer.run(kernel))
      return std::nullopt;
    return writer.text(symbol(kernel));
  }
};

} // namespace

int main() {
  @Name@ target;
  return serve(target);
}
