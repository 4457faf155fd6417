#include "engine/api/convert/program_names.h"

#include "engine/base/text.h"
#include "engine/language/builtins.h"
#include "engine/language/lexer.h"
#include "engine/language/library.h"
#include "engine/ops/op.h"
#include "engine/types/dtype.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

// Names that begin a statement, or mean a number or a function of declarations.
constexpr std::array<std::string_view, 12> kWords{"input", "param",  "const", "output", "scope", "dim",
                                                  "load",  "random", "inf",   "nan",    "pi",    "newaxis"};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// Without "_output_0" of PyTorch's exporter and ":0" of TensorFlow's.
std::string_view withoutSuffix(std::string_view name)
{
    std::string_view digitless = name;
    while (!digitless.empty() && isDigit(digitless.back()))
        digitless.remove_suffix(1);
    constexpr std::string_view kOutput = "_output_";
    if (digitless.size() == name.size())
        return name;
    if (digitless.ends_with(kOutput))
        digitless.remove_suffix(kOutput.size());
    else if (digitless.ends_with(':'))
        digitless.remove_suffix(1);
    else
        return name;
    return digitless.empty() ? name : digitless;
}

} // namespace

ProgramNames::ProgramNames(const std::filesystem::path &libraryFolder)
{
    const auto add = [&](std::string_view name) { m_taken.emplace(name); };
    std::ranges::for_each(language::builtinNames(), add);
    std::ranges::for_each(language::Library(libraryFolder).names(), add);
    std::ranges::for_each(language::keywords(), add);
    std::ranges::for_each(kWords, add);
    for (const Op op : allOps())
        add(nameOf(op));
    for (const DType dtype : allDTypes()) {
        add(nameOf(dtype));
        for (std::string_view rest = infoOf(dtype).alias; !rest.empty();) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            add(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
}

std::string ProgramNames::take(std::string name)
{
    if (m_taken.insert(name).second)
        return name;
    std::size_t &number = m_lastNumbers.try_emplace(name, 1).first->second;
    std::string free;
    do
        free = format("{}_{}", name, ++number);
    while (!m_taken.insert(free).second);
    return free;
}

std::string ProgramNames::whole(std::string_view name)
{
    return take(identifierOf(name));
}

std::string ProgramNames::last(std::string_view name)
{
    const std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos && slash + 1 < name.size())
        name.remove_prefix(slash + 1);
    return take(identifierOf(withoutSuffix(name)));
}

} // namespace sw
