#pragma once
// The steps of a pass that works by construction and not by rules that match: each is a row, so that a person who steps through
// the pass can read what happens.

#include <string_view>

namespace sw {

struct StepRule {
    std::string_view id;  // "open-loop"
    std::string_view doc; // a sentence
};

} // namespace sw
