# Warnings, sanitizers, linker and compiler cache for all our targets: link stepwell_compiler PRIVATE.
add_library(stepwell_compiler INTERFACE)
target_compile_options(stepwell_compiler INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror=switch -Werror=return-type
  # Clang tells of what GCC's own headers still use (std::stable_sort's buffer).
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>)
if(STEPWELL_WERROR)
  target_compile_options(stepwell_compiler INTERFACE -Werror)
endif()
if(STEPWELL_SANITIZE)
  target_compile_options(stepwell_compiler INTERFACE -fsanitize=${STEPWELL_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(stepwell_compiler INTERFACE -fsanitize=${STEPWELL_SANITIZE})
endif()
target_include_directories(stepwell_compiler INTERFACE "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/generated")

# Compilers give instances of the standard library's templates default visibility, also those over types of LLVM. A sanitizer's
# own library must be seen by all others: they take their memory from it.
if(NOT STEPWELL_SANITIZE)
  target_link_options(stepwell_compiler INTERFACE "LINKER:--exclude-libs,ALL")
endif()

find_program(STEPWELL_MOLD mold)
if(STEPWELL_MOLD)
  target_link_options(stepwell_compiler INTERFACE -fuse-ld=mold)
endif()
find_program(STEPWELL_CCACHE ccache)
if(STEPWELL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${STEPWELL_CCACHE}")
endif()

# Our archives are never shipped: they name their objects instead of copying them.
set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "<CMAKE_AR> qT <TARGET> <LINK_FLAGS> <OBJECTS>")
