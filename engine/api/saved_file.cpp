#include "engine/api/saved_file.h"

#include "engine/base/whole_file.h"

namespace sw {

std::string saveFile(const std::filesystem::path &file, std::string_view bytes, Durability durability)
{
    const Result<Done> saved = writeWholeFile(file, {bytes}, durability);
    return saved ? std::string() : saved.error().front().message;
}

} // namespace sw
