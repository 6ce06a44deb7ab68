# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What runs packages and needs no LLVM: the runtime, the driver of processors,
# kiln-run, kiln-conform and the Python package. -DKILN_COMPILER=OFF builds no more, for machines that
# are no host of the compiler.
include(KilnBuild)
add_subdirectory(lib/Runtime)
add_library(Kiln::kiln-runtime ALIAS kiln-runtime)
add_subdirectory(targets/cpu/device)
add_subdirectory(sdk/conform)
foreach(tool kiln-driver-trial kiln-run kiln-conform)
  add_subdirectory(tools/${tool})
endforeach()
find_package(Python3 COMPONENTS Development.Module QUIET)
if(Python3_Development.Module_FOUND)
  add_subdirectory(python)
endif()
include(KilnPackages)
