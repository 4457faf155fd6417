// Whether a matrix tells what every kernel costs and which values are wrong, on devices of which one is.

#include "engine/api/compare/matrix.h"

#include "engine/api/compare/matrix_judge.h"
#include "engine/api/compare/matrix_text.h"
#include "tests/support/wrong_backend.h"
#include "tests/unit/api/compare/compare_fixture.h"

#include <limits>

namespace sw {
namespace {

constexpr const char *kProgram = "input x: f32[8, 16]\na = x + 1\nb = a * x\nc = maximum(a, b)\noutput c - x\noutput exp(c)\n";

class MatrixTest : public test::CompareTest {
protected:
    MatrixTest() { m_registry.add(test::makeWrongBackend()); }

    Matrix made(const std::string &text, std::vector<MatrixColumn> columns, const MatrixOptions &options = {.repeats = 2})
    {
        return makeMatrix(
            m_compiler, requestOf(text), std::move(columns), [](const Compilation &) { return RunInputs(); }, options);
    }
    static MatrixColumn column(std::string device, bool fuse = true)
    {
        MatrixColumn made;
        made.device = std::move(device);
        made.fuse = fuse;
        return made;
    }
};

TEST_F(MatrixTest, namesTheKernelThatADeviceGetsWrong)
{
    for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1} << 20}) { // one result at a time, and all at once
        MatrixOptions options{.repeats = 2, .bytes = bytes};
        const Matrix matrix = made(kProgram, {column("interpreter", false), column("wrong", false)}, options);
        ASSERT_EQ(matrix.rows.size(), 5U); // equal kernels of both are one row
        EXPECT_TRUE(matrix.isAnyDifferent());
        std::size_t different = 0;
        for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
            ASSERT_NE(matrix.cell(r, 0), nullptr);
            ASSERT_NE(matrix.cell(r, 1), nullptr);
            EXPECT_EQ(matrix.cell(r, 0)->verdict.conformance, Conformance::Equal);
            EXPECT_GE(matrix.cell(r, 0)->time.max, matrix.cell(r, 0)->time.median);
            if (!matrix.isDifferent(r))
                continue;
            const bool isWrongOne = matrix.cell(r, 1)->name.find("max") != std::string::npos;
            different += isWrongOne ? 1 : 100;
            if (isWrongOne) {
                EXPECT_EQ(matrix.cell(r, 1)->verdict.bound, 0); // a maximum is exact
            }
            EXPECT_NE(matrix.cell(r, 1)->verdict.expected, matrix.cell(r, 1)->verdict.actual);
        }
        // What follows from the wrong kernel is wrong too; what comes before is not.
        EXPECT_EQ(different % 100, 1U);
        EXPECT_FALSE(matrix.isDifferent(0));
        for (const MatrixOutput &output : matrix.columns[1].outputs) {
            EXPECT_EQ(output.byReference.conformance, Conformance::Different);
            EXPECT_EQ(output.byFirst.conformance, Conformance::Different);
        }
        for (const MatrixOutput &output : matrix.columns[0].outputs)
            EXPECT_EQ(output.byReference.conformance, Conformance::Equal);
    }
}

TEST_F(MatrixTest, agreesOnWhatIsRight)
{
    const Matrix matrix = made("input x: f32[32, 64]\noutput softmax(x)\n",
                               {column("interpreter"), column("llvm"), column("interpreter", false), column("llvm", false)});
    EXPECT_FALSE(matrix.isAnyDifferent()) << matrixText(matrix, MatrixFormat::Text);
    for (const MatrixColumnResult &result : matrix.columns) {
        EXPECT_EQ(result.state, ColumnState::Done) << result.reason;
        EXPECT_TRUE(result.isTimed);
        for (const MatrixKernel &kernel : result.kernels)
            EXPECT_NE(kernel.verdict.conformance, Conformance::Unknown) << kernel.verdict.reason;
    }
    // Other fusion, other kernels: they stand in rows of their own, and every kernel stands in one.
    for (std::size_t c = 0; c < 4; ++c) {
        std::size_t kernels = 0;
        for (std::size_t r = 0; r < matrix.rows.size(); ++r)
            kernels += matrix.cell(r, c) != nullptr ? 1 : 0;
        EXPECT_EQ(kernels, matrix.columns[c].kernels.size());
    }
    EXPECT_GT(matrix.columns[2].kernels.size(), matrix.columns[0].kernels.size());
    bool isAlone = false;
    for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
        EXPECT_EQ(matrix.cell(r, 0) == nullptr, matrix.cell(r, 1) == nullptr);
        isAlone = isAlone || matrix.cell(r, 0) == nullptr;
        double best = std::numeric_limits<double>::max();
        for (std::size_t c = 0; c < 4; ++c)
            if (const auto ratio = matrix.ratio(r, c)) {
                EXPECT_GE(*ratio, 1);
                best = std::min(best, *ratio);
            }
        EXPECT_EQ(best, 1);
    }
    EXPECT_TRUE(isAlone);
    double shares = 0;
    for (std::size_t r = 0; r < matrix.rows.size(); ++r)
        shares += matrix.share(r, 2).value_or(0);
    EXPECT_NEAR(shares, 1, 1e-9);
}

