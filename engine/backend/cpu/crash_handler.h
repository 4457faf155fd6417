#pragma once
// Lets this process say what it was at when a signal ends it.

#include "engine/backend/host/crash_note.h"

namespace sw {

// From now on, a signal that a kernel causes is described in the note, which another process can read; then it ends this process,
// as it would have.
void describeCrashesIn(CrashNote &note);

// Libraries that are loaded later (LLVM's) put handlers of their own before it, which send the signal again without saying where
// it came from. So it is put in front before a launch that is watched. Does nothing where nobody reads a note.
void renewCrashHandler();

} // namespace sw
