# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a project needs whose target is a program of its own, or that has a device
# driver alone. It needs neither MLIR nor LLVM:
#
#   kiln_add_device(NAME sources...)   libkiln-device-NAME.so, loaded by the runtime
#   kiln_add_program(NAME PROGRAM [files...]) kiln-target-NAME, started by the compiler
#   kiln_add_target_tests(NAME KERNELS FOLDER [CONFORM filters...])
#
# Plug-ins are put into kiln/targets below the library folder, where Kiln looks
# for them when they are installed beside it; KILN_PLUGIN_PATH names other folders.
include(GNUInstallDirs)

# Settings that plug-in libraries share.
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

function(kiln_add_device name)
  add_library(kiln-device-${name} MODULE ${ARGN})
  target_link_libraries(kiln-device-${name} PRIVATE Kiln::kiln-runtime)
  _kiln_plugin(kiln-device-${name})
endfunction()

# kiln_add_program(NAME PROGRAM [files...]): PROGRAM, a file that can be run or a
# target of add_executable(), becomes kiln-target-NAME, with files that lie beside
# it in a folder of their own: those of two targets may have one name.
function(kiln_add_program name program)
  set(folder "${CMAKE_BINARY_DIR}/lib/kiln/targets")
  set(install "${CMAKE_INSTALL_LIBDIR}/kiln/targets")
  set(files ${ARGN})
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES OUTPUT_NAME kiln-target-${name}
      RUNTIME_OUTPUT_DIRECTORY "${folder}/${name}")
    install(TARGETS ${program} RUNTIME DESTINATION "${install}/${name}")
  else()
    list(APPEND files ${program})
    install(PROGRAMS ${program} DESTINATION "${install}/${name}" RENAME kiln-target-${name})
  endif()
  set(copies)
  foreach(file ${files})
    get_filename_component(to ${file} NAME)
    if(file STREQUAL program)
      set(to kiln-target-${name})
    else()
      install(FILES ${file} DESTINATION "${install}/${name}")
    endif()
    add_custom_command(OUTPUT "${folder}/${name}/${to}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${folder}/${name}/${to}"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}" VERBATIM)
    list(APPEND copies "${folder}/${name}/${to}")
  endforeach()
  set(link "${folder}/kiln-target-${name}")
  add_custom_command(OUTPUT "${link}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND "${CMAKE_COMMAND}" -E create_symlink "${name}/kiln-target-${name}" "${link}" VERBATIM)
  add_custom_target(kiln-target-${name}-program ALL DEPENDS ${copies} "${link}")
  install(FILES "${link}" DESTINATION "${install}")
endfunction()

# kiln_add_target_tests(NAME KERNELS FOLDER [CONFORM filters...]): tests for
# ctest. The driver keeps its contract; each file of FOLDER runs on the target,
# with fallback forbidden, as on the reference (a line `// kiln-run: ARGUMENTS`
# in it says with what); the cases of kiln-conform that a filter fits pass.
function(kiln_add_target_tests name)
  cmake_parse_arguments(ARG "" "KERNELS" "CONFORM" ${ARGN})
  set(env "KILN_PLUGIN_PATH=${CMAKE_BINARY_DIR}/lib/kiln/targets" "KILN_NO_FALLBACK=1")
  set(tests)
  macro(_kiln_test test)
    add_test(NAME ${name}/${test} COMMAND ${ARGN})
    list(APPEND tests ${name}/${test})
  endmacro()
  file(GLOB kernels CONFIGURE_DEPENDS "${ARG_KERNELS}/*.mlir")
  foreach(kernel ${kernels})
    get_filename_component(stem ${kernel} NAME_WE)
    file(STRINGS "${kernel}" lines REGEX "^// kiln-run: ")
    string(REGEX REPLACE "// kiln-run: " "" lines "${lines}")
    separate_arguments(args UNIX_COMMAND "${lines}")
    _kiln_test(${stem} "${KILN_TOOLS_DIR}/kiln-run" "${kernel}" --target=${name} --check ${args})
  endforeach()
  if(TARGET kiln-device-${name})
    set(package "${CMAKE_CURRENT_BINARY_DIR}/${name}.kiln")
    list(GET kernels 0 kernel)
    _kiln_test(package "${KILN_TOOLS_DIR}/kiln-compile" "${kernel}" --target=${name} -o "${package}")
    _kiln_test(device "${KILN_TOOLS_DIR}/kiln-conform" --device=$<TARGET_FILE:kiln-device-${name}>
      --package=${package})
    set_tests_properties(${name}/package PROPERTIES FIXTURES_SETUP ${name}-package)
    set_tests_properties(${name}/device PROPERTIES FIXTURES_REQUIRED ${name}-package)
  endif()
  set(number 0)
  foreach(filter ${ARG_CONFORM})
    math(EXPR number "${number} + 1")
    _kiln_test(conform-${number} "${KILN_TOOLS_DIR}/kiln-conform" --target=${name} --filter=${filter})
  endforeach()
  set_tests_properties(${tests} PROPERTIES ENVIRONMENT "${env}" TIMEOUT 600)
endfunction()
