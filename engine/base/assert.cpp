#include "engine/base/assert.h"

namespace sw {

InternalError::InternalError(const char *file, int line, const std::string &message)
    : std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + message)
{
}

void failAssertion(const char *file, int line, const char *condition, const std::string &expected)
{
    throw InternalError(file, line, std::string(condition) + ": expected " + expected);
}

} // namespace sw
