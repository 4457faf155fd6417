#pragma once
// The commands of stepwellc. A command is a function from its arguments to an exit code and text; it never writes to a stream, so
// tests call commands exactly as the program does.

#include "app/commands/arguments.h"
#include "engine/backend/backend.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {
class FiguresStore;
class WorkProgress;
} // namespace sw

namespace sw::command {

enum class ExitCode : std::uint8_t { Success = 0, Error = 1, Usage = 2, Unsupported = 3, Different = 4 };

struct Environment {
    const BackendRegistry &registry;
    std::string resourceFolder;
    std::stop_token stop;
    const FiguresStore *figures = nullptr; // of measured devices; null: no figures are known and none are measured
    // The same backends in processes of their own, for kernels that may crash or never end; null: there are none.
    const BackendRegistry *hosted = nullptr;
    WorkProgress *progress = nullptr; // is told how far a compilation is; null: nobody waits
};

struct Outcome {
    ExitCode exitCode = ExitCode::Success;
    std::string output; // for stdout
    std::string errors; // for stderr: diagnostics, including warnings
};

using CommandFunction = Outcome (*)(const Arguments &, const Environment &);

struct CommandInfo {
    std::string_view name;
    std::string_view usage; // the text after the name: "FILE --stage S"
    std::string_view doc;
    std::size_t minFiles = 0;
    std::size_t maxFiles = 0;
    std::span<const OptionInfo> options;
    CommandFunction run = nullptr;
};

[[nodiscard]] std::span<const CommandInfo> allCommands();

// words: the command line without the program's name.
[[nodiscard]] Outcome runCommand(std::span<const std::string> words, const Environment &environment);

} // namespace sw::command
