#pragma once
// What a window showed, as JSON; private to session_parts.cpp.

#include "engine/api/json_fields.h"
#include "engine/api/session_file/session_contents.h"
#include "engine/base/json.h"

namespace sw {

// Writes the member "view" of the object that is open.
void writeView(JsonWriter &json, const KeptView &view);
[[nodiscard]] KeptView readView(const JsonFields &data);

} // namespace sw
