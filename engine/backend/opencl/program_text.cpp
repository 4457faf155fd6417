#include "engine/backend/opencl/program_text.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

using Seen = std::set<std::string, std::less<>>;

// The lines up to and including the next empty line, with their line ends.
std::string_view takeBlock(std::string_view &text)
{
    const std::size_t gap = text.find("\n\n");
    const std::size_t end = gap == std::string_view::npos ? text.size() : gap + 2;
    const std::string_view block = text.substr(0, end);
    text.remove_prefix(end);
    return block;
}

void addTypedefs(std::string &program, std::string_view block, Seen &seen)
{
    while (!block.empty()) {
        const std::size_t end = std::min(block.find('\n'), block.size() - 1) + 1;
        const std::string_view line = block.substr(0, end);
        if (!line.starts_with("typedef ") || seen.insert(std::string(line)).second)
            program += line;
        else
            program += '\n';
        block.remove_prefix(end);
    }
}

} // namespace

std::string combinedProgram(std::span<const RenderedSource *const> sources)
{
    std::string program;
    Seen seen;
    for (const RenderedSource *source : sources) {
        program += format("#line 1 \"{}.cl\"\n", source->symbol);
        std::string_view rest = source->text;
        while (!rest.empty()) {
            const std::string_view block = takeBlock(rest);
            const bool isKernel = block.find("__kernel ") != std::string_view::npos && !block.starts_with("static inline");
            if (block.starts_with("typedef "))
                addTypedefs(program, block, seen);
            else if (isKernel || block.find("#pragma") != std::string_view::npos || seen.insert(std::string(block)).second)
                program += block;
            else
                program.append(static_cast<std::size_t>(std::ranges::count(block, '\n')), '\n');
        }
        if (!program.ends_with('\n'))
            program += '\n';
    }
    return program;
}

} // namespace sw
