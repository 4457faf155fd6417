#pragma once
// Where the values of a graph live. A Copy or Device node names its device. Any other node takes the place of its first input on
// a named device, or else of a leaf; leaves are in the memory of the program's own device. A value made only of literal constants
// has no place: the kernels that read it compute it.

#include "engine/graph/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Makes names comparable: "opencl:0" and "opencl" are one device.
[[nodiscard]] std::string canonicalDevice(std::string_view name);

// The device that the node names for its value; empty if it names none.
[[nodiscard]] std::string_view deviceNamedBy(const Node &node);

// A device name that the graph uses, and the first node that uses it.
struct NamedDevice {
    std::string name; // canonical
    NodeId node;
};
// In the order of first use, without kDefaultDevice.
[[nodiscard]] std::vector<NamedDevice> devicesNamedIn(const Graph &graph);

// What decides the place: nothing, a leaf, or a device name.
enum class Residence : std::uint8_t { Anywhere, AtHome, Named };

struct ValuePlace {
    Residence residence = Residence::Anywhere;
    std::string device = {}; // canonical; for Named only
    bool operator==(const ValuePlace &) const = default;
};

// The place of a node, from the places of its inputs in order.
[[nodiscard]] ValuePlace placeOf(const Node &node, const std::vector<const ValuePlace *> &inputs);

} // namespace sw
