#include "engine/execute/memory_limit.h"

#include "engine/base/mapped_file.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace sw {

namespace {

struct Largest {
    double bytes = -1;
    std::string what;
    SourceRange where;
};

// Sums in floating point, which does not overflow.
class Demand {
public:
    void add(const Graph &graph, NodeId id, std::string_view role, const std::string &name, double copies)
    {
        const Node &node = graph.node(id);
        const double bytes = static_cast<double>(node.shape.elements()) * static_cast<double>(bytesOf(node.dtype));
        m_total += copies * bytes;
        if (bytes > m_largest.bytes)
            m_largest = {bytes, format("{} {}: {}", role, sw::quoted(name), typeText(node.dtype, node.shape)),
                         graph.sources().programRange(node.origin)};
    }

    void addBytes(std::int64_t bytes) { m_total += static_cast<double>(bytes); }

    [[nodiscard]] Result<Done> check(std::int64_t memory) const
    {
        if (m_total <= static_cast<double>(memory))
            return Done{};
        return Diagnostic::error(
            Code::Limit, m_largest.where,
            "the program takes {:.0f} bytes, and there are {} bytes of memory; the most, {:.0f} bytes, is for {}", m_total,
            memory, m_largest.bytes, m_largest.what);
    }

private:
    double m_total = 0;
    Largest m_largest;
};

constexpr double kOnTheDeviceOnly = 0;
constexpr double kOnTheHost = 1;
constexpr double kOnBothSides = 2;

// What a file holds leaves the host's memory when it is uploaded.
bool isOnTheHost(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    if (buffer.role == BufferRole::Intermediate)
        return false;
    const NodeId id = hostValueOf(schedule, buffer);
    if (!id.isValid())
        return true;
    const NodeAttributes &attributes = schedule.graph->node(id).attributes;
    const HostTensor *stored = nullptr;
    if (const auto *constant = std::get_if<TensorAttributes>(&attributes))
        stored = constant->value.get();
    else if (const auto *param = std::get_if<PlaceholderAttributes>(&attributes))
        stored = param->initial.get();
    return stored == nullptr || !areMapped(stored->unalignedBytes());
}

} // namespace

std::int64_t memoryBytes()
{
    std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    std::ifstream file("/sys/fs/cgroup/memory.max"); // "max" means no limit
    if (std::int64_t limit = 0; file >> limit)
        bytes = std::min(bytes, limit);
    return bytes;
}

Result<Done> checkInputsFit(const Graph &graph, std::int64_t memory)
{
    Demand demand;
    for (const NodeId id : graph.placeholders())
        demand.add(graph, id, "input", attributesOf<PlaceholderAttributes>(graph.node(id)).name, kOnBothSides);
    for (std::size_t i = 0; i < graph.outputs().size(); ++i)
        demand.add(graph, graph.outputs()[i], "output", graph.outputNames()[i], kOnBothSides);
    return demand.check(memory);
}

Result<Done> checkBuffersFit(const Schedule &schedule, std::span<const DeviceSlot> sharing, std::int64_t memory)
{
    Demand demand;
    for (const ScheduledBuffer &buffer : schedule.buffers) // all are in an arena; some are on the host as well
        demand.add(*schedule.graph, buffer.node, nameOf(buffer.role), buffer.name,
                   isOnTheHost(schedule, buffer) ? kOnTheHost : kOnTheDeviceOnly);
    for (const DeviceSlot slot : sharing)
        demand.addBytes(schedule.device(slot).arenaBytes);
    return demand.check(memory);
}

} // namespace sw
