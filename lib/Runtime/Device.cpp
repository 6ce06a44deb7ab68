// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening devices; their queues, events, modules and kernels.
#include "Device.h"
#include "LaunchContract.h"
#include <algorithm>
#include <cstring>

using namespace kiln::runtime;

DeviceModule::~DeviceModule() {
  device->table->unloadModule(device->handle, handle);
}

DeviceEvent::~DeviceEvent() {
  device->table->destroyEvent(device->handle, handle);
}

DeviceRecording::~DeviceRecording() {
  device->table->destroyRecording(device->handle, handle);
}

Device::~Device() {
  trim();
  if (queue)
    table->destroyQueue(handle, queue);
  for (auto &[native, foreign] : foreignQueues)
    if (foreign)
      table->destroyQueue(handle, foreign);
  table->close(handle);
}

/// What a driver says, in one line.
static std::string reasonOf(const KilnError &error) {
  std::string reason(error.message,
                     strnlen(error.message, sizeof(error.message)));
  for (char &c : reason)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      c = ' ';
  return reason;
}

Error OpenedDevice::failure(const std::string &what,
                            const KilnError &error) const {
  std::string reason = reasonOf(error);
  return Error("device '" + deviceName + "': " + what +
               (reason.empty() ? " failed without a reason" : ": " + reason));
}

/// Opens device `ref.ordinal` of a driver.
static Expected<KilnDevice *> openHandle(const KilnDeviceDriver &table,
                                         const DeviceRef &ref,
                                         const std::string &options) {
  KilnError error = {};
  KilnDevice *handle = nullptr;
  auto fail = [&](const std::string &reason) {
    return Error(
        "device '" + deviceText(ref) + "': " +
        (reason.empty() ? "cannot be opened, without a reason" : reason));
  };
  uint32_t count = 1;
  if (table.countDevices && table.countDevices(&count, &error) != 0)
    return fail(reasonOf(error));
  if (uint32_t(ref.ordinal) >= count)
    return fail("the driver has " + std::to_string(count) +
                (count == 1 ? " device" : " devices"));
  int status = table.openNumbered
                   ? table.openNumbered(uint32_t(ref.ordinal), options.c_str(),
                                        &handle, &error)
               : ref.ordinal ? 1
                             : table.open(options.c_str(), &handle, &error);
  if (status != 0)
    return fail(ref.ordinal && !table.openNumbered
                    ? "the driver opens no device but the first"
                    : reasonOf(error));
  if (!handle)
    return fail("opening it gave no device and no error");
  return handle;
}

/// The driver that the options ask for: with device=VARIANT, NAME-VARIANT. The
/// last one counts, which is the caller's.
static std::string driverName(const std::string &name,
                              const std::string &options) {
  const std::string key = ",device=";
  std::string all = "," + options;
  size_t at = all.rfind(key);
  if (at == all.npos)
    return name;
  std::string variant = all.substr(at + key.size());
  variant.resize(std::min(variant.find(','), variant.size()));
  return variant.empty() ? name : name + "-" + variant;
}

Expected<std::shared_ptr<Device>> Device::open(const DeviceRef &ref,
                                               const std::string &options) {
  std::string driver = driverName(ref.name, options);
  // It becomes part of a file's name.
  if (driver.find('/') != driver.npos)
    return Error("expected a name for 'device' in '" + options + "', found '" +
                 driver.substr(ref.name.size() + 1) + "'");
  Expected<const KilnDeviceDriver *> table = loadDeviceDriver(driver);
  if (!table)
    return table.takeError();
  Expected<KilnDevice *> handle = openHandle(**table, ref, options);
  if (!handle)
    return handle.takeError();
  std::shared_ptr<Device> device(new Device(*table, *handle, deviceText(ref)));
  device->number = ref.ordinal;
  if (Error error = device->describe())
    return error;
  if (Error error = device->useQueue(nullptr))
    return error;
  return device;
}

Error OpenedDevice::describe() {
  const KilnDeviceProperties *found = table->properties(handle);
  if (!found)
    return Error("device '" + deviceName + "': it gave no properties");
  if (found->structSize < KILN_DEVICE_PROPERTIES_SIZE_1_0)
    return Error("device '" + deviceName +
                 "': its properties are smaller than those of version 1.0");
  std::memcpy(&props, found, std::min(found->structSize, sizeof(props)));
  if (!props.numMemoryKinds || !props.memoryKinds)
    return Error("device '" + deviceName + "': it describes no memory");
  return Error::success();
}

Error Device::useQueue(void *native) {
  if (!native && !table->createQueue)
    return Error::success();
  if (native && !table->importQueue)
    return Error("device '" + deviceName +
                 "': its driver cannot work in queues of others");
  if (Error error = synchronize())
    return error;
  KilnError error = {};
  KilnQueue *created = nullptr;
  int status = native ? table->importQueue(handle, native, &created, &error)
                      : table->createQueue(handle, &created, &error);
  if (status != 0)
    return failure("cannot create a queue", error);
  if (queue)
    table->destroyQueue(handle, queue);
  queue = created;
  isForeignQueue = native != nullptr;
  return Error::success();
}

Expected<KilnQueue *> Device::foreignQueue(void *native) {
  KilnQueue *&found = foreignQueues[native];
  if (found)
    return found;
  if (!table->importQueue)
    return Error("device '" + deviceName +
                 "': its driver cannot work in queues of others");
  KilnError error = {};
  if (table->importQueue(handle, native, &found, &error) != 0) {
    found = nullptr;
    return failure("cannot create a queue", error);
  }
  return found;
}

