#pragma once
// Keeps what was measured on each device in a small file, which other processes read as well. A file that is damaged, or belongs
// to another version or device, counts as missing.

#include "engine/backend/backend.h"
#include "engine/execute/machine_roofs.h"
#include "engine/schedule/estimate.h"

#include <filesystem>
#include <optional>

namespace sw {

class FiguresStore {
public:
    // The folder is made when there is something to keep.
    explicit FiguresStore(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    // The figures measured with as many threads as `device` has; see withOptions.
    [[nodiscard]] std::optional<DeviceFigures> find(const DeviceInfo &device) const;
    [[nodiscard]] Result<Done> keep(const DeviceInfo &device, const DeviceFigures &figures) const;
    [[nodiscard]] std::filesystem::path fileOf(const DeviceInfo &device) const;

    // What this machine's processor can do at most with so many threads.
    [[nodiscard]] std::optional<MachineRoofs> findRoofs(const std::string &processor, std::uint32_t threads) const;
    [[nodiscard]] Result<Done> keepRoofs(const std::string &processor, std::uint32_t threads, const MachineRoofs &roofs) const;
    [[nodiscard]] std::filesystem::path roofsFileOf(const std::string &processor, std::uint32_t threads) const;

private:
    std::filesystem::path m_folder;
};

} // namespace sw
