#include "ui/panels/why_panel.h"

#include "ui/panels/flow_layout.h"
#include "ui/panels/why_html.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kListHeight = 110; // pixels

bool hasTag(const sw::DocumentItem &item, std::string_view tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

std::string fieldOf(const sw::DocumentItem &item, std::string_view name)
{
    const auto found = std::ranges::find(item.fields, name, &sw::DocumentField::name);
    return found == item.fields.end() ? std::string() : found->value;
}

// "apart a -> b" or "fuse a -> b": what follows the first word says it best.
QString edgeOf(const sw::DocumentItem &decision)
{
    const QString override = QString::fromStdString(fieldOf(decision, "to override"));
    return override.mid(override.indexOf(u' ') + 1);
}

// Whether the name of a change has what the card's overrides are about: "a -> b" of "apart a -> b", "y" of "loops y: ...".
bool isAbout(const sw::WhyCard &card, const QString &change)
{
    return std::ranges::any_of(card.tries, [&](const sw::WhyTry &one) {
        const QString override = QString::fromStdString(one.override);
        const QString subject = override.mid(override.indexOf(u' ') + 1).section(u':', 0, 0);
        return change.contains(subject);
    });
}

} // namespace

WhyPanel::WhyPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_filter(new QComboBox(this)),
      m_list(new QListWidget(this)),
      m_text(new QTextBrowser(this)),
      m_buttonRow(new FlowLayout(0, 6, nullptr))
{
    m_filter->setObjectName(QStringLiteral("whyFilter"));
    m_filter->setAccessibleName(tr("Which decisions are listed"));
    m_filter->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_filter->setMinimumContentsLength(12);
    m_list->setObjectName(QStringLiteral("whyList"));
    m_list->setAccessibleName(tr("Decisions"));
    m_list->setUniformItemSizes(true);
    m_list->setFixedHeight(kListHeight);
    m_text->setObjectName(QStringLiteral("whyText"));
    m_text->setAccessibleName(tr("Why"));
    m_text->setFrameShape(QFrame::NoFrame);
    m_text->setOpenLinks(false);
    m_text->document()->setDocumentMargin(8);
    m_buttonRow->setContentsMargins(8, 4, 8, 6);

    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *filterRow = new QHBoxLayout;
    filterRow->setContentsMargins(8, 5, 8, 4);
    filterRow->addWidget(m_filter, 1);
    column->addLayout(filterRow);
    column->addWidget(m_list);
    column->addWidget(m_text, 1);
    column->addLayout(m_buttonRow);
    setContent(content);
    setFocusProxy(m_text);

    connect(m_filter, &QComboBox::currentIndexChanged, this, &WhyPanel::fillList);
    connect(m_list, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem *item) {
        if (item)
            m_context.selection.select(sw::StageKind::Schedule, {item->data(Qt::UserRole).toUInt()});
    });
    connect(m_text, &QTextBrowser::anchorClicked, this,
            [this](const QUrl &link) { m_context.selection.select(sw::StageKind::Schedule, {link.path().toUInt()}); });
    connect(&context.selection, &Selection::selectionChanged, this, &WhyPanel::ask);
    connect(&context.session, &Session::compileFinished, this, [this] {
        if (m_context.session.isDropped(RequestTag::Why))
            ask();
    });
    connect(&context.whatIf, &WhatIf::changed, this, &WhyPanel::showCard);
    connect(&context.appearance, &Appearance::changed, this, &WhyPanel::showCard);
    fillList();
    showCard();
}

void WhyPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    const bool isNew = !snapshot || !m_snapshot ||
                       snapshot->stage(sw::StageKind::Schedule).document != m_snapshot->stage(sw::StageKind::Schedule).document;
    m_snapshot = snapshot;
    setMadeBy(snapshot ? snapshot->madeBy(sw::StageKind::Schedule) : std::nullopt);
    if (isNew)
        refillWhenVisible();
    ask();
}

void WhyPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    ask();
}

// The selected item, or the one of the same name and origin once the compilation has ended.
std::optional<Selection::Place> WhyPanel::placeAtEnd() const
{
    const std::optional<Selection::Place> place = m_context.selection.selectedPlace();
    if (!place || !isBeforeEnd())
        return place;
    const sw::DocumentItem *selected = m_context.selection.selectedItem();
    const sw::StageDocumentPtr &document = m_snapshot->stage(place->stage).document;
    if (!document)
        return std::nullopt;
    const auto found = std::ranges::find_if(document->items, [&](const sw::DocumentItem &item) {
        return item.label == selected->label && item.sources == selected->sources;
    });
    if (found == document->items.end())
        return std::nullopt;
    return Selection::Place{place->stage, static_cast<sw::ItemIndex>(found - document->items.begin())};
}

