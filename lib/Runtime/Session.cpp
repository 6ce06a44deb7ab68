// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening a package on devices.
#include "Communicator.h"
#include "Interpreter.h"
#include "Plan.h"
#include "SessionImpl.h"
#include "kiln/Runtime/Spec.h"
#include <algorithm>
#include <cstring>
#include <new>

using namespace kiln::runtime;

namespace {

/// The option of a SPEC that is not for the driver.
constexpr const char *kOrdinalKey = "ordinal";

/// The name that a SPEC begins with.
std::string nameOf(const std::string &spec) {
  return spec.substr(0, spec.find_first_of(":,+"));
}

/// What the caller's SPEC says about the device `ref`; nothing where it is
/// about others. What it says to a driver is for the device of its name, or for
/// the only one; of several targets ("A+B") it is the first one's.
std::optional<Spec> askedOf(const DeviceRef &ref, const std::string &spec,
                            bool isOnly) {
  Expected<Spec> asked = Spec::parse(spec);
  auto [own, forDriver] = splitDriverOptions(spec);
  if (!asked && own.size() < spec.size())
    asked = Spec::parse(nameOf(own) + ",," + forDriver);
  if (!asked || (asked->name != ref.name && !isOnly))
    return std::nullopt;
  if (asked->name != ref.name)
    asked->options.clear();
  return *asked;
}

/// The device that `ref` means when the caller's SPEC asks for others of its
/// driver than the first.
Expected<DeviceRef> numbered(DeviceRef ref, const std::string &spec,
                             const std::optional<Spec> &asked) {
  if (!asked)
    return ref;
  std::vector<std::pair<std::string, std::string>> all = asked->options;
  all.insert(all.end(), asked->driverOptions.begin(),
             asked->driverOptions.end());
  for (const auto &[key, value] : all) {
    if (key != kOrdinalKey)
      continue;
    bool isNumber = !value.empty() && value.size() < 6 &&
                    value.find_first_not_of("0123456789") == value.npos;
    if (!isNumber)
      return Error("expected a number for 'ordinal' in '" + spec +
                   "', found '" + value + "'");
    ref.ordinal += std::stoi(value);
  }
  return ref;
}

/// What the driver gets: the package's options, then the caller's, which win.
std::string deviceOptions(const DeviceRef &ref,
                          const std::optional<Spec> &asked) {
  std::string options = ref.options;
  for (size_t i = 0; i < ref.requirements.size(); ++i)
    options += (i                 ? "+"
                : options.empty() ? "requires="
                                  : ",requires=") +
               ref.requirements[i];
  if (!asked)
    return options;
  // What the package has already may be the compiler's; behind the empty item
  // stands what the driver has to know.
  std::string given;
  for (const auto &[key, value] : asked->options) {
    if (key == kOrdinalKey)
      continue;
    std::string item = key + "=" + value;
    if (("," + options + ",").find("," + item + ",") == std::string::npos)
      given += "," + item;
  }
  for (const auto &[key, value] : asked->driverOptions)
    if (key != kOrdinalKey)
      given += "," + key + "=" + value;
  return given.empty() ? options : options + "," + given;
}

/// The chip that the program was compiled for: what its SPEC says, else what
/// the compiler took, which leads the options of its device.
std::string chipOf(const TargetProgram &target, const Spec &own) {
  if (!own.chip.empty() || target.program.devices.size() != 1)
    return own.chip;
  const std::string &options = target.program.devices.front().options;
  std::string first = options.substr(0, options.find(','));
  return first.find('=') == std::string::npos ? first : "";
}

std::string listTargets(const Package &package) {
  std::string list;
  for (const TargetProgram &target : package.targets)
    list += (list.empty() ? "'" : ", '") + target.spec + "'";
  return list.empty() ? "none" : list;
}

/// Fills `size` bytes with copies of an element, doubling what is there.
void fillWith(char *data, uint64_t size, const Blob &element) {
  uint64_t done = std::min<uint64_t>(size, element.size);
  std::memcpy(data, element.data, done);
  // Pieces that stay in the cache.
  constexpr uint64_t kPiece = 1 << 18;
  while (done && done < size) {
    uint64_t part =
        std::min({done, size - done, kPiece / element.size * element.size});
    std::memcpy(data + done, data, part);
    done += part;
  }
}

/// A buffer of the elements that a constant is short for.
Expected<std::shared_ptr<DeviceBuffer>> splat(Device &device,
                                              const Constant &constant) {
  const Blob &element = constant.bytes;
  int64_t count = checkedCount(constant.shape).value_or(0);
  uint64_t size = uint64_t(count) * element.size;
  bool isUniform =
      std::all_of(element.data, element.data + element.size,
                  [&](uint8_t byte) { return byte == element.data[0]; });
  if (device.importsHost() && size) {
    bool isZero = isUniform && element.data[0] == 0;
    Expected<Storage> storage = Storage::allocate(size, /*zeroed=*/isZero);
    if (!storage)
      return storage.takeError();
    if (!isZero)
      fillWith(static_cast<char *>(storage->data), size, element);
    return device.import(storage->data, size, storage->owner);
  }
  auto buffer = device.allocate(size);
  if (!buffer || !size)
    return buffer;
  if (isUniform) {
    if (Error error = device.fill(**buffer, 0, size, element.data[0]))
      return error;
    return buffer;
  }
  constexpr uint64_t kPiece = uint64_t(1) << 24; // a multiple of all widths
  auto piece = std::make_shared<std::vector<char>>(std::min(size, kPiece));
  device.keep(piece, /*isHost=*/true);
  fillWith(piece->data(), piece->size(), element);
  for (uint64_t done = 0; done < size; done += kPiece)
    if (Error error = device.copyIn(**buffer, done, piece->data(),
                                    std::min(kPiece, size - done)))
      return error;
  return buffer;
}

} // namespace

