#include "engine/api/session_file/session_parts.h"

#include "engine/api/describe.h"
#include "engine/api/json_fields.h"
#include "engine/api/report_data_documents.h"
#include "engine/api/session_file/session_file.h"
#include "engine/api/session_file/session_view.h"
#include "engine/base/json.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sw {

namespace {

struct NamedFill {
    InputFill fill;
    std::string_view name;
};
constexpr std::array kFills{NamedFill{InputFill::Program, "program"},   NamedFill{InputFill::Zeros, "zeros"},
                            NamedFill{InputFill::Ones, "ones"},         NamedFill{InputFill::Range, "range"},
                            NamedFill{InputFill::Constant, "constant"}, NamedFill{InputFill::Uniform, "uniform"},
                            NamedFill{InputFill::Normal, "normal"},     NamedFill{InputFill::Tensor, "tensor"}};

std::int64_t numberOf(std::uint32_t index)
{
    return index == kNoIndex ? -1 : std::int64_t{index};
}
std::uint32_t indexOf(std::int64_t number)
{
    return number < 0 ? kNoIndex : static_cast<std::uint32_t>(number);
}
constexpr std::int64_t kMostIndex = std::int64_t{kNoIndex} - 1;

void writeDimensions(JsonWriter &json, std::string_view name, const std::map<std::string, std::int64_t, std::less<>> &dimensions)
{
    json.key(name).beginArray();
    for (const auto &[dimension, value] : dimensions)
        json.beginObject().field("name", dimension).field("value", value).endObject();
    json.endArray();
}

std::map<std::string, std::int64_t, std::less<>> readDimensions(const JsonFields &data, std::string_view name)
{
    std::map<std::string, std::int64_t, std::less<>> dimensions;
    for (const JsonFields &one : data.objects(name))
        dimensions.emplace(one.text("name"), one.integer("value"));
    return dimensions;
}

void writeRanges(JsonWriter &json, const DimensionRanges &ranges)
{
    json.key("open_dimensions").beginArray();
    for (const auto &[dimension, range] : ranges)
        json.beginObject().field("name", dimension).field("low", range.low).field("high", range.high).endObject();
    json.endArray();
}

DimensionRanges readRanges(const JsonFields &data)
{
    DimensionRanges ranges;
    for (const JsonFields &one : data.objects("open_dimensions")) {
        const DimensionRange range{one.integer("low"), one.integer("high")};
        if (!isValid(range))
            one.fail("high", "is not above the low end, which is 1 or more");
        ranges.emplace(one.text("name"), range);
    }
    return ranges;
}

// Seeds take all 64 bits, more than JSON numbers of other programs do: they are texts.
void writeSeed(JsonWriter &json, std::uint64_t seed)
{
    json.field("seed", format("{}", seed));
}

std::uint64_t readSeed(const JsonFields &data)
{
    const std::string text = data.text("seed");
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size())
        data.fail("seed", "is no number");
    return seed;
}

void writeChoice(JsonWriter &json, const InputChoice &choice, std::int64_t tensor)
{
    const auto fill = std::ranges::find(kFills, choice.fill, &NamedFill::fill);
    json.beginObject().field("name", choice.name).field("fill", fill->name).field("first", choice.first);
    json.field("second", choice.second).field("constant", choice.constant).field("tensor", tensor);
    writeSeed(json, choice.seed);
    json.key("changes").beginArray();
    for (const CellChange &change : choice.changes) {
        json.beginObject().field("value", change.value).key("coordinates").integers(change.coordinates);
        json.endObject();
    }
    json.endArray().endObject();
}

InputChoice readChoice(const JsonFields &data, const std::vector<HostTensor> &tensors)
{
    InputChoice choice;
    choice.name = data.text("name");
    const std::string name = data.text("fill");
    const auto fill = std::ranges::find(kFills, name, &NamedFill::name);
    if (fill == kFills.end())
        data.fail("fill", format("there is no way {} to fill an input", sw::quoted(name)));
    else
        choice.fill = fill->fill;
    choice.first = data.fraction("first");
    choice.second = data.fraction("second");
    choice.constant = data.text("constant");
    choice.seed = readSeed(data);
    const std::int64_t tensor = data.integer("tensor", -1, static_cast<std::int64_t>(tensors.size()) - 1);
    if (tensor >= 0 && tensor < static_cast<std::int64_t>(tensors.size()))
        choice.tensor = std::make_shared<const TensorView>(choice.name, tensors[static_cast<std::size_t>(tensor)]);
    if ((choice.fill == InputFill::Tensor) != (choice.tensor != nullptr))
        data.fail("tensor", "is there without need, or missing");
    for (const JsonFields &change : data.objects("changes"))
        choice.changes.push_back({change.integers("coordinates"), change.text("value")});
    return choice;
}

