#include "ui/panels/loop_editor.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QStringListModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kListHeight = 120; // pixels

// A line editor that completes what can stand in the line.
class LineDelegate : public QStyledItemDelegate {
public:
    LineDelegate(QStringListModel *completions, QObject *parent) : QStyledItemDelegate(parent), m_completions(completions) {}

    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QWidget *editor = QStyledItemDelegate::createEditor(parent, option, index);
        if (auto *line = qobject_cast<QLineEdit *>(editor)) {
            line->setObjectName(QStringLiteral("loopLine"));
            auto *completer = new QCompleter(m_completions, line);
            completer->setFilterMode(Qt::MatchContains);
            completer->setCaseSensitivity(Qt::CaseInsensitive);
            line->setCompleter(completer);
        }
        return editor;
    }

private:
    QStringListModel *m_completions;
};

// "loops y: a; b" -> "y" and {a, b}. A path in quotes may hold a colon.
std::pair<QString, QStringList> partsOf(const QString &override)
{
    const QString rest = override.mid(QStringLiteral("loops ").size());
    const qsizetype from = rest.startsWith(u'"') ? rest.indexOf(u'"', 1) : 0;
    const qsizetype colon = rest.indexOf(u':', from);
    QStringList lines;
    for (const QString &line : rest.mid(colon + 1).split(u';', Qt::SkipEmptyParts))
        if (!line.trimmed().isEmpty())
            lines << line.trimmed();
    return {rest.left(colon), lines};
}

QString unquoted(QString path)
{
    if (path.startsWith(u'"') && path.endsWith(u'"'))
        path = path.mid(1, path.size() - 2);
    return path;
}

} // namespace

LoopEditor::LoopEditor(Session &session, const Appearance &appearance, QWidget *parent)
    : QWidget(parent),
      m_session(session),
      m_appearance(appearance),
      m_list(new QListWidget(this)),
      m_problem(new QLabel(this)),
      m_completions(new QStringListModel(this))
{
    m_list->setObjectName(QStringLiteral("loopLines"));
    m_list->setAccessibleName(tr("Loop transformations"));
    m_list->setFont(appearance.codeFont());
    m_list->setFixedHeight(kListHeight);
    m_list->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed);
    m_list->setItemDelegate(new LineDelegate(m_completions, m_list));
    m_problem->setObjectName(QStringLiteral("loopProblem"));
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(8, 3, 8, 4);

    auto *tools = new QHBoxLayout;
    tools->setContentsMargins(8, 3, 8, 2);
    tools->setSpacing(2);
    auto *title = new QLabel(tr("Transformations, one to a line"), this);
    tools->addWidget(title, 1);
    const auto add = [&](const char *icon, const QString &text, const char *name, auto action) {
        QToolButton *button = addTool(icon, text, name);
        tools->addWidget(button);
        connect(button, &QToolButton::clicked, this, action);
    };
    add("zoom-in", tr("Add a line below"), "loopAdd", [this] { addLine(); });
    add("up", tr("Move the line up"), "loopUp", [this] { moveLine(-1); });
    add("down", tr("Move the line down"), "loopDown", [this] { moveLine(1); });
    add("close", tr("Remove the line"), "loopRemove", [this] { removeLine(); });

    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(tools);
    column->addWidget(m_list);
    column->addWidget(m_problem);
    connect(m_list, &QListWidget::itemChanged, this, &LoopEditor::requestCheck);
    connect(m_list, &QListWidget::currentRowChanged, this, &LoopEditor::showCompletions);
    // A compilation in between cancels the question.
    connect(&session, &Session::compileFinished, this, [this] {
        if (m_session.isDropped(RequestTag::Loops))
            requestCheck();
    });
    connect(&appearance, &Appearance::changed, this, [this] {
        for (const auto &[button, icon] : m_tools)
            button->setIcon(m_appearance.icon(icon));
        onChecked(m_check);
    });
}

QToolButton *LoopEditor::addTool(const char *icon, const QString &text, const char *name)
{
    auto *button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setProperty("pane", true);
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setIcon(m_appearance.icon(QLatin1String(icon)));
    button->setIconSize(QSize(14, 14));
    m_tools.emplace_back(button, QLatin1String(icon));
    return button;
}

void LoopEditor::setOverride(const QString &override)
{
    if (override == m_override)
        return;
    m_override = override;
    const auto [value, given] = partsOf(override);
    m_value = value;
    fill(given);
    requestCheck();
}

