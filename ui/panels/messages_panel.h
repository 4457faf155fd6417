#pragma once

#include "ui/models/message_model.h"
#include "ui/panels/panel.h"

class QLabel;
class QStackedWidget;
class QTableView;

namespace stepwell::ui {

class MessagesPanel : public Panel {
    Q_OBJECT

public:
    explicit MessagesPanel(const PanelContext &context);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    // Adds a message from the window itself (such as an unreadable file), shown until the next compilation.
    void addOwn(const sw::Message &message);
    [[nodiscard]] const MessageModel &model() const { return *m_model; }

signals:
    void placeActivated(std::uint32_t line, std::uint32_t column); // a place in the program
    void otherPlaceActivated(const QString &file, std::uint32_t line);

private:
    void showMessages();
    void updateHint();

    MessageModel *m_model;
    QTableView *m_table;
    QStackedWidget *m_stack;
    std::vector<sw::Message> m_messages;
    bool m_isEmpty = true; // no program
};

} // namespace stepwell::ui
