#include "engine/ops/symbolic_op.h"

#include "engine/base/assert.h"

namespace sw {

Op opOf(SymbolicFunction function)
{
    switch (function) {
    case SymbolicFunction::Divide:
        return Op::FloorDiv;
    case SymbolicFunction::Modulo:
        return Op::FloorMod;
    case SymbolicFunction::Min:
        return Op::Min;
    case SymbolicFunction::Max:
        return Op::Max;
    }
    SW_UNREACHABLE();
}

} // namespace sw
