#pragma once
// What the renderers write into: text, and for every line of it where it came from.

#include "engine/backend/backend.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class SourceText {
public:
    // The lines that follow are made for this instruction, or are frame.
    void startInstruction(InstructionId instruction) { m_current = {CodeTag::Instruction, instruction}; }
    void startFrame() { m_current = {}; }
    void startAddressArithmetic() { m_current = {CodeTag::AddressArithmetic, {}}; }

    void indent() { ++m_depth; }
    void outdent() { --m_depth; }

    // One line, or several when the text has line ends in it. Without arguments it is taken as it is, braces and all.
    void line(std::string_view text);
    template <class... Args>
    void line(fmt::format_string<Args...> pattern, Args &&...args)
    {
        line(std::string_view(fmt::format(pattern, std::forward<Args>(args)...)));
    }
    void append(const SourceText &other);

    [[nodiscard]] const std::string &text() const { return m_text; }
    [[nodiscard]] const std::vector<SourceLine> &lines() const { return m_lines; }

private:
    std::string m_text;
    std::vector<SourceLine> m_lines;
    SourceLine m_current;
    std::size_t m_depth = 0;
};

} // namespace sw