Expected<std::vector<size_t>>
kiln::runtime::matchingTargets(const Package &package,
                               const std::string &spec) {
  std::vector<size_t> found;
  auto [own, forDriver] = splitDriverOptions(spec);
  if (own.size() < spec.size()) {
    Expected<Spec> driver = Spec::parse(nameOf(own) + ",," + forDriver);
    if (!driver)
      return Error(driver.message() + " (in '" + spec + "')");
  }
  for (size_t i = 0; i < package.targets.size(); ++i)
    if (spec.empty() || package.targets[i].spec == own)
      found.push_back(i);
  if (!found.empty())
    return found;
  Expected<Spec> asked = Spec::parse(spec);
  if (!asked)
    return asked.takeError();
  for (size_t i = 0; i < package.targets.size(); ++i) {
    Expected<Spec> own = Spec::parse(package.targets[i].spec);
    if (own && own->name == asked->name &&
        (asked->chip.empty() ||
         asked->chip == chipOf(package.targets[i], *own)))
      found.push_back(i);
  }
  if (!found.empty())
    return found;
  return Error("the package holds nothing for target '" + spec + "'; it has " +
               listTargets(package));
}

SessionImpl::SessionImpl() = default;
SessionImpl::~SessionImpl() {
  for (SessionDevice &on : devices)
    if (Error error = on.device->finish())
      (void)error; // nothing is left to tell it to
}

