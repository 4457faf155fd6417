#pragma once
// What a window showed, and what a compilation had switched off, as JSON; private to session_parts.cpp.

#include "engine/api/json_fields.h"
#include "engine/api/session_file/session_contents.h"
#include "engine/base/json.h"

namespace sw {

// Writes a member for each switch of the compilation to the object that is open.
void writeSwitches(JsonWriter &json, const CompileSwitches &switches);
// Those that are not there, because an older Stepwell wrote the session, stay as they are.
void readSwitches(const JsonFields &data, CompileSwitches &switches);

// Writes the member "view" of the object that is open.
void writeView(JsonWriter &json, const KeptView &view);
[[nodiscard]] KeptView readView(const JsonFields &data);

} // namespace sw
