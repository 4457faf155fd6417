#include "ui/timeline_filter.h"

#include "ui/session/counted.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>

#include <algorithm>
#include <utility>
#include <vector>

namespace stepwell::ui {

namespace {

constexpr std::size_t kMostRules = 40; // in the menu, the most frequent ones
constexpr int kChipIcon = 9;

// The rules of the pass, or of all passes at the end of the compilation; the most frequent first.
std::vector<sw::RuleEntry> rulesAt(const Moment &moment)
{
    std::vector<sw::RuleEntry> rules;
    for (const sw::PassEntry &pass : moment.passes()) {
        if (moment.pass() && &pass != moment.pass())
            continue;
        for (const sw::RuleEntry &rule : pass.rules) {
            const auto known = std::ranges::find(rules, rule.rule, &sw::RuleEntry::rule);
            if (known == rules.end())
                rules.push_back(rule);
            else
                known->rewrites += rule.rewrites;
        }
    }
    std::ranges::stable_sort(rules, std::ranges::greater(), &sw::RuleEntry::rewrites);
    return rules;
}

QAction *addChoice(QMenu &menu, const QString &text, bool isChecked)
{
    QAction *choice = menu.addAction(text);
    choice->setCheckable(true);
    choice->setChecked(isChecked);
    return choice;
}

} // namespace

TimelineFilterButton::TimelineFilterButton(Moment &moment, QWidget *parent)
    : QToolButton(parent), m_moment(moment), m_menu(new QMenu(this))
{
    setObjectName(QStringLiteral("timelineFilter"));
    setToolTip(tr("Which passes and rewrites are shown and stepped through"));
    setAccessibleName(tr("Filter the timeline"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::TabFocus);
    setMenu(m_menu);
    m_menu->setObjectName(QStringLiteral("timelineFilterMenu"));
    m_menu->setToolTipsVisible(true);
    connect(m_menu, &QMenu::aboutToShow, this, &TimelineFilterButton::fill);
}

void TimelineFilterButton::fill()
{
    m_menu->clear();
    MomentFilter &filter = m_moment.filter();
    QAction *hide = addChoice(*m_menu, tr("&Hide passes that change nothing"), filter.hidesUnchanged());
    connect(hide, &QAction::toggled, &filter, &MomentFilter::setHidesUnchanged);
    QAction *touching = addChoice(*m_menu, tr("Only what touches the &selection"), filter.touchesSelection());
    touching->setEnabled(filter.touchesSelection() || filter.canTouchSelection());
    touching->setToolTip(touching->isEnabled() ? tr("Rewrites that found or made what is selected")
                                               : tr("Nothing is selected: click a node, a line or an instruction first"));
    connect(touching, &QAction::toggled, &filter, &MomentFilter::setTouchesSelection);
    fillRules(*m_menu->addMenu(m_moment.pass() ? tr("Only one &rule of this pass") : tr("Only one &rule")));
    fillKernels(*m_menu->addMenu(tr("Only one &kernel")));
    m_menu->addSeparator();
    QAction *all = m_menu->addAction(tr("Show &all"));
    all->setEnabled(filter.isActive() || filter.hidesUnchanged());
    connect(all, &QAction::triggered, &filter, &MomentFilter::clear);
}

void TimelineFilterButton::fillRules(QMenu &menu)
{
    menu.setObjectName(QStringLiteral("timelineRules"));
    MomentFilter &filter = m_moment.filter();
    connect(addChoice(menu, tr("Any rule"), filter.rule().empty()), &QAction::triggered, &filter,
            [&filter] { filter.setRule({}); });
    menu.addSeparator();
    const std::vector<sw::RuleEntry> rules = rulesAt(m_moment);
    for (std::size_t i = 0; i < std::min(rules.size(), kMostRules); ++i) {
        const QString text = QStringLiteral("%1\t%2").arg(QString::fromStdString(rules[i].rule)).arg(rules[i].rewrites);
        connect(addChoice(menu, text, filter.rule() == rules[i].rule), &QAction::triggered, &filter,
                [&filter, rule = rules[i].rule] { filter.setRule(rule); });
    }
    if (rules.size() > kMostRules)
        menu.addAction(tr("%1 more rules: go to their pass to choose them").arg(rules.size() - kMostRules))->setEnabled(false);
    menu.setEnabled(!rules.empty());
}

void TimelineFilterButton::fillKernels(QMenu &menu)
{
    menu.setObjectName(QStringLiteral("timelineKernels"));
    MomentFilter &filter = m_moment.filter();
    connect(addChoice(menu, tr("Any kernel"), filter.kernel() == sw::kNoIndex), &QAction::triggered, &filter,
            [&filter] { filter.setKernel(sw::kNoIndex); });
    menu.addSeparator();
    const std::vector<sw::KernelEntry> &kernels = m_moment.kernels();
    for (std::uint32_t i = 0; i < kernels.size(); ++i)
        connect(addChoice(menu, QString::fromStdString(kernels[i].name), filter.kernel() == i), &QAction::triggered, &filter,
                [&filter, i] { filter.setKernel(i); });
    menu.setEnabled(!kernels.empty());
}

TimelineChips::TimelineChips(const Appearance &appearance, Moment &moment, QWidget *parent)
    : QWidget(parent), m_appearance(appearance), m_moment(moment), m_row(new QHBoxLayout(this)), m_matches(new QLabel(this))
{
    setObjectName(QStringLiteral("timelineChips"));
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(6);
    m_matches->setObjectName(QStringLiteral("timelineMatches"));
    m_row->addWidget(m_matches);
    m_row->addStretch(1);
    connect(&moment.filter(), &MomentFilter::changed, this, &TimelineChips::tell);
    connect(&moment, &Moment::passesChanged, this, &TimelineChips::tell);
    connect(&appearance, &Appearance::changed, this, &TimelineChips::tell);
    tell();
}

void TimelineChips::add(const QString &name, const QString &text, std::function<void()> remove)
{
    auto *chip = new QToolButton(this);
    chip->setObjectName(name);
    chip->setProperty("chip", true);
    chip->setText(text);
    chip->setIcon(m_appearance.icon(QStringLiteral("close")));
    chip->setIconSize(QSize(kChipIcon, kChipIcon));
    chip->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    chip->setFocusPolicy(Qt::TabFocus);
    chip->setToolTip(tr("Take this filter away"));
    chip->setAccessibleName(tr("%1: take this filter away").arg(text));
    connect(chip, &QToolButton::clicked, &m_moment.filter(), std::move(remove));
    m_row->insertWidget(m_row->indexOf(m_matches), chip);
    chip->show();
}

void TimelineChips::tell()
{
    for (QToolButton *chip : findChildren<QToolButton *>(Qt::FindDirectChildrenOnly)) {
        m_row->removeWidget(chip);
        chip->hide();
        chip->setObjectName({});
        chip->deleteLater(); // it may be the one that was clicked
    }
    MomentFilter &filter = m_moment.filter();
    if (!filter.rule().empty())
        add(QStringLiteral("chipRule"), tr("rule %1").arg(QString::fromStdString(filter.rule())),
            [&filter] { filter.setRule({}); });
    if (filter.kernel() < m_moment.kernels().size())
        add(QStringLiteral("chipKernel"), tr("kernel %1").arg(QString::fromStdString(m_moment.kernels()[filter.kernel()].name)),
            [&filter] { filter.setKernel(sw::kNoIndex); });
    if (filter.touchesSelection())
        add(QStringLiteral("chipSelection"), tr("touches the selection"), [&filter] { filter.setTouchesSelection(false); });
    if (filter.hidesUnchanged())
        add(QStringLiteral("chipUnchanged"), tr("passes without changes are hidden"),
            [&filter] { filter.setHidesUnchanged(false); });
    std::uint32_t all = 0;
    for (const sw::PassEntry &pass : m_moment.passes())
        all += pass.rewrites;
    m_matches->setVisible(filter.isActive());
    m_matches->setText(filter.isPending()
                           ? tr("Looking for matches...")
                           : tr("%1 of %2, in %3")
                                 .arg(QLocale().toString(filter.matches()), counted(all, tr("%1 rewrite"), tr("%1 rewrites")),
                                      counted(filter.matchingPasses(), tr("%1 pass"), tr("%1 passes"))));
    setVisible(filter.isActive() || filter.hidesUnchanged());
}

} // namespace stepwell::ui
