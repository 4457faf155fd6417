#include "ui/theme/appearance.h"

#include <utility>

namespace stepwell::ui {

QString styleSheetOf(const Theme &theme)
{
    QString sheet = QStringLiteral(R"(
        QMainWindow, QDialog { background: @window; }
        QToolTip { color: @text; background: @raised; border: 1px solid @border; padding: 4px 6px; }
        QMenuBar { background: @window; border-bottom: 1px solid @border; padding: 1px 4px; }
        QMenuBar::item { padding: 4px 8px; border-radius: 3px; background: transparent; }
        QMenuBar::item:selected { background: @hover; }
        QMenu { background: @raised; border: 1px solid @border; padding: 4px; }
        QMenu::item { padding: 5px 26px 5px 24px; border-radius: 3px; }
        QMenu::item:selected { background: @hover; }
        QMenu::item:disabled { color: @disabled; }
        QMenu::separator { height: 1px; background: @border; margin: 4px 6px; }
        QMenu::icon { padding-left: 6px; }
        QMenu::indicator { width: 13px; height: 13px; left: 6px; }
        QToolBar { background: @window; border: 0; border-bottom: 1px solid @border; padding: 3px 6px; spacing: 2px; }
        QToolBar::separator { width: 1px; background: @border; margin: 5px 6px; }
        QToolButton { border: 1px solid transparent; border-radius: 4px; padding: 4px 7px; }
        QToolButton:hover { background: @hover; }
        QToolButton:pressed, QToolButton:checked { background: @selection; }
        QToolButton:focus { border-color: @accent; }
        QToolButton::menu-indicator { image: none; width: 0; }
        QToolButton#examplesButton, QToolButton#recentButton { padding-right: 7px; }
        QToolButton[pane="true"] { padding: 2px; border-radius: 3px; }
        QStatusBar { background: @window; border-top: 1px solid @border; color: @muted; }
        QStatusBar::item { border: 0; }
        QStatusBar QLabel { color: @muted; padding: 0 6px; }
        QSplitter::handle { background: @window; }
        QSplitter::handle:hover { background: @hover; }
        QTabWidget::pane { border: 0; }
        QTabBar { qproperty-drawBase: 0; background: transparent; }
        QTabBar::tab { padding: 4px 11px; color: @muted; background: transparent; border: 0; border-bottom: 2px solid transparent; }
        QTabBar::tab:hover { color: @text; }
        QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
        QTabBar::tab:focus { background: @hover; color: @text; }
        QTabBar#paneTabs[single="true"] { font-weight: 600; }
        QTabBar#paneTabs[single="true"]::tab { padding: 4px 9px; color: @text; border-bottom-color: transparent; }
        QTabBar::scroller { width: 36px; }
        QTabBar QToolButton { background: @window; border: 0; border-radius: 3px; padding: 0; }
        QTabBar QToolButton:hover { background: @hover; }
        QTabBar QToolButton::left-arrow { image: url(:/icons/scroll-left-@theme.svg); width: 9px; height: 9px; }
        QTabBar QToolButton::right-arrow { image: url(:/icons/scroll-right-@theme.svg); width: 9px; height: 9px; }
        QWidget#floatingWindow, QWidget#panes, QScrollArea#panesScroll { background: @window; }
        QTableView::item:focus { border: 1px solid @accent; }
        QSlider::handle:horizontal:focus { background: @accent; border: 2px solid @text; }
        QDialog QTreeView, QDialog QTextBrowser { border: 1px solid @border; }
        QDialog QTreeView:focus, QDialog QTextBrowser:focus { border: 1px solid @accent; }
        QCheckBox { border: 1px solid transparent; }
        QCheckBox:focus { border-color: @accent; }
        QPushButton { background: @raised; border: 1px solid @border; border-radius: 4px; padding: 4px 14px; min-height: 16px; }
        QPushButton:hover { background: @hover; }
        QPushButton:pressed, QPushButton:checked { background: @selection; }
        QPushButton:disabled { color: @disabled; }
        QPushButton:default { border-color: @muted; }
        QPushButton:focus { border-color: @accent; }
        QHeaderView { background: @base; }
        QHeaderView::section { background: @base; color: @muted; border: 0; border-bottom: 1px solid @border; padding: 3px 8px; }
        QTableView, QTreeView, QListView { background: @base; alternate-background-color: @alternate; border: 0; gridline-color: @border;
            selection-background-color: @selection; selection-color: @text; outline: 0; }
        QTableView::item { padding: 1px 8px; background: @base; } /* with a background, or the padding is left out */
        QTreeView::item { padding: 2px 0; }
        QTableView::item:hover, QTreeView::item:hover, QListView::item:hover { background: @hover; }
        QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: @selection; color: @text; }
        QCheckBox::indicator, QAbstractItemView::indicator { width: 12px; height: 12px; border: 1px solid @muted; border-radius: 3px; background: @base; }
        QCheckBox::indicator:checked, QAbstractItemView::indicator:checked { image: url(:/icons/check-@theme.svg); }
        QCheckBox::indicator:disabled { border-color: @border; }
        QLineEdit, QComboBox { background: @base; border: 1px solid @border; border-radius: 4px; padding: 2px 7px; min-height: 18px; }
        QLineEdit:focus, QComboBox:focus { border-color: @accent; }
        QComboBox:hover { background: @hover; }
        QComboBox::drop-down { border: 0; width: 18px; }
        QComboBox::down-arrow { image: url(:/icons/combo-@theme.svg); width: 10px; height: 10px; }
        QComboBox QAbstractItemView { background: @raised; border: 1px solid @border; selection-background-color: @hover; padding: 3px; }
        QAbstractSpinBox { background: @base; border: 1px solid @border; border-radius: 4px; padding: 2px 4px 2px 7px; min-height: 18px; }
        QAbstractSpinBox:focus { border-color: @accent; }
        QAbstractSpinBox QLineEdit { background: transparent; border: 0; padding: 0; }
        QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; width: 18px; border: 0; background: transparent; }
        QAbstractSpinBox::up-button { subcontrol-position: top right; }
        QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
        QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: @hover; }
        QAbstractSpinBox::up-arrow { image: url(:/icons/spin-up-@theme.svg); width: 8px; height: 8px; }
        QAbstractSpinBox::down-arrow { image: url(:/icons/combo-@theme.svg); width: 8px; height: 8px; }
        QSlider::groove:horizontal { height: 4px; background: @border; border-radius: 2px; }
        QSlider::sub-page:horizontal { background: @accent; border-radius: 2px; }
        QSlider::handle:horizontal { width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; background: @text; }
        QSlider::handle:horizontal:disabled { background: @disabled; }
        QScrollBar:vertical { background: @base; width: 12px; margin: 0; border: 0; }
        QScrollBar:horizontal { background: @base; height: 12px; margin: 0; border: 0; }
        QScrollBar::handle { background: @border; border-radius: 4px; margin: 2px; }
        QScrollBar::handle:vertical { min-height: 24px; }
        QScrollBar::handle:horizontal { min-width: 24px; }
        QScrollBar::handle:hover { background: @disabled; }
        QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
        QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
        QAbstractScrollArea::corner { background: @base; }
        QFrame#pane { background: @base; border: 1px solid @border; border-radius: 5px; }
        QFrame#pane[focused="true"] { border-color: @accent; }
        QWidget#paneHeader { background: @window; border-bottom: 1px solid @border; border-top-left-radius: 5px; border-top-right-radius: 5px; }
        QLabel#paneNote { color: @muted; }
        QLabel#paneBadge { color: @warning; border: 1px solid @warning; border-radius: 7px; padding: 0 6px; }
        QLabel#paneEndBadge { color: @muted; border: 1px solid @muted; border-radius: 7px; padding: 0 6px; }
        QFrame#timelineBar { background: @window; border: 1px solid @border; border-radius: 5px; }
        QFrame#timelineBar[beforeEnd="true"] { background: @raised; border-color: @warning; }
        QFrame#timelineBar QToolButton { padding: 3px 4px; }
        QFrame#timelineBar QToolButton#timelineEnd { border-color: @warning; padding: 3px 9px; }
        QFrame#timelineBar QToolButton[chip="true"] { background: @base; border-color: @border; border-radius: 9px; padding: 1px 8px; }
        QFrame#timelineBar QToolButton[chip="true"]:hover { background: @hover; }
        QFrame#timelineBar QToolButton[chip="true"]:focus { border-color: @accent; }
        QFrame#compareBar { background: @window; border: 1px solid @accent; border-radius: 5px; }
        QFrame#compareBar QToolButton { padding: 3px 6px; }
        QFrame#compareBar QFrame[segments="true"] { background: @base; border: 1px solid @border; border-radius: 5px; }
        QFrame#compareBar QFrame[segments="true"] QToolButton { padding: 2px 9px; border-radius: 3px; }
        QFrame#compareBar QFrame[segments="true"] QToolButton:checked { background: @accent; color: @accentText; }
        QFrame#compareBar QToolButton[chip="true"] { background: transparent; color: @muted; border-color: @border; border-radius: 9px;
            padding: 1px 7px; }
        QFrame#compareBar QToolButton[chip="true"][different="true"] { background: @base; color: @text; border-color: @warning; }
        QFrame#compareBar QToolButton[chip="true"]:hover { background: @hover; }
        QFrame#compareBar QToolButton[chip="true"]:focus { border-color: @accent; }
        QLabel#compareTold { color: @muted; }
        QFrame#firstDifference { background: @raised; border: 0; border-top: 1px solid @border; }
        QFrame#firstDifference QLabel { background: transparent; }
        QToolButton#firstGo { border-color: @border; background: @base; }
        QLabel#timelineDoc, QLabel#timelineCount, QLabel#timelineMatches { color: @muted; }
        QLabel#emptyHint, QLabel#valuesTold, QLabel#inputTold { color: @muted; }
        QLabel#inputTold[error="true"] { color: @warning; }
        QFrame[notice="true"] { background: @raised; border: 1px solid @accent; border-radius: 5px; }
        QFrame[notice="true"] QLabel { background: transparent; border: 0; }
        QWidget#findBar { background: @raised; border-top: 1px solid @border; }
        QPlainTextEdit { background: @base; border: 0; selection-background-color: @selection; }
    )");
    const std::pair<const char *, Role> names[] = {
        // Longer names first: "@accentText" holds "@accent".
        {"@accentText", Role::AccentText},
        {"@alternate", Role::Alternate},
        {"@selection", Role::Selection},
        {"@disabled", Role::Disabled},
        {"@warning", Role::Warning},
        {"@window", Role::Window},
        {"@raised", Role::Raised},
        {"@border", Role::Border},
        {"@accent", Role::Accent},
        {"@muted", Role::Muted},
        {"@hover", Role::Hover},
        {"@base", Role::Base},
        {"@text", Role::Text},
    };
    sheet.replace(QLatin1String("@theme"), theme.name());
    for (const auto &[name, role] : names)
        sheet.replace(QLatin1String(name), theme.color(role).name());
    return sheet;
}

} // namespace stepwell::ui
