#pragma once
// How long a test waits for something that must happen: it ends a hanging test; no test may fail because the machine is busy.

namespace stepwell::ui {

inline constexpr int kPatience = 120'000; // milliseconds

} // namespace stepwell::ui
