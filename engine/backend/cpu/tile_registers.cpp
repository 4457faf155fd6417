#include "engine/backend/cpu/tile_registers.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace sw {

bool mayUseTileRegisters()
{
#if defined(__linux__) && defined(__x86_64__)
    constexpr long kRequestPermission = 0x1023; // ARCH_REQ_XCOMP_PERM of asm/prctl.h
    constexpr long kTileData = 18;              // the state component
    static const bool isGranted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    return isGranted;
#else
    return false;
#endif
}

} // namespace sw