void WhyPanel::ask()
{
    if (!isVisible())
        return;
    const std::optional<Selection::Place> place = m_snapshot && m_snapshot->isFinal ? placeAtEnd() : std::nullopt;
    const std::uint64_t number = m_context.selection.number();
    // A program that does not compile has no reasons; the card of the last one stays.
    const bool isKnown = place && m_snapshot->stage(place->stage).compilation == m_snapshot->compilation;
    if (!isKnown) {
        m_context.session.cancel(RequestTag::Why);
        if (!m_context.selection.hasSelection() || !m_snapshot || (place && number != m_cardOf))
            m_card.reset();
        showCard();
        return;
    }
    m_context.session.ask(
        RequestTag::Why, this,
        [place = *place](EngineService &service, const std::stop_token &stop) {
            return service.why(place.stage, place.item, stop);
        },
        [this, number](std::optional<sw::WhyCard> card) {
            m_cardOf = number;
            m_card = std::move(card);
            showCard();
        });
}

void WhyPanel::showCard()
{
    const Appearance &appearance = m_context.appearance;
    if (!m_card) {
        m_text->setHtml(
            QStringLiteral("<p style='color:%1'>%2</p>")
                .arg(appearance.color(Role::Muted).name(),
                     tr("Choose an edge, a value, a kernel, a buffer, a loop transformation or an instruction: here is "
                        "why it is as it is, and what else it could be.")));
    } else {
        QString html = cardHead(*m_card, appearance);
        if (const auto &effect = m_context.whatIf.effect(); effect && isAbout(*m_card, effect->name))
            html += effectHtml(tr("Last change: %1").arg(effect->name), effect->effect, appearance);
        m_text->setHtml(html + cardBody(*m_card, appearance));
    }
    showButtons();
}

void WhyPanel::showButtons()
{
    const std::vector<sw::WhyTry> tries = m_card ? m_card->tries : std::vector<sw::WhyTry>();
    const bool isBlocked = m_card && !m_card->obstacles.empty();
    if (std::exchange(m_tries, tries) == tries && std::exchange(m_isBlocked, isBlocked) == isBlocked)
        return; // one of them may be pressed right now
    m_isBlocked = isBlocked;
    for (QPushButton *button : m_buttons) {
        button->setObjectName({});
        button->deleteLater();
    }
    m_buttons.clear();
    while (const QLayoutItem *item = m_buttonRow->takeAt(0))
        delete item;
    for (const sw::WhyTry &wanted : tries) {
        auto *button = new QPushButton(QString::fromStdString(wanted.title), this);
        button->setObjectName(QStringLiteral("whyTry%1").arg(m_buttons.size()));
        button->setToolTip(QString::fromStdString(wanted.override));
        if (isBlocked && !wanted.isRemoval && m_buttons.empty()) {
            button->setEnabled(false);
            button->setToolTip(QString::fromStdString(m_card->obstacles.front()));
        }
        connect(button, &QPushButton::clicked, this, [this, wanted] { m_context.whatIf.apply(wanted); });
        m_buttonRow->addWidget(button);
        m_buttons.push_back(button);
    }
}

void WhyPanel::fillList()
{
    const auto wanted = static_cast<Listed>(std::max(0, m_filter->currentIndex()));
    const sw::StageDocumentPtr document = m_snapshot ? m_snapshot->stage(sw::StageKind::Schedule).document : nullptr;
    std::array<int, static_cast<std::size_t>(Listed::All) + 1> counts{};
    const QSignalBlocker listBlocker(m_list);
    m_list->clear();
    for (sw::ItemIndex i = 0; document && i < document->items.size(); ++i) {
        const sw::DocumentItem &item = document->items[i];
        if (!hasTag(item, "decision"))
            continue;
        const auto add = [&](Listed listed, bool isOne) {
            counts[static_cast<std::size_t>(listed)] += isOne ? 1 : 0;
            if (listed != wanted || !isOne)
                return;
            auto *row = new QListWidgetItem(edgeOf(item), m_list);
            row->setData(Qt::UserRole, i);
            row->setToolTip(QString::fromStdString(fieldOf(item, "rule") + ": " + item.detail));
        };
        add(Listed::Near, hasTag(item, "near-miss"));
        add(Listed::Apart, hasTag(item, "not-fused"));
        add(Listed::ByHand, fieldOf(item, "rule") == "override");
        add(Listed::All, true);
    }
    const QSignalBlocker filterBlocker(m_filter);
    const QStringList names{tr("What is selected"), tr("Near misses: refused by less than 20 % (%1)"),
                            tr("All that are apart (%1)"), tr("Decided by hand (%1)"), tr("All decisions (%1)")};
    for (int i = 0; i < names.size(); ++i) {
        const QString text = i == 0 ? names[i] : names[i].arg(counts[static_cast<std::size_t>(i)]);
        if (i < m_filter->count())
            m_filter->setItemText(i, text);
        else
            m_filter->addItem(text);
    }
    m_list->setVisible(wanted != Listed::None);
}

} // namespace stepwell::ui
