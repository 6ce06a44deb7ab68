// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code: modules that are none, symbols that are not there, and the functions
// of a package on the device.
#include "Context.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Session.h"
#include <cfenv>
#include <clocale>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace kiln;
using namespace kiln::conform;
using runtime::Expected;

namespace {

/// The package of the options.
std::shared_ptr<const runtime::Package> packageOf(Context &context) {
  need(!context.options.package.empty(), "no package was given");
  Expected<runtime::Package> package =
      runtime::readPackageFile(context.options.package);
  expect(bool(package), package ? "" : package.message());
  return std::make_shared<const runtime::Package>(std::move(*package));
}

/// What a package has for this driver.
struct Code {
  std::shared_ptr<const runtime::Package> package;
  const runtime::TargetProgram *target = nullptr;
  const runtime::KernelInfo *kernel = nullptr;
  runtime::Blob module;
};

Code codeOf(Context &context) {
  Code code;
  code.package = packageOf(context);
  for (const runtime::TargetProgram &target : code.package->targets)
    for (const runtime::KernelInfo &kernel : target.program.kernels)
      if (!code.kernel &&
          size_t(kernel.device) < target.program.devices.size() &&
          target.program.devices[kernel.device].name == context.table.name) {
        code.target = &target;
        code.kernel = &kernel;
        code.module = target.modules[kernel.module];
      }
  need(code.kernel, "the package has no kernel for the device");
  return code;
}

/// How the device of some code is opened: as was asked for, else as the package
/// says.
std::string optionsFor(Context &context, const Code &code) {
  return context.text().empty()
             ? code.target->program.devices[code.kernel->device].options
             : context.text();
}

/// A loaded module, unloaded with this.
class Module {
public:
  Module(Device &device, const runtime::Blob &bytes) : device(device) {
    KilnError error = {};
    expectDone(device.table.loadModule(device.handle, bytes.data, bytes.size,
                                       &handle, &error),
               error, "loadModule");
    expect(handle, "loadModule gave no module and no error");
  }
  Module(const Module &) = delete;
  ~Module() {
    if (handle)
      device.table.unloadModule(device.handle, handle);
  }
  KilnModule *get() const { return handle; }

private:
  Device &device;
  KilnModule *handle = nullptr;
};

/// A description of a kernel as version 1.0 had it.
struct Description {
  explicit Description(const runtime::KernelInfo &kernel) {
    using Kind = runtime::KernelParam::Kind;
    for (const runtime::KernelParam &param : kernel.params)
      params.push_back({param.kind == Kind::scalar, uint32_t(param.dtype),
                        uint32_t(param.rank), param.readonly});
    if (kernel.workspace)
      params.push_back({0, KILN_DTYPE_U8, 1, 0});
    asked.structSize = sizeof asked;
    asked.symbol = kernel.symbol.c_str();
    asked.scratchBytes = uint64_t(kernel.scratchBytes);
    asked.numParameters = uint32_t(params.size());
    asked.parameters = params.data();
    asked.metadata = kernel.metadata.data();
    asked.metadataBytes = kernel.metadata.size();
  }
  std::vector<KilnKernelParameter> params;
  KilnKernelDescription asked = {};
};

/// What a driver must be told with a kernel is the runtime's to hand on.
void needNothingOfLaunches(const runtime::KernelInfo &kernel) {
  bool isRequired = !kernel.recipes.empty();
  for (const runtime::LaunchAttribute &attribute : kernel.attributes)
    isRequired |= attribute.isRequired;
  need(!isRequired,
       "the kernel requires attributes, which the runtime has to hand on");
}

/// Loading must fail with a reason, or give what can be unloaded.
void tryModule(Device &device, const Bytes &bytes, const std::string &what,
               bool mustFail) {
  KilnModule *module = nullptr;
  KilnError error = {};
  int status = device.table.loadModule(device.handle, bytes.data(),
                                       bytes.size(), &module, &error);
  if (status == 0 && module)
    device.table.unloadModule(device.handle, module);
  if (mustFail || status != 0)
    expectRefused(status, error, "loadModule of " + what);
}

void checkGarbage(Context &context) {
  Device device(context.table, context.text());
  tryModule(device, {}, "0 bytes", true);
  tryModule(device, {0}, "one byte", true);
  tryModule(device, Bytes(1000, 0), "zeros", true);
  for (uint32_t seed = 0; seed < 20; ++seed)
    tryModule(device, pattern(100 + 997 * seed, seed), "random bytes", true);
  Buffer after(device, 100);
  after.write(pattern(100, 1));
  expectEqual(after.read(), pattern(100, 1), "memory after refused modules");
}

void checkDamaged(Context &context) {
  Code code = codeOf(context);
  Device device(context.table, optionsFor(context, code));
  Bytes whole(code.module.data, code.module.data + code.module.size);
  // The end may be what a device does not need.
  for (size_t part : {1, 2, 3, 4, 5, 6, 7})
    tryModule(device,
              Bytes(whole.begin(), whole.begin() + whole.size() * part / 8),
              std::to_string(part) + "/8 of a module", part <= 4);
  // Changed bytes may go unseen where they are data; they must not crash.
  uint32_t state = 1;
  for (int round = 0; round < 100; ++round) {
    Bytes changed = whole;
    for (int i = 0; i < 4; ++i) {
      state = state * 1664525u + 1013904223u;
      changed[state % changed.size()] ^= uint8_t(1u << (state >> 29));
    }
    tryModule(device, changed, "a module with four changed bits", false);
  }
  Module module(device, code.module);
}

void checkKernel(Context &context) {
  Code code = codeOf(context);
  Device device(context.table, optionsFor(context, code));
  Module module(device, code.module);
  Description description(*code.kernel);
  KilnKernel *kernel = nullptr;
  KilnError error = {};
  needNothingOfLaunches(*code.kernel);
  expectDone(context.table.getKernel(device.handle, module.get(),
                                     &description.asked, &kernel, &error),
             error, "getKernel of '" + code.kernel->symbol + "'");
  expect(kernel, "getKernel gave no kernel and no error");
}

void checkNoSymbol(Context &context) {
  Code code = codeOf(context);
  Device device(context.table, optionsFor(context, code));
  Module module(device, code.module);
  Description description(*code.kernel);
  for (const char *symbol : {"kiln_conform_no_such_kernel", ""}) {
    description.asked.symbol = symbol;
    KilnKernel *kernel = nullptr;
    KilnError error = {};
    expectRefused(context.table.getKernel(device.handle, module.get(),
                                          &description.asked, &kernel, &error),
                  error, std::string("getKernel of '") + symbol + "'");
  }
}

void checkLoads(Context &context) {
  Code code = codeOf(context);
  Device device(context.table, optionsFor(context, code));
  Module kept(device, code.module);
  for (int i = 0; i < 100; ++i)
    Module module(device, code.module);
  Description description(*code.kernel);
  KilnKernel *kernel = nullptr;
  KilnError error = {};
  needNothingOfLaunches(*code.kernel);
  expectDone(context.table.getKernel(device.handle, kept.get(),
                                     &description.asked, &kernel, &error),
             error, "getKernel after others were unloaded");
}

/// Results of a call: first the results, then the arguments that it may write.
std::vector<Bytes> callOnce(runtime::Session &session,
                            const runtime::Function &function,
                            const std::vector<runtime::Tensor> &args) {
  auto results = session.call(function, args);
  expect(bool(results), results ? "" : results.message());
  std::vector<Bytes> bytes;
  auto keep = [&](const runtime::Tensor &tensor) {
    Expected<runtime::Tensor> host = session.download(tensor);
    expect(bool(host), host ? "" : host.message());
    auto *data = static_cast<const uint8_t *>(host->data());
    bytes.emplace_back(data, data + host->numElements() *
                                        runtime::dtypeBytes(host->dtype));
  };
  for (const runtime::Tensor &result : *results)
    keep(result);
  for (size_t i = 0; i < args.size(); ++i)
    if (function.args[i].writable)
      keep(args[i]);
  return bytes;
}

/// Arguments with the same bytes each time.
std::vector<runtime::Tensor>
inventArguments(const runtime::Function &function) {
  std::vector<runtime::Tensor> args;
  for (const runtime::Argument &argument : function.args) {
    std::vector<int64_t> shape = argument.shape;
    for (int64_t &size : shape)
      if (size == runtime::kDynamic)
        size = 64;
    auto tensor = runtime::Tensor::create(argument.dtype, shape);
    expect(bool(tensor), tensor ? "" : tensor.message());
    size_t bytes = tensor->numElements() * runtime::dtypeBytes(argument.dtype);
    // Small numbers in every type: halves of floats would be anything.
    auto *data = static_cast<uint8_t *>(tensor->data());
    std::memset(data, 0, bytes);
    if (argument.dtype == runtime::DType::f32)
      for (size_t i = 0; i < bytes / 4; ++i) {
        float value = 1.0f + float(i % 97) / 97;
        std::memcpy(data + 4 * i, &value, 4);
      }
    args.push_back(std::move(*tensor));
  }
  return args;
}

/// The first function of a package, whose driver the runtime knows then.
const runtime::Function &entryOf(Context &context, const Code &code) {
  auto added = runtime::addDeviceLibrary(context.path);
  expect(bool(added), added ? "" : added.message());
  for (const auto &function : code.target->program.functions)
    if (function.isPublic)
      return function;
  throw CheckSkipped("the package has no public function");
}

/// What belongs to the process that uses a driver, as texts with names.
std::vector<std::pair<std::string, std::string>> processState() {
  std::vector<std::pair<std::string, std::string>> state;
  std::error_code error;
  state.emplace_back("the working folder",
                     std::filesystem::current_path(error).string());
  const char *locale = std::setlocale(LC_ALL, nullptr);
  state.emplace_back("the locale", locale ? locale : "");
  state.emplace_back("the rounding mode", std::to_string(std::fegetround()));
#ifdef __SSE__
  // Without the flags of what has happened.
  state.emplace_back("the control word of floats",
                     std::to_string(__builtin_ia32_stmxcsr() & ~0x3fu));
#endif
  for (int fd : {0, 1, 2}) {
    struct stat file = {};
    bool isOpen = fstat(fd, &file) == 0;
    state.emplace_back("file descriptor " + std::to_string(fd),
                       isOpen ? std::to_string(file.st_dev) + ":" +
                                    std::to_string(file.st_ino)
                              : "closed");
  }
  for (int number :
       {SIGINT, SIGTERM, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    bool isDefault = action.sa_handler == SIG_DFL;
    state.emplace_back("what signal " + std::to_string(number) + " does",
                       isDefault ? "the default"
                       : action.sa_handler == SIG_IGN
                           ? "nothing"
                           : "a handler at " +
                                 std::to_string(uintptr_t(action.sa_handler)));
  }
  return state;
}

/// A driver is a guest in the process of a program.
void checkProcess(Context &context) {
  auto package = packageOf(context);
  Code code = codeOf(context);
  const runtime::Function &entry = entryOf(context, code);
  auto before = processState();
  {
    auto session = runtime::Session::create(package, code.target->spec);
    expect(bool(session), session ? "" : session.message());
    callOnce(*session, *session->lookup(entry.name), inventArguments(entry));
  }
  auto after = processState();
  for (size_t i = 0; i < before.size(); ++i)
    expect(before[i] == after[i],
           "a call changes " + before[i].first + " of the process: " +
               before[i].second + " before, " + after[i].second + " behind it");
}

void checkThreads(Context &context) {
  auto package = packageOf(context);
  Code code = codeOf(context);
  const runtime::Function *entry = &entryOf(context, code);
  constexpr int kThreads = 4, kCalls = 25;
  std::vector<std::vector<Bytes>> first(kThreads);
  std::vector<std::string> problems(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        auto session = runtime::Session::create(package, code.target->spec);
        expect(bool(session), session ? "" : session.message());
        const runtime::Function *function = session->lookup(entry->name);
        for (int i = 0; i < kCalls; ++i) {
          auto results =
              callOnce(*session, *function, inventArguments(*function));
          if (i == 0)
            first[t] = results;
          for (size_t r = 0; r < results.size(); ++r)
            expectEqual(results[r], first[t][r],
                        "call " + std::to_string(i + 1) + ", result " +
                            std::to_string(r));
        }
      } catch (const std::exception &e) {
        problems[t] = e.what();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    expect(problem.empty(), problem);
  for (int t = 1; t < kThreads; ++t)
    for (size_t r = 0; r < first[0].size(); ++r)
      expectEqual(first[t][r], first[0][r],
                  "thread " + std::to_string(t) + ", result " +
                      std::to_string(r));
}

} // namespace

const std::vector<Check> &kiln::conform::moduleChecks() {
  static const std::vector<Check> checks = {
      {"modules/garbage", "bytes that are no module are refused", checkGarbage},
      {"modules/damaged", "parts of one, and one with changed bits",
       checkDamaged},
      {"modules/kernel", "a kernel of a package, by its description",
       checkKernel},
      {"modules/no-symbol", "a kernel that is not there is refused",
       checkNoSymbol},
      {"modules/many", "loaded and unloaded again, beside one that stays",
       checkLoads},
      {"modules/process",
       "a call leaves the folder, the signals, the files of the process",
       checkProcess},
      {"modules/threads", "sessions in four threads, a hundred equal results",
       checkThreads}};
  return checks;
}
