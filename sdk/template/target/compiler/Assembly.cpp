// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assembly.h"
#include "@Name@Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>

using namespace mlir;
using namespace kiln;

namespace {

/// Writes one kernel: every value has a register of its own.
class Writer {
public:
  explicit Writer(tile::KernelOp kernel) : kernel(kernel) {}

  LogicalResult run(std::string &text) {
    for (auto [index, arg] : llvm::enumerate(kernel.getBody().getArguments())) {
      params[arg] = int(index);
      if (!isa<tile::ViewType>(arg.getType()))
        line("param " + Twine(scalar(arg)) + " " + Twine(index));
    }
    for (Operation &op : kernel.getBody().front())
      if (failed(write(&op)))
        return failure();
    text += (".kernel " + kernel.getSymName() + " " + Twine(numScalars) + " " +
             Twine(numTiles) + "\n" + body)
                .str();
    return success();
  }

private:
  void line(const Twine &text) { body += ("  " + text + "\n").str(); }
  int scalar(Value value) { return registers[value] = numScalars++; }
  int tile(Value value) { return registers[value] = numTiles++; }
  std::string use(ValueRange values) {
    std::string text;
    for (Value value : values)
      text += " " + std::to_string(registers.lookup(value));
    return text;
  }
  static uint64_t bits(const APFloat &number) {
    return number.bitcastToAPInt().getZExtValue();
  }

  template <typename Op>
  void access(StringRef name, Op op, int tile, const Twine &more) {
    std::string text;
    for (size_t dim = 0; dim < op.getOffsets().size(); ++dim)
      text += (" " + Twine(op.getBlock()[dim]) +
               use({op.getOffsets()[dim]}) + " " + Twine(op.getSteps()[dim]))
                  .str();
    size_t rank = op.getOffsets().size();
    size_t count = 3 + !more.isTriviallyEmpty() + 3 * rank;
    line(name + " " + Twine(count) + " " + Twine(tile) + " " +
         Twine(params.lookup(op.getView())) + " " + Twine(rank) + more + text);
  }

  LogicalResult write(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](@name@::LoadOp load) {
          access("load", load, tile(load.getResult()),
                 " " + Twine(bits(load.getOutside())));
          return success();
        })
        .Case([&](@name@::StoreOp store) {
          access("store", store, registers.lookup(store.getValue()), "");
          return success();
        })
        .Case([&](@name@::FillOp fill) {
          line("fill " + Twine(tile(fill.getResult())) + " " +
               Twine(fill.getType().getNumElements()) + " " +
               Twine(bits(fill.getNumber())));
          return success();
        })
        .Case([&](@name@::SplatOp splat) {
          std::string number = use(splat.getNumber());
          line("splat " + Twine(tile(splat.getResult())) + " " +
               Twine(splat.getType().getNumElements()) + number);
          return success();
        })
        .Case([&](@name@::ComputeOp compute) {
          std::string operands = use(compute.getOperands());
          line(stringifyFunction(compute.getFunction()) + " " +
               Twine(tile(compute.getResult())) + operands + " " +
               Twine(compute.getType().getNumElements()));
          return success();
        })
        .Case([&](tile::ProgramIdOp ids) {
          for (OpResult id : ids->getResults())
            line("pid " + Twine(scalar(id)) + " " + Twine(id.getResultNumber()));
          return success();
        })
        .Case([&](tile::NumProgramsOp counts) {
          for (OpResult count : counts->getResults())
            line("programs " + Twine(scalar(count)) + " " +
                 Twine(count.getResultNumber()));
          return success();
        })
        .Case([&](tile::DimOp dim) {
          line("dim " + Twine(scalar(dim)) + " " +
               Twine(params.lookup(dim.getView())) + " " +
               Twine(dim.getDim()));
          return success();
        })
        .Case([&](arith::ConstantIndexOp constant) {
          line("const " + Twine(scalar(constant)) + " " +
               Twine(constant.value()));
          return success();
        })
        .Case([](tile::ReturnOp) { return success(); })
        .Default([&](Operation *other) {
          if (isa<arith::ConstantOp>(other) &&
              other->getResult(0).getType().isF32())
            return success(); // loads have its bits
          StringRef name = llvm::TypeSwitch<Operation *, StringRef>(other)
                               .Case([](arith::AddIOp) { return "add"; })
                               .Case([](arith::SubIOp) { return "sub"; })
                               .Case([](arith::MulIOp) { return "mul"; })
                               .Case([](arith::MinSIOp) { return "min"; })
                               .Case([](arith::MaxSIOp) { return "max"; })
                               .Default(StringRef());
          if (name.empty())
            return LogicalResult(
                other->emitError("'" + other->getName().getStringRef() +
                                 "' is still there: its lowering has to "
                                 "replace it"));
          std::string operands = use(other->getOperands());
          line(name + " " + Twine(scalar(other->getResult(0))) + operands);
          return success();
        });
  }

  tile::KernelOp kernel;
  std::string body;
  llvm::DenseMap<Value, int> registers, params;
  int numScalars = 0, numTiles = 0;
};

std::string assemblerPath() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&assemblerPath), &info))
    return "@name@-as";
  llvm::SmallString<128> path(info.dli_fname);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "@name@-as");
  return path.str().str();
}

} // namespace

LogicalResult @name@::writeAssembly(tile::KernelOp kernel, std::string &text) {
  return Writer(kernel).run(text);
}

bool @name@::assemble(StringRef text, unsigned seconds, std::string &bytes,
                     std::string &error) {
  llvm::SmallString<128> in, out, said;
  for (auto *path : {&in, &out, &said})
    if (llvm::sys::fs::createTemporaryFile("@name@", "tmp", *path)) {
      error = "no temporary files";
      return false;
    }
  llvm::FileRemover removers[] = {llvm::FileRemover(in), llvm::FileRemover(out),
                                  llvm::FileRemover(said)};
  {
    std::error_code code;
    llvm::raw_fd_ostream file(in, code);
    file << text;
  }
  std::string program = assemblerPath();
  std::optional<StringRef> redirects[] = {std::nullopt, std::nullopt,
                                          StringRef(said)};
  int status =
      llvm::sys::ExecuteAndWait(program, {program, in, out}, std::nullopt,
                                redirects, seconds, 0, &error);
  auto message = llvm::MemoryBuffer::getFile(said);
  if (status != 0) {
    if (message && !(*message)->getBuffer().empty())
      error = (*message)->getBuffer().rtrim().str();
    return false;
  }
  auto file = llvm::MemoryBuffer::getFile(out);
  if (!file) {
    error = "it wrote nothing";
    return false;
  }
  bytes = (*file)->getBuffer().str();
  return true;
}
