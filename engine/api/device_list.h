#pragma once
// Every device that the backends offer, and for each backend that offers none, why.

#include "engine/api/explorer.h"

#include <vector>

namespace sw {

[[nodiscard]] std::vector<DeviceEntry> listDevices(const BackendRegistry &registry);

} // namespace sw
