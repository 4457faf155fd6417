#include "ui/library_window.h"

#include "ui/text_view/text_view.h"

#include <QVBoxLayout>

#include <sstream>

namespace stepwell::ui {

namespace {

constexpr QSize kFirstSize(720, 420);

} // namespace

LibraryWindow::LibraryWindow(const Appearance &appearance, Selection &selection, QWidget *parent)
    : QDialog(parent), m_view(new TextView(std::nullopt, appearance, selection, this))
{
    setObjectName(QStringLiteral("libraryWindow"));
    m_view->setObjectName(QStringLiteral("libraryView"));
    m_view->setAccessibleName(tr("Function of the library"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    resize(kFirstSize);
}

void LibraryWindow::showText(const QString &file, const std::string &text, std::uint32_t line)
{
    setWindowTitle(tr("%1 (read-only)").arg(file));
    auto document = std::make_shared<sw::StageDocument>();
    document->kind = sw::StageKind::Program;
    std::istringstream lines(text);
    for (std::string each; std::getline(lines, each);)
        document->lines.push_back({each, sw::kNoIndex, {}});
    m_view->setRows(TextRows(document), {});
    show();
    raise();
    activateWindow();
    m_view->chooseRow(static_cast<int>(line) - 1);
    m_view->setFocus();
}

} // namespace stepwell::ui
