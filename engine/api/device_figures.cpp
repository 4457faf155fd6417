#include "engine/api/device_figures.h"

namespace sw {

DeviceFigures figuresOf(const DeviceInfo &device, const FiguresStore *store)
{
    const auto found = store == nullptr ? std::nullopt : store->find(device);
    return found.value_or(DeviceFigures{});
}

std::vector<DeviceFigures> figuresOf(const CompileTarget &target, const FiguresStore *store)
{
    std::vector<DeviceFigures> figures{figuresOf(target.device, store)};
    for (const TargetDevice &other : target.others)
        figures.push_back(figuresOf(other.device, store));
    return figures;
}

std::string toText(const DeviceFigures &figures)
{
    return format("{}: {}", sourceOf(figures), toText(figures.rates));
}

} // namespace sw
