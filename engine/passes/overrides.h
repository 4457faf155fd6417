#pragma once
// What a person decides in place of the compiler. Overrides are part of the options of a compilation. They name values by their
// paths (engine/graph/value_path.h), so that they survive edits of the program, and are kept as text, one to a line:
//
//   stepwell overrides 1
//   fuse softmax/exp -> softmax/sum        # a note
//   apart h -> y
//   off store h
//   loops y: split i0 8; set_type i0.inner vector
//   order g -> h
//
// `fuse` and `apart` are about the edge from a value to one that is computed from it, views in between left out; `store` keeps a
// value apart from all that read it; `loops` gives the transformations of the kernel that stores a value; `order` lets the kernel
// of one value run before that of another one. `off` keeps a line without using it. A path with other characters than letters,
// digits and _ . / # - % is quoted.

#include "engine/base/result.h"
#include "engine/loops/transform.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

enum class OverrideKind : std::uint8_t { Fuse, Apart, Store, Loops, Order };
[[nodiscard]] std::string_view nameOf(OverrideKind kind);

struct Override {
    OverrideKind kind = OverrideKind::Apart;
    std::string value;       // the producer; Loops: one that the kernel stores; Order: of the earlier kernel
    std::string reader = {}; // Fuse, Apart: the consumer; Order: of the later kernel
    bool isOn = true;
    std::string note = {};
    std::vector<Transform> transforms = {}; // Loops: in place of those that the compiler chooses
    std::uint32_t line = 0;                 // in the text that it was read from; 0: it was made otherwise

    bool operator==(const Override &) const = default;
};

struct Overrides {
    std::string file = {}; // that they were read from, for messages
    std::vector<Override> items = {};

    bool operator==(const Overrides &) const = default;
};

// "fuse softmax/exp -> softmax/sum": without note.
[[nodiscard]] std::string toText(const Override &item);
[[nodiscard]] std::string printOverrides(const Overrides &overrides);
// All that is wrong with the text comes back, each with its line and column.
[[nodiscard]] Result<Overrides> parseOverrides(std::string_view text, std::string_view file);

} // namespace sw
