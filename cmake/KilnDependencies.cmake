# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Everything comes from the system's packages; see the Makefile for their names.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
# Headers alone, of Debian's libprotozero-dev.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp REQUIRED)
find_package(Threads REQUIRED)
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
