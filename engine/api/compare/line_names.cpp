// The names of the user's values in the lines of a stage.

#include "engine/api/compare/line_lexer.h"
#include "engine/types/scalar.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::array<std::string_view, 17> kProgramWords{"def",   "for",   "in",    "if",     "else", "return",
                                                         "input", "param", "const", "output", "None", "true",
                                                         "false", "True",  "False", "dim",    "scope"};

// Finds the names of the user's values among the words of a line.
class NameMarker {
public:
    NameMarker(std::string_view line, StageKind stage, std::vector<LineWord> &words)
        : m_line(line), m_stage(stage), m_words(words)
    {
    }

    void mark()
    {
        bool isQuoted = false;
        for (std::size_t i = 0; i < m_words.size(); ++i) {
            LineWord &word = m_words[i];
            if (word.kind == WordKind::Symbol && m_line[word.span.begin] == '"')
                isQuoted = !isQuoted;
            if (word.kind == WordKind::Word)
                word.isMarked = m_stage == StageKind::Program ? isProgramName(i) : isShownName(i, isQuoted);
        }
    }

private:
    // The symbol next to a word, through blanks behind it; 0: something else stands there.
    [[nodiscard]] char symbolBefore(std::size_t i) const
    {
        return i > 0 && m_words[i - 1].kind == WordKind::Symbol ? m_line[m_words[i - 1].span.begin] : '\0';
    }
    [[nodiscard]] char symbolBehind(std::size_t i) const
    {
        while (++i < m_words.size() && m_words[i].kind == WordKind::Space) {}
        return i < m_words.size() && m_words[i].kind == WordKind::Symbol ? m_line[m_words[i].span.begin] : '\0';
    }

    // Below the program, names of values stand in quotes, behind # and %, in front of [, : and =, and in names of kernels.
    [[nodiscard]] bool isShownName(std::size_t i, bool isQuoted) const
    {
        const std::string_view text = m_words[i].in(m_line);
        if (text.starts_with('_') && i > 0 && m_words[i - 1].kind == WordKind::Counted)
            return true;
        if (m_stage == StageKind::Code || m_stage == StageKind::Machine || m_line.starts_with("device "))
            return false;
        return isQuoted || (symbolBefore(i) != '\0' && std::string_view("#%@").find(symbolBefore(i)) != std::string_view::npos) ||
               (symbolBehind(i) != '\0' && std::string_view("[:=").find(symbolBehind(i)) != std::string_view::npos &&
                !dtypeNamed(text));
    }

    // In the program, every word that is not called, not a type, not a keyword and not the name of an argument.
    [[nodiscard]] bool isProgramName(std::size_t i) const
    {
        const std::string_view text = m_words[i].in(m_line);
        if (symbolBehind(i) == '(' || dtypeNamed(text))
            return false;
        if (std::ranges::find(kProgramWords, text) != kProgramWords.end())
            return false;
        int depth = 0;
        for (std::size_t k = 0; k < i; ++k)
            if (m_words[k].kind == WordKind::Symbol)
                depth += m_line[m_words[k].span.begin] == '(' ? 1 : m_line[m_words[k].span.begin] == ')' ? -1 : 0;
        return depth == 0 || symbolBehind(i) != '=';
    }

    std::string_view m_line;
    StageKind m_stage;
    std::vector<LineWord> &m_words;
};

} // namespace

void markNames(std::string_view line, StageKind stage, std::vector<LineWord> &words)
{
    NameMarker(line, stage, words).mark();
}

} // namespace sw
