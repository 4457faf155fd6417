# Headers of libraries that nearly every file of a target reads, parsed once: a third of the time of a clean build. Off for daily
# work, where the compiler cache is quicker still and a precompiled header, which holds absolute paths, would keep it from serving
# another checkout.
option(STEPWELL_PRECOMPILE "Precompile the headers of libraries, for clean builds" OFF)

set(STEPWELL_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
  <stop_token> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
set(STEPWELL_TEST_HEADERS ${STEPWELL_STANDARD_HEADERS} <gtest/gtest.h>)
set(STEPWELL_WINDOW_HEADERS <algorithm> <functional> <map> <memory> <optional> <span> <string> <vector> <QtWidgets>)

# stepwell_precompile(TARGET HEADER...)
function(stepwell_precompile target)
  if(STEPWELL_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# The target takes what was precompiled for OTHER, which is compiled with the same options.
function(stepwell_precompile_as target other)
  if(STEPWELL_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
