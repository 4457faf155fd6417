#include "engine/api/compare/matrix.h"

#include "app/commands/commands.h"
#include "app/commands/common.h"
#include "app/commands/execution.h"
#include "engine/api/compare/matrix_text.h"

#include <algorithm>
#include <array>

namespace sw::command {

namespace {

constexpr std::uint64_t kMaxRepeats = 1'000'000;
constexpr std::uint64_t kUsualRepeats = 10;

// Those that `--with` may hold.
constexpr auto kColumnOptions = optionsOf(std::array{kDeviceOption, kThreadsOption, kOverridesOption}, kSwitchOptions);

// The columns of one `--with`: what it does not say is as in `base`.
Result<std::vector<MatrixColumn>> columnsWith(const std::string &text, const std::vector<MatrixColumn> &base,
                                              const Environment &environment)
{
    SW_TRY(std::vector<std::string> words, wordsIn("--with", text));
    SW_TRY(const Arguments own, Arguments::parse(words, kColumnOptions));
    if (!own.positional().empty())
        return Diagnostic::error(Code::Argument, {}, "--with takes options, not {}", sw::quoted(own.positional().front()));
    words.insert(words.end(), {"--", "program"}); // requestOf takes a file
    SW_TRY(const Arguments whole, Arguments::parse(words, kColumnOptions));
    SW_TRY(const CompileRequest request, requestOf(whole, environment, CompileUntil::Machine)); // says what is wrong
    std::vector<MatrixColumn> columns = base;
    if (own.has("--device")) {
        columns.resize(1);
        columns.front().device = request.device;
    }
    for (MatrixColumn &column : columns) {
        static_cast<CompileSwitches &>(column) = bothOf(column, switchesOf(own));
        column.threads = request.threads == 0 ? column.threads : request.threads;
        if (own.has("--overrides")) {
            column.overridesName = own.value("--overrides", {});
            SW_TRY(column.overrides, readTextFile(column.overridesName));
        }
    }
    return columns;
}

void writeVerdict(JsonWriter &json, std::string_view key, const MatrixVerdict &verdict)
{
    json.key(key).beginObject().field("conformance", nameOf(verdict.conformance));
    if (verdict.conformance == Conformance::Unknown)
        json.field("reason", verdict.reason);
    else
        json.field("max_ulp", verdict.maxUlp).field("max_abs", verdict.maxAbsolute);
    if (verdict.conformance == Conformance::Different) {
        json.field("index", verdict.index).field("place", verdict.place).field("expected", verdict.expected);
        json.field("actual", verdict.actual).field("bound", verdict.bound);
    }
    json.endObject();
}

void writeTime(JsonWriter &json, const MatrixTime &time)
{
    json.key("ns").beginObject().field("median", time.median).field("min", time.min).field("max", time.max).endObject();
}

void writeRatio(JsonWriter &json, std::string_view key, std::optional<double> value)
{
    json.key(key);
    if (value)
        json.value(*value);
    else
        json.null();
}

std::string jsonText(const Matrix &matrix)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("different", matrix.isAnyDifferent());
    json.key("columns").beginArray();
    for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
        const MatrixColumnResult &column = matrix.columns[c];
        json.beginObject().field("title", titleOf(column.column)).field("device", column.column.device);
        json.field("state", nameOf(column.state));
        if (!column.reason.empty())
            json.field("code", column.code).field("reason", column.reason);
        if (column.isTimed)
            writeTime(json, column.total);
        writeRatio(json, "ratio", matrix.totalRatio(c));
        json.key("outputs").beginArray();
        for (const MatrixOutput &output : column.outputs) {
            json.beginObject().field("name", output.name);
            writeVerdict(json, "reference", output.byReference);
            writeVerdict(json, "first_column", output.byFirst);
            json.endObject();
        }
        json.endArray().endObject();
    }
    json.endArray().key("kernels").beginArray();
    for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
        json.beginObject().field("name", matrix.rows[r].name).key("cells").beginArray();
        for (std::size_t c = 0; c < matrix.columns.size(); ++c) {
            const MatrixKernel *kernel = matrix.cell(r, c);
            if (kernel == nullptr) {
                json.null();
                continue;
            }
            json.beginObject().field("kernel", kernel->name).field("device", kernel->device);
            writeTime(json, kernel->time);
            writeRatio(json, "ratio", matrix.ratio(r, c));
            writeRatio(json, "share", matrix.share(r, c));
            writeVerdict(json, "reference", kernel->verdict);
            json.endObject();
        }
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return json.text();
}

// Of the columns: a difference is what was asked for, then errors, then what is not available.
ExitCode exitCodeOf(const Matrix &matrix)
{
    const auto isAny = [&](ColumnState state) {
        return std::ranges::find(matrix.columns, state, &MatrixColumnResult::state) != matrix.columns.end();
    };
    if (matrix.isAnyDifferent())
        return ExitCode::Different;
    if (isAny(ColumnState::Failed) || isAny(ColumnState::Stopped))
        return ExitCode::Error;
    return isAny(ColumnState::Absent) ? ExitCode::Unsupported : ExitCode::Success;
}

} // namespace

Outcome matrix(const Arguments &arguments, const Environment &environment)
{
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<std::uint64_t> repeats = arguments.number("--repeat", kUsualRepeats, 1, kMaxRepeats);
    if (!seed || !repeats)
        return usageFailed(seed ? repeats.error() : seed.error());
    std::vector<MatrixColumn> base;
    for (const std::string &device : namesIn(arguments.value("--devices", std::string(kUsualDevice)))) {
        MatrixColumn column;
        column.device = device;
        static_cast<CompileSwitches &>(column) = switchesOf(request->options);
        column.threads = request->threads;
        base.push_back(std::move(column));
    }
    if (base.empty())
        return usageFailed({Diagnostic::error(Code::Argument, {}, "matrix needs a device: --devices D1,D2")});
    std::vector<MatrixColumn> columns = base;
    for (const std::string &text : arguments.values("--with")) {
        Result<std::vector<MatrixColumn>> more = columnsWith(text, base, environment);
        if (!more)
            return requestFailed(more.error());
        columns.insert(columns.end(), more->begin(), more->end());
    }
    MatrixOptions options;
    options.warmup = *repeats > 1 ? 1 : 0;
    options.repeats = static_cast<std::uint32_t>(*repeats);
    options.stop = environment.stop;
    ProgramCompiler compiler(environment.registry);
    const Matrix made = makeMatrix(
        compiler, *request, std::move(columns),
        [&](const Compilation &compilation) { return runInputsOf(*request, compilation, *seed); }, options);
    Outcome outcome;
    outcome.exitCode = exitCodeOf(made);
    if (arguments.has("--json"))
        outcome.output = jsonText(made);
    else
        outcome.output = matrixText(made, arguments.has("--csv") ? MatrixFormat::Csv : MatrixFormat::Text);
    return outcome;
}

} // namespace sw::command
