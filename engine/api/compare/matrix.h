#pragma once
// Kernels times columns: what every kernel of a program costs on several devices and with several options, and whether what it
// stores is right. The columns run in turn; each result is told as it comes, and what is known is kept when somebody stops.

#include "engine/api/compile_switches.h"
#include "engine/api/inputs.h"
#include "engine/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

struct Compilation;
struct CompileRequest;
class ProgramCompiler;

// A device with options. What the program of a matrix switches off is off in every column.
struct MatrixColumn : CompileSwitches {
    std::string device;
    std::string overrides = {};     // the text of a file of overrides (resources/docs/overrides.md); empty: none
    std::string overridesName = {}; // of that file
    std::uint32_t threads = 0;      // 0: all
    bool operator==(const MatrixColumn &) const = default;
};
// "llvm", "c, not fused, 2 threads"
[[nodiscard]] std::string titleOf(const MatrixColumn &column);

// Absent: the device is not available here, or refuses the program. Failed: it does not compile or run; both say why.
enum class ColumnState : std::uint8_t { Waiting, Compiling, Running, Judging, Done, Absent, Failed, Stopped };
[[nodiscard]] std::string_view nameOf(ColumnState state); // "waiting"

// Equal: NaN equals NaN, and -0 equals +0. Within: the error bound of each element allows its difference. Unknown: not judged;
// the reason says why.
enum class Conformance : std::uint8_t { Unknown, Equal, Within, Different };
[[nodiscard]] std::string_view nameOf(Conformance conformance); // "equal"

struct MatrixVerdict {
    Conformance conformance = Conformance::Unknown;
    std::uint64_t maxUlp = 0; // steps between representable values; for integers the difference
    double maxAbsolute = 0;
    // Different: the element that is furthest off for its bound.
    std::int64_t index = 0;
    std::string place; // its coordinates: "3, 0"
    std::string expected;
    std::string actual;
    double bound = 0;
    std::string reason = {}; // Unknown
};
// "equal", "within, 2 ULP", "different at [3, 0]: 1.5 instead of 2, 1e-06 allowed", "not judged: ..."
[[nodiscard]] std::string textOf(const MatrixVerdict &verdict);

struct MatrixTime { // nanoseconds
    std::int64_t median = 0;
    std::int64_t min = 0;
    std::int64_t max = 0;
};

// A kernel of one column.
struct MatrixKernel {
    std::string name;
    std::string device; // that runs it; a program may name others than the column's
    std::string symbol; // kernels of equal structure have the same
    MatrixTime time;
    MatrixVerdict verdict;      // the worst of its results, against the reference
    std::uint64_t identity = 0; // of what it reads and stores, by paths of values: the same in other columns
    std::string stores;         // the ends of these paths: "softmax/exp"
    bool isOfLoad = false;      // it runs once, when the program is loaded
};

struct MatrixOutput {
    std::string name;
    MatrixVerdict byReference;
    MatrixVerdict byFirst; // against the first column that ran
};

struct MatrixColumnResult {
    MatrixColumn column;
    ColumnState state = ColumnState::Waiting;
    std::string reason; // Absent, Failed
    std::string code;   // of that diagnostic: "device-unavailable"
    MatrixTime total;   // of a whole run; 0: not run
    bool isTimed = false;
    std::vector<MatrixKernel> kernels; // by kernel of this column's compilation
    std::vector<MatrixOutput> outputs; // in the program's order
};

inline constexpr std::uint32_t kNoKernel = ~std::uint32_t{0};

// Kernels that read and store the same values. A column with another fusion has kernels that stand alone.
struct MatrixRow {
    std::string name;                   // "softmax/exp": what the kernel stores, after its scope where that is another
    std::vector<std::uint32_t> kernels; // by column; kNoKernel: it has none
};

struct Matrix {
    std::vector<MatrixColumnResult> columns;
    std::vector<MatrixRow> rows; // in the order of the runs

    // Null: the column has no such kernel.
    [[nodiscard]] const MatrixKernel *cell(std::size_t row, std::size_t column) const;
    // Of the median to the smallest of the row: at least 1. Nothing: not timed.
    [[nodiscard]] std::optional<double> ratio(std::size_t row, std::size_t column) const;
    // Of the sum of the column's kernels that are part of a run. Nothing: it is none of them, or not timed.
    [[nodiscard]] std::optional<double> share(std::size_t row, std::size_t column) const;
    // Of the whole runs, to the fastest column.
    [[nodiscard]] std::optional<double> totalRatio(std::size_t column) const;
    // Some value is beyond its bound: of a kernel, or of an output.
    [[nodiscard]] bool isDifferent(std::size_t row) const;
    [[nodiscard]] bool isAnyDifferent() const;
};

struct MatrixOptions {
    std::uint32_t warmup = 1;
    std::uint32_t repeats = 5;
    std::int64_t bytes = std::int64_t{256} << 20; // of results and reference values that are in memory together, about
    double operations = 1e9;                      // of the reference interpreter for so many results; more are not judged
    std::stop_token stop = {};
    std::function<void(const Matrix &)> onChange = {}; // after each step of a column; may be empty
};

// program: device, overrides and options of it are those of the columns instead. inputs: what a compilation runs on.
[[nodiscard]] Matrix makeMatrix(ProgramCompiler &compiler, const CompileRequest &program, std::vector<MatrixColumn> columns,
                                const std::function<RunInputs(const Compilation &)> &inputs, const MatrixOptions &options = {});

// The request that compiles a column. Errors: its overrides cannot be read.
[[nodiscard]] Result<CompileRequest> requestOf(const CompileRequest &program, const MatrixColumn &column);

} // namespace sw
