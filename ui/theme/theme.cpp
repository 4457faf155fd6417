#include "ui/theme/theme.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr std::array<const char *, kRoleCount> kRoleNames{
    "window",     "base",  "alternate", "raised",  "border",       "text",        "muted",      "disabled", "accent",
    "accentText", "hover", "selection", "halo",    "selectedHalo", "currentLine", "edge",       "node",     "error",
    "warning",    "note",  "added",     "removed", "addedFill",    "removedFill", "notANumber", "bar"};

// Plain text uses the role "text".
constexpr std::array<const char *, kSyntaxCount> kSyntaxNames{
    "", "keyword", "type", "number", "string", "comment", "function", "register", "label", "operation", "punctuation"};

double luminance(const QColor &color)
{
    const auto linear = [](double channel) {
        return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

} // namespace

QStringList Theme::names()
{
    return {QStringLiteral("dark"), QStringLiteral("light")};
}

Theme Theme::load(const QString &name)
{
    QFile file(QStringLiteral(":/themes/%1.json").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("the program was built without theme %s", qPrintable(name));
    const QJsonObject root = QJsonDocument::fromJson(file.readAll()).object();
    const QJsonObject roles = root["roles"].toObject();
    const QJsonObject syntax = root["syntax"].toObject();
    const QJsonObject tags = root["tags"].toObject();

    Theme theme;
    theme.m_name = name;
    theme.m_isDark = root["dark"].toBool();
    for (std::size_t i = 0; i < kRoleCount; ++i)
        theme.m_roles[i] = QColor(roles[QLatin1String(kRoleNames[i])].toString());
    theme.m_syntax[0] = theme.color(Role::Text);
    for (std::size_t i = 1; i < kSyntaxCount; ++i)
        theme.m_syntax[i] = QColor(syntax[QLatin1String(kSyntaxNames[i])].toString());
    for (auto tag = tags.begin(); tag != tags.end(); ++tag)
        theme.m_tags.insert(tag.key(), QColor(tag.value().toString()));
    for (const QJsonValue &value : root["kernels"].toArray())
        theme.m_identity.emplace_back(value.toString());
    for (const QJsonValue &value : root["scale"].toArray())
        theme.m_scale.emplace_back(value.toString());
    return theme;
}

QColor Theme::tagColor(const std::vector<std::string> &tags) const
{
    for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag) {
        const auto found = m_tags.find(QString::fromStdString(*tag));
        if (found != m_tags.end())
            return *found;
    }
    return color(Role::Muted);
}

QColor Theme::identityColor(std::uint32_t index) const
{
    return m_identity[index % m_identity.size()];
}

QColor Theme::scaleColor(double share) const
{
    const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(m_scale.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), m_scale.size() - 2);
    return blend(m_scale[below], m_scale[below + 1], at - static_cast<double>(below));
}

QColor Theme::blend(const QColor &bottom, const QColor &top, double opacity)
{
    const auto mix = [opacity](float below, float above) { return static_cast<float>(below + (above - below) * opacity); };
    return QColor::fromRgbF(mix(bottom.redF(), top.redF()), mix(bottom.greenF(), top.greenF()), mix(bottom.blueF(), top.blueF()));
}

double Theme::contrast(const QColor &a, const QColor &b)
{
    const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
    return (lighter + 0.05) / (darker + 0.05);
}

QColor Theme::legible(const QColor &text, const QColor &background)
{
    constexpr int kSteps = 20;
    if (contrast(text, background) >= kLegible)
        return text;
    const QColor end = contrast(Qt::white, background) > contrast(Qt::black, background) ? Qt::white : Qt::black;
    for (int step = 1; step < kSteps; ++step) {
        const QColor moved = blend(text, end, static_cast<double>(step) / kSteps);
        if (contrast(moved, background) >= kLegible)
            return moved;
    }
    return end;
}

QPalette Theme::palette() const
{
    QPalette palette;
    palette.setColor(QPalette::Window, color(Role::Window));
    palette.setColor(QPalette::WindowText, color(Role::Text));
    palette.setColor(QPalette::Base, color(Role::Base));
    palette.setColor(QPalette::AlternateBase, color(Role::Alternate));
    palette.setColor(QPalette::Text, color(Role::Text));
    palette.setColor(QPalette::PlaceholderText, color(Role::Muted));
    palette.setColor(QPalette::Button, color(Role::Raised));
    palette.setColor(QPalette::ButtonText, color(Role::Text));
    palette.setColor(QPalette::BrightText, color(Role::Error));
    palette.setColor(QPalette::ToolTipBase, color(Role::Raised));
    palette.setColor(QPalette::ToolTipText, color(Role::Text));
    palette.setColor(QPalette::Highlight, color(Role::Selection));
    palette.setColor(QPalette::HighlightedText, color(Role::Text));
    palette.setColor(QPalette::Link, color(Role::Accent));
    palette.setColor(QPalette::LinkVisited, color(Role::Accent));
    palette.setColor(QPalette::Light, color(Role::Raised));
    palette.setColor(QPalette::Midlight, color(Role::Raised));
    palette.setColor(QPalette::Mid, color(Role::Border));
    palette.setColor(QPalette::Dark, color(Role::Border));
    palette.setColor(QPalette::Shadow, color(Role::Window).darker(150));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, color(Role::Disabled));
    return palette;
}

} // namespace stepwell::ui
