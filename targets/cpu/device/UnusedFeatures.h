// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features that say nothing about whether kernels run; shared by the compiler's
// side and the driver's.
#ifndef KILN_TARGETS_CPU_DEVICE_UNUSEDFEATURES_H
#define KILN_TARGETS_CPU_DEVICE_UNUSEDFEATURES_H

#include <string_view>

namespace kiln::cpu_target {

/// Instructions for operating systems, or that code only has where a program
/// asks for them by name, what every machine of the architecture has, and what
/// only makes instructions of the base faster.
/// Virtual machines and firmware hide some of them.
inline bool isUnusedFeature(std::string_view name) {
  constexpr std::string_view names[] = {
      "64bit",    "64bit-mode", "cldemote", "clflushopt", "clwb",     "clzero",
      "enqcmd",   "ermsb",      "fsrm",     "fsgsbase",   "fxsr",     "hreset",
      "invpcid",  "kl",         "lwp",      "movdir64b",  "movdiri",  "mwaitx",
      "nopl",     "pconfig",    "pku",      "prefetchi",  "prfchw",   "ptwrite",
      "rdpid",    "rdpru",      "rtm",      "serialize",  "sgx",      "shstk",
      "tsxldtrk", "uintr",      "usermsr",  "waitpkg",    "wbnoinvd", "widekl",
      "x87",      "xsave",      "xsavec",   "xsaveopt",   "xsaves"};
  for (std::string_view known : names)
    if (known == name)
      return true;
  return false;
}

} // namespace kiln::cpu_target

#endif