QStringList LoopEditor::lines() const
{
    QStringList all;
    for (int i = 0; i < m_list->count(); ++i)
        if (const QString text = m_list->item(i)->text().simplified(); !text.isEmpty())
            all << text;
    return all;
}

void LoopEditor::fill(const QStringList &given)
{
    const int row = m_list->currentRow();
    const QSignalBlocker blocker(m_list);
    m_list->clear();
    for (const QString &line : given) {
        auto *item = new QListWidgetItem(line, m_list); // the list owns it
        item->setFlags(item->flags() | Qt::ItemIsEditable);
    }
    m_list->setCurrentRow(std::min(std::max(row, 0), m_list->count() - 1));
}

void LoopEditor::addLine()
{
    auto *item = new QListWidgetItem;
    item->setFlags(item->flags() | Qt::ItemIsEditable);
    {
        const QSignalBlocker blocker(m_list);
        m_list->insertItem(m_list->currentRow() + 1, item);
        m_list->setCurrentItem(item);
    }
    showCompletions();
    m_list->editItem(item);
}

void LoopEditor::removeLine()
{
    delete m_list->takeItem(m_list->currentRow());
    requestCheck();
}

void LoopEditor::moveLine(int direction)
{
    const int from = m_list->currentRow();
    const int to = from + direction;
    if (from < 0 || to < 0 || to >= m_list->count())
        return;
    {
        const QSignalBlocker blocker(m_list);
        m_list->insertItem(to, m_list->takeItem(from));
        m_list->setCurrentRow(to);
    }
    requestCheck();
}

QString LoopEditor::overrideOf(const QStringList &given) const
{
    return QStringLiteral("loops %1:%2").arg(m_value, given.isEmpty() ? QString() : u' ' + given.join(QStringLiteral("; ")));
}

void LoopEditor::requestCheck()
{
    std::vector<std::string> texts;
    for (const QString &line : lines())
        texts.push_back(line.toStdString());
    m_session.ask(
        RequestTag::Loops, this,
        [value = unquoted(m_value).toStdString(), texts](EngineService &service, const std::stop_token &) {
            return service.checkLoops(value, texts);
        },
        [this](sw::LoopCheck check) {
            onChecked(std::move(check));
            const QString made = overrideOf(lines());
            if (m_check.problem.empty() && m_check.error.empty() && made != m_override) {
                m_override = made;
                emit changed(made);
            }
            emit checked();
        });
}

void LoopEditor::onChecked(sw::LoopCheck check)
{
    m_check = std::move(check);
    const QSignalBlocker blocker(m_list);
    QString legal;
    int line = 0;
    for (int i = 0; i < m_list->count(); ++i) {
        QListWidgetItem *item = m_list->item(i);
        item->setData(Qt::ForegroundRole, {});
        item->setToolTip({});
        if (item->text().simplified().isEmpty() || static_cast<std::size_t>(line) >= m_check.lines.size())
            continue;
        const sw::CheckedTransform &checked = m_check.lines[static_cast<std::size_t>(line++)];
        if (checked.problem.empty())
            continue;
        item->setForeground(m_appearance.color(Role::Error));
        item->setToolTip(QString::fromStdString(checked.problem));
        legal = QString::fromStdString(checked.legal);
    }
    const QString problem = QString::fromStdString(m_check.error.empty() ? m_check.problem : m_check.error);
    QString html;
    if (!problem.isEmpty())
        html = QStringLiteral("<span style='color:%1'>%2</span>")
                   .arg(m_appearance.color(Role::Error).name(), problem.toHtmlEscaped());
    if (!legal.isEmpty())
        html += QStringLiteral("<br><span style='color:%1'>%2</span>")
                    .arg(m_appearance.color(Role::Muted).name(), tr("Legal: %1").arg(legal.toHtmlEscaped()));
    m_problem->setText(html);
    m_problem->setVisible(!html.isEmpty());
    showCompletions();
}

// Of the loops before the current line.
void LoopEditor::showCompletions()
{
    const auto row = static_cast<std::size_t>(std::max(0, m_list->currentRow()));
    const std::vector<sw::LoopAxis> &axes = row < m_check.lines.size() ? m_check.lines[row].axes : m_check.axes;
    QStringList texts;
    for (const std::string &text : sw::possibleTransforms(axes))
        texts << QString::fromStdString(text);
    m_completions->setStringList(texts);
}

} // namespace stepwell::ui
