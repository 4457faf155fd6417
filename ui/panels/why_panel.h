#pragma once
// Why the selected item is as it is: the decision, the rule, the numbers and where each comes from, what else it could be, and
// buttons to try that. Above it, on demand, a list of decisions to choose from.

#include "engine/api/why.h"
#include "ui/panels/panel.h"

#include <optional>

class QComboBox;
class QListWidget;
class QPushButton;
class QTextBrowser;

namespace stepwell::ui {

class FlowLayout;

class WhyPanel : public Panel {
    Q_OBJECT

public:
    WhyPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    [[nodiscard]] bool isSettled() const override { return !isVisible() || !m_context.session.isAsking(RequestTag::Why); }
    [[nodiscard]] const std::optional<sw::WhyCard> &card() const { return m_card; }

protected:
    void showEvent(QShowEvent *event) override;
    void refill() override { fillList(); }
    // At a moment before the end, the item is looked up in the end.
    [[nodiscard]] bool belongsToEnd() const override { return true; }

private:
    // Which decisions the list has.
    enum class Listed : unsigned char { None, Near, Apart, ByHand, All };

    void ask();
    [[nodiscard]] std::optional<Selection::Place> placeAtEnd() const;
    void showCard();
    void showButtons();
    void fillList();

    QComboBox *m_filter;
    QListWidget *m_list;
    QTextBrowser *m_text;
    FlowLayout *m_buttonRow;
    std::vector<QPushButton *> m_buttons;
    std::vector<sw::WhyTry> m_tries; // of the buttons
    bool m_isBlocked = false;        // what they try cannot be done
    SnapshotPtr m_snapshot;
    std::optional<sw::WhyCard> m_card;
    std::uint64_t m_cardOf = 0; // the selection that the card is about
};

} // namespace stepwell::ui
