#include "engine/backend/llvm/object_store.h"

#include "engine/base/sha256.h"
#include "engine/base/whole_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace sw {

namespace {

constexpr std::string_view kHead = "stepwell object 1\n";

// Looking at the folder takes longer than writing a file. It is done after so much of what may be in it was written, and, for
// processes that write little, for one file in sixteen: its name, a digest, is as good as a die.
constexpr std::uint64_t kPartsOfFolder = 16;
bool isDrawn(const std::filesystem::path &file)
{
    return file.filename().string().starts_with('0');
}

std::string_view textOf(const Sha256 &digest)
{
    return {reinterpret_cast<const char *>(digest.data()), digest.size()};
}

// Lengths, so that no two lists of parts give the same bytes.
std::string joined(std::initializer_list<std::string_view> parts)
{
    std::string all;
    for (const std::string_view part : parts)
        all += format("{}:", part.size()).append(part);
    return all;
}

// The next part of what joined() made; nothing: the text is something else.
std::optional<std::string_view> takePart(std::string_view &text)
{
    std::size_t size = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9' && size <= text.size(); ++digits)
        size = 10 * size + static_cast<std::size_t>(text[digits] - '0');
    if (digits == 0 || digits == text.size() || text[digits] != ':' || size > text.size() - digits - 1)
        return std::nullopt;
    const std::string_view part = text.substr(digits + 1, size);
    text.remove_prefix(digits + 1 + size);
    return part;
}

std::optional<Translation> readTranslation(std::string_view text)
{
    if (!text.starts_with(kHead))
        return std::nullopt;
    text.remove_prefix(kHead.size());
    Sha256 digest{};
    if (text.size() < digest.size())
        return std::nullopt;
    std::memcpy(digest.data(), text.data(), digest.size());
    text.remove_prefix(digest.size());
    if (sha256Of(text) != digest)
        return std::nullopt;
    const auto log = takePart(text);
    const auto object = takePart(text);
    if (!log || !object || !text.empty())
        return std::nullopt;
    Translation made{ObjectBytes(object->size()), std::string(*log)};
    std::memcpy(made.object.data(), object->data(), object->size());
    return made;
}

} // namespace

ObjectStore::ObjectStore(std::filesystem::path folder, std::string maker, std::uint64_t mostBytes)
    : m_folder(std::move(folder)), m_maker(std::move(maker)), m_mostBytes(mostBytes)
{
}

std::filesystem::path ObjectStore::fileOf(const RenderedSource &source) const
{
    return m_folder / (hexText(sha256Of(joined({m_maker, source.symbol, source.text}))) + ".object");
}

std::optional<Translation> ObjectStore::find(const RenderedSource &source)
{
    const std::filesystem::path path = fileOf(source);
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::optional<Translation> found = readTranslation(text);
    std::error_code ignored;
    if (found)
        std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
    else
        std::filesystem::remove(path, ignored);
    return found;
}

void ObjectStore::keep(const RenderedSource &source, const ObjectBytes &object, std::string_view log)
{
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    if (error)
        return;
    const std::string text = joined({log, {reinterpret_cast<const char *>(object.data()), object.size()}});
    const std::uint64_t size = kHead.size() + sizeof(Sha256) + text.size();
    const std::filesystem::path file = fileOf(source);
    if (m_written.fetch_add(size) + size > m_mostBytes / kPartsOfFolder || isDrawn(file))
        makeRoom();
    static_cast<void>(writeWholeFile(file, {kHead, textOf(sha256Of(text)), text}));
}

void ObjectStore::makeRoom()
{
    m_written = 0;
    struct File {
        std::filesystem::file_time_type lastUse;
        std::uint64_t size = 0;
        std::filesystem::path path;
    };
    std::vector<File> files;
    std::uint64_t all = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator at(m_folder, error); !error && at != std::filesystem::directory_iterator();
         at.increment(error)) {
        std::error_code gone; // another process makes room too
        File file{at->last_write_time(gone), at->file_size(gone), at->path()};
        if (gone)
            continue;
        all += file.size;
        files.push_back(std::move(file));
    }
    if (all <= m_mostBytes)
        return;
    std::ranges::sort(files, {}, &File::lastUse);
    for (const File &file : files) {
        if (all <= m_mostBytes / 4 * 3)
            return;
        std::filesystem::remove(file.path, error);
        all -= file.size;
    }
}

} // namespace sw
