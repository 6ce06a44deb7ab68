# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles files of a library together, so that headers and templates which they
# share are read and instantiated once. Files go into one group where no name at
# the outer level of one is defined or used in another, they use the same
# namespaces, and none has macros of its own: then they mean what they mean alone.

# kiln_outer_names(FILE NAMES CALLED USED ALONE): what FILE defines at its outer
# level or in unnamed namespaces, the functions and types it uses by a name alone,
# the namespaces it uses, and its macros.
function(kiln_outer_names file names called used alone)
  file(READ "${file}" text)
  # Of each line that begins at the margin, what is before the first bracket,
  # brace, sign of equality or semicolon: the last word is the name.
  string(REGEX MATCHALL "\n[A-Za-z_][^][(){}=;\"\n]*" heads "${text}")
  set(found)
  set(using)
  foreach(head ${heads})
    if(head MATCHES "^\nusing namespace ([A-Za-z0-9_:]+)")
      list(APPEND using "${CMAKE_MATCH_1}")
    elseif(head MATCHES "^\n(class|struct|union|enum class|enum|using) +([A-Za-z0-9_]+)([^A-Za-z0-9_:]|$)")
      list(APPEND found "${CMAKE_MATCH_2}")
    elseif(NOT head MATCHES "^\nnamespace" AND head MATCHES "(^|[^A-Za-z0-9_:~])([A-Za-z0-9_]+) *$")
      list(APPEND found "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  list(SORT using)
  # Constants that follow another one on its line.
  string(REGEX MATCHALL "\n[a-z ]*constexpr [^][;\n]*" constants "${text}")
  string(REGEX MATCHALL "k[A-Z][A-Za-z0-9]* =" constants "${constants}")
  string(REPLACE " =" "" constants "${constants}")
  # Types, and names before a bracket; neither a dot, an arrow nor a colon stands before them.
  # A match takes the bracket: a space behind it is what stands before the next name.
  string(REPLACE "(" "( " text "${text}")
  string(REGEX MATCHALL "[^A-Za-z0-9_.>:]([A-Z][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*[(])" calls "${text}")
  string(REGEX REPLACE "[^A-Za-z0-9_;]" "" calls "${calls}")
  list(REMOVE_DUPLICATES calls)
  # Those of MLIR's generated files are for one inclusion.
  string(REGEX MATCHALL "\n#define [A-Za-z0-9_]+" macros "${text}")
  list(FILTER macros EXCLUDE REGEX "#define (GEN_PASS|GET_)")
  set(${names} ${found} ${constants} PARENT_SCOPE)
  set(${called} "${calls}" PARENT_SCOPE)
  set(${used} "${using}" PARENT_SCOPE)
  set(${alone} "${macros}" PARENT_SCOPE)
endfunction()

# kiln_unite_sources(TARGET MOST): gives the files of TARGET their groups, of at
# most MOST files each.
function(kiln_unite_sources target most)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "[.]cpp$")
  set(groups 0)
  foreach(source ${sources})
    get_filename_component(file "${source}" ABSOLUTE BASE_DIR "${folder}")
    set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    kiln_outer_names("${file}" names called used alone)
    set(group -1)
    set(candidate 0)
    while(NOT alone AND group EQUAL -1 AND candidate LESS groups)
      if(used_${candidate} STREQUAL "${used}" AND size_${candidate} LESS most)
        set(group ${candidate})
        foreach(name ${names})
          if(DEFINED name_${candidate}_${name} OR DEFINED call_${candidate}_${name})
            set(group -1)
            break()
          endif()
        endforeach()
        foreach(call ${called})
          if(DEFINED name_${candidate}_${call})
            set(group -1)
            break()
          endif()
        endforeach()
      endif()
      math(EXPR candidate "${candidate} + 1")
    endwhile()
    if(group EQUAL -1)
      set(group ${groups})
      set(size_${group} 0)
      set(used_${group} "${used}")
      if(alone)
        set(size_${group} ${most})
      endif()
      math(EXPR groups "${groups} + 1")
    endif()
    math(EXPR size_${group} "${size_${group}} + 1")
    foreach(name ${names})
      set(name_${group}_${name} TRUE)
    endforeach()
    foreach(call ${called})
      set(call_${group}_${call} TRUE)
    endforeach()
    set_source_files_properties("${file}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "group${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# Targets that may, once their files are known.
get_property(united GLOBAL PROPERTY KILN_UNITED_TARGETS)
foreach(target ${united})
  kiln_unite_sources(${target} 8)
endforeach()
