#include "app/commands/named_value.h"

#include "engine/graph/value_path.h"

#include <charconv>

namespace sw::command {

Result<NodeId> namedValue(const std::string &value, const Graph &graph)
{
    const std::string_view digits = std::string_view(value).substr(value.starts_with('%') ? 1 : 0);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool isNumber = error == std::errc() && end == digits.data() + digits.size();
    const ValuePaths paths(graph);
    const NodeId node = isNumber ? NodeId(number) : paths.find(value);
    if (node.isValid() && node.value < graph.size())
        return node;
    Diagnostic problem = Diagnostic::error(Code::Argument, {}, "the program has no value {}; nodes are %0 to %{}",
                                           sw::quoted(value), graph.size() - 1);
    const std::vector<std::string> similar = paths.similar(value, 3);
    return similar.empty() ? problem : std::move(problem).withHint(format("did you mean {}", join(similar, ", ")));
}

} // namespace sw::command
