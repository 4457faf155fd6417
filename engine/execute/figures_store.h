#pragma once
// Keeps what was measured of devices: a small file each, which other processes read as well. A file that is of another version,
// of another device or damaged is as good as none.

#include "engine/backend/backend.h"
#include "engine/schedule/estimate.h"

#include <filesystem>
#include <optional>

namespace sw {

class FiguresStore {
public:
    // The folder is made when there is something to keep.
    explicit FiguresStore(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    // With as many threads as the device has; see withOptions.
    [[nodiscard]] std::optional<DeviceFigures> find(const DeviceInfo &device) const;
    [[nodiscard]] Result<Done> keep(const DeviceInfo &device, const DeviceFigures &figures) const;
    [[nodiscard]] std::filesystem::path fileOf(const DeviceInfo &device) const;

private:
    std::filesystem::path m_folder;
};

} // namespace sw
