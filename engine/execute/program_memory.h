#pragma once
// The memory of a running program: one arena per device, as large as the schedule planned it, with every buffer a view of its
// place in the arena. On a device that guards its buffers, every buffer has memory of its own.

#include "engine/execute/opened_device.h"
#include "engine/schedule/schedule.h"

#include <memory>
#include <span>
#include <vector>

namespace sw {

class ProgramMemory {
public:
    // devices: by slot. Errors name the device, the arena and the largest buffer in it.
    [[nodiscard]] static Result<std::unique_ptr<ProgramMemory>> allocate(const Schedule &schedule,
                                                                         std::span<OpenedDevice *const> devices);
    ~ProgramMemory();
    ProgramMemory(const ProgramMemory &) = delete;
    ProgramMemory &operator=(const ProgramMemory &) = delete;

    [[nodiscard]] DeviceBufferId of(BufferId buffer) const { return m_views.at(buffer.value); }

private:
    struct Owned {
        Runtime *runtime = nullptr;
        DeviceBufferId buffer;
    };

    ProgramMemory() = default;
    Result<Done> allocateArena(const Schedule &schedule, DeviceSlot slot, OpenedDevice &device);
    // Every buffer alone, but for parts of others, for a device that guards them.
    Result<Done> allocateApart(const Schedule &schedule, DeviceSlot slot, OpenedDevice &device);

    std::vector<DeviceBufferId> m_views; // by BufferId
    std::vector<Owned> m_owned;          // arenas before their views
};

} // namespace sw
