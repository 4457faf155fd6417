#pragma once
// What of the window belongs in a session file, and how it comes back from there.

#include "ui/session/baseline.h"
#include "ui/session/input_choices.h"
#include "ui/session/moment.h"
#include "ui/session/notes.h"
#include "ui/session/selection.h"
#include "ui/session/session.h"
#include "ui/session/watch_list.h"
#include "ui/session/what_if.h"

#include <memory>

namespace stepwell::ui {

struct SessionState {
    Session &session;
    Selection &selection;
    Moment &moment;
    WhatIf &whatIf;
    InputChoices &inputs;
    WatchList &watched;
    Baseline &baseline;
    Notes &notes;
};

// A session that was opened, and what it was compiled for first.
struct OpenedSession {
    sw::SessionContents contents;
    sw::ExploreRequest request = {};
};
using OpenedSessionPtr = std::shared_ptr<const OpenedSession>;

// The session as the window shows it, without its rewrites and its layout; completeProgram() adds what takes time. There must be
// a snapshot. opened: what the window was opened with, which stays as long as nothing of it was compiled or run in another way
// since; may be null. path: of the program's file; empty: it is in none.
[[nodiscard]] sw::SessionContents contentsOf(const SessionState &state, const OpenedSession *opened, const QString &path);
// Whether what was opened is still what is shown.
[[nodiscard]] bool isAsOpened(const Session &session, const OpenedSession *opened);

// Reads the program where it is in a file, and takes its digest. Programs of more bytes are only named. Takes time: not for the
// GUI thread. Returns why it cannot be read; empty: it was, or there is nothing to read.
[[nodiscard]] std::string completeProgram(sw::SessionContents &contents, std::uint64_t mostBytes);

// The program of a session, to be looked for in that folder, with the files that it loads.
[[nodiscard]] ProgramSource sourceOf(const sw::SessionContents &contents, const QString &folder);
// What compiles the program of a session again as it was compiled there.
[[nodiscard]] sw::ExploreRequest requestOf(const sw::SessionContents &contents, const QString &folder);
// Whether the program is there, in the session or where it was.
[[nodiscard]] bool hasProgram(const sw::SessionContents &contents);

// To be called right after Session::openKept,
void restoreLists(const SessionState &state, const sw::SessionContents &contents);
// when there are documents (those of the moment, if the session has one),
void restoreSelection(Selection &selection, const sw::KeptView &view);
// and when the program is compiled.
void restoreView(const SessionState &state, const sw::KeptView &view);

} // namespace stepwell::ui
