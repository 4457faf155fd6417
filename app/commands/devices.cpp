#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/estimates.h"
#include "engine/api/device_list.h"
#include "engine/backend/machine/cross_targets.h"
#include "engine/execute/measure_device.h"

namespace sw::command {

namespace {

// The entry's device must be available, or the figures are empty.
DeviceFigures figuresNow(const DeviceEntry &entry, const Environment &environment)
{
    const Result<BackendRegistry::Found> found = environment.registry.device(entry.id);
    return found ? figuresOf(found->device, environment.figures) : DeviceFigures{};
}

Result<Done> measure(const DeviceEntry &entry, const Environment &environment)
{
    if (environment.figures == nullptr)
        return Diagnostic::error(Code::Unsupported, {}, "there is no folder to keep the figures of {} in", entry.id);
    SW_TRY(const auto device, OpenedDevice::open(environment.registry, entry.id, {}));
    OpenedDevice *const only = device.get();
    return measureInto(*environment.figures, {&only, 1}, Measure::All, environment.stop);
}

Diagnostics measureAll(const std::vector<DeviceEntry> &entries, const Environment &environment)
{
    Diagnostics errors;
    for (const DeviceEntry &entry : entries) {
        if (!entry.isAvailable)
            continue;
        if (const Result<Done> measured = measure(entry, environment); !measured)
            errors.insert(errors.end(), measured.error().begin(), measured.error().end());
    }
    return errors;
}

std::string jsonText(const std::vector<DeviceEntry> &entries, const Environment &environment)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).key("devices").beginArray();
    for (const DeviceEntry &entry : entries) {
        json.beginObject().field("id", entry.id).field("available", entry.isAvailable).field("description", entry.description);
        json.field("reason", entry.reason).key("figures");
        if (entry.isAvailable) {
            json.beginObject();
            writeFigures(json, figuresNow(entry, environment));
            json.endObject();
        } else {
            json.null();
        }
        json.endObject();
    }
    json.endArray().endObject();
    return json.text();
}

std::string plainText(const std::vector<DeviceEntry> &entries, const Environment &environment)
{
    std::vector<std::vector<std::string>> rows{{"device", "available", "description"}};
    for (const DeviceEntry &entry : entries) {
        rows.push_back({entry.id, entry.isAvailable ? "yes" : "no", entry.isAvailable ? entry.description : entry.reason});
        if (entry.isAvailable)
            rows.push_back({"", "", "figures " + toText(figuresNow(entry, environment))});
    }
    return tableText(rows);
}

Outcome targets(bool isJson)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).key("targets").beginArray();
    std::vector<std::vector<std::string>> rows{{"target", "triple", "processor", "description"}};
    for (const CrossTarget &one : crossTargets()) {
        json.beginObject().field("name", one.name).field("triple", one.triple).field("processor", one.cpu);
        json.field("features", one.features).field("description", one.doc).endObject();
        rows.push_back({std::string(one.name), std::string(one.triple), std::string(one.cpu), std::string(one.doc)});
    }
    json.endArray().endObject();
    Outcome outcome;
    outcome.output = isJson ? json.text() : tableText(rows);
    return outcome;
}

} // namespace

Outcome devices(const Arguments &arguments, const Environment &environment)
{
    if (arguments.has("--targets"))
        return targets(arguments.has("--json"));
    const std::vector<DeviceEntry> entries = listDevices(environment.registry);
    Outcome outcome;
    if (arguments.has("--measure"))
        outcome = failed(measureAll(entries, environment));
    outcome.output = arguments.has("--json") ? jsonText(entries, environment) : plainText(entries, environment);
    return outcome;
}

} // namespace sw::command
