# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the toolchain files of this folder share: a compiler for KILN_CROSS_TRIPLE, and a folder with the packages of
# that architecture (KILN_SYSROOT, which tools/cross-sysroot.sh makes). What runs packages (KILN_COMPILER=OFF) is
# compiled by Debian's cross GCC, the whole of Kiln by the Clang that compiles it for this system.
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR "${KILN_CROSS_TRIPLE}")
if(DEFINED KILN_COMPILER AND NOT KILN_COMPILER)
  set(CMAKE_C_COMPILER ${KILN_CROSS_TRIPLE}-gcc)
  set(CMAKE_CXX_COMPILER ${KILN_CROSS_TRIPLE}-g++)
  set(linker_flags "")
  # The compiler looks for the headers of its own library in the other folder, too.
  file(GLOB headers "/usr/${KILN_CROSS_TRIPLE}/include/c++/*")
  foreach(folder ${headers})
    list(APPEND CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES "${folder}" "${folder}/${KILN_CROSS_TRIPLE}")
  endforeach()
else()
  set(CMAKE_C_COMPILER clang-22)
  set(CMAKE_CXX_COMPILER clang++-22)
  set(CMAKE_C_COMPILER_TARGET ${KILN_CROSS_TRIPLE})
  set(CMAKE_CXX_COMPILER_TARGET ${KILN_CROSS_TRIPLE})
  set(linker_flags "-fuse-ld=lld ")
endif()
set(CMAKE_LIBRARY_ARCHITECTURE ${KILN_CROSS_TRIPLE})

if(NOT KILN_SYSROOT)
  set(KILN_SYSROOT "$ENV{KILN_SYSROOT}")
endif()
if(NOT EXISTS "${KILN_SYSROOT}/usr/lib/${KILN_CROSS_TRIPLE}")
  message(FATAL_ERROR "expected KILN_SYSROOT to name a folder with the packages of ${CMAKE_SYSTEM_PROCESSOR}, "
    "found '${KILN_SYSROOT}': tools/cross-sysroot.sh ${CMAKE_SYSTEM_PROCESSOR} FOLDER makes one")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KILN_SYSROOT KILN_COMPILER)
set(CMAKE_SYSROOT "${KILN_SYSROOT}")
foreach(package MLIR LLVM)
  string(TOLOWER ${package} folder)
  set(${package}_DIR "${KILN_SYSROOT}/usr/lib/llvm-22/lib/cmake/${folder}" CACHE PATH "${package} of the other architecture")
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The Python whose headers the folder has; CMake knows only those older than itself.
file(GLOB Python3_INCLUDE_DIR "${KILN_SYSROOT}/usr/include/python3.*")

# Libraries of the packages may need a later one than the compiler has: that of
# the folder, with which the programs run.
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${linker_flags}-Wl,--allow-shlib-undefined")
endforeach()

find_program(KILN_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR})
if(KILN_EMULATOR)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${KILN_EMULATOR};-L;${KILN_SYSROOT}")
endif()