TEST_F(MatrixTest, givesWhatLoadingComputesNoShare)
{
    const Matrix matrix =
        made("input x: f32[64, 64]\nparam v: f32[64, 64] = random(1)\noutput x + sum(exp(v), axis = 0)\n", {column("llvm")});
    ASSERT_EQ(matrix.rows.size(), 2U);
    double shares = 0;
    for (std::size_t r = 0; r < matrix.rows.size(); ++r) {
        const MatrixKernel &kernel = *matrix.cell(r, 0);
        EXPECT_EQ(kernel.isOfLoad, kernel.name.find("_load_") != std::string::npos) << kernel.name;
        EXPECT_EQ(matrix.share(r, 0).has_value(), !kernel.isOfLoad);
        EXPECT_TRUE(matrix.ratio(r, 0)) << "it has a time all the same";
        shares += matrix.share(r, 0).value_or(0);
    }
    EXPECT_NEAR(shares, 1, 1e-9);
}

TEST_F(MatrixTest, saysWhyAColumnIsMissingAndGoesOn)
{
    MatrixColumn wrongOverrides = column("interpreter");
    wrongOverrides.overrides = "no such override\n";
    const Matrix matrix = made(kProgram, {column("nothing"), wrongOverrides, column("interpreter")});
    EXPECT_EQ(matrix.columns[0].state, ColumnState::Absent);
    EXPECT_NE(matrix.columns[0].reason.find("nothing"), std::string::npos) << matrix.columns[0].reason;
    EXPECT_EQ(matrix.columns[1].state, ColumnState::Failed);
    EXPECT_NE(matrix.columns[1].reason, "");
    EXPECT_EQ(matrix.columns[2].state, ColumnState::Done);
    const std::string text = matrixText(matrix, MatrixFormat::Text);
    EXPECT_NE(text.find(matrix.columns[0].reason), std::string::npos) << text;
    const Matrix broken = made("input x: f32[4\n", {column("interpreter")});
    EXPECT_EQ(broken.columns[0].state, ColumnState::Failed);
    EXPECT_EQ(broken.columns[0].code, "syntax");
}

TEST_F(MatrixTest, keepsWhatItHasWhenItIsStopped)
{
    std::stop_source stop;
    MatrixOptions options{.repeats = 2, .stop = stop.get_token()};
    std::vector<ColumnState> seen;
    options.onChange = [&](const Matrix &matrix) {
        seen.push_back(matrix.columns[1].state);
        if (matrix.columns[1].state == ColumnState::Judging)
            stop.request_stop();
    };
    const Matrix matrix = made(kProgram, {column("interpreter"), column("wrong"), column("llvm")}, options);
    EXPECT_EQ(matrix.columns[0].state, ColumnState::Done);
    EXPECT_EQ(matrix.columns[1].state, ColumnState::Stopped);
    EXPECT_EQ(matrix.columns[2].state, ColumnState::Stopped);
    EXPECT_FALSE(matrix.columns[0].outputs.empty());
    EXPECT_TRUE(matrix.columns[1].isTimed); // it ran before it was stopped
    EXPECT_FALSE(matrix.columns[2].isTimed);
    EXPECT_NE(std::ranges::find(seen, ColumnState::Compiling), seen.end());
    EXPECT_NE(std::ranges::find(seen, ColumnState::Running), seen.end());
}

