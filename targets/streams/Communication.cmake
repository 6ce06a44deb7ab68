# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kiln_add_stream_communication(NAME sources...): libkiln-communication-NAME.so,
# which exchanges the memory of devices with streams.
function(kiln_add_stream_communication name)
  set(library kiln-communication-${name})
  add_library(${library} MODULE ${ARGN})
  target_compile_options(${library} PRIVATE ${KILN_WARNING_FLAGS})
  target_link_libraries(${library} PRIVATE kiln-stream-communicator ${CMAKE_DL_LIBS})
  target_link_options(${library} PRIVATE LINKER:-z,defs)
  set_target_properties(${library} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${KILN_TARGET_SUBDIR}")
  install(TARGETS ${library}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${KILN_TARGET_SUBDIR} COMPONENT runtime)
endfunction()
