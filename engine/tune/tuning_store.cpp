#include "engine/tune/tuning_store.h"

#include "engine/base/sha256.h"
#include "engine/base/whole_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sw {

namespace {

// Raised when transformations mean something else, or a key does.
constexpr std::string_view kFirstLine = "stepwell tuning 2";
constexpr std::string_view kEnding = ".tuning";
constexpr std::size_t kKeyDigits = 64;
constexpr std::uintmax_t kMostBytes = 64 << 10;

bool isKey(std::string_view text)
{
    return text.size() == kKeyDigits &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string textOf(const std::string &key, const Tuning &tuning, const std::string &title)
{
    std::string text = format("{}\nkey {}\nfor {}\nmeasured {}\nseed {}\ngain {:.6g}\n", kFirstLine, key, title,
                              tuning.measuredOn, tuning.seed, tuning.gain);
    for (const Transform &transform : tuning.transforms)
        text += format("transform {}\n", toText(transform));
    return text + format("sum {}\n", hexText(sha256Of(text)));
}

template <class Number>
bool read(std::string_view text, Number &number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

struct Kept {
    std::string key;
    Tuning tuning;
};

// What comes behind "NAME " on the next line; nothing: it is another line.
std::optional<std::string_view> take(std::string_view &text, std::string_view name)
{
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(name) || text.substr(name.size(), 1) != " ")
        return std::nullopt;
    const std::string_view value = text.substr(name.size() + 1, end - name.size() - 1);
    text.remove_prefix(end + 1);
    return value;
}

Diagnostic damaged(const std::filesystem::path &file, std::string_view why)
{
    return Diagnostic::error(Code::File, {}, "the tuning {} is not used: {}; tune its kernel again, or remove the file",
                             file.string(), why);
}

Result<Kept> parsed(const std::filesystem::path &file, std::string_view text)
{
    if (!text.starts_with(format("{}\n", kFirstLine)))
        return damaged(file, text.starts_with("stepwell tuning ") ? "it is of another version" : "it is damaged");
    const std::size_t sum = text.rfind("sum ");
    if (sum == std::string_view::npos || text.substr(sum) != format("sum {}\n", hexText(sha256Of(text.substr(0, sum)))))
        return damaged(file, "it is damaged");
    std::string_view rest = text.substr(kFirstLine.size() + 1, sum - kFirstLine.size() - 1);
    Kept kept;
    const auto key = take(rest, "key");
    const auto title = take(rest, "for");
    const auto measured = take(rest, "measured");
    const auto seed = take(rest, "seed");
    const auto gain = take(rest, "gain");
    const bool isRead = key && isKey(*key) && title && measured && seed && read(*seed, kept.tuning.seed) && gain &&
                        read(*gain, kept.tuning.gain) && std::isfinite(kept.tuning.gain) && kept.tuning.gain > 0;
    if (!isRead)
        return damaged(file, "it is damaged");
    if (file.stem() != *key)
        return damaged(file, "it is the tuning of another kernel");
    kept.key = *key;
    kept.tuning.measuredOn = *measured;
    while (!rest.empty()) {
        const auto line = take(rest, "transform");
        Result<Transform> transform = line ? parseTransform(*line) : Result<Transform>(damaged(file, "it is damaged"));
        if (!transform)
            return damaged(file, transform.error().front().message);
        transform->reason.clear(); // the tuning has one
        kept.tuning.transforms.push_back(*std::move(transform));
    }
    return kept;
}

Result<Kept> readFile(const std::filesystem::path &file)
{
    std::error_code error;
    if (const std::uintmax_t bytes = std::filesystem::file_size(file, error); error || bytes > kMostBytes)
        return damaged(file, error ? error.message() : "it is too large");
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return parsed(file, text);
}

// Those of the store, in the order of their names. A folder that cannot be read has none.
std::vector<std::filesystem::path> filesIn(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        if (at->path().extension() == kEnding && isKey(at->path().stem().string()))
            files.push_back(at->path());
    std::ranges::sort(files);
    return files;
}

} // namespace

std::filesystem::path TuningStore::fileOf(const std::string &key) const
{
    return m_folder / (key + std::string(kEnding));
}

Result<Done> TuningStore::keep(const std::string &key, const Tuning &tuning, const std::string &title) const
{
    SW_ASSERT(isKey(key) && title.find('\n') == std::string::npos, "a key and a line");
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    if (error)
        return Diagnostic::error(Code::File, {}, "cannot make the folder {}: {}", m_folder.string(), error.message());
    SW_CHECK(writeWholeFile(fileOf(key), {textOf(key, tuning, title)}));
    dropOldest();
    return Done{};
}

// Another process may remove files at the same time: those that are gone already are no error.
void TuningStore::dropOldest() const
{
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
    for (const std::filesystem::path &file : filesIn(m_folder)) {
        std::error_code error;
        if (const auto time = std::filesystem::last_write_time(file, error); !error)
            files.emplace_back(time, file);
    }
    if (files.size() <= m_mostFiles)
        return;
    std::ranges::sort(files);
    for (std::size_t i = 0; i < files.size() - m_mostFiles; ++i) {
        std::error_code error;
        std::filesystem::remove(files[i].second, error);
    }
}

Result<bool> TuningStore::remove(const std::string &key) const
{
    std::error_code error;
    const bool wasThere = std::filesystem::remove(fileOf(key), error);
    if (error)
        return Diagnostic::error(Code::File, {}, "cannot remove {}: {}", fileOf(key).string(), error.message());
    return wasThere;
}

std::shared_ptr<const Tunings> TuningStore::read() const
{
    auto tunings = std::make_shared<Tunings>();
    for (const std::filesystem::path &file : filesIn(m_folder)) {
        Result<Kept> kept = readFile(file);
        if (kept)
            tunings->byKey.emplace(kept->key, std::move(kept->tuning));
        else
            tunings->notes.push_back(kept.error().front().message);
    }
    return *tunings == Tunings() ? nullptr : tunings;
}

std::optional<std::filesystem::file_time_type> TuningStore::changed() const
{
    std::error_code error;
    const auto time = std::filesystem::last_write_time(m_folder, error);
    return error ? std::nullopt : std::optional(time);
}

} // namespace sw
