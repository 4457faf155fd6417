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

Result<MachineRoofs> machineRoofs(const FiguresStore *store, std::uint32_t threads, RoofsWanted wanted,
                                  const std::stop_token &stop)
{
    const std::string processor = processorName();
    if (store != nullptr && wanted != RoofsWanted::MeasuredAnew)
        if (std::optional<MachineRoofs> found = store->findRoofs(processor, threads))
            return *std::move(found);
    if (wanted == RoofsWanted::Known)
        return Diagnostic::error(Code::Limit, {}, "the roofs of this machine have not been measured yet");
    SW_TRY(MachineRoofs roofs, measureRoofs(threads, stop));
    if (store != nullptr)
        SW_CHECK(store->keepRoofs(processor, threads, roofs));
    return roofs;
}

} // namespace sw
