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
//   code y llvm source "by hand" for "f32[64], f32[64] written; global [64, 1, 1], local [1, 1, 1]" of 8b1f0c55d2a91e07
//     | define void @y(...
//
// `fuse` and `apart` are about the edge from a value to one that is computed from it, views in between left out; `store` keeps a
// value apart from all that read it; `loops` gives the transformations of the kernel that stores a value; `order` lets the kernel
// of one value run before that of another one. `code` gives the text of the kernel that stores a value, on one device, in lines
// that begin with a bar; of several variants for one kernel, one can be on. `off` keeps an override without using it. A path with
// other characters than letters, digits and _ . / # - % is quoted.

#include "engine/base/result.h"
#include "engine/loops/transform.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

enum class OverrideKind : std::uint8_t { Fuse, Apart, Store, Loops, Order, Code };
[[nodiscard]] std::string_view nameOf(OverrideKind kind);

// Which text of a kernel is given: the source that its device compiles, or its lowered instructions.
enum class CodeForm : std::uint8_t { Source, Lowered };
[[nodiscard]] std::string_view nameOf(CodeForm form);

// The text of a kernel as a person edited it.
struct EditedCode {
    std::string device = {}; // id
    CodeForm form = CodeForm::Source;
    std::string name = {};      // of the variant; may be empty
    std::string interface = {}; // what the kernel was launched with when it was edited (editable_text.h); empty: not checked
    std::string original = {};  // the mark of the text that was edited; empty: not checked
    std::string text = {};      // lines, each with its end
    std::string file = {};      // that holds the text alone; empty: it stands among the overrides
    bool operator==(const EditedCode &) const = default;
};

struct Override {
    OverrideKind kind = OverrideKind::Apart;
    std::string value;       // the producer; Loops: one that the kernel stores; Order: of the earlier kernel
    std::string reader = {}; // Fuse, Apart: the consumer; Order: of the later kernel
    bool isOn = true;
    std::string note = {};
    std::vector<Transform> transforms = {}; // Loops: in place of those that the compiler chooses
    std::uint32_t line = 0;                 // in the text that it was read from; 0: it was made otherwise
    EditedCode code = {};                   // Code

    bool operator==(const Override &) const = default;
};

struct Overrides {
    std::string file = {}; // that they were read from, for messages
    std::vector<Override> items = {};

    bool operator==(const Overrides &) const = default;
};

// "fuse softmax/exp -> softmax/sum": without note. That of code has several lines, the last one without its end.
[[nodiscard]] std::string toText(const Override &item);
// In one line, for messages: of code, without the text and what it was made from.
[[nodiscard]] std::string titleOf(const Override &item);
// With "\n" at the end of every line.
[[nodiscard]] std::string withLineEnds(std::string_view text);
// Where a place in the text of an override of code is in the file that holds it; unknown: it was made otherwise.
[[nodiscard]] SourceRange placeInFile(const Overrides &overrides, const Override &item, SourceRange inText);
[[nodiscard]] std::string printOverrides(const Overrides &overrides);
// All that is wrong with the text comes back, each with its line and column.
[[nodiscard]] Result<Overrides> parseOverrides(std::string_view text, std::string_view file);

} // namespace sw
