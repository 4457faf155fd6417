#include "ui/panels/text_panel.h"

#include "ui/graph_view/find_bar.h"
#include "ui/session/counted.h"

#include <QToolButton>
#include <QVBoxLayout>

namespace stepwell::ui {

TextPanel::TextPanel(const PanelContext &context, sw::StageKind stage, const QString &id, const QString &title)
    : Panel(context, id, title),
      m_stage(stage),
      m_ownTitle(title),
      m_view(new TextView(stage, context.appearance, context.selection, this)),
      m_findBar(new FindBar(context.appearance, this))
{
    m_view->setObjectName(id + QStringLiteral("View"));
    m_view->setAccessibleName(title);
    setContent(m_view);
    layout()->addWidget(m_findBar);
    connect(addTool(QStringLiteral("copy"), tr("Copy all, or the selected lines")), &QToolButton::clicked, m_view,
            &TextView::copy);
    connect(m_findBar, &FindBar::patternChanged, m_view, &TextView::search);
    connect(m_findBar, &FindBar::nextRequested, this, &TextPanel::findNext);
    connect(m_findBar, &FindBar::previousRequested, this, &TextPanel::findPrevious);
    connect(m_findBar, &FindBar::closed, m_view, qOverload<>(&QWidget::setFocus));
    connect(&context.session, &Session::activityChanged, this, &TextPanel::updateHint);
    connect(m_view, &TextView::searchChanged, this,
            [this] { m_findBar->setCount(m_view->foundCurrent() + 1, m_view->foundCount()); });
}

void TextPanel::find()
{
    m_findBar->open();
}

// Said where there are no lines.
void TextPanel::updateHint()
{
    if (isCompiling())
        m_view->setHint(tr("Compiling"));
    else if (!m_snapshot)
        m_view->setHint({});
    else if (!m_snapshot->report->succeeded)
        m_view->setHint(tr("The program has errors before this stage. See Messages."));
    else if (!m_snapshot->stage(m_stage).document)
        m_view->setHint(tr("There is no such stage for this program on this device."));
    else
        m_view->setHint(tr("This device has no such text."));
}

void TextPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    updateHint();
    if (!snapshot) {
        m_view->setRows({}, {});
        setMadeBy({});
        setNote({});
        setTitle(m_ownTitle);
        return;
    }
    const StageView &stage = snapshot->stage(m_stage);
    setMadeBy(snapshot->madeBy(m_stage));
    if (stage.document != m_view->rows().document() || m_view->rows().isEmpty())
        m_view->setRows(TextRows(stage.document), snapshot->kernels);
    if (!stage.document) {
        setNote({});
        return;
    }
    if (m_stage == sw::StageKind::Code && !stage.document->title.empty())
        setTitle(QString::fromStdString(stage.document->title));
    setNote(counted(static_cast<qint64>(stage.document->lines.size()), tr("%1 line"), tr("%1 lines")));
}

} // namespace stepwell::ui
