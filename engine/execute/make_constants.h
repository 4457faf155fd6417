#pragma once
// Constants of a program that are not in memory before somebody uses them.

#include "engine/schedule/schedule.h"

namespace sw {

// Makes the constants that are another tensor in another order, side by side; those that lie in files stay there. Errors: the
// file of a constant was written to since it was opened, with the place of the constant in the program.
[[nodiscard]] Result<Done> makeConstants(const Schedule &schedule);

} // namespace sw
