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
    MessagesPanel(const PanelContext &context, const PanelName &name);

    void setSnapshot(const SnapshotPtr &snapshot) override;
    // Adds a message from the window itself (such as an unreadable file), shown until the next compilation.
    void addOwn(const sw::Message &message);
    [[nodiscard]] const MessageModel &model() const { return *m_model; }

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
