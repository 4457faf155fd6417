#include "engine/api/session_file/zip_archive.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <set>
#include <utility>
#include <zip.h>

namespace sw {

namespace {

constexpr std::time_t kTime = 315'532'800; // 1980-01-01, the first that the format knows: equal contents give equal bytes
constexpr std::size_t kPiece = std::size_t{1} << 20; // bytes, read at once

struct Discard {
    void operator()(zip_t *archive) const { zip_discard(archive); }
    void operator()(zip_source_t *source) const { zip_source_free(source); }
    void operator()(zip_file_t *entry) const { zip_fclose(entry); }
};
template <class T>
using Owned = std::unique_ptr<T, Discard>;

class ZipError {
public:
    ZipError() { zip_error_init(&m_error); }
    ~ZipError() { zip_error_fini(&m_error); }
    ZipError(const ZipError &) = delete;
    ZipError &operator=(const ZipError &) = delete;
    [[nodiscard]] zip_error_t *get() { return &m_error; }
    [[nodiscard]] std::string text() { return zip_error_strerror(&m_error); }

private:
    zip_error_t m_error{};
};

Diagnostic cannotPack(const std::string &why)
{
    return Diagnostic::error(Code::File, {}, "cannot pack the session: {}", why);
}

// The archive takes over the source when it can.
Result<Done> add(zip_t *archive, const ZipEntry &entry, bool isPacked)
{
    zip_source_t *const source = zip_source_buffer(archive, entry.bytes.data(), entry.bytes.size(), 0);
    if (source == nullptr)
        return cannotPack(zip_strerror(archive));
    const zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return cannotPack(zip_strerror(archive));
    }
    const auto at = static_cast<zip_uint64_t>(index);
    constexpr zip_uint32_t kQuick = 3; // of 9: what is kept is read again at once, and packed once
    const bool isSet =
        zip_set_file_compression(archive, at, isPacked ? ZIP_CM_DEFLATE : ZIP_CM_STORE, isPacked ? kQuick : 0) == 0 &&
        zip_file_set_mtime(archive, at, kTime, 0) == 0;
    return isSet ? Result<Done>(Done{}) : cannotPack(zip_strerror(archive));
}

Result<std::string> bytesOf(zip_source_t *source)
{
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_source_stat(source, &status) != 0 || (status.valid & ZIP_STAT_SIZE) == 0 || zip_source_open(source) != 0)
        return cannotPack(zip_error_strerror(zip_source_error(source)));
    std::string bytes(status.size, '\0');
    const zip_int64_t read = zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
    if (read != static_cast<zip_int64_t>(bytes.size()))
        return cannotPack("it cannot be read back");
    return bytes;
}

// Names are joined to no path anywhere, and are still refused, so that no other program is harmed either.
std::string whyUnsound(std::string_view name)
{
    if (name.empty())
        return "it has no name";
    if (name.front() == '/' || name.find('\\') != std::string_view::npos || name.find(':') != std::string_view::npos)
        return "its name is not relative to the archive";
    if (name.find('\0') != std::string_view::npos || name.back() == '/')
        return "its name is not that of a file";
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..")
            return "its name climbs out of the archive";
        begin = end + 1;
    }
    return {};
}

class ZipReader {
public:
    ZipReader(zip_t *archive, const std::string &file, const ZipLimits &limits)
        : m_archive(archive), m_file(file), m_limits(limits)
    {
    }

    Result<std::vector<ZipEntry>> read()
    {
        const auto count = static_cast<std::uint64_t>(zip_get_num_entries(m_archive, 0));
        if (count > m_limits.entries)
            return Diagnostic::error(Code::Limit, {m_file}, "{} has {} entries, more than {}", m_file, count, m_limits.entries);
        std::vector<zip_stat_t> all(count);
        for (std::uint64_t i = 0; i < count; ++i)
            SW_CHECK(check(i, all[i]));
        std::vector<ZipEntry> entries;
        for (std::uint64_t i = 0; i < count; ++i) {
            SW_TRY(std::string bytes, unpack(i, all[i]));
            entries.push_back({all[i].name, std::move(bytes)});
        }
        return entries;
    }

private:
    [[nodiscard]] Diagnostic refused(std::string_view name, std::string_view why) const
    {
        return Diagnostic::error(Code::File, {m_file}, "{} is refused: entry {}: {}", m_file, quoted(name), why);
    }

