#include "engine/schedule/schedule.h"

namespace sw {

std::string_view nameOf(BufferRole role)
{
    switch (role) {
    case BufferRole::Input:
        return "input";
    case BufferRole::Param:
        return "param";
    case BufferRole::Constant:
        return "constant";
    case BufferRole::Intermediate:
        return "intermediate";
    case BufferRole::Output:
        return "output";
    }
    SW_UNREACHABLE();
}

BufferId Schedule::bufferOf(NodeId node) const
{
    return nodeBuffers.at(node.value);
}

KernelId Schedule::kernelOf(NodeId node) const
{
    return nodeKernels.at(node.value);
}

} // namespace sw
