#pragma once
// Lets this process say what it was at when a signal ends it.

#include "engine/backend/host/crash_note.h"

namespace sw {

// From now on, a signal that a kernel causes is described in the note, which another process can read; then it ends this process,
// as it would have.
void describeCrashesIn(CrashNote &note);

} // namespace sw