Error SessionImpl::open(const std::string &spec) {
  const HostProgram &program = target().program;
  bool isOnly = program.devices.size() == 1, isHeard = false;
  for (const DeviceRef &ref : program.devices) {
    std::optional<Spec> asked = askedOf(ref, spec, isOnly);
    isHeard |= asked.has_value();
    Expected<DeviceRef> wanted = numbered(ref, spec, asked);
    if (!wanted)
      return wanted.takeError();
    Expected<std::shared_ptr<Device>> device =
        Device::open(*wanted, deviceOptions(ref, asked));
    if (!device)
      return device.takeError();
    devices.push_back({*device, {}, {}, {}, nullptr});
  }
  if (std::string forDriver = splitDriverOptions(spec).second;
      !forDriver.empty() && !isHeard)
    return Error("the options '" + forDriver + "' in '" + spec +
                 "' are for the driver of '" + nameOf(spec) +
                 "', on which nothing of the program runs");
  for (const KernelInfo &kernel : program.kernels) {
    for (const KernelParam &param : kernel.params)
      maxAlign = std::max(maxAlign, uint64_t(param.align));
    SessionDevice &on = devices[size_t(kernel.device)];
    std::shared_ptr<DeviceModule> &module = on.modules[kernel.module];
    if (!module) {
      auto loaded = on.device->loadModule(target().modules[kernel.module]);
      if (!loaded)
        return Error(loaded.message() + " (module " +
                     std::to_string(kernel.module) + " of target '" +
                     target().spec + "', with kernel '" + kernel.name + "')");
      module = *loaded;
    }
    Expected<KilnKernel *> handle = on.device->getKernel(*module, kernel);
    if (!handle)
      return handle.takeError();
    kernels.push_back(*handle);
  }
  return Error::success();
}

Expected<std::shared_ptr<DeviceBuffer>>
SessionImpl::constant(int32_t device, const Constant &constant) {
  SessionDevice &on = devices[size_t(device)];
  std::shared_ptr<DeviceBuffer> &buffer = on.constants[constant.name];
  if (buffer)
    return buffer;
  hasQueuedConstants = true;
  if (constant.isSplat) {
    auto filled = splat(*on.device, constant);
    if (filled)
      buffer = *filled;
    return filled;
  }
  const Blob &bytes = constant.bytes;
  bool isAligned = reinterpret_cast<uintptr_t>(bytes.data) % 64 == 0;
  if (on.device->importsHost() && isAligned && bytes.size) {
    // Kernels only read constants.
    auto imported =
        on.device->import(const_cast<uint8_t *>(bytes.data), bytes.size,
                          std::const_pointer_cast<void>(bytes.owner));
    if (imported)
      buffer = *imported;
    return imported;
  }
  auto allocated = on.device->allocate(bytes.size);
  if (!allocated)
    return allocated;
  if (Error error = on.device->copyIn(**allocated, 0, bytes.data, bytes.size))
    return error;
  buffer = *allocated;
  return buffer;
}

Expected<std::shared_ptr<DeviceBuffer>>
SessionImpl::arena(int32_t device, const std::string &memory, uint64_t bytes) {
  SessionDevice &on = devices[size_t(device)];
  std::shared_ptr<DeviceBuffer> &arena = on.arenas[memory];
  if (arena && arena->bytes >= bytes)
    return arena;
  Expected<uint32_t> kind = on.device->memoryKind(memory);
  if (!kind)
    return kind.takeError();
  // What was queued before may still use the smaller one.
  on.device->keep(arena);
  arena = nullptr;
  auto allocated = on.device->allocate(bytes, *kind);
  if (allocated)
    arena = *allocated;
  return allocated;
}

Expected<std::shared_ptr<DeviceBuffer>> SessionImpl::workspace(int32_t device,
                                                               uint64_t bytes) {
  SessionDevice &on = devices[size_t(device)];
  if (on.workspace && on.workspace->bytes >= bytes)
    return on.workspace;
  on.device->keep(on.workspace);
  on.workspace = nullptr;
  auto allocated = on.device->allocate(bytes);
  if (allocated)
    on.workspace = *allocated;
  return allocated;
}

const ResultPlan &SessionImpl::resultPlan(const Function &function) {
  auto found = plans.find(&function);
  if (found == plans.end())
    found = plans.emplace(&function, ResultPlan(function)).first;
  return found->second;
}

Session::Session(std::shared_ptr<SessionImpl> impl) : impl(std::move(impl)) {}
Session::Session(Session &&) noexcept = default;
Session &Session::operator=(Session &&) noexcept = default;
Session::~Session() = default;

