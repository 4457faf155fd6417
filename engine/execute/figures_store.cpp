#include "engine/execute/figures_store.h"

#include "engine/base/hash.h"
#include "engine/base/whole_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

namespace sw {

namespace {

// Raised when figures are measured in a different way.
constexpr int kVersion = 3;

constexpr std::int64_t kMostCacheBytes = std::int64_t{1} << 40; // more is no file of ours

struct Rate {
    std::string_view name;
    double RooflineFigures::*value;
};
constexpr std::array kRates{
    Rate{"memory", &RooflineFigures::memoryBytesPerNanosecond}, Rate{"operations", &RooflineFigures::operationsPerNanosecond},
    Rate{"transfers", &RooflineFigures::transferBytesPerNanosecond}, Rate{"launch", &RooflineFigures::launchNanoseconds}};

// What the figures are valid for.
std::string headOf(const DeviceInfo &device)
{
    return format("stepwell figures {}\ndevice {}\ndescription {}\ndriver {}\nthreads {}\n", kVersion, device.id,
                  device.description, device.driver, device.threads);
}

// "tensors 1\namx_bf16 2900\n": those that were measured, after how many they are.
std::string tensorText(const RooflineFigures &rates)
{
    std::string lines;
    std::size_t count = 0;
    for (const TensorInstruction one : allTensorInstructions())
        if (const double rate = rates.tensorOperationsPerNanosecond.at(indexOf(one)); rate > 0) {
            lines += format("{} {:.6g}\n", infoOf(one).name, rate);
            ++count;
        }
    return format("tensors {}\n", count) + lines;
}

// Of the levels of RooflineFigures::caches.
struct CacheLines {
    std::string_view holds;
    std::string_view rate;
};
constexpr std::array kCacheLines{CacheLines{"own_holds", "own_rate"}, CacheLines{"shared_holds", "shared_rate"}};

// "caches 1\nown_holds 4194304\nown_rate 72.5\n": those that were measured, after how many they are.
std::string cachesText(const RooflineFigures &rates)
{
    std::string lines;
    std::size_t count = 0;
    for (std::size_t i = 0; i < kCacheLines.size(); ++i)
        if (const CacheRate &cache = rates.caches.at(i); cache.bytesPerNanosecond > 0) {
            lines += format("{} {}\n{} {:.6g}\n", kCacheLines.at(i).holds, cache.holds, kCacheLines.at(i).rate,
                            cache.bytesPerNanosecond);
            ++count;
        }
    return format("caches {}\n", count) + lines;
}

// Reads "NAME VALUE" lines, one after the other.
class LineReader {
public:
    explicit LineReader(std::string_view text) : m_text(text) {}

    std::optional<std::string_view> valueOf(std::string_view name)
    {
        const std::size_t end = m_text.find('\n');
        if (end == std::string_view::npos || !m_text.starts_with(name) || m_text.substr(name.size(), 1) != " ")
            return std::nullopt;
        const std::string_view value = m_text.substr(name.size() + 1, end - name.size() - 1);
        m_text.remove_prefix(end + 1);
        return value;
    }
    [[nodiscard]] bool isAtEnd() const { return m_text.empty(); }

private:
    std::string_view m_text;
};

std::optional<double> positive(std::string_view text)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number <= 0)
        return std::nullopt;
    return number;
}

// "2026-11-22"
bool isDay(std::string_view text)
{
    constexpr std::string_view kPattern = "dddd-dd-dd";
    return std::ranges::equal(text, kPattern,
                              [](char c, char wanted) { return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted; });
}

bool readCaches(LineReader &lines, RooflineFigures &rates)
{
    const std::optional<std::string_view> stated = lines.valueOf("caches");
    std::size_t count = 0;
    for (std::size_t i = 0; i < kCacheLines.size(); ++i)
        if (const std::optional<std::string_view> holds = lines.valueOf(kCacheLines.at(i).holds)) {
            const std::optional<std::string_view> value = lines.valueOf(kCacheLines.at(i).rate);
            const std::optional<double> bytes = positive(*holds);
            const std::optional<double> rate = value ? positive(*value) : std::nullopt;
            if (!bytes || *bytes > static_cast<double>(kMostCacheBytes) || !rate)
                return false;
            rates.caches.at(i) = {.holds = static_cast<std::int64_t>(*bytes), .bytesPerNanosecond = *rate};
            ++count;
        }
    return stated == format("{}", count);
}

bool readTensors(LineReader &lines, RooflineFigures &rates)
{
    const std::optional<std::string_view> stated = lines.valueOf("tensors");
    std::size_t count = 0;
    for (const TensorInstruction one : allTensorInstructions())
        if (const std::optional<std::string_view> value = lines.valueOf(infoOf(one).name)) {
            const std::optional<double> rate = positive(*value);
            if (!rate)
                return false;
            rates.tensorOperationsPerNanosecond.at(indexOf(one)) = *rate;
            ++count;
        }
    return stated == format("{}", count);
}

} // namespace

std::filesystem::path FiguresStore::fileOf(const DeviceInfo &device) const
{
    return m_folder / format("{:016x}.figures", Hasher().add(headOf(device)).value());
}

std::optional<DeviceFigures> FiguresStore::find(const DeviceInfo &device) const
{
    std::ifstream file(fileOf(device), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string head = headOf(device);
    if (!text.starts_with(head))
        return std::nullopt;
    LineReader lines(std::string_view(text).substr(head.size()));
    const auto day = lines.valueOf("measured");
    if (!day || !isDay(*day))
        return std::nullopt;
    DeviceFigures figures{.rates = {}, .measuredOn = std::string(*day)};
    for (const Rate &rate : kRates) {
        const auto value = lines.valueOf(rate.name);
        const auto number = value ? positive(*value) : std::nullopt;
        if (!number)
            return std::nullopt;
        figures.rates.*rate.value = *number;
    }
    return readTensors(lines, figures.rates) && readCaches(lines, figures.rates) && lines.isAtEnd() ? std::optional(figures)
                                                                                                    : std::nullopt;
}

Result<Done> FiguresStore::keep(const DeviceInfo &device, const DeviceFigures &figures) const
{
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    if (error)
        return Diagnostic::error(Code::File, {}, "cannot make the folder {}: {}", m_folder.string(), error.message());
    std::string text = headOf(device) + format("measured {}\n", figures.measuredOn);
    for (const Rate &rate : kRates)
        text += format("{} {:.6g}\n", rate.name, figures.rates.*rate.value);
    text += tensorText(figures.rates) + cachesText(figures.rates);
    return writeWholeFile(fileOf(device), {text});
}

} // namespace sw
