#pragma once
// Runs the tile instructions of Intel's AMX on processors that have none, so that the code for them is tested everywhere: the
// processor stops at such an instruction with SIGILL, and the handler does what the manual says and goes on behind it.

namespace sw::test {

// Stays installed. Only for programs of their own: it replaces the handler of SIGILL. False: not on this kind of machine.
[[nodiscard]] bool emulateTileInstructions();

} // namespace sw::test
