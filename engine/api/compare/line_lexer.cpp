#include "engine/api/compare/line_lexer.h"

#include "engine/base/assert.h"
#include "engine/types/dtype.h"

#include <algorithm>
#include <array>
#include <span>

namespace sw {

namespace {

constexpr std::uint64_t kPrime = 0x9e3779b97f4a7c15ULL;

std::uint64_t mixed(std::uint64_t state, std::uint64_t word)
{
    state = (state ^ word) * kPrime;
    return state ^ (state >> 29U);
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isHexDigit(char c)
{
    return isDigit(c) || (c >= 'a' && c <= 'f');
}
bool isWordByte(char c)
{
    return isLetter(c) || isDigit(c) || static_cast<unsigned char>(c) >= 0x80U;
}

// The letters in front of the numbers that a stage counts up. Tailed: only where "_..." follows (k3_softmax; k1 is a register).
struct Stem {
    std::string_view letters;
    bool isTailed = false;
};
constexpr std::array kScheduleStems{Stem{"k"}, Stem{"b"}, Stem{"d"}, Stem{"i"}, Stem{"r"}};
constexpr std::array kLoopStems{Stem{"k"}, Stem{"v"}, Stem{"i"}, Stem{"r"}};
constexpr std::array kLoweredStems{Stem{"k", true}, Stem{"i"}, Stem{"r"}};
constexpr std::array kCodeStems{Stem{"k", true}, Stem{"v"},   Stem{"t"}, Stem{"acc"},
                                Stem{"in"},      Stem{"out"}, Stem{"i"}, Stem{"r"}};
constexpr std::array kMachineStems{Stem{"k", true}, Stem{"LCPI"}, Stem{"LBB"}};

std::span<const Stem> stemsOf(StageKind stage)
{
    switch (stage) {
    case StageKind::Program:
    case StageKind::Graph:
        return {};
    case StageKind::Schedule:
        return kScheduleStems;
    case StageKind::Loops:
        return kLoopStems;
    case StageKind::Lowered:
        return kLoweredStems;
    case StageKind::Code:
        return kCodeStems;
    case StageKind::Machine:
        return kMachineStems;
    }
    SW_UNREACHABLE();
}

// The words after which plain numbers are counted: "item 3", "after 0 2". Words of one group share their numbers.
struct Counter {
    std::string_view word;
    std::uint64_t group;
};
constexpr std::array kCounters{Counter{"item", 1}, Counter{"items", 1}, Counter{"after", 1},    Counter{"control", 1},
                               Counter{"from", 2}, Counter{"id", 3},    Counter{"reduction", 4}};

std::uint64_t counterAfter(std::string_view word, StageKind stage)
{
    if (stage != StageKind::Schedule && stage != StageKind::Loops && stage != StageKind::Lowered)
        return 0;
    for (const Counter &counter : kCounters)
        if (counter.word.front() == word.front() && counter.word == word)
            return counter.group;
    return 0;
}

// The bits of an integer type, which a name of the stem "i" would look like.
bool isTypeWidth(std::string_view digits, bool hasTail, StageKind stage)
{
    return digits == "8" || digits == "16" || digits == "32" || digits == "64" || digits == "128" ||
           (digits == "1" && !hasTail && stage == StageKind::Code);
}

class Splitter {
public:
    Splitter(std::string_view line, StageKind stage, std::vector<LineWord> &words)
        : m_line(line), m_stage(stage), m_stems(stemsOf(stage)), m_words(words)
    {
        m_words.clear();
    }

    void split()
    {
        while (m_at < m_line.size())
            step();
        markDefinition();
    }

private:
    void step()
    {
        const char c = m_line[m_at];
        if (c == ' ' || c == '\t')
            return space();
        if (m_stage == StageKind::Machine && m_words.size() <= 1 && isHexDigit(c) && isAddress())
            return;
        if (c == '%' && isDigit(after(1)) && m_stage != StageKind::Code && m_stage != StageKind::Machine)
            return counted(m_at + 1, kPercent);
        if (isDigit(c))
            return number();
        if (isLetter(c) || static_cast<unsigned char>(c) >= 0x80U)
            return word();
        add(WordKind::Symbol, m_at + 1);
    }

    [[nodiscard]] char after(std::size_t count) const { return m_at + count < m_line.size() ? m_line[m_at + count] : '\0'; }

    LineWord &add(WordKind kind, std::size_t end)
    {
        m_words.push_back({kind, {static_cast<std::uint32_t>(m_at), static_cast<std::uint32_t>(end)}, 0, false, false});
        m_at = end;
        return m_words.back();
    }

    void space()
    {
        std::size_t end = m_at;
        while (end < m_line.size() && (m_line[end] == ' ' || m_line[end] == '\t'))
            ++end;
        add(WordKind::Space, end);
    }

    // "    1a4  jb -195": the address stands first, two blanks behind it.
    bool isAddress()
    {
        std::size_t end = m_at;
        while (end < m_line.size() && isHexDigit(m_line[end]))
            ++end;
        if (m_line.substr(end, 2) != "  ")
            return false;
        m_words.clear(); // the blanks in front of it are as many as it leaves
        m_at = 0;
        add(WordKind::Place, end);
        return true;
    }

    void counted(std::size_t digits, std::uint64_t stem)
    {
        std::size_t end = digits;
        while (end < m_line.size() && isDigit(m_line[end]))
            ++end;
        add(WordKind::Counted, end).stem = stem;
    }

    void number()
    {
        if (m_counter != 0)
            return counted(m_at, m_counter);
        std::size_t end = m_at;
        while (end < m_line.size() && (isWordByte(m_line[end]) || isPartOfNumber(end)))
            ++end;
        add(m_isJump ? WordKind::Place : WordKind::Number, end);
    }
    // "0.5", "1e-05"; not the dots of "0..16".
    [[nodiscard]] bool isPartOfNumber(std::size_t at) const
    {
        const char next = at + 1 < m_line.size() ? m_line[at + 1] : '\0';
        if (m_line[at] == '.')
            return next != '.' && m_line[at - 1] != '.';
        return (m_line[at] == '-' || m_line[at] == '+') && (m_line[at - 1] == 'e' || m_line[at - 1] == 'E') && isDigit(next) &&
               !m_line.substr(m_at, at - m_at).starts_with("0x");
    }

    void word()
    {
        for (const Stem &stem : m_stems)
            if (isCounted(stem))
                return;
        std::size_t end = m_at;
        while (end < m_line.size() && isWordByte(m_line[end]))
            ++end;
        const std::string_view text = m_line.substr(m_at, end - m_at);
        if (m_stage != StageKind::Program && isSymbolHash(text)) {
            add(WordKind::Word, end - 8);
            add(WordKind::Counted, end).stem = kHash;
            return;
        }
        if (m_stage == StageKind::Machine && m_mnemonic == kNoIndex) {
            m_mnemonic = static_cast<std::uint32_t>(m_words.size());
            m_isJump = text.front() == 'j' || text == "call" || text == "loop";
        }
        m_counter = counterAfter(text, m_stage);
        add(WordKind::Word, end);
    }

    bool isCounted(const Stem &stem)
    {
        if (m_line[m_at] != stem.letters.front() || !m_line.substr(m_at).starts_with(stem.letters))
            return false;
        std::size_t digits = m_at + stem.letters.size();
        if (stem.letters == "t" && digits < m_line.size() && m_line[digits] == '.')
            ++digits;
        std::size_t end = digits;
        while (end < m_line.size() && isDigit(m_line[end]))
            ++end;
        const bool hasTail = end < m_line.size() && m_line[end] == '_';
        if (end == digits || (stem.isTailed && !hasTail) || (end < m_line.size() && isWordByte(m_line[end]) && !hasTail))
            return false;
        const std::string_view number = m_line.substr(digits, end - digits);
        if (stem.letters == "i" && isTypeWidth(number, hasTail, m_stage))
            return false;
        if (stem.letters.starts_with('L') && hasTail) { // .LCPI0_12
            ++end;
            while (end < m_line.size() && isDigit(m_line[end]))
                ++end;
        }
        m_counter = 0;
        add(WordKind::Counted, end).stem = hashOfWord(stem.letters);
        return true;
    }

    // "fdiv_128x256_02a0ede3": the end tells kernels apart that compute the same.
    static bool isSymbolHash(std::string_view text)
    {
        if (text.size() < 10 || text[text.size() - 9] != '_')
            return false;
        const std::string_view end = text.substr(text.size() - 8);
        return std::ranges::all_of(end, isHexDigit) && std::ranges::any_of(end, isDigit);
    }

    // A name is defined in front of the first '=' outside of brackets, before a colon at the end, or behind "kernel" and "item".
    void markDefinition()
    {
        int depth = 0;
        LineWord *first = nullptr;
        for (std::size_t i = 0; i < m_words.size(); ++i) {
            LineWord &word = m_words[i];
            if (word.kind == WordKind::Counted && depth == 0 && first == nullptr)
                first = &word;
            if (word.kind != WordKind::Symbol)
                continue;
            const char c = m_line[word.span.begin];
            depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
            if (c == '=' && depth == 0 && !isNoDefinition(word.span.begin)) {
                if (first != nullptr)
                    first->isDefined = true;
                return;
            }
        }
        if (first == nullptr)
            return;
        const LineWord &opening = m_words.front().kind == WordKind::Space && m_words.size() > 1 ? m_words[1] : m_words.front();
        const std::string_view text = opening.in(m_line);
        if (&opening == first ? m_line.ends_with(':') : text == "kernel" || text == "item")
            first->isDefined = true;
    }
    [[nodiscard]] bool isNoDefinition(std::size_t at) const
    {
        return at == 0 || m_line[at - 1] != ' ' || (at + 1 < m_line.size() && m_line[at + 1] == '=');
    }

    static constexpr std::uint64_t kPercent = 16;
    static constexpr std::uint64_t kHash = 17;

    std::string_view m_line;
    StageKind m_stage;
    std::span<const Stem> m_stems;
    std::vector<LineWord> &m_words;
    std::size_t m_at = 0;
    std::uint64_t m_counter = 0; // the group that numbers belong to now
    std::uint32_t m_mnemonic = kNoIndex;
    bool m_isJump = false;
};

} // namespace

std::uint64_t hashOfWord(std::string_view text)
{
    std::uint64_t state = text.size();
    while (!text.empty()) { // eight bytes at once: most words have no more
        std::uint64_t bytes = 0;
        const std::size_t number = std::min(text.size(), sizeof bytes);
        for (std::size_t i = 0; i < number; ++i)
            bytes |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
        state = mixed(state, bytes);
        text.remove_prefix(number);
    }
    return state ^ (state >> 32U);
}

void splitLine(std::string_view line, StageKind stage, std::vector<LineWord> &words)
{
    Splitter(line, stage, words).split();
}

bool beginsNames(std::string_view line, StageKind stage)
{
    if (line.empty() || stage == StageKind::Program || stage == StageKind::Graph || stage == StageKind::Schedule)
        return false;
    constexpr std::array kOpenings{std::string_view("kernel "), std::string_view("define "), std::string_view("void "),
                                   std::string_view("__kernel "), std::string_view("static ")};
    return std::ranges::any_of(kOpenings, [&](std::string_view opening) { return line.starts_with(opening); });
}

std::uint64_t canonicalHash(std::string_view line, const std::vector<LineWord> &words)
{
    std::uint64_t state = 1;
    for (const LineWord &word : words)
        state = word.kind == WordKind::Counted || word.kind == WordKind::Place
                    ? mixed(state, word.stem + static_cast<std::uint64_t>(word.kind))
                : word.kind == WordKind::Space && word.span.begin > 0 ? mixed(state, 0x20)
                                                                      : mixed(state, hashOfWord(word.in(line)));
    return state;
}

std::uint64_t skeletonHash(std::string_view line, const std::vector<LineWord> &words)
{
    std::uint64_t state = 2;
    for (const LineWord &word : words) {
        const bool isOpen = word.kind == WordKind::Counted || word.kind == WordKind::Place || word.kind == WordKind::Number ||
                            (word.kind == WordKind::Word && word.isMarked);
        if (word.kind != WordKind::Space)
            state = mixed(state, isOpen ? static_cast<std::uint64_t>(word.kind) : hashOfWord(word.in(line)));
    }
    return state;
}

} // namespace sw