TEST_F(MatrixTest, refusesWhatTheReferenceCannotDoInTime)
{
    const Matrix matrix = made(kProgram, {column("interpreter")}, {.repeats = 1, .operations = 10});
    const MatrixVerdict &verdict = matrix.columns[0].kernels[0].verdict;
    EXPECT_EQ(verdict.conformance, Conformance::Unknown);
    EXPECT_NE(verdict.reason.find("more than 10"), std::string::npos) << verdict.reason;
    EXPECT_EQ(matrix.columns[0].state, ColumnState::Done);
    EXPECT_FALSE(matrix.isAnyDifferent());
}

TEST_F(MatrixTest, judgesDimensionsAndEveryExample)
{
    for (const std::string &file : exampleFiles()) {
        const Matrix matrix = makeMatrix(m_compiler, requestOfFile(file), {column("interpreter"), column("llvm")},
                                         [](const Compilation &) { return RunInputs(); }, {.warmup = 0, .repeats = 1});
        EXPECT_FALSE(matrix.isAnyDifferent()) << file << '\n' << matrixText(matrix, MatrixFormat::Text);
        for (const MatrixColumnResult &result : matrix.columns)
            EXPECT_EQ(result.state, ColumnState::Done) << file << ": " << result.reason;
    }
}

TEST(MatrixVerdict, tellsTheWorstElement)
{
    HostTensor expected(DType::F32, Shape({2, 2}));
    HostTensor actual(DType::F32, Shape({2, 2}));
    HostTensor bounds(DType::F64, Shape({2, 2}));
    const auto set = [](HostTensor &tensor, std::int64_t at, double value) { tensor.set(at, Scalar::of(tensor.dtype(), value)); };
    for (std::int64_t i = 0; i < 4; ++i) {
        set(expected, i, 1);
        set(actual, i, 1);
        set(bounds, i, 0.1);
    }
    EXPECT_EQ(verdictOf(expected, actual, bounds).conformance, Conformance::Equal);
    set(actual, 0, 1.05);
    EXPECT_EQ(verdictOf(expected, actual, bounds).conformance, Conformance::Within);
    EXPECT_GT(verdictOf(expected, actual, bounds).maxUlp, 0U);
    set(actual, 1, 1.5);
    set(actual, 3, 2.5);
    const MatrixVerdict wrong = verdictOf(expected, actual, bounds);
    EXPECT_EQ(wrong.conformance, Conformance::Different);
    EXPECT_EQ(wrong.place, "1, 1");
    EXPECT_EQ(textOf(wrong), "different at [1, 1]: 2.5 instead of 1.0, 0.1 allowed");
    set(bounds, 1, std::numeric_limits<double>::infinity());
    set(bounds, 3, std::numeric_limits<double>::infinity());
    EXPECT_EQ(verdictOf(expected, actual, bounds).conformance, Conformance::Within); // anything is right there
}

TEST_F(MatrixTest, isWrittenInEveryFormat)
{
    const Matrix matrix = made("input x: f32[8, 16]\noutput maximum(x, 0)\n", {column("interpreter"), column("wrong")});
    const std::string text = matrixText(matrix, MatrixFormat::Text);
    EXPECT_TRUE(text.starts_with("kernel")) << text;
    EXPECT_NE(text.find("≠ at ["), std::string::npos) << text;
    EXPECT_NE(text.find("wrong: output output, by the reference: different at ["), std::string::npos) << text;
    const std::string markdown = matrixText(matrix, MatrixFormat::Markdown);
    EXPECT_TRUE(markdown.starts_with("| kernel | interpreter | wrong |\n|---|---:|---:|\n")) << markdown;
    const std::string csv = matrixText(matrix, MatrixFormat::Csv);
    EXPECT_TRUE(csv.starts_with("what,name,column,kernel,median_ns,")) << csv;
    EXPECT_NE(csv.find(",different,"), std::string::npos) << csv;
    EXPECT_EQ(matrixText(matrix, MatrixFormat::Csv, {}).find("\nkernel,"), std::string::npos);
}

} // namespace
} // namespace sw
