#include "engine/graph/placement.h"

#include <algorithm>

namespace sw {

std::string canonicalDevice(std::string_view name)
{
    constexpr std::string_view kFirst = ":0";
    return std::string(name.ends_with(kFirst) ? name.substr(0, name.size() - kFirst.size()) : name);
}

std::string_view deviceNamedBy(const Node &node)
{
    if (const auto *device = std::get_if<DeviceAttributes>(&node.attributes))
        return device->device;
    if (const auto *copy = std::get_if<CopyAttributes>(&node.attributes))
        return copy->device;
    return {};
}

std::vector<NamedDevice> devicesNamedIn(const Graph &graph)
{
    std::vector<NamedDevice> found;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        std::string name = canonicalDevice(deviceNamedBy(graph.nodes()[i]));
        const bool isKnown = std::ranges::find(found, name, &NamedDevice::name) != found.end();
        if (!name.empty() && name != kDefaultDevice && !isKnown)
            found.push_back({std::move(name), NodeId(i)});
    }
    return found;
}

ValuePlace placeOf(const Node &node, const std::vector<const ValuePlace *> &inputs)
{
    if (const std::string_view name = deviceNamedBy(node); !name.empty())
        return {Residence::Named, canonicalDevice(name)};
    if (familyOf(node.kind) == NodeFamily::Leaf)
        return {isLiteral(node) ? Residence::Anywhere : Residence::AtHome};
    ValuePlace place;
    for (const ValuePlace *input : inputs)
        if (input->residence > place.residence)
            place = *input;
    return place;
}

} // namespace sw
