# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Language level, build type and warnings shared by every Kiln target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(GNUInstallDirs)
# What is not of the runtime, for developers, or to be read.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tools)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(KILN_TARGET_SUBDIR kiln/targets)
# One run path for both trees, relative to the file, so that either can be moved.
# (A run path of the build tree that CMake replaces at installation is padded with
# colons, which the loader reads as the current folder.)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}" "$ORIGIN")
list(REMOVE_DUPLICATES CMAKE_INSTALL_RPATH)
# LLVM and MLIR lie in a folder of their own.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

option(KILN_WARNINGS_AS_ERRORS "Treat warnings in Kiln's own code as errors" ON)
option(KILN_COMPILER "Build the compiler, and not only what runs packages" ON)
option(KILN_PRECOMPILE_DIALECTS "Precompile the headers of Kiln's own dialects: for folders that are built once, as a change of one operation builds everything again" OFF)
option(KILN_UNITE_FILES "Compile files of one library together: for folders that are built once, as a change of one file compiles its group again" OFF)
option(KILN_COMPILE_QUICKLY "Optimise the compiler's own passes less, with Clang only: for folders that are built once, to run tests" OFF)
option(KILN_FUZZ "Build the fuzz targets (needs clang)" OFF)
set(KILN_WARNING_FLAGS -Wall -Wextra -Wno-unused-parameter -Wcast-qual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC warns of optional values and small vectors of LLVM that are never read before they are set; LLVM switches it off, too.
  list(APPEND KILN_WARNING_FLAGS -Wno-maybe-uninitialized)
endif()
if(KILN_WARNINGS_AS_ERRORS)
  list(APPEND KILN_WARNING_FLAGS -Werror)
endif()

# A product and a sum are two operations with two roundings, as programs mean
# them. Without further options x86-64 has no instruction for both.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$" OR CMAKE_CXX_FLAGS MATCHES "-m(arch|avx|fma)")
  add_compile_options(-ffp-contract=off)
endif()

# A folder that is built once finds nothing in a cache, which preprocesses a file
# before it is compiled, and reads the precompiled header once more for that.
find_program(KILN_CCACHE ccache)
if(KILN_CCACHE AND NOT KILN_PRECOMPILE_DIALECTS AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these ccache keeps nothing that uses a precompiled header.
  set(KILN_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros "${KILN_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${KILN_LAUNCHER}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${KILN_LAUNCHER}")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The same headers give the same precompiled bytes, which a cache can know.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