Expected<void *> Device::exportQueue() {
  KilnError error = {};
  void *native = nullptr;
  if (table->exportQueue(handle, queue, &native, &error))
    return failure("cannot hand on its queue", error);
  return native;
}

Error Device::synchronize() {
  KilnError error = {};
  bool ok = !queue || table->synchronize(handle, queue, &error) == 0;
  kept.clear();
  return ok ? Error::success() : failure("execution", error);
}

bool OpenedDevice::hasClock() const {
  return table->createEvent && table->destroyEvent && table->recordEvent &&
         table->elapsed;
}

Expected<std::shared_ptr<DeviceEvent>> Device::recordEvent() {
  KilnError error = {};
  KilnEvent *event = nullptr;
  if (table->createEvent(handle, &event, &error) != 0)
    return failure("cannot create an event", error);
  auto result = std::make_shared<DeviceEvent>(shared_from_this(), event);
  if (table->recordEvent(handle, queue, event, &error) != 0)
    return failure("cannot record an event", error);
  return result;
}

Expected<double> Device::elapsed(DeviceEvent &begin, DeviceEvent &end) {
  KilnError error = {};
  double seconds = 0;
  if (table->elapsed(handle, begin.handle, end.handle, &seconds, &error) != 0)
    return failure("cannot tell the time between events", error);
  return seconds;
}

bool OpenedDevice::canRecord() const {
  return table->beginRecording && table->endRecording && table->replay &&
         table->destroyRecording;
}

Expected<std::shared_ptr<DeviceRecording>>
Device::record(const std::function<Error()> &work) {
  KilnError error = {};
  if (table->beginRecording(handle, queue, &error) != 0)
    return failure("cannot record", error);
  Error problem = work();
  KilnRecording *recording = nullptr;
  bool ended = table->endRecording(handle, queue, &recording, &error) == 0;
  std::shared_ptr<DeviceRecording> result;
  if (ended)
    result = std::make_shared<DeviceRecording>(shared_from_this(), recording);
  if (problem)
    return problem;
  return ended ? Expected<std::shared_ptr<DeviceRecording>>(std::move(result))
               : failure("cannot end recording", error);
}

Error Device::replay(DeviceRecording &recording) {
  KilnError error = {};
  if (table->replay(handle, queue, recording.handle, &error) != 0)
    return failure("replay", error);
  return Error::success();
}

Expected<std::shared_ptr<DeviceModule>> Device::loadModule(Blob bytes) {
  KilnError error = {};
  KilnModule *module = nullptr;
  if (table->loadModule(handle, bytes.data, bytes.size, &module, &error) != 0)
    return failure("cannot load a module", error);
  if (!module)
    return Error("device '" + deviceName +
                 "': loading gave no module and no error");
  return std::make_shared<DeviceModule>(shared_from_this(), module,
                                        std::move(bytes));
}

Error OpenedDevice::checkAttributes(
    const std::vector<LaunchAttribute> &attributes,
    const std::string &kernel) const {
  for (const LaunchAttribute &attribute : attributes)
    if (attribute.isRequired && !(table->knowsAttribute &&
                                  table->knowsAttribute(handle, attribute.tag)))
      return Error("device '" + deviceName + "': kernel '" + kernel +
                   "' needs launch attribute '" +
                   launchAttributeName(attribute.tag) +
                   "', which the driver does not know");
  return Error::success();
}

Error OpenedDevice::checkContract(const KernelInfo &info) const {
  if (Error error = checkAttributes(info.attributes, info.name))
    return error;
  for (const Recipe &recipe : info.recipes)
    if (!(table->knowsRecipe &&
          table->knowsRecipe(handle, recipe.name.c_str())))
      return Error("device '" + deviceName + "': kernel '" + info.name +
                   "' needs recipe '" + recipe.name +
                   "', which the driver does not know");
  return Error::success();
}

Expected<KilnKernel *> Device::getKernel(DeviceModule &module,
                                         const KernelInfo &info) {
  if (Error error = checkContract(info))
    return error;
  std::vector<KilnKernelParameter> params;
  for (const KernelParam &param : info.params)
    params.push_back({param.kind == KernelParam::Kind::scalar,
                      static_cast<uint32_t>(param.dtype),
                      static_cast<uint32_t>(param.rank), param.readonly});
  if (info.workspace)
    params.push_back({0, KILN_DTYPE_U8, 1, 0});
  LaunchContract contract = LaunchContract::describe(info);
  KilnKernelDescription description = {};
  description.structSize = sizeof(description);
  description.symbol = info.symbol.c_str();
  description.scratchBytes = uint64_t(info.scratchBytes);
  description.numParameters = uint32_t(params.size());
  description.parameters = params.data();
  description.metadata = info.metadata.data();
  description.metadataBytes = info.metadata.size();
  description.numAttributes = uint32_t(contract.attributes.size());
  description.attributes = contract.attributes.data();
  description.numEncodings = uint32_t(contract.encodings.size());
  description.encodings = contract.encodings.data();
  KilnError error = {};
  KilnKernel *kernel = nullptr;
  if (table->getKernel(handle, module.handle, &description, &kernel, &error) !=
      0)
    return failure("kernel '" + info.symbol + "'", error);
  if (!kernel)
    return Error("device '" + deviceName + "': getKernel gave nothing for '" +
                 info.symbol + "' and no error");
  return kernel;
}

Error Device::execute(const KilnLaunch &launch) {
  KilnError error = {};
  if (table->execute(handle, queue, &launch, &error) != 0)
    return failure("execution", error);
  return Error::success();
}
