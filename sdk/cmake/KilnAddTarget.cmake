# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a plug-in project uses, inside of Kiln's tree and outside of it:
#
#   kiln_add_target(NAME sources... [REUSE_FROM OTHER])
#                                      libkiln-target-NAME.so, loaded by the compiler
#   kiln_tool(NAME sources...)         a program that links the compiler
#   kiln_add_dialect(TARGET NAME FILE.td) a dialect for one of these
#   kiln_embed_text(FILE VARIABLE HEADER)
#   and what KilnAddProgram.cmake has
#
# Plug-ins are put into kiln/targets below the library folder, where Kiln looks
# for them when they are installed beside it; KILN_PLUGIN_PATH names other folders.
include(GNUInstallDirs)
# kiln_add_device(), kiln_add_program() and kiln_add_target_tests(), which need no MLIR.
include("${CMAKE_CURRENT_LIST_DIR}/KilnAddProgram.cmake")

# Outside of Kiln's tree the headers that most plug-ins include are parsed once,
# not for every file, where there are files enough that it pays; REUSE_FROM takes
# those of another target of the project, with equal flags. Headers that a target
# adds with target_precompile_headers() are parsed with them, and
# CMAKE_DISABLE_PRECOMPILE_HEADERS does without.
function(kiln_add_target name)
  cmake_parse_arguments(ARG "" "REUSE_FROM" "" ${ARGN})
  set(target kiln-target-${name})
  add_library(${target} MODULE ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${target} PRIVATE Kiln::Kiln)
  list(LENGTH ARG_UNPARSED_ARGUMENTS files)
  # GCC writes 0.6 GB and saves half of a file's time, Clang 0.1 GB and three quarters.
  set(most 1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(most 5)
  endif()
  if(COMMAND kiln_configure_compiler_target)
    kiln_configure_compiler_target(${target})
  elseif(ARG_REUSE_FROM)
    get_target_property(headers kiln-target-${ARG_REUSE_FROM} PRECOMPILE_HEADERS)
    if(headers)
      target_precompile_headers(${target} REUSE_FROM kiln-target-${ARG_REUSE_FROM})
    endif()
  elseif(files GREATER most)
    target_precompile_headers(${target} PRIVATE
      <kiln/Dialect/Stage/Stage.h> <kiln/Dialect/Tile/Tile.h> <kiln/Schedule/Schedules.h>
      <kiln/Target/Lowering.h> <kiln/Target/LinearCode.h> <kiln/Target/TargetRegistry.h>
      <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/IR/PatternMatch.h> <mlir/Pass/PassManager.h> <mlir/Transforms/DialectConversion.h>)
  endif()
  # No macro of its own, so that others can take its precompiled headers.
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "")
  _kiln_plugin(${target})
endfunction()

function(kiln_tool name)
  add_executable(${name} ${ARGN})
  if(COMMAND kiln_configure_compiler_target)
    kiln_configure_compiler_target(${name})
  endif()
  target_link_libraries(${name} PRIVATE Kiln::Kiln)
  set_target_properties(${name} PROPERTIES
    DISABLE_PRECOMPILE_HEADERS ON
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
    INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endfunction()

# kiln_embed_text(FILE VARIABLE HEADER): HEADER, in the build folder, holds the
# text of FILE as `constexpr const char VARIABLE[]`.
function(kiln_embed_text file variable header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${header}" @ONLY CONTENT
    "constexpr const char ${variable}[] = R\"__(\n@text@)__\";\n")
endfunction()

# kiln_add_dialect(TARGET NAME FILE.td): the dialect NAME with its operations and
# enums, defined in FILE.td, for a target. Into the build folder go FILE.h.inc and
# FILE.cpp.inc, and the same with Dialect and Enums behind the stem.
function(kiln_add_dialect target dialect td)
  find_program(KILN_MLIR_TBLGEN NAMES mlir-tblgen
    HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)
  get_filename_component(stem ${td} NAME_WE)
  get_target_property(dirs Kiln::Kiln INTERFACE_INCLUDE_DIRECTORIES)
  set(includes "-I${CMAKE_CURRENT_SOURCE_DIR}")
  foreach(dir ${dirs} ${MLIR_INCLUDE_DIRS})
    list(APPEND includes "-I${dir}")
  endforeach()
  set(all)
  foreach(part ":op" "Dialect:dialect" "Enums:enum")
    set(options)
    if(part STREQUAL "Dialect:dialect")
      set(options -dialect=${dialect})
    endif()
    string(REPLACE ":" ";" part "${part}")
    list(GET part 0 suffix)
    list(GET part 1 kind)
    foreach(form "h:decls" "cpp:defs")
      string(REPLACE ":" ";" form "${form}")
      list(GET form 0 extension)
      list(GET form 1 what)
      set(out "${CMAKE_CURRENT_BINARY_DIR}/${stem}${suffix}.${extension}.inc")
      add_custom_command(OUTPUT "${out}"
        COMMAND "${KILN_MLIR_TBLGEN}" -gen-${kind}-${what} ${options} ${includes}
          "${CMAKE_CURRENT_SOURCE_DIR}/${td}" -o "${out}" -d "${out}.d"
        DEPENDS "${td}" DEPFILE "${out}.d" VERBATIM
        COMMENT "Generating ${stem}${suffix}.${extension}.inc")
      list(APPEND all "${out}")
    endforeach()
  endforeach()
  target_sources(${target} PRIVATE ${all})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
