#include "engine/api/compare/matrix.h"

#include "engine/api/compare/matrix_judge.h"
#include "engine/api/compilation.h"
#include "engine/schedule/item_walk.h"

#include <algorithm>
#include <exception>

namespace sw {

namespace {

std::string withoutNumber(std::string_view name)
{
    std::size_t at = name.starts_with('k') ? 1 : 0;
    while (at > 0 && at < name.size() && name[at] >= '0' && name[at] <= '9')
        ++at;
    return std::string(at > 1 && at < name.size() && name[at] == '_' ? name.substr(at + 1) : name);
}

// Many kernels of a program have the name of one scope; what they store tells them apart.
std::string rowNameOf(const MatrixKernel &kernel)
{
    const std::string name = withoutNumber(kernel.name);
    return kernel.stores.starts_with(name) ? kernel.stores : format("{}: {}", name, kernel.stores);
}

MatrixTime timeOf(const Timing &timing)
{
    return {timing.median.count(), timing.min.count(), timing.max.count()};
}

// Gives every kernel of the column a row: one of its identity, where another column has such a kernel, else a new one behind
// the row of the kernel before it.
void addToRows(Matrix &matrix, std::size_t column)
{
    const std::vector<MatrixKernel> &kernels = matrix.columns[column].kernels;
    std::size_t next = 0; // where a new row goes
    for (std::uint32_t k = 0; k < kernels.size(); ++k) {
        const auto isSame = [&](const MatrixRow &row) {
            if (row.kernels[column] != kNoKernel)
                return false;
            for (std::size_t c = 0; c < row.kernels.size(); ++c)
                if (row.kernels[c] != kNoKernel)
                    return matrix.columns[c].kernels[row.kernels[c]].identity == kernels[k].identity;
            return false;
        };
        auto row = std::ranges::find_if(matrix.rows, isSame);
        if (row == matrix.rows.end()) {
            MatrixRow made{rowNameOf(kernels[k]), std::vector<std::uint32_t>(matrix.columns.size(), kNoKernel)};
            row = matrix.rows.insert(matrix.rows.begin() + static_cast<std::ptrdiff_t>(next), std::move(made));
        }
        row->kernels[column] = k;
        next = static_cast<std::size_t>(row - matrix.rows.begin()) + 1;
    }
}

class Maker {
public:
    Maker(ProgramCompiler &compiler, const CompileRequest &program, const std::function<RunInputs(const Compilation &)> &inputs,
          const MatrixOptions &options)
        : m_compiler(compiler), m_program(program), m_inputs(inputs), m_options(options), m_judge(compiler, options)
    {
    }

    Matrix make(std::vector<MatrixColumn> columns)
    {
        for (MatrixColumn &column : columns) {
            MatrixColumnResult made;
            made.column = std::move(column);
            m_matrix.columns.push_back(std::move(made));
        }
        tell();
        for (std::size_t i = 0; i < m_matrix.columns.size(); ++i)
            fill(i);
        return std::move(m_matrix);
    }

private:
    void fill(std::size_t column)
    {
        MatrixColumnResult &result = m_matrix.columns[column];
        try {
            const Result<Done> filled = m_options.stop.stop_requested() ? stopped() : filledColumn(column);
            if (filled)
                result.state = ColumnState::Done;
            else
                fail(result, filled.error());
        } catch (const std::exception &exception) {
            fail(result, {diagnosticOf(exception)});
        }
        tell();
    }

    static Result<Done> stopped() { return Diagnostic::error(Code::Cancelled, {}, "the matrix was stopped"); }

    void fail(MatrixColumnResult &result, const Diagnostics &errors) const
    {
        if (m_options.stop.stop_requested()) {
            result.state = ColumnState::Stopped;
            return;
        }
        const auto first = std::ranges::find(errors, Severity::Error, &Diagnostic::severity);
        const Diagnostic &error = first == errors.end() ? errors.front() : *first;
        result.state = exitClassOf(error.code) == ExitClass::Unsupported ? ColumnState::Absent : ColumnState::Failed;
        result.reason = error.message + (error.hint.empty() ? "" : "; " + error.hint);
        result.code = nameOf(error.code);
    }

