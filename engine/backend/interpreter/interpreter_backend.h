#pragma once
// The backend "interpreter": its source is the lowered text, compiling is parsing and verifying it, and its runtime is the
// interpreter of the lowered form. Slow and exact; works everywhere, in any process.

#include "engine/backend/backend.h"

namespace sw {

[[nodiscard]] std::unique_ptr<Backend> makeInterpreterBackend();

} // namespace sw
