#pragma once
// How long a test waits for what must come: it ends a test that hangs, and no test may fail because the machine is busy.

namespace stepwell::ui {

inline constexpr int kPatience = 120'000; // milliseconds

} // namespace stepwell::ui
