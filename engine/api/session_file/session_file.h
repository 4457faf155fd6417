#pragma once
// Session files: one file with everything about a program, to keep and to pass on. resources/docs/session-format.md describes the
// layout.

#include "engine/api/session_file/session_contents.h"
#include "engine/base/whole_file.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sw {

inline constexpr std::string_view kSessionEnding = ".stepwell";
inline constexpr std::int64_t kSessionVersion = 7;
inline constexpr std::string_view kSessionType = "application/vnd.stepwell.session";

// A program file of more bytes is not kept in the session, but named with its digest.
inline constexpr std::uint64_t kMostProgramBytes = std::uint64_t{256} << 20;
// How many rewrites of each pass are kept as texts.
inline constexpr std::uint32_t kMostKeptRewrites = 2000;

[[nodiscard]] bool isSessionFile(const std::filesystem::path &file); // by its ending

// Equal contents give equal bytes.
[[nodiscard]] Result<std::string> packSession(const SessionContents &contents);
// For files of unknown authors, too. file: for messages. Errors: Code::File, Code::Limit and Code::Syntax say what is wrong with
// it; Code::Unsupported: a newer version wrote it.
[[nodiscard]] Result<SessionContents> unpackSession(std::string_view bytes, const std::string &file);

// The old file stays whole until the new one is.
[[nodiscard]] Result<Done> saveSession(const SessionContents &contents, const std::filesystem::path &file, Durability durability,
                                       const FileCalls &calls = systemFileCalls());
[[nodiscard]] Result<SessionContents> openSession(const std::filesystem::path &file);

} // namespace sw
