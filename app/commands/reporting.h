#pragma once
// Makes the whole report of a program, run and all, for the commands that keep or share one.

#include "app/commands/common.h"
#include "engine/api/explorer.h"

#include <memory>

namespace sw::command {

// A program that was compiled, its machine code read, and run.
struct Reported {
    ExploreRequest request;
    RunRequest run;
    std::shared_ptr<Explorer> explorer; // of that compilation
    ReportPtr report;                   // never null
};

// Whether to run the program for its times.
enum class Runs : std::uint8_t { No, Yes };

// What is wrong with the program is in the report's messages. Errors: of the arguments, and files that they name.
[[nodiscard]] Result<Reported> reportOf(const Arguments &arguments, const Environment &environment, Runs runs);

// The report's messages, as diagnostics have them.
[[nodiscard]] Outcome messagesOf(const Report &report);

} // namespace sw::command
