#pragma once
// Keeps tunings in small files, one per kernel structure and device, which other processes read as well. A file appears whole or
// not at all. One that is damaged or of another version is not used, and the tunings say so.

#include "engine/base/result.h"
#include "engine/passes/tunings.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace sw {

class TuningStore {
public:
    // The folder is made when there is something to keep. mostFiles: beyond which the oldest ones go.
    explicit TuningStore(std::filesystem::path folder, std::size_t mostFiles = kMostFiles)
        : m_folder(std::move(folder)), m_mostFiles(mostFiles)
    {
    }

    // key: of tuning_key.h. title: what a person calls the kernel and its device; a line.
    [[nodiscard]] Result<Done> keep(const std::string &key, const Tuning &tuning, const std::string &title) const;
    // Whether there was one.
    [[nodiscard]] Result<bool> remove(const std::string &key) const;
    // All that are kept, with a note about each file that cannot be read. Null: there are none, and no notes.
    [[nodiscard]] std::shared_ptr<const Tunings> read() const;
    // Changes whenever a file comes or goes; nothing: there is no folder.
    [[nodiscard]] std::optional<std::filesystem::file_time_type> changed() const;
    [[nodiscard]] std::filesystem::path fileOf(const std::string &key) const;

    static constexpr std::size_t kMostFiles = 4096;

private:
    void dropOldest() const;

    std::filesystem::path m_folder;
    std::size_t m_mostFiles;
};

} // namespace sw
