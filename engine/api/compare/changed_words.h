#pragma once
// What differs between two lines that belong together, word by word.

#include "engine/api/compare/line_lexer.h"
#include "engine/api/compare/name_bindings.h"

#include <string_view>
#include <vector>

namespace sw {

// A word of one line in the place of another word of the other.
struct Substitution {
    std::string_view from;
    std::string_view to;
    bool isMarked = false;
};

struct ChangedWords {
    std::vector<TextSpan> before; // joined where nothing but blanks is between them
    std::vector<TextSpan> after;
    // Counted names agree, and the rest is equal but for `substitutions`.
    bool isSubstitution = false;
    std::vector<Substitution> substitutions;
};

// Compares the lines of two texts one after the other, and knows by then which counted names stand for each other.
class LineComparer {
public:
    explicit LineComparer(StageKind stage) : m_stage(stage) {}

    [[nodiscard]] ChangedWords compare(std::string_view before, std::string_view after);
    // Defines the names of lines that belong together but are not compared, and of lines without a partner.
    void define(std::string_view before, std::string_view after);
    void defineBefore(std::string_view line);
    void defineAfter(std::string_view line);

private:
    StageKind m_stage;
    NameBindings m_names;
    std::vector<LineWord> m_before; // used again for each line
    std::vector<LineWord> m_after;
};

} // namespace sw
