file(READ "${INPUT}" text)
string(LENGTH "${text}" length)
# Compilers limit the length of one literal: pieces of 8,000 characters, joined by the preprocessor.
set(literal "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 8000 piece)
  string(APPEND literal "\n    R\"swtext(${piece})swtext\"")
  math(EXPR at "${at} + 8000")
endwhile()
if(literal STREQUAL "")
  set(literal "\"\"")
endif()
file(WRITE "${OUTPUT}" "#pragma once
#include <string_view>
namespace sw::embedded {
inline constexpr std::string_view k${NAME} = ${literal};
} // namespace sw::embedded
")
