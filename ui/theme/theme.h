#pragma once
// Colours by meaning, from resources/themes/*.json. The panes know roles, tags and kernels; the theme decides how they look.

#include <QColor>
#include <QHash>
#include <QPalette>
#include <QString>
#include <QStringList>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace stepwell::ui {

enum class Role : unsigned char {
    Window,
    Base,
    Alternate,
    Raised,
    Border,
    Text,
    Muted,
    Disabled,
    Accent,
    AccentText,
    Hover,
    Selection,
    Halo,
    SelectedHalo,
    CurrentLine,
    Edge,
    Node,
    Error,
    Warning,
    Note,
    Added,
    Removed,
    AddedFill,
    RemovedFill,
    NotANumber,
    Bar,
};
inline constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::Bar) + 1;

enum class Syntax : unsigned char {
    Plain,
    Keyword,
    Type,
    Number,
    String,
    Comment,
    Function,
    Register,
    Label,
    Operation,
    Punctuation,
};
inline constexpr std::size_t kSyntaxCount = static_cast<std::size_t>(Syntax::Punctuation) + 1;

class Theme {
public:
    // Loads "dark", "light" or another theme in resources/themes.
    [[nodiscard]] static Theme load(const QString &name);
    [[nodiscard]] static QStringList names();

    [[nodiscard]] const QString &name() const { return m_name; }
    [[nodiscard]] bool isDark() const { return m_isDark; }
    [[nodiscard]] QColor color(Role role) const { return m_roles[static_cast<std::size_t>(role)]; }
    [[nodiscard]] QColor color(Syntax syntax) const { return m_syntax[static_cast<std::size_t>(syntax)]; }
    // The colour of the last tag that the theme knows (the most specific tag is last); muted when it knows none.
    [[nodiscard]] QColor tagColor(const std::vector<std::string> &tags) const;
    [[nodiscard]] QColor identityColor(std::uint32_t index) const;
    [[nodiscard]] const std::vector<QColor> &identityColors() const { return m_identity; }

    // Of a magnitude from 0 to 1: dark to bright, told apart with any kind of colour vision (cividis: Nunez et al., 2018).
    [[nodiscard]] QColor scaleColor(double share) const;

    // A fainter version of a mark, for items that belong less closely.
    [[nodiscard]] QColor fainter(Role mark) const { return blend(color(Role::Base), color(mark), 0.4); }

    // `top` laid over `bottom` with this opacity.
    [[nodiscard]] static QColor blend(const QColor &bottom, const QColor &top, double opacity);
    [[nodiscard]] static double contrast(const QColor &a, const QColor &b); // WCAG 2: 1 to 21
    static constexpr double kLegible = 4.5;                                 // the least contrast that text may have
    // `text`, moved towards white or black as far as needed to be readable on `background`.
    [[nodiscard]] static QColor legible(const QColor &text, const QColor &background);

    [[nodiscard]] QPalette palette() const;

private:
    QString m_name;
    bool m_isDark = false;
    std::array<QColor, kRoleCount> m_roles;
    std::array<QColor, kSyntaxCount> m_syntax;
    QHash<QString, QColor> m_tags;
    std::vector<QColor> m_identity;
    std::vector<QColor> m_scale; // evenly spaced
};

} // namespace stepwell::ui
