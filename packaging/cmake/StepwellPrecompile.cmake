# Headers that many files of a target read, parsed once: those of libraries, and our own that a third of the files read or more.
# With clang, which also instantiates their templates once (vectors, variants), a clean build takes little more than half of the
# time. Off for daily work, where the compiler cache is quicker still and a precompiled header, which holds absolute paths, would
# keep it from serving another checkout.
option(STEPWELL_PRECOMPILE "Precompile the headers that most files read, for clean builds" OFF)

set(STEPWELL_STANDARD_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <set> <span>
  <stop_token> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
set(STEPWELL_ENGINE_HEADERS ${STEPWELL_STANDARD_HEADERS}
  "${CMAKE_SOURCE_DIR}/engine/graph/graph.h"
  "${CMAKE_SOURCE_DIR}/engine/schedule/schedule.h"
  "${CMAKE_SOURCE_DIR}/engine/lowered/lowered.h"
  "${CMAKE_SOURCE_DIR}/engine/loops/loop_nest.h"
  "${CMAKE_SOURCE_DIR}/engine/backend/backend.h"
  "${CMAKE_SOURCE_DIR}/engine/passes/pass_context.h")
set(STEPWELL_COMMAND_HEADERS ${STEPWELL_ENGINE_HEADERS}
  "${CMAKE_SOURCE_DIR}/engine/api/compilation.h"
  "${CMAKE_SOURCE_DIR}/engine/api/report.h")
set(STEPWELL_TEST_HEADERS ${STEPWELL_ENGINE_HEADERS} <gtest/gtest.h>
  "${CMAKE_SOURCE_DIR}/engine/api/compilation.h"
  "${CMAKE_SOURCE_DIR}/engine/graph/builder.h")
set(STEPWELL_WINDOW_HEADERS ${STEPWELL_STANDARD_HEADERS} <QtWidgets>
  "${CMAKE_SOURCE_DIR}/engine/api/explorer.h"
  "${CMAKE_SOURCE_DIR}/engine/api/report.h")

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
