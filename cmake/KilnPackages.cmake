# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages, one a component:
#
#   kiln-runtime  runs packages: no LLVM
#   kiln-tools    compiles
#   kiln-sdk      headers, CMake packages, template: for plug-ins and programs
#   kiln-doc      pages, reference, examples
#
# `cpack` in the build folder writes them into its folder `packages`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_VENDOR "The Kiln developers")
set(CPACK_PACKAGE_CONTACT "The Kiln developers <kiln@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime tools sdk runtime-dev doc)
if(NOT KILN_COMPILER)
  set(CPACK_COMPONENTS_ALL runtime)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
foreach(component runtime tools sdk doc)
  string(TOUPPER ${component} id)
  set(CPACK_COMPONENT_${id}_GROUP ${component})
  set(CPACK_DEBIAN_${id}_PACKAGE_NAME kiln-${component})
  set(CPACK_DEBIAN_${id}_FILE_NAME DEB-DEFAULT)
endforeach()
set(CPACK_COMPONENT_RUNTIME-DEV_GROUP sdk)

set(CPACK_COMPONENT_GROUP_RUNTIME_DESCRIPTION "Kiln: runs compiled packages, without LLVM")
set(CPACK_COMPONENT_GROUP_TOOLS_DESCRIPTION "Kiln: compiler and tools for machine-learning programs")
set(CPACK_COMPONENT_GROUP_SDK_DESCRIPTION "Kiln: headers, CMake packages and template for targets of one's own")
set(CPACK_COMPONENT_GROUP_DOC_DESCRIPTION "Kiln: documentation and examples")

set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What the binaries need is read from them, if they are this system's.
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  endif()
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 12)")
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
  "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${KILN_TARGET_SUBDIR}")
# Its one program needs what kiln-runtime does, which it depends on; reading some hundred headers to find that out takes long.
set(CPACK_DEBIAN_SDK_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(same "(= ${PROJECT_VERSION})")
set(series ${LLVM_VERSION_MAJOR})
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "kiln-runtime ${same}, lld-${series}")
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS
  "kiln-tools ${same}, kiln-runtime ${same}, libmlir-${series}-dev, mlir-${series}-tools, llvm-${series}-dev, \
cmake (>= 3.25), make | ninja-build, g++ | clang, zlib1g-dev")
set(CPACK_DEBIAN_SDK_PACKAGE_RECOMMENDS kiln-doc)
include(CPack)
