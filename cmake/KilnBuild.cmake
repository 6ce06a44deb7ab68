# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Helpers shared by the folders of the tree. libKiln.so is assembled from one
# object library per folder, so that a folder can be built by itself.

# kiln_core_library(NAME sources... [DEPENDS targets...])
# An object library that becomes part of libKiln.so.
function(kiln_core_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  kiln_configure_compiler_target(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY KILN_CORE_LIBRARIES ${name})
endfunction()

# Include paths, warnings and the precompiled header of code that uses MLIR.
function(kiln_configure_compiler_target name)
  target_include_directories(${name} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")
  target_include_directories(${name} SYSTEM PRIVATE
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE ${KILN_WARNING_FLAGS})
  target_compile_definitions(${name} PRIVATE ${LLVM_DEFINITIONS_LIST})
  if(KILN_COMPILE_QUICKLY)
    kiln_optimize_less(${name})
  endif()
  if(NOT name STREQUAL kiln_pch)
    target_precompile_headers(${name} REUSE_FROM kiln_pch)
    add_dependencies(${name} kiln-headers)
    set_property(GLOBAL APPEND PROPERTY KILN_UNITED_TARGETS ${name})
  endif()
endfunction()

# Compiles a library with less optimisation of what pays in loops over numbers:
# passes walk lists and maps. Evaluation, which computes, stays as it is.
# Precompiled headers have to be of the same level, so that stays, too.
# LLVM refuses a second threshold: `kiln_prefer_size` has the same one.
function(kiln_optimize_less name)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND NOT name MATCHES "Eval$|^kiln_pch$")
    target_compile_options(${name} PRIVATE -fno-vectorize -fno-slp-vectorize
      -fno-unroll-loops "SHELL:-mllvm -inline-threshold=30")
  endif()
endfunction()

# kiln_tablegen(FILE.td GENERATED... ) : each GENERATED is "suffix|mlir-tblgen arguments",
# written to the mirror of the current folder in the build tree.
function(kiln_tablegen td)
  get_filename_component(stem ${td} NAME_WE)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(outs)
  foreach(entry ${ARGN})
    string(REPLACE "|" ";" parts "${entry}")
    list(GET parts 0 suffix)
    list(REMOVE_AT parts 0)
    mlir_tablegen(${stem}${suffix} ${parts} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/include")
    list(APPEND outs "${CMAKE_CURRENT_BINARY_DIR}/${stem}${suffix}")
  endforeach()
  string(REPLACE "/" "-" id "${CMAKE_CURRENT_SOURCE_DIR}/${stem}")
  string(MD5 id "${id}")
  add_custom_target(kiln-tblgen-${stem}-${id} DEPENDS ${outs})
  set_property(GLOBAL APPEND PROPERTY KILN_HEADER_TARGETS kiln-tblgen-${stem}-${id})
endfunction()

# One family of operations: declarations and definitions.
function(kiln_op_family td)
  kiln_tablegen(${td} ".h.inc|-gen-op-decls" ".cpp.inc|-gen-op-defs")
endfunction()

# All families of the current folder: each file whose name ends in Ops.td.
function(kiln_op_families)
  file(GLOB families RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS *Ops.td)
  foreach(family ${families})
    kiln_op_family(${family})
  endforeach()
endfunction()

# Compiles a library for size: for dialects whose operations are read once and
# become others, and for what runs once for each operation or case. Clang then
# inlines less; precompiled headers, which have to be of the same optimisation
# level, still serve.
function(kiln_prefer_size name)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND NOT KILN_COMPILE_QUICKLY)
    target_compile_options(${name} PRIVATE "SHELL:-mllvm -inline-threshold=30")
  endif()
endfunction()

# A library without what nothing refers to, and with equal functions once where
# the linker can. `exported.map` of its folder says which names it exports.
include(CheckLinkerFlag)
check_linker_flag(CXX "-fuse-ld=lld;LINKER:--icf=safe" KILN_LINKER_FOLDS)
function(kiln_link_small name)
  target_link_options(${name} PRIVATE LINKER:--gc-sections
    "LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/exported.map")
  if(KILN_LINKER_FOLDS)
    target_link_options(${name} PRIVATE -fuse-ld=lld LINKER:--icf=safe LINKER:-O2)
  endif()
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/exported.map")
endfunction()
