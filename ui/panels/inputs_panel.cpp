#include "ui/panels/inputs_panel.h"

#include "engine/api/tensor_files.h"
#include "ui/panels/inputs_form.h"
#include "ui/panels/inputs_image_dialog.h"
#include "ui/panels/table.h"
#include "ui/session/counted.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QImageReader>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace stepwell::ui {

namespace {

constexpr int kFormWidth = 320; // pixels
constexpr int kWide = 560;      // in a narrower panel the form stands below the table
constexpr int kLeastColumnWidth = 76;

struct Loaded {
    sw::TensorViewPtr tensor;
    std::string error;
};

} // namespace

InputsPanel::InputsPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new InputModel(context.appearance, context.inputs, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("The program has no inputs."), this)),
      m_form(new InputsForm(this)),
      m_runs(new QCheckBox(tr("Run after each change"), this))
{
    m_table->setObjectName(QStringLiteral("inputsTable"));
    m_table->setAccessibleName(tr("Inputs and parameters"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setMinimumSectionSize(kLeastColumnWidth); // the header's own measure cuts short names
    m_runs->setObjectName(QStringLiteral("inputsRun"));
    m_runs->setChecked(context.inputs.runsOnChange());

    auto *content = new QWidget(this);
    auto *side = new QWidget(content);
    auto *column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 6);
    column->setSpacing(0);
    auto *scroll = new QScrollArea(side); // a low pane has no room for all of it
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setMinimumHeight(1);
    scroll->setWidget(m_form);
    column->addWidget(scroll, 1);
    auto *last = new QHBoxLayout;
    last->setContentsMargins(8, 0, 8, 0);
    last->addWidget(m_runs);
    column->addLayout(last);
    auto *row = new QBoxLayout(QBoxLayout::LeftToRight, content);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_stack, 1);
    row->addWidget(side);
    m_row = row;
    m_side = side;
    arrange();
    setContent(content);
    setFocusProxy(m_table);

    QToolButton *reset = addTool(QStringLiteral("close"), tr("Reset all inputs to what the program says"));
    reset->setObjectName(QStringLiteral("inputsResetAll"));
    connect(reset, &QToolButton::clicked, this, [this] { m_context.inputs.resetAll(); });
    connect(m_runs, &QCheckBox::toggled, this, [this](bool runs) { m_context.inputs.setRunsOnChange(runs); });
    connect(&context.inputs, &InputChoices::changed, this, &InputsPanel::refresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &InputsPanel::showCurrent);
    connect(m_table, &QTableView::doubleClicked, this, [this] { m_context.inputs.show(QString::fromStdString(current())); });
    connect(m_form, &InputsForm::chosen, this, &InputsPanel::choose);
    connect(m_form, &InputsForm::fileWanted, this, &InputsPanel::chooseFile);
    connect(m_form, &InputsForm::cellsWanted, this, [this] { m_context.inputs.show(QString::fromStdString(current())); });
    connect(m_form, &InputsForm::resetWanted, this, [this] { m_context.inputs.reset(current()); });
    refresh();
}

void InputsPanel::setSnapshot(const SnapshotPtr &) {} // InputChoices says what there is

void InputsPanel::resizeEvent(QResizeEvent *event)
{
    Panel::resizeEvent(event);
    arrange();
}

void InputsPanel::arrange()
{
    const bool isWide = width() >= kWide;
    m_row->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_row->setStretch(1, isWide ? 0 : 1);
    m_side->setMinimumWidth(isWide ? kFormWidth : 0);
    m_side->setMaximumWidth(isWide ? kFormWidth : QWIDGETSIZE_MAX);
}

void InputsPanel::showEvent(QShowEvent *event)
{
    Panel::showEvent(event);
    m_context.inputs.setWatched(true);
}

void InputsPanel::hideEvent(QHideEvent *event)
{
    Panel::hideEvent(event);
    m_context.inputs.setWatched(false);
}

std::string InputsPanel::current() const
{
    const QModelIndex index = m_table->currentIndex();
    return index.isValid() ? m_model->nameAt(index.row()) : std::string();
}

void InputsPanel::refresh()
{
    const std::string name = current();
    m_model->refresh();
    const bool hasRows = m_model->rowCount() > 0;
    showTable(*m_stack, hasRows);
    const int row = std::max(0, m_model->rowOf(name));
    if (hasRows && m_table->currentIndex().row() != row)
        m_table->setCurrentIndex(m_model->index(row, 0));
    setNote(hasRows ? counted(m_model->rowCount(), tr("%1 value"), tr("%1 values")) : QString());
    const QStringList &notes = m_context.inputs.notes();
    if (!notes.isEmpty())
        m_form->tell(notes.join(u'\n'), true);
    showCurrent();
}

void InputsPanel::showCurrent()
{
    const std::string name = current();
    m_form->setEntry(m_context.inputs.entry(name), m_context.inputs.choice(name));
}

void InputsPanel::choose(const sw::InputChoice &choice)
{
    const QString error = m_context.inputs.choose(choice);
    m_form->tell(error, true);
}

void InputsPanel::chooseFile()
{
    const QString path = QFileDialog::getOpenFileName(this, tr("Values for %1").arg(QString::fromStdString(current())), {},
                                                      tr("Values and pictures (*.npy *.csv *.png *.jpg *.jpeg *.bmp)"), nullptr,
                                                      QFileDialog::DontUseNativeDialog);
    if (path.isEmpty())
        showCurrent(); // the fill stays what it was
    else
        load(path);
}

void InputsPanel::load(const QString &path)
{
    const sw::InputEntry *entry = m_context.inputs.entry(current());
    if (!entry)
        return;
    const bool isNpy = path.endsWith(QLatin1String(".npy"), Qt::CaseInsensitive);
    if (!isNpy && !path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        loadPicture(path, *entry);
        return;
    }
    m_form->tell(tr("Reading\u2026"), false);
    m_context.session.ask(
        RequestTag::File, this,
        [isNpy, path = path.toStdString(), entry = *entry](EngineService &, const std::stop_token &) {
            const sw::Result<sw::TensorViewPtr> read =
                isNpy ? sw::loadNpy(path) : sw::loadCsv(path, entry.elementType, entry.shape);
            return read ? Loaded{*read, {}} : Loaded{nullptr, read.error().front().message};
        },
        [this, input = entry->name](const Loaded &loaded) {
            if (loaded.tensor)
                take(loaded.tensor, input);
            else
                m_form->tell(QString::fromStdString(loaded.error), true);
        });
}

void InputsPanel::loadPicture(const QString &path, const sw::InputEntry &entry)
{
    QImageReader reader(path);
    const QImage image = reader.read();
    if (image.isNull()) {
        m_form->tell(tr("%1: %2").arg(path, reader.errorString()), true);
        return;
    }
    auto *dialog = new InputsImageDialog(image, entry, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, image, entry, name = QFileInfo(path).fileName()] {
        const ImagePlan plan = imagePlan(entry, dialog->layoutChoice());
        const std::vector<double> numbers = imageNumbers(image, plan, dialog->layoutChoice(), dialog->scale());
        take(sw::tensorOfNumbers(name.toStdString(), entry.elementType, entry.shape, numbers), entry.name);
    });
    dialog->open();
}

void InputsPanel::take(const sw::TensorViewPtr &tensor, const std::string &input)
{
    sw::InputChoice choice;
    choice.name = input;
    choice.fill = sw::InputFill::Tensor;
    choice.tensor = tensor;
    choose(choice);
}

} // namespace stepwell::ui
