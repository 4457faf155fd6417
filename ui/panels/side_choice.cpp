#include "ui/panels/side_choice.h"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>

namespace stepwell::ui {

namespace {

constexpr std::array<std::optional<Shown>, 4> kChoices{std::nullopt, Shown::Now, Shown::Before, Shown::Difference};

} // namespace

QString nameOf(Shown shown)
{
    switch (shown) {
    case Shown::Now:
        return SideChoice::tr("Now");
    case Shown::Before:
        return SideChoice::tr("Before");
    case Shown::Difference:
        return SideChoice::tr("Difference");
    }
    Q_UNREACHABLE();
}

SideChoice::SideChoice(Baseline &baseline, QToolButton *button, QObject *parent)
    : QObject(parent), m_baseline(baseline), m_button(button)
{
    auto *menu = new QMenu(button);
    auto *group = new QActionGroup(menu);
    for (std::size_t i = 0; i < kChoices.size(); ++i) {
        m_choices[i] = menu->addAction(kChoices[i] ? nameOf(*kChoices[i]) : tr("As the window"));
        m_choices[i]->setCheckable(true);
        group->addAction(m_choices[i]);
        connect(m_choices[i], &QAction::triggered, this, [this, own = kChoices[i]] { setOwn(own); });
    }
    button->setObjectName(QStringLiteral("sideButton"));
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(&baseline, &Baseline::changed, this, &SideChoice::update);
    connect(&baseline, &Baseline::shownChanged, this, &SideChoice::update);
    update();
}

Shown SideChoice::shown() const
{
    return m_baseline.current() ? m_own.value_or(m_baseline.shown()) : Shown::Now;
}

void SideChoice::setOwn(std::optional<Shown> own)
{
    m_own = own;
    update();
}

void SideChoice::update()
{
    m_button->setVisible(m_baseline.current() != nullptr);
    m_button->setEnabled(m_baseline.current() != nullptr);
    m_button->setToolTip(tr("This pane shows: %1").arg(nameOf(shown())));
    for (std::size_t i = 0; i < kChoices.size(); ++i)
        m_choices[i]->setChecked(kChoices[i] == m_own);
    emit changed();
}

} // namespace stepwell::ui
