#include "engine/backend/native_backends.h"

namespace sw
{

void addNativeBackends([[maybe_unused]] BackendRegistry &registry) {}

} // namespace sw
