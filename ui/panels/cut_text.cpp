#include "ui/panels/cut_text.h"

#include <QAbstractItemView>
#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QTextDocument>
#include <QToolTip>

namespace stepwell::ui {

namespace {

constexpr qsizetype kLeastLetters = 4; // what is shorter, with its ellipsis, is a riddle: the ellipsis stands alone

class CutCells : public QObject {
public:
    explicit CutCells(QAbstractItemView &view) : QObject(&view), m_view(view) { view.viewport()->installEventFilter(this); }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() != QEvent::ToolTip)
            return false;
        const auto *help = static_cast<QHelpEvent *>(event);
        const QModelIndex index = m_view.indexAt(help->pos());
        if (!index.isValid() || m_view.sizeHintForIndex(index).width() <= m_view.visualRect(index).width())
            return false;
        const QString text = index.data(Qt::DisplayRole).toString();
        const QString more = index.data(Qt::ToolTipRole).toString();
        if (more.contains(text) || text.isEmpty())
            return false; // the model's tip shows it in full
        const bool isHtml = Qt::mightBeRichText(more);
        const QString all = isHtml           ? text.toHtmlEscaped() + QStringLiteral("<br>") + more
                            : more.isEmpty() ? text
                                             : text + u'\n' + more;
        QToolTip::showText(help->globalPos(), all, &m_view, m_view.visualRect(index));
        return true;
    }

private:
    QAbstractItemView &m_view;
};

} // namespace

void tellWhatIsCut(QAbstractItemView &view)
{
    new CutCells(view); // the view owns it
}

CutLabel::CutLabel(QWidget *parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
}

bool CutLabel::isCut() const
{
    return fontMetrics().horizontalAdvance(text()) > contentsRect().width();
}

QString CutLabel::shownText() const
{
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
    const bool saysNothing = isCut() && shown.size() <= kLeastLetters;
    return saysNothing ? fontMetrics().elidedText(QStringLiteral("\u2026"), Qt::ElideRight, contentsRect().width()) : shown;
}

QSize CutLabel::minimumSizeHint() const
{
    return {0, QLabel::minimumSizeHint().height()};
}

bool CutLabel::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip || !isCut())
        return QLabel::event(event);
    QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), text(), this);
    return true;
}

void CutLabel::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shownText(),
                          foregroundRole());
}

void CutComboBox::paintEvent(QPaintEvent *)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room.width() - 2);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace stepwell::ui
