// The trigonometric and hyperbolic functions of the library, against the C library in long double.

#include "tests/support/ulp.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sw::test {
namespace {

struct Row {
    std::string_view name;
    long double (*reference)(long double);
    double low = 0;
    double high = 0;
    double ulp = 0; // how far f32 may be off
};

constexpr Row kRows[] = {
    {"tan", [](long double x) { return std::tan(x); }, -1.5, 1.5, 6},
    {"asin", [](long double x) { return std::asin(x); }, -1, 1, 4},
    {"acos", [](long double x) { return std::acos(x); }, -1, 1, 4},
    {"atan", [](long double x) { return std::atan(x); }, -50, 50, 4},
    {"sinh", [](long double x) { return std::sinh(x); }, -89, 89, 8},
    {"cosh", [](long double x) { return std::cosh(x); }, -89, 89, 8},
    {"asinh", [](long double x) { return std::asinh(x); }, -1e4, 1e4, 6},
    {"acosh", [](long double x) { return std::acosh(x); }, 1, 1e4, 6},
    {"atanh", [](long double x) { return std::atanh(x); }, -1, 1, 6},
};

// The points in equal steps, and towards 0 or the low end in steps that halve.
std::vector<float> pointsOf(const Row &row)
{
    constexpr int kSteps = 400;
    std::vector<float> points;
    for (int i = 0; i <= kSteps; ++i)
        points.push_back(static_cast<float>(row.low + (row.high - row.low) * i / kSteps));
    const double base = row.low < 0 ? 0 : row.low;
    for (double step = (row.high - base) / 2; step > 1e-12; step /= 2) {
        points.push_back(static_cast<float>(base + step));
        if (row.low < 0)
            points.push_back(static_cast<float>(-step));
    }
    return points;
}

std::string listText(const std::vector<float> &points)
{
    return "[" + join(points, ", ", [](float point) { return floatText(static_cast<double>(point)); }) + "]";
}

TEST(LanguageTrigonometry, isCloseToTheExactValue)
{
    for (const Row &row : kRows) {
        const std::vector<float> points = pointsOf(row);
        const std::vector<double> found =
            valuesOf(format("const x: f32[{}] = {}\noutput {}(x)\n", points.size(), listText(points), row.name));
        ASSERT_EQ(found.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            EXPECT_LE(ulpDistance(static_cast<float>(found[i]), row.reference(points[i])), row.ulp)
                << row.name << " " << points[i];
    }
}

TEST(LanguageTrigonometry, isCloseInF64Too)
{
    for (const Row &row : kRows) {
        const std::vector<float> points = pointsOf(row);
        const std::vector<double> found =
            valuesOf(format("const x: f64[{}] = {}\noutput {}(x)\n", points.size(), listText(points), row.name));
        ASSERT_EQ(found.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            const long double exact = row.reference(points[i]);
            if (std::isfinite(exact)) {
                EXPECT_NEAR(found[i], static_cast<double>(exact), 1e-13 * std::max(1.0, static_cast<double>(std::abs(exact))))
                    << row.name << " " << points[i];
            }
        }
    }
}

TEST(LanguageTrigonometry, endsWhereTheFunctionsEnd)
{
    const double inf = std::numeric_limits<double>::infinity();
    const auto at = [](std::string_view name, std::string_view x) {
        return valuesOf(format("const x: f32[1] = [{}]\noutput {}(x)\n", x, name)).at(0);
    };
    EXPECT_FLOAT_EQ(static_cast<float>(at("atan", "inf")), static_cast<float>(std::acos(0.0)));
    EXPECT_FLOAT_EQ(static_cast<float>(at("atan", "-inf")), static_cast<float>(-std::acos(0.0)));
    EXPECT_EQ(at("sinh", "inf"), inf);
    EXPECT_EQ(at("sinh", "-inf"), -inf);
    EXPECT_EQ(at("cosh", "-inf"), inf);
    EXPECT_EQ(at("asinh", "-inf"), -inf);
    EXPECT_EQ(at("acosh", "inf"), inf);
    EXPECT_EQ(at("atanh", "1"), inf);
    EXPECT_EQ(at("atanh", "-1"), -inf);
    for (const std::string_view name : {"asin", "acos", "atanh"})
        EXPECT_TRUE(std::isnan(at(name, "1.5"))) << name;
    for (const std::string_view x : {"0.5", "-3", "-inf"})
        EXPECT_TRUE(std::isnan(at("acosh", x))) << x;
    for (const Row &row : kRows)
        EXPECT_TRUE(std::isnan(at(row.name, "nan"))) << row.name;
}

} // namespace
} // namespace sw::test
