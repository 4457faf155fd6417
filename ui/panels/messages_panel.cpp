#include "ui/panels/messages_panel.h"

#include "ui/session/counted.h"

#include "ui/panels/table.h"

#include <algorithm>

namespace stepwell::ui {

MessagesPanel::MessagesPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new MessageModel(context.appearance, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("No errors, no warnings."), this))
{
    m_table->setObjectName(QStringLiteral("messagesTable"));
    m_table->setAccessibleName(tr("Messages"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->hide();
    m_table->horizontalHeader()->setSectionResizeMode(MessageModel::Place, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(MessageModel::Text, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(MessageModel::Code, QHeaderView::ResizeToContents);
    setContent(m_stack);
    const auto activate = [this](const QModelIndex &index) {
        const sw::Message &message = m_model->message(index.row());
        if (message.isInProgram && message.line != 0)
            emit m_context.requests.placeWanted(message.line, message.column);
        else if (message.line != 0)
            emit m_context.requests.libraryPlaceWanted(QString::fromStdString(message.file), message.line);
    };
    connect(&context.session, &Session::activityChanged, this, &MessagesPanel::updateHint);
    updateHint();
    connect(m_table, &QTableView::clicked, this, activate);
    connect(m_table, &QTableView::activated, this, activate);
}

void MessagesPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_messages = snapshot ? snapshot->report->messages : std::vector<sw::Message>{};
    m_isEmpty = !snapshot;
    updateHint();
    setMadeBy(m_messages.empty() ? std::nullopt : std::optional(snapshot->compilation));
    showMessages();
}

void MessagesPanel::updateHint()
{
    setTableHint(*m_stack, isCompiling() ? tr("Compiling")
                           : m_isEmpty   ? tr("Nothing to show yet. Open a program or an example.")
                                         : tr("No errors, no warnings."));
}

void MessagesPanel::addOwn(const sw::Message &message)
{
    m_messages.push_back(message);
    showMessages();
}

void MessagesPanel::showMessages()
{
    const auto isError = [](const sw::Message &message) { return message.severity == sw::MessageSeverity::Error; };
    const auto errors = std::ranges::count_if(m_messages, isError);
    setTitle(m_messages.empty() ? tr("Messages") : tr("Messages (%1)").arg(m_messages.size()));
    setNote(errors == 0 ? QString() : counted(errors, tr("%1 error"), tr("%1 errors")));
    m_model->setMessages(m_messages);
    showTable(*m_stack, !m_messages.empty());
}

} // namespace stepwell::ui
