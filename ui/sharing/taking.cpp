#include "ui/sharing/taking.h"

#include "ui/sharing/take_menu.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTextEdit>

#include <algorithm>

namespace stepwell::ui {

namespace {

PaintedView *paintedAt(QWidget *widget, const QWidget *root)
{
    for (; widget; widget = widget->parentWidget()) {
        auto *view = dynamic_cast<PaintedView *>(widget);
        if (view && !view->pictureSize().isEmpty())
            return view;
        if (widget == root)
            break;
    }
    return nullptr;
}

qint64 areaOf(const QWidget &widget)
{
    return qint64{widget.width()} * widget.height();
}

} // namespace

Taking::Taking(QObject *parent) : QObject(parent)
{
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget *, QWidget *now) { onFocus(now); });
}

void Taking::watch(QWidget &root)
{
    m_roots.push_back(&root);
    root.installEventFilter(this);
    for (QAbstractScrollArea *area : root.findChildren<QAbstractScrollArea *>())
        watchEdit(area);
}

// Their own menus leave nothing for the pane.
void Taking::watchEdit(QWidget *widget)
{
    if (auto *rich = qobject_cast<QTextEdit *>(widget))
        rich->viewport()->installEventFilter(this);
    else if (auto *plain = qobject_cast<QPlainTextEdit *>(widget))
        plain->viewport()->installEventFilter(this);
}

QWidget *Taking::rootOf(QWidget *widget) const
{
    for (; widget; widget = widget->parentWidget())
        if (std::ranges::find(m_roots, widget) != m_roots.end())
            return widget;
    return nullptr;
}

// A menu, a dialog or a button of the window takes the focus from the pane that is meant.
void Taking::onFocus(QWidget *now)
{
    if (QWidget *root = rootOf(now)) {
        m_focus = {now, root};
        watchEdit(now); // it may be new
    }
}

Taking::Place Taking::focus() const
{
    if (m_focus.root && m_focus.root->isVisible())
        return {m_focus.widget ? m_focus.widget : m_focus.root, m_focus.root};
    return m_roots.empty() ? Place() : Place{m_roots.front(), m_roots.front()};
}

PaintedView *Taking::viewAt(const Place &place)
{
    if (!place.root)
        return nullptr;
    if (PaintedView *view = paintedAt(place.widget, place.root))
        return view;
    PaintedView *largest = nullptr;
    qint64 most = 0;
    for (QWidget *child : place.root->findChildren<QWidget *>()) {
        auto *view = dynamic_cast<PaintedView *>(child);
        if (!view || !child->isVisibleTo(place.root) || view->pictureSize().isEmpty() || areaOf(*child) <= most)
            continue;
        largest = view;
        most = areaOf(*child);
    }
    return largest;
}

std::optional<CopySource> Taking::sourceAt(const Place &place)
{
    if (!place.root)
        return std::nullopt;
    const std::optional<CopySource> source = copySourceAt(place.widget, *place.root);
    return source ? source : copySourceIn(*place.root);
}

void Taking::copy(const Place &place, CopyExtent extent, sw::TextFormat format)
{
    const std::optional<CopySource> source = sourceAt(place);
    if (!source) {
        emit told(tr("This pane has neither a table nor a text to copy."));
        return;
    }
    const Copied copied = copiedFrom(*source, extent, format);
    if (copied.problem.isEmpty())
        QApplication::clipboard()->setText(copied.text);
    emit told(copied.problem.isEmpty() ? tr("Copied as %1").arg(titleOf(format)) : copied.problem);
}

void Taking::addActions(QMenu &menu, const Place &place, bool isPictureHere)
{
    const std::optional<CopySource> source = sourceAt(place);
    PaintedView *view = viewAt(place);
    if (!source && !view)
        return;
    if (!menu.isEmpty())
        menu.addSeparator();
    const auto addSave = [&] {
        if (!view)
            return;
        QAction *save = menu.addAction(tr("Save view as\u2026"));
        save->setObjectName(QStringLiteral("take.save"));
        connect(save, &QAction::triggered, this, [this, place] { emit saveWanted(place); });
    };
    if (isPictureHere)
        addSave();
    if (source) {
        const auto addFormats = [&](QMenu *formats, CopyExtent extent, const QString &name) {
            for (const sw::TextFormat format : sw::kTextFormats) {
                QAction *copy = formats->addAction(titleOf(format));
                copy->setObjectName(name + titleOf(format));
                connect(copy, &QAction::triggered, this, [this, place, extent, format] { this->copy(place, extent, format); });
            }
        };
        const bool isPart = hasSelection(*source);
        addFormats(menu.addMenu(isPart ? tr("Copy selection as") : tr("Copy as")), CopyExtent::Selection,
                   QStringLiteral("take.copy."));
        if (isPart)
            addFormats(menu.addMenu(tr("Copy all as")), CopyExtent::All, QStringLiteral("take.copyAll."));
    }
    if (!isPictureHere)
        addSave();
}

bool Taking::showMenu(QWidget &root, const QPoint &at, bool isByKey)
{
    QWidget *widget = isByKey ? QApplication::focusWidget() : root.childAt(root.mapFromGlobal(at));
    if (!widget || (widget != &root && !root.isAncestorOf(widget)))
        widget = &root;
    auto *menu = new QMenu(&root);
    menu->setObjectName(QStringLiteral("takeMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addActions(*menu, {widget, &root}, paintedAt(widget, &root) != nullptr);
    if (menu->isEmpty()) {
        delete menu;
        return false;
    }
    menu->popup(at);
    return true;
}

bool Taking::showEditMenu(QWidget &viewport, const QPoint &at)
{
    QWidget *edit = viewport.parentWidget();
    QWidget *root = rootOf(edit);
    QMenu *menu = nullptr;
    if (auto *rich = qobject_cast<QTextEdit *>(edit))
        menu = rich->createStandardContextMenu(at);
    else if (auto *plain = qobject_cast<QPlainTextEdit *>(edit))
        menu = plain->createStandardContextMenu(at);
    if (!menu || !root)
        return false;
    menu->setObjectName(QStringLiteral("takeMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addActions(*menu, {edit, root}, false);
    menu->popup(viewport.mapToGlobal(at));
    return true;
}

bool Taking::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::ContextMenu && event->type() != TakeMenuEvent::kind())
        return QObject::eventFilter(watched, event);
    auto *widget = qobject_cast<QWidget *>(watched);
    const bool isRoot = widget && std::ranges::find(m_roots, widget) != m_roots.end();
    if (isRoot && event->type() == TakeMenuEvent::kind()) {
        auto *wanted = static_cast<TakeMenuEvent *>(event);
        addActions(wanted->menu(), {&wanted->from(), widget}, false);
        wanted->accept();
        return true;
    }
    if (widget && event->type() == QEvent::ContextMenu) {
        const auto *menu = static_cast<QContextMenuEvent *>(event);
        const bool isShown = isRoot ? showMenu(*widget, menu->globalPos(), menu->reason() == QContextMenuEvent::Keyboard)
                                    : showEditMenu(*widget, menu->pos());
        if (isShown) {
            event->accept();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace stepwell::ui
