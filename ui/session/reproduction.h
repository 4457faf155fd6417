#pragma once
// The command line that shows what a pane of the window shows.

#include "engine/api/explorer.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <string>

namespace stepwell::ui {

struct Seen {
    QString file;      // of the program, or the session that it is in
    QString overrides; // the file of overrides; empty: none, or they are in the session
    sw::ExploreRequest request;
    sw::StageKind stage = sw::StageKind::Graph;
    QString kernel; // empty: all
    QString pass;   // the id of the pass after which the stage is shown; empty: the end
};

// Options that are as usual are left out; words are quoted for a shell of the POSIX kind.
[[nodiscard]] QString commandFor(const Seen &seen);
// "--no-fuse", for each that is off.
[[nodiscard]] QStringList wordsOf(const sw::CompileSwitches &switches);
[[nodiscard]] QString quotedForShell(const QString &word);

} // namespace stepwell::ui
