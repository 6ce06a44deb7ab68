// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a host program, so that the interpreter can index without asking.
#include "CollectiveJson.h"
#include "HostFunctions.h"
#include "KernelFit.h"
#include "VerifyLaunch.h"
#include "kiln/Runtime/Program.h"
#include "kiln/Runtime/Tensor.h"
#include <cstring>
#include <set>

using namespace kiln::runtime;

namespace {

constexpr int32_t kMaxRegisters = 1 << 22;
constexpr int32_t kMaxBuffers = 1 << 18;
constexpr int64_t kMaxScratchBytes = int64_t(1) << 32;

bool isPowerOfTwo(int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/// Names that can stand in the options of a driver.
bool isFeatureName(const std::string &name) {
  for (char c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && !std::strchr("-_.", c))
      return false;
  return !name.empty();
}

/// Verifies one function; keeps the first problem.
class FunctionVerifier {
public:
  FunctionVerifier(const HostProgram &program, const Function &function)
      : program(program), fn(function) {}

  Error run() {
    if (fn.numRegs < 0 || fn.numRegs > kMaxRegisters || fn.numBufs < 0 ||
        fn.numBufs > kMaxBuffers)
      return Error(at() + "the number of registers is out of range");
    known.emplace(fn);
    for (const Argument &arg : fn.args)
      argument(arg);
    for (const Result &result : fn.results) {
      device(result.device, "result");
      if (result.dtype == DType::none)
        fail("a result has no element type");
      optionalReg(result.tolerance.accumulationReg, "accumulationReg");
    }
    for (Reg r : fn.grid)
      optionalReg(r, "grid");
    bool ends = !fn.code.empty() &&
                std::holds_alternative<ReturnInst>(fn.code.back().body);
    if (!ends)
      fail("the code does not end with a return");
    block(fn.code, /*isTop=*/true);
    return problem.empty() ? Error::success() : Error(problem);
  }

private:
  std::string at() const {
    return "function '" + fn.name + "', " +
           (count ? "instruction " + std::to_string(count - 1) : "header") +
           ": ";
  }
  void fail(const std::string &message) {
    if (problem.empty())
      problem = at() + message;
  }
  void reg(Reg r, const char *what) {
    if (r < 0 || r >= fn.numRegs)
      fail(std::string("register of '") + what + "' is out of range");
  }
  void optionalReg(Reg r, const char *what) {
    if (r != kNone)
      reg(r, what);
  }
  void buf(Buf b, const char *what) {
    if (b < 0 || b >= fn.numBufs)
      fail(std::string("buffer of '") + what + "' is out of range");
  }
  void device(int32_t d, const char *what) {
    if (d < 0 || size_t(d) >= program.devices.size())
      fail(std::string("device of '") + what + "' is out of range");
  }
  void regs(const std::vector<Reg> &list, const char *what) {
    if (list.size() > size_t(kMaxRank))
      fail("a rank of " + std::to_string(list.size()) + " is too high");
    for (Reg r : list)
      reg(r, what);
  }

  void written(Buf b, const std::string &what) {
    if (problem.empty() && known->isReadonly(b))
      fail(what + " writes to b" + std::to_string(b) +
           ", which may be a constant or an argument that is not writable");
  }

  void argument(const Argument &arg) {
    device(arg.device, "argument");
    if (arg.dtype == DType::none)
      fail("argument '" + arg.name + "' has no element type");
    if (!isPowerOfTwo(arg.align))
      fail("the alignment of argument '" + arg.name +
           "' is not a power of two");
    if (arg.isScalar) {
      reg(arg.reg, "argument");
      if (!arg.shape.empty())
        fail("scalar argument '" + arg.name + "' has a shape");
    } else {
      buf(arg.reg, "argument");
    }
  }

  void block(const std::vector<Instruction> &code, bool isTop) {
    for (size_t i = 0; i < code.size() && problem.empty(); ++i) {
      ++count;
      if (std::holds_alternative<ReturnInst>(code[i].body) &&
          (!isTop || i + 1 != code.size()))
        fail("a return stands before the end");
      std::visit([this](const auto &inst) { check(inst); }, code[i].body);
    }
  }

  void check(const ConstInst &i) { reg(i.dst, "dst"); }
  void check(const IntInst &i) {
    reg(i.dst, "dst");
    reg(i.lhs, "a");
    if (static_cast<unsigned>(i.op) > static_cast<unsigned>(IntOp::mov))
      fail("unknown integer operation");
    if (i.op != IntOp::mov)
      reg(i.rhs, "b");
  }
  void check(const SelectInst &i) {
    reg(i.dst, "dst");
    reg(i.cond, "cond");
    reg(i.ifTrue, "a");
    reg(i.ifFalse, "b");
  }
  void check(const DimInst &i) {
    reg(i.dst, "dst");
    buf(i.buffer, "buffer");
    if (i.dim < 0)
      fail("a negative dimension");
  }
  void check(const StrideInst &i) {
    reg(i.dst, "dst");
    buf(i.buffer, "buffer");
    if (i.dim < 0)
      fail("a negative dimension");
  }
  void check(const AlignedInst &i) {
    reg(i.dst, "dst");
    buf(i.buffer, "buffer");
    if (!isPowerOfTwo(i.bytes))
      fail("an alignment that is not a power of two");
  }
  void check(const CheckInst &i) { reg(i.cond, "cond"); }
  void check(const ArenaInst &i) {
    device(i.device, "device");
    reg(i.bytes, "bytes");
  }
  void check(const AllocInst &i) {
    buf(i.dst, "dst");
    regs(i.sizes, "sizes");
    optionalReg(i.offset, "offset");
    device(i.device, "device");
    if (i.dtype == DType::none)
      fail("an allocation has no element type");
  }
  void check(const ConstantInst &i) {
    buf(i.dst, "dst");
    device(i.device, "device");
  }
  void check(const ViewInst &i) {
    buf(i.dst, "dst");
    buf(i.src, "src");
    optionalReg(i.offset, "offset");
    regs(i.sizes, "sizes");
    regs(i.strides, "strides");
    if (!i.strides.empty() && i.strides.size() != i.sizes.size())
      fail("a view has " + std::to_string(i.sizes.size()) + " sizes and " +
           std::to_string(i.strides.size()) + " strides");
  }
  void check(const FillInst &i) {
    buf(i.dst, "dst");
    written(i.dst, "a fill");
  }
  void check(const CopyInst &i) {
    buf(i.dst, "dst");
    buf(i.src, "src");
    written(i.dst, "a copy");
  }
  void check(const ReadInst &i) {
    reg(i.dst, "dst");
    buf(i.src, "src");
    optionalReg(i.index, "index");
  }
  void check(const CollectiveInst &i) {
    buf(i.dst, "dst");
    written(i.dst, "a collective");
    bool isRank = i.kind == CollectiveKind::rank;
    if (isRank != (i.groups == kNone) || isRank != (i.src == kNone))
      return fail("a collective has groups and a source, rank has none");
    if (isRank)
      return;
    buf(i.src, "src");
    if (i.groups < 0 || size_t(i.groups) >= program.groups.size())
      return fail("the list of groups " + std::to_string(i.groups) +
                  " does not exist");
    const RankLists &lists = program.groups[size_t(i.groups)];
    if (Error error =
            verifyRankLists(lists, i.kind == CollectiveKind::permute,
                            /*equal=*/i.kind == CollectiveKind::allGather ||
                                i.kind == CollectiveKind::reduceScatter ||
                                i.kind == CollectiveKind::allToAll))
      fail(error.message());
  }
  void check(const WaitInst &i) { buf(i.dst, "dst"); }
  void check(const HostInst &i) {
    const HostFunction *function = findHostFunction(i.function);
    if (!function)
      return fail("unknown function of the host '" + i.function + "'");
    if (function->isCallback && i.flags.size() != 1)
      return fail("a callback has " + std::to_string(i.flags.size()) +
                  " names, and needs one");
    if (!function->isCallback && (i.src.size() != function->sources.size() ||
                                  i.dst.size() != function->targets.size()))
      return fail("function '" + i.function + "' of the host takes " +
                  std::to_string(function->sources.size()) + " and gives " +
                  std::to_string(function->targets.size()) + " buffers");
    for (const std::string &flag : i.flags)
      if (!function->isCallback &&
          std::find(function->flags.begin(), function->flags.end(), flag) ==
              function->flags.end())
        return fail("function '" + i.function + "' of the host has no '" +
                    flag + "'");
    for (Buf b : i.src)
      buf(b, "src");
    for (Buf b : i.dst) {
      buf(b, "dst");
      written(b, "a function of the host");
    }
  }
  void check(const LaunchInst &i) {
    if (i.variants.empty())
      fail("a launch has no kernel");
    else if (i.variants.back().guard != kNone)
      fail("the last variant of a launch has a guard");
    for (const LaunchArg &arg : i.args)
      arg.kind == LaunchArg::buffer ? buf(arg.index, "args")
                                    : reg(arg.index, "args");
    for (const LaunchVariant &variant : i.variants)
      check(i, variant);
    optionalReg(i.flops, "flops");
    optionalReg(i.bytes, "bytes");
    for (const LaunchVariant &variant : i.variants)
      if (problem.empty())
        if (Error error =
                verifyAttributes(i.attributes, program.kernels[variant.kernel]))
          fail(error.message());
  }
  void check(const LaunchInst &launch, const LaunchVariant &variant) {
    optionalReg(variant.guard, "guard");
    for (Reg r : variant.grid)
      optionalReg(r, "grid");
    if (variant.kernel >= program.kernels.size())
      return fail("kernel " + std::to_string(variant.kernel) +
                  " does not exist");
    const KernelInfo &kernel = program.kernels[variant.kernel];
    if (kernel.params.size() != launch.args.size())
      return fail("kernel '" + kernel.name + "' takes " +
                  std::to_string(kernel.params.size()) +
                  " arguments, the launch passes " +
                  std::to_string(launch.args.size()));
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      bool wantsView = kernel.params[i].kind == KernelParam::Kind::view;
      if (wantsView != (launch.args[i].kind == LaunchArg::buffer))
        fail("argument " + std::to_string(i) + " of kernel '" + kernel.name +
             "' has to be a " + (wantsView ? "buffer" : "scalar"));
      if (!problem.empty() || !wantsView)
        continue;
      std::string what =
          "kernel '" + kernel.name + "', argument " + std::to_string(i);
      // Of pointers it is not known what is written through them.
      if (!kernel.params[i].readonly && kernel.params[i].shape)
        written(launch.args[i].index, what);
      // What a guard keeps from running need not fit.
      std::string misfit =
          variant.guard == kNone
              ? known->misfit(kernel.params[i], launch.args[i].index)
              : "";
      if (!misfit.empty())
        fail(what + ": " + misfit);
    }
  }
  void check(const IfInst &i) {
    reg(i.cond, "cond");
    block(i.thenCode, /*isTop=*/false);
    block(i.elseCode, /*isTop=*/false);
  }
  void check(const WhileInst &i) {
    block(i.before, /*isTop=*/false);
    reg(i.cond, "cond");
    block(i.body, /*isTop=*/false);
  }
  void check(const ReturnInst &i) {
    if (i.results.size() != fn.results.size())
      fail("returns " + std::to_string(i.results.size()) + " of " +
           std::to_string(fn.results.size()) + " results");
    for (Buf b : i.results)
      buf(b, "results");
  }

  const HostProgram &program;
  const Function &fn;
  std::optional<StaticBuffers> known;
  size_t count = 0;
  std::string problem;
};

Error verifyKernel(const HostProgram &program, const KernelInfo &kernel,
                   size_t numModules) {
  auto fail = [&](const std::string &what) {
    return Error("kernel '" + kernel.name + "': " + what);
  };
  if (kernel.symbol.empty())
    return fail("no symbol");
  if (kernel.module >= numModules)
    return fail("module " + std::to_string(kernel.module) + " does not exist");
  if (kernel.device < 0 || size_t(kernel.device) >= program.devices.size())
    return fail("device " + std::to_string(kernel.device) + " does not exist");
  if (kernel.scratchBytes < 0 || kernel.scratchBytes > kMaxScratchBytes)
    return fail("scratch of " + std::to_string(kernel.scratchBytes) +
                " bytes is out of range");
  for (const KernelParam &param : kernel.params) {
    if (param.dtype == DType::none)
      return fail("parameter '" + param.name + "' has no element type");
    if (!isPowerOfTwo(param.align))
      return fail("the alignment of parameter '" + param.name +
                  "' is not a power of two");
    bool isScalar = param.kind == KernelParam::Kind::scalar;
    if ((param.shape &&
         (isScalar || param.shape->size() != size_t(param.rank))) ||
        (param.strides &&
         (!param.shape || param.strides->size() != size_t(param.rank))))
      return fail("shape and strides of parameter '" + param.name +
                  "' do not fit its rank");
  }
  if (Error error = verifyContract(kernel))
    return fail(error.message());
  return Error::success();
}

} // namespace

const Function *HostProgram::lookup(const std::string &name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

Error kiln::runtime::verify(const HostProgram &program, size_t numModules) {
  if (program.devices.empty())
    return Error("the program names no device");
  for (const DeviceRef &device : program.devices) {
    bool good = !device.name.empty();
    for (char c : device.name)
      good &= isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
    if (!good)
      return Error("'" + device.name + "' cannot be the name of a device");
    if (device.ordinal < 0)
      return Error("device '" + device.name + "' has a negative ordinal");
    for (const std::string &feature : device.requirements)
      if (!isFeatureName(feature))
        return Error("device '" + device.name + "': '" + feature +
                     "' cannot be the name of a feature");
  }
  for (const KernelInfo &kernel : program.kernels)
    if (Error error = verifyKernel(program, kernel, numModules))
      return error;
  std::set<std::string> names;
  for (const Function &function : program.functions) {
    if (!names.insert(function.name).second)
      return Error("function '" + function.name + "' is defined twice");
    if (Error error = FunctionVerifier(program, function).run())
      return error;
  }
  return Error::success();
}
