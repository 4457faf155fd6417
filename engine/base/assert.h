#pragma once
// For what cannot happen: a failed assertion is a bug in Stepwell. It throws InternalError, which api catches in one place and
// turns into a diagnostic, so that the window stays open and shows the stages made so far.

#include <stdexcept>
#include <string>

namespace sw {

class InternalError : public std::logic_error {
public:
    InternalError(const char *file, int line, const std::string &message);
};

[[noreturn]] void failAssertion(const char *file, int line, const char *condition, const std::string &expected);

} // namespace sw

#define SW_ASSERT(condition, expected)                                     \
    do {                                                                   \
        if (!(condition)) [[unlikely]]                                     \
            ::sw::failAssertion(__FILE__, __LINE__, #condition, expected); \
    } while (false)

#define SW_UNREACHABLE() ::sw::failAssertion(__FILE__, __LINE__, "unreachable", "a case for every value")
