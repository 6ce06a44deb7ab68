// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver that forgot its copies.
#include "kiln-c/Device.h"

KILN_DEVICE_NOTE();

static void anything(void) {}
#define ANY (void *)anything

const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *host) {
  static KilnDeviceDriver table = {sizeof table, KILN_DEVICE_API_MAJOR,
                                   KILN_DEVICE_API_MINOR, "lacks"};
  (void)host;
  table.open = ANY;
  table.close = ANY;
  table.properties = ANY;
  table.allocate = ANY;
  table.release = ANY;
  return &table;
}