    // All of them before the first is unpacked.
    Result<Done> check(std::uint64_t index, zip_stat_t &status)
    {
        constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
        zip_stat_init(&status);
        if (zip_stat_index(m_archive, index, ZIP_FL_ENC_RAW, &status) != 0 || (status.valid & kNeeded) != kNeeded)
            return refused(format("{}", index), "the archive does not say what it is");
        const std::string_view name = status.name;
        if (const std::string why = whyUnsound(name); !why.empty())
            return refused(name, why);
        if (!m_names.emplace(name).second)
            return refused(name, "it is there twice");
        if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE)
            return refused(name, "it is encrypted");
        if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE)
            return refused(name, "it is packed in an unusual way");
        if (status.size > m_limits.entryBytes)
            return refused(name, format("it has {} bytes, more than {}", status.size, m_limits.entryBytes));
        m_bytes += status.size;
        if (m_bytes > m_limits.allBytes)
            return refused(name, format("with it the archive has more than {} bytes", m_limits.allBytes));
        if (status.size > m_limits.ratioFrom && status.size / m_limits.mostRatio > status.comp_size)
            return refused(name, format("{} bytes became {}, which only senseless data does", status.size, status.comp_size));
        return Done{};
    }

    // Memory grows with what is really there, not with what the archive says.
    Result<std::string> unpack(std::uint64_t index, const zip_stat_t &status)
    {
        const Owned<zip_file_t> entry(zip_fopen_index(m_archive, index, 0));
        if (entry == nullptr)
            return refused(status.name, zip_strerror(m_archive));
        std::string bytes;
        for (;;) {
            const std::size_t have = bytes.size();
            bytes.resize(have + std::min<std::uint64_t>(kPiece, status.size - have + 1));
            const zip_int64_t read = zip_fread(entry.get(), bytes.data() + have, bytes.size() - have);
            if (read < 0)
                return refused(status.name, zip_file_strerror(entry.get())); // its checksum, too
            bytes.resize(have + static_cast<std::size_t>(read));
            if (read == 0)
                break;
            if (bytes.size() > status.size)
                return refused(status.name, format("it has more than the {} bytes that the archive says", status.size));
        }
        if (bytes.size() != status.size)
            return refused(status.name, format("it has {} bytes, not {}", bytes.size(), status.size));
        return bytes;
    }

    zip_t *m_archive;
    const std::string &m_file;
    const ZipLimits &m_limits;
    std::set<std::string, std::less<>> m_names;
    std::uint64_t m_bytes = 0;
};

} // namespace

Result<std::string> zipOf(const std::vector<ZipEntry> &entries)
{
    ZipError error;
    zip_source_t *const source = zip_source_buffer_create(nullptr, 0, 0, error.get());
    if (source == nullptr)
        return cannotPack(error.text());
    const Owned<zip_source_t> kept(source);
    zip_source_keep(source); // the archive frees its share
    Owned<zip_t> archive(zip_open_from_source(source, ZIP_TRUNCATE, error.get()));
    if (archive == nullptr) {
        zip_source_free(source);
        return cannotPack(error.text());
    }
    for (const ZipEntry &entry : entries)
        SW_CHECK(add(archive.get(), entry, &entry != entries.data()));
    if (zip_close(archive.get()) != 0)
        return cannotPack(zip_strerror(archive.get()));
    static_cast<void>(archive.release()); // closing freed it
    return bytesOf(source);
}

Result<std::vector<ZipEntry>> entriesOf(std::string_view bytes, const std::string &file, const ZipLimits &limits)
{
    ZipError error;
    zip_source_t *const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
    if (source == nullptr)
        return Diagnostic::error(Code::File, {file}, "{} cannot be read: {}", file, error.text());
    const Owned<zip_t> archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
    if (archive == nullptr) {
        zip_source_free(source);
        return Diagnostic::error(Code::File, {file}, "{} is not a whole archive: {}", file, error.text());
    }
    return ZipReader(archive.get(), file, limits).read();
}

} // namespace sw
