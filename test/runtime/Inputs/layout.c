/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints where everything of version 1.0 is, by the header that it is compiled
   with. */
#include "kiln-c/Device.h"
#include <stdio.h>

#ifndef KILN_DEVICE_DRIVER_SIZE_1_0
#define KILN_DEVICE_DRIVER_SIZE_1_0 sizeof(KilnDeviceDriver)
#define KILN_DEVICE_PROPERTIES_SIZE_1_0 sizeof(KilnDeviceProperties)
#define KILN_KERNEL_DESCRIPTION_SIZE_1_0 sizeof(KilnKernelDescription)
#define KILN_LAUNCH_SIZE_1_0 sizeof(KilnLaunch)
#endif

#define FIELD(S, F) printf(#S "." #F " %zu\n", offsetof(S, F))
#define SIZE(X) printf(#X " %zu\n", (size_t)(X))

int main(void) {
  SIZE(KILN_DEVICE_DRIVER_SIZE_1_0);
  SIZE(KILN_DEVICE_PROPERTIES_SIZE_1_0);
  SIZE(KILN_KERNEL_DESCRIPTION_SIZE_1_0);
  SIZE(KILN_LAUNCH_SIZE_1_0);
  /* What stands in arrays never grows. */
  SIZE(sizeof(KilnMemoryKind));
  SIZE(sizeof(KilnKernelArgument));
  SIZE(sizeof(KilnKernelParameter));
  SIZE(sizeof(KilnError));
  FIELD(KilnMemoryKind, bytes);
  FIELD(KilnDeviceProperties, memoryKinds);
  FIELD(KilnKernelArgument, byteOffset);
  FIELD(KilnKernelArgument, sizes);
  FIELD(KilnKernelArgument, bits);
  FIELD(KilnKernelParameter, readonly);
  FIELD(KilnKernelDescription, parameters);
  FIELD(KilnLaunch, grid);
  FIELD(KilnLaunch, arguments);
  FIELD(KilnDeviceDriver, name);
  FIELD(KilnDeviceDriver, open);
  FIELD(KilnDeviceDriver, allocate);
  FIELD(KilnDeviceDriver, copyIn);
  FIELD(KilnDeviceDriver, createQueue);
  FIELD(KilnDeviceDriver, elapsed);
  FIELD(KilnDeviceDriver, execute);
  FIELD(KilnDeviceDriver, destroyRecording);
  FIELD(KilnDeviceHost, progress);
  return 0;
}