void writeNotes(JsonWriter &json, const SessionContents &contents)
{
    json.key("watched").beginArray();
    for (const std::string &path : contents.watched)
        json.value(path);
    json.endArray().key("notes").beginArray();
    for (const PinnedNote &note : contents.notes) {
        json.beginObject().field("stage", note.stage ? nameOf(*note.stage) : std::string_view());
        json.field("item", numberOf(note.item)).field("label", note.label).field("text", note.text).endObject();
    }
    json.endArray().key("bookmarks").beginArray();
    for (const MomentBookmark &bookmark : contents.bookmarks)
        json.beginObject()
            .field("name", bookmark.name)
            .field("pass", bookmark.place.pass)
            .field("rewrites", numberOf(bookmark.place.rewrites))
            .endObject();
    json.endArray();
}

void readNotes(const JsonFields &data, SessionContents &contents)
{
    contents.watched = data.texts("watched");
    for (const JsonFields &one : data.objects("notes")) {
        PinnedNote note{stageKindNamed(one.text("stage")), indexOf(one.integer("item", -1, kMostIndex)), one.text("label"),
                        one.text("text")};
        if (!note.stage && !one.text("stage").empty())
            one.fail("stage", "is none of the stages");
        contents.notes.push_back(std::move(note));
    }
    for (const JsonFields &one : data.objects("bookmarks"))
        contents.bookmarks.push_back({one.text("name"), {one.index("pass"), indexOf(one.integer("rewrites", -1, kMostIndex))}});
}

void readOutputs(const JsonFields &data, SessionContents &contents, const std::vector<HostTensor> &tensors)
{
    const std::vector<JsonFields> outputs = data.objects("outputs");
    if (outputs.size() != tensors.size())
        data.fail("outputs", format("names {} tensors, and there are {}", outputs.size(), tensors.size()));
    for (std::size_t i = 0; i < std::min(outputs.size(), tensors.size()); ++i) {
        // Types that NumPy lacks are stored as their bits.
        const std::optional<DType> type = dtypeNamed(outputs[i].text("type"));
        const std::optional<HostTensor> real = type ? fromRawBits(tensors[i], *type) : std::nullopt;
        if (!type || (!real && tensors[i].dtype() != *type))
            outputs[i].fail("type", "is not that of its tensor");
        contents.report.outputs.push_back(std::make_shared<const TensorView>(outputs[i].text("name"), real.value_or(tensors[i])));
    }
}

} // namespace

std::string sessionJson(const SessionContents &contents)
{
    JsonWriter json;
    json.beginObject().field("format", "stepwell session").field("version", kSessionVersion);
    json.field("saved_by", contents.savedBy).field("saved_at", contents.savedAt).field("machine", contents.machine);
    json.key("program").beginObject().field("name", contents.fileName).field("sha256", contents.programDigest);
    json.field("bytes", contents.programBytes).field("kept", contents.program.has_value());
    json.field("original_path", contents.originalPath).endObject();
    json.key("options").beginObject().field("device", contents.device);
    writeSwitches(json, contents);
    json.field("threads", contents.threads);
    writeDimensions(json, "dimensions", contents.dimensions);
    writeRanges(json, contents.openDimensions);
    json.endObject().key("run").beginObject().field("repeats", contents.repeats);
    writeSeed(json, contents.inputs.seed);
    writeDimensions(json, "dimensions", contents.inputs.dimensions);
    json.key("inputs").beginArray();
    std::int64_t tensors = 0;
    for (const InputChoice &choice : contents.inputs.inputs)
        writeChoice(json, choice, choice.tensor == nullptr ? -1 : tensors++);
    json.endArray().key("outputs").beginArray();
    for (const TensorViewPtr &output : contents.report.outputs)
        json.beginObject().field("name", output->name()).field("type", output->elementType()).endObject();
    json.endArray().endObject();
    writeNotes(json, contents);
    writeView(json, contents.view);
    json.endObject();
    return json.text();
}

