#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "engine/api/device_list.h"

namespace sw::command {

namespace {

std::string jsonText(const std::vector<DeviceEntry> &entries)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).key("devices").beginArray();
    for (const DeviceEntry &entry : entries) {
        json.beginObject().field("id", entry.id).field("available", entry.isAvailable).field("description", entry.description);
        json.field("reason", entry.reason).endObject();
    }
    json.endArray().endObject();
    return json.text();
}

} // namespace

Outcome devices(const Arguments &arguments, const Environment &environment)
{
    const std::vector<DeviceEntry> entries = listDevices(environment.registry);
    if (arguments.has("--json"))
        return {ExitCode::Success, jsonText(entries), {}};
    std::vector<std::vector<std::string>> rows{{"device", "available", "description"}};
    for (const DeviceEntry &entry : entries)
        rows.push_back({entry.id, entry.isAvailable ? "yes" : "no", entry.isAvailable ? entry.description : entry.reason});
    return {ExitCode::Success, tableText(rows), {}};
}

} // namespace sw::command
