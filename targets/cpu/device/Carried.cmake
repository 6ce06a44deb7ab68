# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# oneTBB lies beside the driver, so that both can be carried to a system that has
# another version of it, or none. Debian has no static oneTBB.
get_target_property(configurations TBB::tbb IMPORTED_CONFIGURATIONS)
list(GET configurations 0 configuration)
get_target_property(tbb TBB::tbb IMPORTED_LOCATION_${configuration})
file(REAL_PATH "${tbb}" tbb)
execute_process(COMMAND "${CMAKE_OBJDUMP}" -p "${tbb}" OUTPUT_VARIABLE tbb_headers
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT tbb_headers MATCHES "SONAME +([^ \n]+)")
  message(FATAL_ERROR "${tbb} has no SONAME")
endif()
set(tbb_name "${CMAKE_MATCH_1}")
set(tbb_copy "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${KILN_TARGET_SUBDIR}/${tbb_name}")
add_custom_command(OUTPUT "${tbb_copy}"
  COMMAND "${CMAKE_COMMAND}" -E copy "${tbb}" "${tbb_copy}"
  DEPENDS "${tbb}" VERBATIM)
add_custom_target(kiln-carried-tbb ALL DEPENDS "${tbb_copy}")
add_dependencies(kiln-device-cpu kiln-carried-tbb)
install(PROGRAMS "${tbb_copy}"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/${KILN_TARGET_SUBDIR} COMPONENT runtime)

# The licences of what is copied, linked statically, or included: one file for
# each Debian package, in both trees.
set(licences "${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/doc/kiln/licences")
foreach(package libtbb12 libsodium-dev zlib1g-dev nlohmann-json3-dev libcli11-dev libprotozero-dev)
  set(text "${CMAKE_SYSROOT}/usr/share/doc/${package}/copyright")
  if(NOT EXISTS "${text}")
    message(WARNING "${text} is missing: the runtime may not be passed on without it")
    continue()
  endif()
  configure_file("${text}" "${licences}/${package}.txt" COPYONLY)
endforeach()
if(EXISTS /usr/share/common-licenses/Apache-2.0)
  configure_file(/usr/share/common-licenses/Apache-2.0 "${licences}/Apache-2.0.txt" COPYONLY)
endif()
install(DIRECTORY "${licences}" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kiln
        COMPONENT runtime)
