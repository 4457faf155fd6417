#include "engine/execute/run_parts.h"

#include <array>

namespace sw {

std::span<const NamedPart> runPartNames()
{
    static constexpr std::array<NamedPart, 6> kParts{{{"kernels", &RunParts::kernels},
                                                      {"launches", &RunParts::launches},
                                                      {"transfers", &RunParts::transfers},
                                                      {"host", &RunParts::host},
                                                      {"waiting", &RunParts::waiting},
                                                      {"between", &RunParts::between}}};
    return kParts;
}

} // namespace sw
