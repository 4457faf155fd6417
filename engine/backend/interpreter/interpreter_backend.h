#pragma once
// The backend "interpreter": its source is the lowered text, compiling means parsing and verifying it, and its runtime is the
// interpreter of the lowered form. It is slow and exact, and works everywhere, in any process.

#include "engine/backend/backend.h"

namespace sw {

[[nodiscard]] std::unique_ptr<Backend> makeInterpreterBackend();

} // namespace sw
