#pragma once
// The text that renderers write, with the origin of each line.

#include "engine/backend/backend.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

class SourceText {
public:
    // The lines that follow belong to this instruction, or to the frame.
    void startInstruction(InstructionId instruction) { m_current = {CodeTag::Instruction, instruction}; }
    void startFrame() { m_current = {}; }
    void startAddressArithmetic() { m_current = {CodeTag::AddressArithmetic, {}}; }

    void indent() { ++m_depth; }
    void outdent() { --m_depth; }

    // Adds one line, or several when the text contains line ends. Without arguments the text is used as it is, braces included.
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
