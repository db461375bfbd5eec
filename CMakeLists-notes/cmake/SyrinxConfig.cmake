# find_package(Syrinx) takes the installed library from here.
#
# Syrinx::C       the shared library, for C
# Syrinx::Modules the same with the modules of Swift, for Swift
if(TARGET Syrinx::C)
  return()
endif()
get_filename_component(SYRINX_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

add_library(Syrinx::C SHARED IMPORTED)
set_target_properties(Syrinx::C PROPERTIES
  IMPORTED_LOCATION "${SYRINX_PREFIX}/lib/libSyrinxForCMake.so" IMPORTED_NO_SONAME TRUE
  INTERFACE_INCLUDE_DIRECTORIES "${SYRINX_PREFIX}/include")

add_library(Syrinx::Modules INTERFACE IMPORTED)
target_link_libraries(Syrinx::Modules INTERFACE Syrinx::C)
file(GLOB SYRINX_MODULE_FOLDERS "${SYRINX_PREFIX}/lib/syrinx/*")
foreach(folder ${SYRINX_MODULE_FOLDERS})
  target_compile_options(Syrinx::Modules INTERFACE "SHELL:-I ${folder}")
endforeach()
