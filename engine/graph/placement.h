#pragma once
// Where the values of a graph are. A Copy or Device node says so by name; any other node is where its first input is that is
// anywhere. What is computed from constant scalars alone is nowhere in particular: kernels that read it compute it. Leaves are in
// the memory of the program's own device.

#include "engine/graph/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// "opencl:0" and "opencl" are one device.
[[nodiscard]] std::string canonicalDevice(std::string_view name);

// The name that the node gives its value's device; empty: it gives none.
[[nodiscard]] std::string_view deviceNamedBy(const Node &node);

// A name that the graph uses, and the first node that does.
struct NamedDevice {
    std::string name; // canonical
    NodeId node;
};
// In the order of their first use, kDefaultDevice left out.
[[nodiscard]] std::vector<NamedDevice> devicesNamedIn(const Graph &graph);

// Is it given by a name, by a leaf, or by nothing?
enum class Residence : std::uint8_t { Anywhere, AtHome, Named };

struct ValuePlace {
    Residence residence = Residence::Anywhere;
    std::string device = {}; // canonical, of Named
    bool operator==(const ValuePlace &) const = default;
};

// The place of a node, from those of its inputs, in their order.
[[nodiscard]] ValuePlace placeOf(const Node &node, const std::vector<const ValuePlace *> &inputs);

} // namespace sw
