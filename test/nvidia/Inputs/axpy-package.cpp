// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// axpy-package MODULE OUT: a package for the device nvidia with one kernel.
#include "kiln-c/Device.h"
#include "kiln/Runtime/Package.h"
#include <cstdio>

using namespace kiln::runtime;

static int fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fail("usage: axpy-package MODULE OUT");
  Package package;
  package.producer = "by hand";
  package.sourceName = "axpy";
  TargetProgram target;
  target.spec = "nvidia:sm_80";
  target.program.devices.push_back({"nvidia", "sm_80"});
  Expected<Blob> module = copyFile(argv[1]);
  if (!module)
    return fail(module.message());
  target.modules.push_back(*module);
  KernelInfo kernel;
  kernel.name = kernel.symbol = "axpy";
  kernel.params = {{KernelParam::Kind::view, "x", DType::f32, 1, true, 1},
                   {KernelParam::Kind::view, "y", DType::f32, 1, false, 1}};
  kernel.attributes.push_back({KILN_LAUNCH_THREADS, true, {128}});
  target.program.kernels.push_back(kernel);

  Function main;
  main.name = "main";
  for (const char *name : {"x", "y"}) {
    Argument argument;
    argument.name = name;
    argument.dtype = DType::f32;
    argument.shape = {10000};
    argument.reg = main.newBuf();
    main.args.push_back(argument);
  }
  Reg size = main.newReg(), grid = main.newReg();
  Buf sum = main.newBuf();
  main.code.push_back(ConstInst{size, 10000});
  main.code.push_back(ConstInst{grid, 79});
  AllocInst alloc;
  alloc.dst = sum;
  alloc.dtype = DType::f32;
  alloc.sizes = {size};
  main.code.push_back(alloc);
  main.code.push_back(CopyInst{sum, main.args[1].reg});
  LaunchInst launch;
  launch.variants = {{kNone, 0, {grid, kNone, kNone}}};
  launch.args = {LaunchArg::ofBuffer(main.args[0].reg),
                 LaunchArg::ofBuffer(sum)};
  main.code.push_back(launch);
  Result result;
  result.name = "sum";
  result.dtype = DType::f32;
  result.shape = {10000};
  main.results.push_back(result);
  main.code.push_back(ReturnInst{{sum}});
  target.program.functions.push_back(main);
  package.targets.push_back(target);
  auto bytes = writePackage(package);
  if (!bytes)
    return fail(bytes.message());
  if (Error error = writeFile(argv[2], bytes->data(), bytes->size()))
    return fail(error.message());
  return 0;
}
