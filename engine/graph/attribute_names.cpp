// The words for the choices in attributes.

#include "engine/graph/graph.h"

#include <array>
#include <utility>

namespace sw {

namespace {

template <class Choice, std::size_t Count>
using Names = std::array<std::pair<Choice, std::string_view>, Count>;

constexpr Names<ScatterMode, 4> kScatterModes = {{
    {ScatterMode::Set, "set"},
    {ScatterMode::Add, "add"},
    {ScatterMode::Min, "min"},
    {ScatterMode::Max, "max"},
}};

constexpr Names<ThreefryVariant, 3> kVariants = {{
    {ThreefryVariant::TwoByThirtyTwo, "2x32"},
    {ThreefryVariant::FourByThirtyTwoCrypto, "4x32_crypto"},
    {ThreefryVariant::FourByThirtyTwoLight, "4x32_light"},
}};

constexpr Names<RandomStream, 2> kStreams = {{
    {RandomStream::Random123, "random123"},
    {RandomStream::Ocannl, "ocannl"},
}};

template <class Choice, std::size_t Count>
std::string_view nameIn(const Names<Choice, Count> &names, Choice choice)
{
    for (const auto &[found, name] : names)
        if (found == choice)
            return name;
    SW_UNREACHABLE();
}

template <class Choice, std::size_t Count>
std::optional<Choice> choiceIn(const Names<Choice, Count> &names, std::string_view wanted)
{
    for (const auto &[choice, name] : names)
        if (name == wanted)
            return choice;
    return std::nullopt;
}

} // namespace

std::optional<Op> combiningOp(ScatterMode mode)
{
    switch (mode) {
    case ScatterMode::Set:
        return std::nullopt;
    case ScatterMode::Add:
        return Op::Add;
    case ScatterMode::Min:
        return Op::Min;
    case ScatterMode::Max:
        return Op::Max;
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(PlaceholderRole role)
{
    switch (role) {
    case PlaceholderRole::Input:
        return "input";
    case PlaceholderRole::Param:
        return "param";
    case PlaceholderRole::Dimension:
        return "dimension";
    }
    SW_UNREACHABLE();
}

bool isReal(const MultiAttributes &multi, std::size_t input)
{
    return multi.real.empty() || multi.real.at(input);
}

std::size_t reportedAxis(const Node &index)
{
    const auto *attributes = std::get_if<AxisAttributes>(&index.attributes);
    return attributes == nullptr ? 0 : attributes->axis;
}

std::string_view nameOf(ScatterMode mode)
{
    return nameIn(kScatterModes, mode);
}

std::string_view nameOf(ThreefryVariant variant)
{
    return nameIn(kVariants, variant);
}

std::string_view nameOf(RandomStream stream)
{
    return nameIn(kStreams, stream);
}

std::optional<ScatterMode> scatterModeNamed(std::string_view name)
{
    return choiceIn(kScatterModes, name);
}

std::optional<ThreefryVariant> threefryVariantNamed(std::string_view name)
{
    return choiceIn(kVariants, name);
}

std::optional<RandomStream> randomStreamNamed(std::string_view name)
{
    return choiceIn(kStreams, name);
}

} // namespace sw
