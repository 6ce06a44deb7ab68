# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a plug-in project uses, inside of Kiln's tree and outside of it:
#
#   kiln_add_target(NAME sources...)   libkiln-target-NAME.so, loaded by the compiler
#   kiln_add_device(NAME sources...)   libkiln-device-NAME.so, loaded by the runtime
#   kiln_tool(NAME sources...)         a program that links the compiler
#
# Plug-ins are put into kiln/targets below the library folder, where Kiln looks
# for them when they are installed beside it; KILN_PLUGIN_PATH names other folders.
include(GNUInstallDirs)

# Settings that both kinds of plug-ins share.
function(_kiln_plugin name)
  set_target_properties(${name} PROPERTIES
    CXX_STANDARD 17
    CXX_STANDARD_REQUIRED ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/kiln/targets"
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../.."
    INSTALL_RPATH_USE_LINK_PATH ON)
  target_link_options(${name} PRIVATE LINKER:-z,defs)
  if(COMMAND kiln_configure_compiler_target)
    target_compile_options(${name} PRIVATE ${KILN_WARNING_FLAGS})
  endif()
  install(TARGETS ${name}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/kiln/targets")
endfunction()

function(kiln_add_target name)
  add_library(kiln-target-${name} MODULE ${ARGN})
  if(COMMAND kiln_configure_compiler_target)
    kiln_configure_compiler_target(kiln-target-${name})
  endif()
  target_link_libraries(kiln-target-${name} PRIVATE Kiln::Kiln)
  _kiln_plugin(kiln-target-${name})
endfunction()

function(kiln_add_device name)
  add_library(kiln-device-${name} MODULE ${ARGN})
  target_link_libraries(kiln-device-${name} PRIVATE Kiln::kiln-runtime)
  _kiln_plugin(kiln-device-${name})
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
