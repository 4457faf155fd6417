// The picture of a sweep.

#include "engine/api/quantity.h"
#include "engine/api/sweep.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

constexpr double kWidth = 760;
constexpr double kPlotHeight = 300;
constexpr double kLeft = 80;
constexpr double kRight = 80;
constexpr double kTop = 56;
constexpr double kLine = 16; // of text
constexpr std::size_t kMostLetters = 110;
constexpr const char *kTimeColor = "#1f5fa8";
constexpr const char *kRateColor = "#b3541e";

std::string escaped(std::string_view text)
{
    std::string made;
    for (const char c : text) {
        switch (c) {
        case '<':
            made += "&lt;";
            break;
        case '>':
            made += "&gt;";
            break;
        case '&':
            made += "&amp;";
            break;
        case '"':
            made += "&quot;";
            break;
        default:
            made += c;
        }
    }
    return made;
}

struct PlotAxis {
    double low = 0; // logarithms
    double high = 1;
    double from = 0; // pixels
    double to = 1;

    [[nodiscard]] double at(double value) const { return from + (to - from) * (std::log10(value) - low) / (high - low); }
};

// Around the values; one alone stands in the middle.
PlotAxis axisOf(const std::vector<double> &values, double from, double to, double margin)
{
    PlotAxis axis{0, 1, from, to};
    if (values.empty())
        return axis;
    const auto [least, most] = std::ranges::minmax(values);
    axis.low = std::log10(least) - margin;
    axis.high = std::log10(most) + margin;
    if (axis.high - axis.low < 1e-3) {
        axis.low -= 0.5;
        axis.high += 0.5;
    }
    return axis;
}

std::string textAt(double x, double y, std::string_view anchor, std::string_view color, std::string_view text)
{
    return format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor, color,
                  escaped(text));
}

// 1, 2 and 5 times the powers of ten that are on the axis; only the powers if it is long.
std::vector<double> ticksOf(const PlotAxis &axis)
{
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(axis.low)); power <= static_cast<int>(std::ceil(axis.high)); ++power)
        for (const double digit : {1.0, 2.0, 5.0}) {
            if (digit > 1 && axis.high - axis.low > 2.5)
                continue;
            const double value = digit * std::pow(10.0, power);
            if (std::log10(value) >= axis.low && std::log10(value) <= axis.high)
                ticks.push_back(value);
        }
    return ticks;
}

std::string curve(const std::vector<std::pair<double, double>> &points, std::string_view color)
{
    std::string path;
    std::string dots;
    for (const auto &[x, y] : points) {
        path += format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
        dots += format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, color);
    }
    return format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n{}", path, color, dots);
}

std::string cut(const std::string &text)
{
    return text.size() <= kMostLetters ? text : text.substr(0, kMostLetters - 3) + "...";
}

} // namespace

std::string svgOf(const Sweep &sweep)
{
    std::vector<double> values;
    std::vector<double> times;
    std::vector<double> rates;
    std::size_t lines = 0;
    for (const SweepPoint &point : sweep.points) {
        values.push_back(static_cast<double>(point.value));
        times.push_back(static_cast<double>(std::max<std::int64_t>(point.time.median.count(), 1)));
        if (point.flops > 0)
            rates.push_back(point.flopsPerNanosecond());
        lines += point.changes.size();
    }
    const double bottom = kTop + kPlotHeight;
    const PlotAxis x = axisOf(values, kLeft, kWidth - kRight, 0.03);
    const PlotAxis time = axisOf(times, bottom, kTop, 0.1);
    const PlotAxis rate = axisOf(rates, bottom, kTop, 0.1);
    const double height = bottom + 4 * kLine + static_cast<double>(lines) * kLine + (lines > 0 ? kLine : 0);
    std::string svg = format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
                             "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                             kWidth, height);
    svg += textAt(kLeft, 20, "start", "#222222", sweep.title);
    svg += textAt(kLeft, kTop - 12, "start", kTimeColor, "time of a run");
    if (!rates.empty())
        svg += textAt(kWidth - kRight, kTop - 12, "end", kRateColor, "GFLOP/s");
    svg += format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999999\"/>\n", kLeft, kTop,
                  kWidth - kLeft - kRight, kPlotHeight);
    for (const double tick : ticksOf(time))
        svg += textAt(kLeft - 6, time.at(tick) + 4, "end", kTimeColor, nanosecondsText(std::llround(tick)));
    if (!rates.empty())
        for (const double tick : ticksOf(rate))
            svg += textAt(kWidth - kRight + 6, rate.at(tick) + 4, "start", kRateColor, format("{:.3g}", tick));
    double free = 0; // where the last number under the axis ends
    for (const double value : values) {
        const std::string number = format("{:.0f}", value);
        const double half = 4.0 * static_cast<double>(number.size());
        svg += format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#999999\"/>\n", x.at(value), bottom,
                      bottom + 4);
        if (x.at(value) - half < free)
            continue;
        free = x.at(value) + half;
        svg += textAt(x.at(value), bottom + kLine, "middle", "#222222", number);
    }
    svg += textAt((kLeft + kWidth - kRight) / 2, bottom + 2 * kLine + 2, "middle", "#222222", sweep.name);
    std::vector<std::pair<double, double>> timeLine;
    std::vector<std::pair<double, double>> rateLine;
    double below = bottom + 4 * kLine;
    int mark = 0;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const SweepPoint &point = sweep.points[i];
        const double at = x.at(values[i]);
        timeLine.emplace_back(at, time.at(times[i]));
        if (point.flops > 0)
            rateLine.emplace_back(at, rate.at(point.flopsPerNanosecond()));
        if (point.changes.empty())
            continue;
        ++mark;
        svg += format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" stroke=\"#777777\" stroke-dasharray=\"4 3\"/>\n",
                      at, kTop, bottom);
        svg += textAt(at, kTop - 2, "middle", "#222222", format("{}", mark));
        for (const std::string &change : point.changes) {
            svg +=
                textAt(kLeft, below, "start", "#222222", format("{} at {} = {}: {}", mark, sweep.name, point.value, cut(change)));
            below += kLine;
        }
    }
    svg += curve(timeLine, kTimeColor);
    if (!rateLine.empty())
        svg += curve(rateLine, kRateColor);
    return svg + "</svg>\n";
}

} // namespace sw