Result<SessionContents> parseSessionJson(std::string_view text, const std::string &file, const SessionTensors &tensors)
{
    SW_TRY(const JsonValue value, parseJson(text, file));
    JsonFailure failure;
    const JsonFields data(&value, "session", failure);
    if (!data.has("format") || data.text("format") != "stepwell session")
        return Diagnostic::error(Code::File, {file}, "{} is not a session", file);
    if (const std::int64_t version = data.integer("version", 1); version > kSessionVersion)
        return Diagnostic::error(Code::Unsupported, {file}, "{} is a session of version {}, and this Stepwell reads up to {}",
                                 file, version, kSessionVersion)
            .withHint("open it with a newer Stepwell");
    SessionContents contents;
    contents.savedBy = data.text("saved_by");
    contents.savedAt = data.text("saved_at");
    contents.machine = data.text("machine");
    const JsonFields program = data.object("program");
    contents.fileName = program.text("name");
    contents.programDigest = program.text("sha256");
    contents.programBytes = static_cast<std::uint64_t>(program.integer("bytes"));
    contents.originalPath = program.text("original_path");
    if (program.truth("kept"))
        contents.program.emplace();
    if (contents.fileName.empty() || contents.fileName.find_first_of("/\\") != std::string::npos || contents.fileName == "..")
        program.fail("name", "is not the name of a file");
    const JsonFields options = data.object("options");
    contents.device = options.text("device");
    readSwitches(options, contents);
    contents.threads = options.index("threads");
    contents.dimensions = readDimensions(options, "dimensions");
    if (options.has("open_dimensions")) // since version 4
        contents.openDimensions = readRanges(options);
    const JsonFields run = data.object("run");
    contents.repeats = run.index("repeats");
    contents.inputs.seed = readSeed(run);
    contents.inputs.dimensions = readDimensions(run, "dimensions");
    for (const JsonFields &choice : run.objects("inputs"))
        contents.inputs.inputs.push_back(readChoice(choice, tensors.inputs));
    readOutputs(run, contents, tensors.outputs);
    readNotes(data, contents);
    if (data.has("view")) // since version 2
        contents.view = readView(data.object("view"));
    if (failure.isNoted())
        return Diagnostic::error(Code::File, {file}, "{} is damaged: {}", file, failure.text());
    return contents;
}

std::string rewritesJson(const std::vector<PassRewrites> &rewrites)
{
    using Column = std::vector<std::int64_t>;
    JsonWriter json(JsonLayout::Compact);
    json.beginObject().key("passes").beginArray();
    for (const PassRewrites &pass : rewrites) {
        json.beginObject().field("pass", pass.pass).key("rewrites").beginArray();
        for (const RewriteEntry &one : pass.rewrites) {
            json.beginObject().field("rule", one.rule).field("doc", one.doc).field("detail", one.detail);
            json.field("kernel", numberOf(one.kernel)).key("before").integers(Column(one.before.begin(), one.before.end()));
            json.key("after").integers(Column(one.after.begin(), one.after.end())).endObject();
        }
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return json.text();
}

Result<std::vector<PassRewrites>> parseRewritesJson(std::string_view text, const std::string &file, std::size_t passes)
{
    SW_TRY(const JsonValue value, parseJson(text, file));
    JsonFailure failure;
    const JsonFields data(&value, "rewrites", failure);
    std::vector<PassRewrites> rewrites;
    for (const JsonFields &pass : data.objects("passes")) {
        PassRewrites made{pass.index("pass"), {}};
        if (made.pass >= passes)
            pass.fail("pass", format("there are {} passes", passes));
        for (const JsonFields &one : pass.objects("rewrites")) {
            RewriteEntry entry{one.text("rule"), one.text("doc"), one.text("detail"),
                               indexOf(one.integer("kernel", -1, kMostIndex))};
            for (const std::int64_t id : one.integers("before"))
                entry.before.push_back(indexOf(id));
            for (const std::int64_t id : one.integers("after"))
                entry.after.push_back(indexOf(id));
            made.rewrites.push_back(std::move(entry));
        }
        rewrites.push_back(std::move(made));
    }
    if (failure.isNoted())
        return Diagnostic::error(Code::File, {file}, "{} is damaged: {}", file, failure.text());
    return rewrites;
}

SessionTensors tensorsOf(const SessionContents &contents)
{
    SessionTensors tensors;
    for (const InputChoice &choice : contents.inputs.inputs)
        if (choice.tensor != nullptr)
            tensors.inputs.push_back(choice.tensor->tensor());
    for (const TensorViewPtr &output : contents.report.outputs)
        tensors.outputs.push_back(output->tensor());
    return tensors;
}

} // namespace sw