    Result<Done> filledColumn(std::size_t column)
    {
        MatrixColumnResult &result = m_matrix.columns[column];
        enter(result, ColumnState::Compiling);
        SW_TRY(const CompileRequest request, requestOf(m_program, result.column));
        const Compilation compilation = m_compiler.compile(request, m_options.stop);
        if (!compilation.succeeded || compilation.program == nullptr)
            return Failure(compilation.diagnostics);
        const RunInputs inputs = m_inputs(compilation);
        enter(result, ColumnState::Running);
        SW_TRY(const ExecutionResult run, ran(compilation, inputs));
        if (!run.faults.empty())
            return Failure(run.faults);
        take(result, compilation, run);
        addToRows(m_matrix, column);
        enter(result, ColumnState::Judging);
        return m_judge.judge(compilation, inputs, run.outputs, result);
    }

    Result<ExecutionResult> ran(const Compilation &compilation, const RunInputs &inputs)
    {
        SW_TRY(const auto values, inputValues(*compilation.graph, inputs));
        SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(compilation));
        SW_TRY(const auto executor, Executor::prepare(std::move(devices), compilation.program, values, {}, inputs.dimensions));
        return executor->run({.warmup = m_options.warmup, .repeats = std::max(m_options.repeats, 1U)}, m_options.stop);
    }

    static void take(MatrixColumnResult &result, const Compilation &compilation, const ExecutionResult &run)
    {
        const Schedule &schedule = *compilation.schedule;
        const std::vector<KernelMeaning> meanings = meaningsOf(schedule);
        const std::vector<bool> isOfLoad = loadKernelsOf(schedule);
        for (std::size_t k = 0; k < schedule.kernels.size(); ++k) {
            const ScheduledKernel &kernel = schedule.kernels[k];
            result.kernels.push_back({kernel.name,
                                      schedule.device(kernel.device).id,
                                      kernel.symbol,
                                      timeOf(run.kernels.at(k)),
                                      {},
                                      meanings[k].identity,
                                      meanings[k].stores,
                                      isOfLoad[k]});
            result.kernels.back().verdict.reason = "not judged yet";
        }
        result.total = timeOf(run.total);
        result.isTimed = true;
    }

    void enter(MatrixColumnResult &result, ColumnState state) const
    {
        result.state = state;
        tell();
    }
    void tell() const
    {
        if (m_options.onChange)
            m_options.onChange(m_matrix);
    }

    ProgramCompiler &m_compiler;
    const CompileRequest &m_program;
    const std::function<RunInputs(const Compilation &)> &m_inputs;
    const MatrixOptions &m_options;
    MatrixJudge m_judge;
    Matrix m_matrix;
};

} // namespace

std::string titleOf(const MatrixColumn &column)
{
    std::string text = column.device;
    for (const CompileSwitch &each : kCompileSwitches)
        if (!(column.*each.isOn))
            text += format(", {}", each.off);
    if (column.threads != 0)
        text += format(", {} thread{}", column.threads, column.threads == 1 ? "" : "s");
    if (!column.overrides.empty())
        text += column.overridesName.empty() ? ", overrides" : ", " + column.overridesName;
    return text;
}

