#pragma once
// Compiled kernels on disk, for processes that come later: an object is found by everything that it was made from. Several
// processes may use one folder: a file appears whole, and what it holds is used only when its digest is right. The folder is
// bounded: what was not used for longest goes first.

#include "engine/backend/backend.h"
#include "engine/backend/llvm/native_code.h"

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

namespace sw {

struct Translation {
    ObjectBytes object;
    std::string log; // warnings
};

class ObjectStore {
public:
    static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

    // maker: whatever besides its text an object depends on: the compiler, its version and options, the processor. The folder
    // need not exist. mostBytes: of all files in it, whoever wrote them.
    ObjectStore(std::filesystem::path folder, std::string maker, std::uint64_t mostBytes = kMostBytes);

    // Several threads may call these at the same time. A file that is damaged counts as none, and goes.
    [[nodiscard]] std::optional<Translation> find(const RenderedSource &source);
    // Where the disk is full or the folder cannot be written, nothing is kept: the kernel is compiled again then.
    void keep(const RenderedSource &source, const ObjectBytes &object, std::string_view log);

    [[nodiscard]] std::filesystem::path fileOf(const RenderedSource &source) const;

private:
    void makeRoom(); // where more than mostBytes are: until three quarters of them are left

    std::filesystem::path m_folder;
    std::string m_maker;
    std::uint64_t m_mostBytes;
    std::atomic<std::uint64_t> m_written{0}; // bytes, since this process last looked at the folder
};

} // namespace sw
