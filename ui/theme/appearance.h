#pragma once
// The current theme and fonts; panes repaint when they change.

#include "ui/theme/theme.h"

#include <QFont>
#include <QHash>
#include <QIcon>
#include <QObject>

namespace stepwell::ui {

class Appearance : public QObject {
    Q_OBJECT

public:
    explicit Appearance(const QString &themeName, QObject *parent = nullptr);

    [[nodiscard]] const Theme &theme() const { return m_theme; }
    [[nodiscard]] QColor color(Role role) const { return m_theme.color(role); }
    // Also sets the application's palette and style sheet.
    void setTheme(const QString &name);

    [[nodiscard]] QFont textFont() const { return m_textFont; }
    [[nodiscard]] QFont codeFont() const { return m_codeFont; }
    // resources/icons/NAME.svg in the text colour.
    [[nodiscard]] QIcon icon(const QString &name) const;

signals:
    void changed();

private:
    void apply();

    Theme m_theme;
    QFont m_textFont;
    QFont m_codeFont;
    mutable QHash<QString, QIcon> m_icons; // those that were asked for
};

// Corrects spacing where Fusion has too much or too little.
[[nodiscard]] QString styleSheetOf(const Theme &theme);

} // namespace stepwell::ui
