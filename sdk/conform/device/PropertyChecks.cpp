// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a driver says of itself, and its options.
#include "Context.h"
#include <cctype>
#include <cstring>
#include <filesystem>
#include <set>

using namespace kiln::conform;

namespace {

void checkTable(Context &context) {
  const KilnDeviceDriver &t = context.table;
  expect(t.name && *t.name, "the table has no name");
  expect(t.apiMajor == KILN_DEVICE_API_MAJOR,
         "the table has version " + std::to_string(t.apiMajor) +
             ", its note says " + std::to_string(KILN_DEVICE_API_MAJOR));
  std::string file = std::filesystem::path(context.path).filename();
  if (file.rfind("libkiln-device-", 0) == 0)
    expect(file == std::string("libkiln-device-") + t.name + ".so",
           "the driver calls itself '" + std::string(t.name) +
               "', but its file is " + file);
  auto whole = [](std::initializer_list<bool> entries, const char *group) {
    size_t count = 0;
    for (bool entry : entries)
      count += entry;
    expect(count == 0 || count == entries.size(),
           std::string("only some of the entries for ") + group + " are there");
  };
  whole({t.createQueue != nullptr, t.destroyQueue != nullptr,
         t.synchronize != nullptr},
        "queues");
  whole({t.createEvent != nullptr, t.destroyEvent != nullptr,
         t.recordEvent != nullptr},
        "events");
  expect(t.createEvent || (!t.waitEvent && !t.elapsed),
         "only some of the entries for events are there");
  whole({t.beginRecording != nullptr, t.endRecording != nullptr,
         t.replay != nullptr, t.destroyRecording != nullptr},
        "recording");
  whole({t.countDevices != nullptr, t.openNumbered != nullptr},
        "numbered devices");
}

void checkText(const char *text, const std::string &what) {
  expect(text && *text, what + " is empty");
  for (const char *at = text; *at; ++at)
    expect(!std::iscntrl(static_cast<unsigned char>(*at)),
           what + " holds a control character");
}

void checkProperties(Context &context) {
  Device device(context.table, context.text());
  const KilnDeviceProperties &p = device.properties();
  expect(p.structSize >= KILN_DEVICE_PROPERTIES_SIZE_1_0,
         "the properties have " + std::to_string(p.structSize) +
             " bytes, expected at least " +
             std::to_string(KILN_DEVICE_PROPERTIES_SIZE_1_0));
  checkText(p.name, "the name of the device");
  expect(p.numCores > 0, "the device has no cores");
  expect(p.numMemoryKinds > 0 && p.memoryKinds,
         "the device has no kind of memory");
  std::set<std::string> names;
  for (uint32_t i = 0; i < p.numMemoryKinds; ++i) {
    const KilnMemoryKind &kind = p.memoryKinds[i];
    std::string what = "memory kind " + std::to_string(i);
    checkText(kind.name, "the name of " + what);
    expect(names.insert(kind.name).second,
           what + " has the name of another, '" + kind.name + "'");
    expect(kind.alignment > 0 && (kind.alignment & (kind.alignment - 1)) == 0,
           what + ": its alignment, " + std::to_string(kind.alignment) +
               ", is no power of two");
    expect(!(kind.flags & KILN_MEMORY_HOST_VISIBLE) || context.table.exportHost,
           what + " says that the host sees it, but there is no exportHost");
    expect(!(kind.flags & KILN_MEMORY_IMPORTS_HOST) || context.table.importHost,
           what + " says that it imports, but there is no importHost");
  }
}

void checkStable(Context &context) {
  Device device(context.table, context.text());
  const KilnDeviceProperties *first = &device.properties();
  std::string name = first->name;
  Buffer buffer(device, 64);
  const KilnDeviceProperties *second = &device.properties();
  expect(first == second, "properties gives another address each time");
  expect(name == second->name, "the name changed while the device was open");
}

void checkUnknownOption(Context &context) {
  // What the caller adds stands behind an empty item.
  std::string text = context.text();
  if (text.find(",,") == std::string::npos)
    text += ",,";
  else
    text += ",";
  text += "kiln_conform_no_such_key=1";
  KilnDevice *device = nullptr;
  KilnError error = {};
  int status = context.table.open(text.c_str(), &device, &error);
  if (status == 0 && device)
    context.table.close(device);
  expectRefused(status, error, "open with '" + text + "'");
}

void checkCompilerOption(Context &context) {
  // Keys of the compiler come in the first part; a driver skips those.
  if (context.text().find(",,") != std::string::npos)
    need(false, "the options that were given have a part of the caller");
  std::string text = context.text() + ",kiln_conform_compiler_key=1";
  Device device(context.table, text);
  Buffer buffer(device, 64);
}

void checkTwice(Context &context) {
  Device first(context.table, context.text());
  Buffer kept(first, 4096);
  kept.write(pattern(4096, 1));
  {
    Device second(context.table, context.text());
    expect(first.handle != second.handle,
           "open gave a device that is open already");
    Buffer other(second, 4096);
    other.write(pattern(4096, 2));
    expectEqual(other.read(), pattern(4096, 2), "memory of the second device");
  }
  expectEqual(kept.read(), pattern(4096, 1),
              "memory of the first device after the second was closed");
}

void checkAgain(Context &context) {
  for (int i = 0; i < 20; ++i) {
    Device device(context.table, context.text());
    Buffer buffer(device, 1000);
    buffer.write(pattern(1000, i));
    expectEqual(buffer.read(), pattern(1000, i),
                "memory of the device opened for the " + std::to_string(i + 1) +
                    "th time");
  }
}

void checkKnows(Context &context) {
  Device device(context.table, context.text());
  need(context.table.knowsAttribute || context.table.knowsRecipe,
       "the driver knows no attributes or recipes");
  if (context.table.knowsAttribute)
    expect(!context.table.knowsAttribute(device.handle, 0x7FFFFFFF),
           "knowsAttribute says yes to 0x7fffffff, which is not defined");
  if (context.table.knowsRecipe)
    expect(!context.table.knowsRecipe(device.handle,
                                      "kiln-conform.no-such-recipe"),
           "knowsRecipe says yes to a recipe that does not exist");
}

} // namespace

const std::vector<Check> &kiln::conform::propertyChecks() {
  static const std::vector<Check> checks = {
      {"properties/table", "required entries, whole groups, its file's name",
       checkTable},
      {"properties/device", "names, cores, kinds of memory, flags that hold",
       checkProperties},
      {"properties/stable", "the same as long as the device is open",
       checkStable},
      {"properties/unknown-option", "a caller's unknown key is refused",
       checkUnknownOption},
      {"properties/compiler-option", "a compiler's unknown key is skipped",
       checkCompilerOption},
      {"properties/open-twice", "devices that do not disturb each other",
       checkTwice},
      {"properties/open-again", "opened and closed many times", checkAgain},
      {"properties/knows",
       "says no to attributes and recipes that are not defined", checkKnows}};
  return checks;
}