Expected<Session> Session::create(std::shared_ptr<const Package> package,
                                  const std::string &target) {
  auto open = [&](size_t index) -> Expected<Session> {
    auto impl = std::make_unique<SessionImpl>();
    impl->package = package;
    impl->targetIndex = index;
    if (Error error = impl->open(target))
      return error;
    Expected<std::shared_ptr<World>> world = World::ofEnvironment();
    if (!world)
      return world.takeError();
    impl->world = *world;
    return Session(std::move(impl));
  };
  if (package->targets.empty())
    return Error("the package holds no target");
  Expected<std::vector<size_t>> candidates = matchingTargets(*package, target);
  if (!candidates)
    return candidates.takeError();
  std::vector<std::string> reasons;
  for (size_t i : *candidates) {
    Expected<Session> session = open(i);
    if (session) {
      session->impl->passedOver = std::move(reasons);
      return session;
    }
    // The only one that was asked for needs no name.
    if (!target.empty() && candidates->size() == 1)
      return session;
    reasons.push_back(package->targets[i].spec + ": " + session.message());
  }
  std::string list;
  for (const std::string &reason : reasons)
    list += (list.empty() ? "" : "; ") + reason;
  return Error("no target of the package can run here: " + list);
}

const std::vector<std::string> &Session::passedOver() const {
  return impl->passedOver;
}

void Session::setWorld(std::shared_ptr<World> world) {
  std::lock_guard<std::mutex> lock(impl->calling);
  // Plans hold the rank, and groups of ranks.
  if (impl->world == world)
    return;
  impl->world = std::move(world);
  impl->callPlans.clear();
}

const TargetProgram &Session::target() const { return impl->target(); }

const Function *Session::lookup(const std::string &name) const {
  return target().program.lookup(name);
}

std::vector<std::string> Session::deviceNames() const {
  std::vector<std::string> names;
  for (const SessionDevice &on : impl->devices) {
    const char *name = on.device->properties().name;
    names.push_back(name ? name : on.device->name());
  }
  return names;
}

unsigned Session::numCores() const {
  return impl->devices.front().device->properties().numCores;
}

bool Session::runsOnHost(size_t device) const {
  return device < impl->devices.size() &&
         impl->devices[device].device->importsHost();
}

Expected<const Function *>
kiln::runtime::defaultEntry(const HostProgram &program) {
  std::vector<const Function *> entries;
  for (const Function &function : program.functions)
    if (function.isPublic)
      entries.push_back(&function);
  if (entries.size() == 1)
    return entries.front();
  if (const Function *main = program.lookup("main"))
    return main;
  if (entries.empty())
    return Error("there is no public function or kernel");
  std::string list;
  for (const Function *function : entries)
    list += (list.empty() ? "" : ", ") + function->name;
  return Error("there are several entries, choose one of " + list);
}

Expected<const Function *> Session::defaultEntry() const {
  return kiln::runtime::defaultEntry(target().program);
}

Expected<std::vector<Tensor>> Session::call(const Function &function,
                                            const std::vector<Tensor> &args,
                                            const CallOptions &options,
                                            CallReport *report) {
  std::lock_guard<std::mutex> lock(impl->calling);
  WorldOfCall world(impl->world.get());
  try {
    Interpreter interpreter(*impl->package, target(), function, options, report,
                            impl.get());
    return interpreter.call(args);
  } catch (const std::bad_alloc &) {
    return Error("out of memory while calling '" + function.name + "'");
  }
}

Expected<CallReport>
kiln::runtime::measure(const Package &package, const TargetProgram &target,
                       const Function &function,
                       const std::vector<std::vector<int64_t>> &shapes) {
  CallReport report;
  CallOptions options;
  options.dryRun = true;
  Interpreter interpreter(package, target, function, options, &report, nullptr);
  if (Error error = interpreter.measure(shapes))
    return error;
  return report;
}
