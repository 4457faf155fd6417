#pragma once
// Session files as what a command is given, and what it saves.

#include "app/commands/reporting.h"
#include "engine/api/session_file/session_file.h"

namespace sw::command {

// The program, options, overrides and inputs of a session, where the command line does not give others. A program finds the files
// that it loads beside the session.
[[nodiscard]] Result<Done> addSession(CompileRequest &request, const Arguments &arguments, const SessionContents &session,
                                      const std::filesystem::path &file);
// Whether the arguments ask for nothing but what the session holds, so that nothing has to be compiled.
[[nodiscard]] bool wantsWhatIsKept(const Arguments &arguments);

// Null: the session has no such stage.
[[nodiscard]] StageDocumentPtr keptDocument(const Report &report, StageKind stage);

[[nodiscard]] Result<SessionContents> contentsOf(const Reported &reported, const std::stop_token &stop);

} // namespace sw::command
