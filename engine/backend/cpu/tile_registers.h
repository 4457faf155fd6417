#pragma once

namespace sw {

// Whether this process may use the tile registers of AMX. Linux lets it use their data only after it has asked, once, for all of
// its threads; the first call asks.
[[nodiscard]] bool mayUseTileRegisters();

} // namespace sw
