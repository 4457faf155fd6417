#include "ui/notice_bar.h"

#include "ui/theme/appearance.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace stepwell::ui {

namespace {

constexpr int kIconSize = 16;

} // namespace

NoticeBar::NoticeBar(const Appearance &appearance, const QString &name, QWidget *parent)
    : QFrame(parent), m_appearance(appearance), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_row(new QHBoxLayout(this))
{
    setObjectName(name);
    setProperty("notice", true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_row->setContentsMargins(9, 4, 5, 4);
    m_row->setSpacing(8);
    m_row->addWidget(m_icon);
    m_row->addWidget(m_text, 1);
    connect(&appearance, &Appearance::changed, this, &NoticeBar::setIcon);
    setIcon();
    hide();
}

void NoticeBar::setIcon()
{
    m_icon->setPixmap(m_appearance.icon(QStringLiteral("note")).pixmap(kIconSize));
}

QString NoticeBar::text() const
{
    return m_text->text();
}

void NoticeBar::showNotice(const QString &text, const std::vector<NoticeAnswer> &answers)
{
    m_text->setText(text);
    setAccessibleName(text);
    for (QPushButton *old : m_answers)
        old->deleteLater();
    m_answers.clear();
    for (const NoticeAnswer &answer : answers) {
        auto *button = new QPushButton(answer.text, this);
        button->setAutoDefault(false);
        m_row->addWidget(button);
        connect(button, &QPushButton::clicked, this, [this, run = answer.run] {
            hide();
            if (run)
                run();
        });
        m_answers.push_back(button);
    }
    show();
}

} // namespace stepwell::ui
