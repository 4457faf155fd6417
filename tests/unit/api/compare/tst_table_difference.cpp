#include "engine/api/compare/table_difference.h"

#include "engine/api/explorer.h"
#include "tests/unit/api/compare/compare_fixture.h"

namespace sw {
namespace {

class TableDifferenceTest : public test::CompareTest {
protected:
    ReportPtr reportOf(bool fuse)
    {
        Explorer explorer(m_registry, findResourceFolder());
        ExploreRequest request;
        request.fileName = "test.sw";
        request.text = "input x: f32[64, 32]\nhidden = exp(x)\noutput out = softmax(hidden) + x\n";
        request.fuse = fuse;
        request.compileMachineCode = false;
        return explorer.compile(request, {}, {});
    }
    static std::optional<std::int64_t> changeOf(const TableRowDifference &row, std::string_view column)
    {
        return std::ranges::find(row.cells, column, &CellDifference::column)->change();
    }
};

TEST_F(TableDifferenceTest, hasNoChangesBetweenEqualReports)
{
    const ReportPtr one = reportOf(true);
    const ReportPtr other = reportOf(true);
    for (const auto &table : {kernelDifferences(*one, *other), passDifferences(*one, *other), stageTimeDifferences(*one, *other),
                              figureDifferences(*one, *other)}) {
        EXPECT_FALSE(table.empty());
        for (const TableRowDifference &row : table) {
            EXPECT_EQ(row.kind, ItemKind::Same) << row.name;
            EXPECT_EQ(row.before, row.after);
        }
    }
}

TEST_F(TableDifferenceTest, pairsRowsAndSubtractsTheirNumbers)
{
    const ReportPtr fused = reportOf(true);
    const ReportPtr unfused = reportOf(false);
    const TableDifference figures = figureDifferences(*fused, *unfused);
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].kind, ItemKind::Changed);
    EXPECT_EQ(changeOf(figures[0], "kernels"), unfused->figures->kernels - fused->figures->kernels);
    EXPECT_GT(*changeOf(figures[0], "bytes"), 0);
    EXPECT_EQ(changeOf(figures[0], "median"), std::nullopt); // neither was run

    const TableDifference kernels = kernelDifferences(*fused, *unfused);
    std::size_t before = 0;
    std::size_t after = 0;
    for (const TableRowDifference &row : kernels) {
        before += row.before != kNoIndex ? 1 : 0;
        after += row.after != kNoIndex ? 1 : 0;
        EXPECT_EQ(row.kind == ItemKind::Added, row.before == kNoIndex);
    }
    EXPECT_EQ(before, fused->kernels.size());
    EXPECT_EQ(after, unfused->kernels.size());

    for (const TableRowDifference &row : passDifferences(*fused, *unfused)) {
        ASSERT_NE(row.before, kNoIndex);
        EXPECT_EQ(fused->passes[row.before].id, unfused->passes[row.after].id);
        EXPECT_EQ(*changeOf(row, "rewrites"),
                  std::int64_t{unfused->passes[row.after].rewrites} - std::int64_t{fused->passes[row.before].rewrites});
    }
}

TEST_F(TableDifferenceTest, pairsKernelsWhoseNumbersShifted)
{
    Report one;
    Report other;
    const auto kernel = [](const char *name, std::int64_t flops) {
        KernelEntry entry;
        entry.name = name;
        entry.flops = flops;
        return entry;
    };
    for (const char *name : {"k0_norm", "k1_softmax"})
        one.kernels.push_back(kernel(name, 10));
    for (const char *name : {"k0_add", "k1_norm", "k2_softmax"})
        other.kernels.push_back(kernel(name, 12));
    const TableDifference table = kernelDifferences(one, other);
    ASSERT_EQ(table.size(), 3U);
    EXPECT_EQ(table[0].kind, ItemKind::Added);
    EXPECT_EQ(table[1].name, "k1_norm");
    EXPECT_EQ(table[1].before, 0U);
    EXPECT_EQ(changeOf(table[2], "flops"), 2);
}

} // namespace
} // namespace sw