std::string_view nameOf(ColumnState state)
{
    switch (state) {
    case ColumnState::Waiting:
        return "waiting";
    case ColumnState::Compiling:
        return "compiling";
    case ColumnState::Running:
        return "running";
    case ColumnState::Judging:
        return "judging";
    case ColumnState::Done:
        return "done";
    case ColumnState::Absent:
        return "not available";
    case ColumnState::Failed:
        return "failed";
    case ColumnState::Stopped:
        return "stopped";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(Conformance conformance)
{
    switch (conformance) {
    case Conformance::Unknown:
        return "not judged";
    case Conformance::Equal:
        return "equal";
    case Conformance::Within:
        return "within";
    case Conformance::Different:
        return "different";
    }
    SW_UNREACHABLE();
}

std::string textOf(const MatrixVerdict &verdict)
{
    switch (verdict.conformance) {
    case Conformance::Unknown:
        return verdict.reason.empty() ? "not judged" : "not judged: " + verdict.reason;
    case Conformance::Equal:
        return "equal";
    case Conformance::Within:
        return format("within, {} ULP", verdict.maxUlp);
    case Conformance::Different:
        return format("different at [{}]: {} instead of {}, {:.3g} allowed", verdict.place, verdict.actual, verdict.expected,
                      verdict.bound);
    }
    SW_UNREACHABLE();
}

const MatrixKernel *Matrix::cell(std::size_t row, std::size_t column) const
{
    const std::uint32_t kernel = rows.at(row).kernels.at(column);
    return kernel == kNoKernel ? nullptr : &columns.at(column).kernels.at(kernel);
}

std::optional<double> Matrix::ratio(std::size_t row, std::size_t column) const
{
    const MatrixKernel *kernel = cell(row, column);
    std::int64_t best = 0;
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (const MatrixKernel *other = cell(row, c); other != nullptr && (best == 0 || other->time.median < best))
            best = other->time.median;
    if (kernel == nullptr || best <= 0)
        return std::nullopt;
    return static_cast<double>(kernel->time.median) / static_cast<double>(best);
}

std::optional<double> Matrix::share(std::size_t row, std::size_t column) const
{
    const MatrixKernel *kernel = cell(row, column);
    std::int64_t sum = 0;
    for (const MatrixKernel &other : columns.at(column).kernels)
        sum += other.isOfLoad ? 0 : other.time.median;
    if (kernel == nullptr || kernel->isOfLoad || sum <= 0)
        return std::nullopt;
    return static_cast<double>(kernel->time.median) / static_cast<double>(sum);
}

std::optional<double> Matrix::totalRatio(std::size_t column) const
{
    std::int64_t best = 0;
    for (const MatrixColumnResult &other : columns)
        if (other.isTimed && (best == 0 || other.total.median < best))
            best = other.total.median;
    if (!columns.at(column).isTimed || best <= 0)
        return std::nullopt;
    return static_cast<double>(columns[column].total.median) / static_cast<double>(best);
}

bool Matrix::isDifferent(std::size_t row) const
{
    for (std::size_t c = 0; c < columns.size(); ++c)
        if (const MatrixKernel *kernel = cell(row, c); kernel != nullptr && kernel->verdict.conformance == Conformance::Different)
            return true;
    return false;
}

bool Matrix::isAnyDifferent() const
{
    for (std::size_t r = 0; r < rows.size(); ++r)
        if (isDifferent(r))
            return true;
    return std::ranges::any_of(columns, [](const MatrixColumnResult &column) {
        return std::ranges::any_of(column.outputs, [](const MatrixOutput &output) {
            return output.byReference.conformance == Conformance::Different ||
                   output.byFirst.conformance == Conformance::Different;
        });
    });
}

Result<CompileRequest> requestOf(const CompileRequest &program, const MatrixColumn &column)
{
    CompileRequest request = program;
    request.device = column.device;
    request.threads = column.threads;
    request.until = CompileUntil::Machine;
    switchOff(request.options, column);
    if (!column.overrides.empty()) {
        SW_TRY(request.options.overrides, parseOverrides(column.overrides, column.overridesName));
    }
    return request;
}

Matrix makeMatrix(ProgramCompiler &compiler, const CompileRequest &program, std::vector<MatrixColumn> columns,
                  const std::function<RunInputs(const Compilation &)> &inputs, const MatrixOptions &options)
{
    return Maker(compiler, program, inputs, options).make(std::move(columns));
}

} // namespace sw
