#include "engine/backend/machine_code.h"

#include "engine/base/assert.h"

namespace sw {

std::string_view nameOf(CodeTag tag)
{
    switch (tag) {
    case CodeTag::Instruction:
        return "instruction";
    case CodeTag::Frame:
        return "frame";
    case CodeTag::AddressArithmetic:
        return "address";
    case CodeTag::Spill:
        return "spill";
    case CodeTag::Compiler:
        return "compiler";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(RegisterKind kind)
{
    switch (kind) {
    case RegisterKind::General:
        return "general";
    case RegisterKind::Vector:
        return "vector";
    case RegisterKind::Mask:
        return "mask";
    case RegisterKind::Scalar:
        return "scalar";
    case RegisterKind::Other:
        return "other";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(Bottleneck bottleneck)
{
    switch (bottleneck) {
    case Bottleneck::FrontEnd:
        return "front end";
    case Bottleneck::Port:
        return "port";
    case Bottleneck::Registers:
        return "dependencies";
    case Bottleneck::Memory:
        return "memory";
    }
    SW_UNREACHABLE();
}

} // namespace sw
