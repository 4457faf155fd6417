#include "engine/onnx/external_data.h"

#include "engine/onnx/read_model.h"

#include <algorithm>

namespace sw::onnx {

namespace {

namespace fs = std::filesystem;

Diagnostic refused(const ExternalPlace &place, std::string_view why)
{
    return Diagnostic::error(Code::File, {}, "its data are in '{}', {}", displayText(place.location), why);
}

bool isBelow(const fs::path &path, const fs::path &folder)
{
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

Result<fs::path> fileOf(const fs::path &folder, const ExternalPlace &place)
{
    if (folder.empty())
        return refused(place, "and the model does not stand in a folder");
    const fs::path given(place.location);
    const bool climbs = std::ranges::find(given, fs::path("..")) != given.end();
    if (given.empty() || given.is_absolute() || climbs)
        return refused(place, "which is not a path inside of the model's folder");
    std::error_code error;
    const fs::path root = fs::canonical(folder, error);
    const fs::path file = error ? fs::path() : fs::canonical(root / given, error);
    if (error)
        return refused(place, "which cannot be read: " + error.message());
    if (!isBelow(file, root))
        return refused(place, "which is a link that leads out of the model's folder");
    if (!fs::is_regular_file(file, error))
        return refused(place, "which is not a file");
    return file;
}

} // namespace

Result<ExternalBytes> ExternalFiles::find(const ExternalPlace &place, std::uint64_t bytes)
{
    SW_TRY(const fs::path path, fileOf(m_folder, place));
    if (place.length && *place.length != bytes)
        return refused(place, format("where it has {} bytes; its shape and type want {}", *place.length, bytes));
    std::shared_ptr<const MappedFile> &file = m_open[path];
    if (file == nullptr) {
        auto opened = MappedFile::open(path);
        if (!opened)
            return refused(place, "which cannot be read: " + opened.error().front().hint);
        file = std::move(*opened);
    }
    const std::size_t size = file->bytes().size();
    if (place.offset > size || bytes > size - place.offset)
        return refused(place, format("which has {} bytes; the tensor has {} from byte {} on", size, bytes, place.offset));
    return ExternalBytes{file, static_cast<std::size_t>(place.offset)};
}

} // namespace sw::onnx
