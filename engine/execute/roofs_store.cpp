// The part of FiguresStore that keeps the roofs of processors.

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

// Raised when roofs are measured in a different way.
constexpr int kVersion = 3;

std::string headOf(const std::string &processor, std::uint32_t threads)
{
    return format("stepwell roofs {}\nprocessor {}\nthreads {}\n", kVersion, processor, threads);
}

// The text up to the separator, which is taken too.
std::string_view takeUntil(std::string_view &text, char separator)
{
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

template <class Number>
bool read(std::string_view text, Number &number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

// "memory 2 98304 881.2 L1 read": kind, threads, bytes of the level, rate, name
std::optional<Roof> roofIn(std::string_view line)
{
    Roof roof;
    const std::string_view kind = takeUntil(line, ' ');
    constexpr std::array kKinds{RoofKind::Memory, RoofKind::Compute, RoofKind::Tensor};
    const auto known = std::ranges::find(kKinds, kind, [](RoofKind one) { return nameOf(one); });
    if (known == kKinds.end())
        return std::nullopt;
    roof.kind = *known;
    const bool isRead = read(takeUntil(line, ' '), roof.threads) && read(takeUntil(line, ' '), roof.levelBytes) &&
                        read(takeUntil(line, ' '), roof.perNanosecond);
    if (!isRead || !std::isfinite(roof.perNanosecond) || roof.perNanosecond <= 0 || roof.levelBytes < 0 || line.empty())
        return std::nullopt;
    roof.name = line;
    return roof;
}

} // namespace

std::filesystem::path FiguresStore::roofsFileOf(const std::string &processor, std::uint32_t threads) const
{
    return m_folder / format("{:016x}.roofs", Hasher().add(headOf(processor, threads)).value());
}

std::optional<MachineRoofs> FiguresStore::findRoofs(const std::string &processor, std::uint32_t threads) const
{
    std::ifstream file(roofsFileOf(processor, threads), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string head = headOf(processor, threads);
    if (!text.starts_with(head) || !text.ends_with('\n'))
        return std::nullopt;
    std::string_view rest = std::string_view(text).substr(head.size());
    MachineRoofs roofs;
    std::string_view measured = takeUntil(rest, '\n');
    if (takeUntil(measured, ' ') != "measured" || measured.empty())
        return std::nullopt;
    roofs.measuredOn = measured;
    while (!rest.empty()) {
        std::optional<Roof> roof = roofIn(takeUntil(rest, '\n'));
        if (!roof)
            return std::nullopt;
        roofs.roofs.push_back(*std::move(roof));
    }
    return roofs.roofs.empty() ? std::nullopt : std::optional(std::move(roofs));
}

Result<Done> FiguresStore::keepRoofs(const std::string &processor, std::uint32_t threads, const MachineRoofs &roofs) const
{
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    if (error)
        return Diagnostic::error(Code::File, {}, "cannot make the folder {}: {}", m_folder.string(), error.message());
    std::string text = headOf(processor, threads) + format("measured {}\n", roofs.measuredOn);
    for (const Roof &roof : roofs.roofs)
        text += format("{} {} {} {:.6g} {}\n", nameOf(roof.kind), roof.threads, roof.levelBytes, roof.perNanosecond, roof.name);
    return writeWholeFile(roofsFileOf(processor, threads), {text});
}

} // namespace sw
