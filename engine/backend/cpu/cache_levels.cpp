#include "engine/backend/cpu/cache_levels.h"

#include "engine/base/text.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

namespace sw {

namespace {

// Of the level that cores share, a program counts on so many times what a core has of its own, at most: other programs use it,
// too, and a virtual machine is told of all that a socket has, which other machines on it use as well. More would change
// decisions that were measured with this factor.
constexpr std::int64_t kSharedParts = 8;

std::string firstLine(const std::string &path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// "48K", "32M"
std::int64_t bytesIn(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end == text.data() + text.size())
        return number;
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : *end == 'G' ? number << 30 : number;
}

// "0-3,8": five
std::uint32_t processorsIn(std::string_view list)
{
    std::uint32_t count = 0;
    while (!list.empty()) {
        const std::string_view part = list.substr(0, list.find(','));
        list.remove_prefix(std::min(part.size() + 1, list.size()));
        const std::size_t dash = part.find('-');
        count += dash == std::string_view::npos
                     ? 1
                     : static_cast<std::uint32_t>(bytesIn(part.substr(dash + 1)) - bytesIn(part.substr(0, dash)) + 1);
    }
    return std::max(count, 1U);
}

// Nothing of it is told where there is no such level.
CacheLevel levelCalled(std::string_view name, const std::vector<CacheLevel> &levels)
{
    const auto found = std::ranges::find(levels, name, &CacheLevel::name);
    return found == levels.end() ? CacheLevel() : *found;
}

} // namespace

std::vector<CacheLevel> cacheLevels(const std::string &folder)
{
    std::vector<CacheLevel> levels;
    for (int index = 0;; ++index) {
        const std::string cache = format("{}/index{}/", folder, index);
        const std::string type = firstLine(cache + "type");
        if (type.empty())
            break;
        const std::int64_t bytes = bytesIn(firstLine(cache + "size"));
        if (type != "Instruction" && bytes > 0)
            levels.push_back({"L" + firstLine(cache + "level"), bytes, processorsIn(firstLine(cache + "shared_cpu_list")),
                              static_cast<std::uint32_t>(bytesIn(firstLine(cache + "ways_of_associativity")))});
    }
    std::ranges::sort(levels, {}, &CacheLevel::bytes);
    return levels;
}

void takeCaches(DeviceInfo &device, const std::vector<CacheLevel> &levels)
{
    if (levels.empty())
        return;
    const CacheLevel first = levelCalled("L1", levels);
    const std::uint32_t ways = first.ways > 0 ? first.ways : device.firstLevelWays;
    if (first.bytes > 0 && first.bytes % (ways * kCacheLineBytes) == 0) { // whole sets
        device.firstLevelBytes = first.bytes;
        device.firstLevelWays = ways;
    }
    if (const std::int64_t second = levelCalled("L2", levels).bytes; first.bytes > 0 || second > 0)
        device.cacheBytesPerCore = std::max(first.bytes, second);
    const std::int64_t own = device.cacheBytesPerCore;
    const std::int64_t shared = levelCalled("L3", levels).bytes;
    device.sharedCacheBytes = shared > 0 ? std::clamp(shared, own, kSharedParts * own) : 0;
}

} // namespace sw
