#pragma once
// Shows a function of the library, read-only; messages about library code lead here.

#include "ui/session/selection.h"
#include "ui/theme/appearance.h"

#include <QDialog>

namespace stepwell::ui {

class TextView;

class LibraryWindow final : public QDialog {
    Q_OBJECT

public:
    LibraryWindow(const Appearance &appearance, Selection &selection, QWidget *parent);

    // line: counts from 1; the view scrolls to it and marks it.
    void showText(const QString &file, const std::string &text, std::uint32_t line);

private:
    TextView *m_view;
};

} // namespace stepwell::ui
