# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# In place of an installed Kiln: the functions that a project calls, which do nothing.
foreach(name kiln_add_device kiln_add_program kiln_add_target_tests)
  function(${name})
  endfunction()
endforeach()
