// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// make-package PART1.so PART2.so OUT.kpkg [DEVICE [OTHER]]: a package with
// functions that use every instruction of the host program.
#include "kiln/Runtime/Package.h"
#include <cstdio>

using namespace kiln::runtime;

namespace {

/// More than a device is given at once.
constexpr int64_t kSameSize = (1 << 23) + 77;

KernelParam view(const char *name, DType dtype, bool readonly = false) {
  return {KernelParam::Kind::view, name, dtype, 1, readonly, 1};
}

Argument tensor(Function &f, const char *name, DType dtype,
                std::vector<int64_t> shape) {
  Argument arg;
  arg.name = name;
  arg.dtype = dtype;
  arg.shape = std::move(shape);
  arg.reg = f.newBuf();
  f.args.push_back(arg);
  return arg;
}

/// Appends instructions and gives their destinations.
struct Builder {
  Function &f;
  Reg constant(int64_t value) {
    Reg r = f.newReg();
    f.code.push_back(ConstInst{r, value});
    return r;
  }
  Reg op(IntOp kind, Reg a, Reg b) {
    Reg r = f.newReg();
    f.code.push_back(IntInst{kind, r, a, b});
    return r;
  }
  Reg dim(Buf b, int d) {
    Reg r = f.newReg();
    f.code.push_back(DimInst{r, b, d});
    return r;
  }
  Buf alloc(Reg n, Reg offset, const char *name) {
    Buf b = f.newBuf();
    f.code.push_back(AllocInst{b, DType::f32, {n}, offset, 0, name});
    return b;
  }
  void launch(uint32_t kernel, Reg grid, std::vector<LaunchArg> args,
              Reg flops = kNone, Reg bytes = kNone) {
    LaunchInst inst;
    inst.variants = {{kNone, kernel, {grid, kNone, kNone}}};
    inst.args = std::move(args);
    inst.flops = flops;
    inst.bytes = bytes;
    f.code.push_back(std::move(inst));
  }
};

/// out = a + b for any length.
/// Returns a constant that the file is short for.
Function makeSame() {
  Function f;
  f.name = "same";
  f.isPublic = false;
  f.results.push_back({"ones", DType::i16, {kSameSize}, 0, {}});
  Buf constant = f.newBuf(), out = f.newBuf();
  Reg n = f.newReg();
  f.code.push_back(ConstInst{n, kSameSize});
  f.code.push_back(ConstantInst{constant, "same", 0});
  f.code.push_back(AllocInst{out, DType::i16, {n}, kNone, 0, "ones"});
  f.code.push_back(CopyInst{out, constant});
  f.code.push_back(ReturnInst{{out}});
  return f;
}

Function makeAdd() {
  Function f;
  f.name = "add";
  Buf a = tensor(f, "a", DType::f32, {kDynamic}).reg;
  Buf b = tensor(f, "b", DType::f32, {kDynamic}).reg;
  f.args[0].dims = f.args[1].dims = {"length"};
  f.results.push_back({"", DType::f32, {kDynamic}, 0, {}});
  Builder build{f};
  Reg n = build.dim(a, 0), m = build.dim(b, 0);
  f.code.push_back(
      CheckInst{build.op(IntOp::eq, n, m), "a and b differ in length"});
  Buf out = build.alloc(n, kNone, "sum");
  Reg twelve = build.constant(12), four = build.constant(4);
  build.launch(0, build.op(IntOp::ceildiv, n, four),
               {LaunchArg::ofBuffer(a), LaunchArg::ofBuffer(b),
                LaunchArg::ofBuffer(out)},
               n, build.op(IntOp::mul, n, twelve));
  f.code.push_back(ReturnInst{{out}});
  return f;
}

/// ((x + weights) * 2) added to itself `times` times, through the arena.
Function makeChain() {
  Function f;
  f.name = "chain";
  Buf x = tensor(f, "x", DType::f32, {8}).reg;
  Buf times = tensor(f, "times", DType::i32, {1}).reg;
  f.results.push_back({"", DType::f32, {8}, 0, {DType::f32, 16}});
  f.results.push_back({"", DType::f32, {4}, 0, {}});
  Builder build{f};
  Reg eight = build.constant(8), bytes = build.constant(96);
  Reg zero = build.constant(0), half = build.constant(32);
  Reg two = build.constant(2), one = build.constant(1);
  f.code.push_back(ArenaInst{0, bytes});
  Buf sum = build.alloc(eight, zero, "sum");
  Buf scaled = build.alloc(eight, half, "scaled");
  Buf weights = f.newBuf();
  f.code.push_back(ConstantInst{weights, "weights", 0});
  build.launch(0, two,
               {LaunchArg::ofBuffer(x), LaunchArg::ofBuffer(weights),
                LaunchArg::ofBuffer(sum)});
  Reg factor = build.constant(0x40000000); // 2.0f
  build.launch(1, two,
               {LaunchArg::ofBuffer(sum), LaunchArg::ofScalar(factor),
                LaunchArg::ofBuffer(scaled)});
  Buf out = build.alloc(eight, kNone, "out");
  f.code.push_back(FillInst{out, 0});
  Reg i = f.newReg(), n = f.newReg(), more = f.newReg();
  f.code.push_back(ReadInst{n, times, kNone});
  WhileInst loop;
  loop.cond = more;
  loop.before.push_back(IntInst{IntOp::lt, more, i, n});
  LaunchInst step;
  step.variants = {{kNone, 0, {two, kNone, kNone}}};
  step.args = {LaunchArg::ofBuffer(scaled), LaunchArg::ofBuffer(out),
               LaunchArg::ofBuffer(out)};
  loop.body.push_back(std::move(step));
  loop.body.push_back(IntInst{IntOp::add, i, i, one});
  f.code.push_back(std::move(loop));
  // Every other element, as a strided view.
  Reg four = build.constant(4);
  Buf even = f.newBuf();
  f.code.push_back(ViewInst{even, out, DType::none, kNone, {four}, {two}});
  f.code.push_back(ReturnInst{{out, even}});
  return f;
}

/// (2 * (x + weights), x + weights), through the arena and memory that is
/// filled; the second result is copied.
Function makeSteps() {
  Function f;
  f.name = "steps";
  f.isPublic = false;
  Buf x = tensor(f, "x", DType::f32, {kDynamic}).reg;
  for (int i = 0; i < 2; ++i)
    f.results.push_back({"", DType::f32, {kDynamic}, 0, {}});
  Builder build{f};
  Reg n = build.dim(x, 0), zero = build.constant(0);
  Reg half = build.constant(32), two = build.constant(2);
  f.code.push_back(ArenaInst{0, build.constant(96)});
  Buf sum = build.alloc(n, zero, "sum");
  Buf scaled = build.alloc(n, half, "scaled");
  Buf weights = f.newBuf();
  f.code.push_back(ConstantInst{weights, "weights", 0});
  build.launch(0, two,
               {LaunchArg::ofBuffer(x), LaunchArg::ofBuffer(weights),
                LaunchArg::ofBuffer(sum)});
  build.launch(1, two,
               {LaunchArg::ofBuffer(sum),
                LaunchArg::ofScalar(build.constant(0x40000000)), // 2.0f
                LaunchArg::ofBuffer(scaled)});
  Buf nothing = build.alloc(n, kNone, "nothing");
  f.code.push_back(FillInst{nothing, 0});
  Buf out = build.alloc(n, kNone, "out");
  build.launch(0, two,
               {LaunchArg::ofBuffer(scaled), LaunchArg::ofBuffer(nothing),
                LaunchArg::ofBuffer(out)});
  f.code.push_back(ReturnInst{{out, sum}});
  return f;
}

/// 2 * x, computed on another device than the caller's tensors are on.
Function makeAcross() {
  Function f;
  f.name = "across";
  Buf x = tensor(f, "x", DType::f32, {8}).reg;
  f.results.push_back({"", DType::f32, {8}, 0, {}});
  Builder build{f};
  Reg eight = build.constant(8), two = build.constant(2);
  Buf there = build.alloc(eight, kNone, "there");
  std::get<AllocInst>(f.code.back().body).device = 1;
  Buf done = build.alloc(eight, kNone, "done");
  std::get<AllocInst>(f.code.back().body).device = 1;
  Buf out = build.alloc(eight, kNone, "out");
  f.code.push_back(CopyInst{there, x});
  build.launch(4, two,
               {LaunchArg::ofBuffer(there),
                LaunchArg::ofScalar(build.constant(0x40000000)),
                LaunchArg::ofBuffer(done)});
  f.code.push_back(CopyInst{out, done});
  f.code.push_back(ReturnInst{{out}});
  return f;
}

Function makeKernel(const char *name, uint32_t kernel, DType dtype,
                    size_t count) {
  Function f;
  f.name = name;
  f.kind = Function::Kind::kernel;
  for (Reg &r : f.grid)
    r = f.newReg();
  LaunchInst launch;
  launch.variants = {{kNone, kernel, f.grid}};
  const char *const names[] = {"x", "y", "z"};
  for (size_t i = 0; i < count; ++i) {
    Argument arg = tensor(f, names[i], dtype, {kDynamic});
    f.args.back().strided = true;
    f.args.back().writable = i + 1 == count;
    launch.args.push_back(LaunchArg::ofBuffer(arg.reg));
  }
  f.code.push_back(std::move(launch));
  f.code.push_back(ReturnInst{});
  return f;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4 || argc > 6)
    return 2;
  Package package;
  package.producer = "make-package";
  package.sourceName = "none";
  float weights[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  package.constants.push_back(
      {"weights", DType::f32, {8}, Blob::copy(weights, sizeof(weights))});
  int16_t same = 259; // two bytes that differ
  package.constants.push_back(
      {"same", DType::i16, {kSameSize}, Blob::copy(&same, sizeof(same)), true});
  TargetProgram target;
  const std::string device = argc > 4 ? argv[4] : "cpu";
  target.spec = device;
  for (int i = 1; i <= 2; ++i) {
    Expected<Blob> module = mapFile(argv[i]);
    if (!module) {
      std::fprintf(stderr, "%s\n", module.message().c_str());
      return 1;
    }
    target.modules.push_back(*module);
  }
  HostProgram &program = target.program;
  program.devices.push_back({device, ""});
  if (argc == 6)
    program.devices.push_back({argv[5], ""});
  DType f32 = DType::f32;
  program.kernels.push_back(
      {"add",
       "add",
       0,
       0,
       0,
       {view("a", f32, true), view("b", f32, true), view("out", f32)},
       {{"schedule", "by hand"}}});
  program.kernels.push_back(
      {"scale",
       "scale",
       0,
       0,
       16,
       {view("x", f32, true),
        {KernelParam::Kind::scalar, "factor", f32, 0, false, 1},
        view("out", f32)},
       {}});
  program.kernels.push_back(
      {"count", "count", 1, 0, 0, {view("counter", DType::i32)}, {}});
  program.kernels.push_back(
      {"faulty", "faulty", 1, 0, 0, {view("x", f32)}, {}});
  program.functions.push_back(makeAdd());
  program.functions.push_back(makeSame());
  program.functions.push_back(makeChain());
  program.functions.push_back(makeSteps());
  program.functions.push_back(makeKernel("add_kernel", 0, f32, 3));
  program.functions.push_back(makeKernel("count_kernel", 2, DType::i32, 1));
  program.functions.push_back(makeKernel("faulty_kernel", 3, f32, 1));
  if (argc == 6) {
    program.kernels.push_back(program.kernels[1]);
    program.kernels.back().device = 1;
    program.functions.push_back(makeAcross());
  }
  package.targets.push_back(std::move(target));
  Expected<std::vector<uint8_t>> bytes = writePackage(package);
  Error error = bytes ? writeFile(argv[3], bytes->data(), bytes->size())
                      : bytes.takeError();
  if (error)
    std::fprintf(stderr, "%s\n", error.message().c_str());
  return error ? 1 : 0;
}
