// The widgets of the editor of a kernel's text, and what they are connected to.

#include "ui/panels/code_editor.h"

#include "ui/panels/flow_layout.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <initializer_list>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kMargin = 8; // pixels
constexpr int kNameWidth = 120;

QToolButton *button(const QString &text, const QString &toolTip, const char *name, QWidget *parent)
{
    auto *made = new QToolButton(parent);
    made->setText(text);
    made->setToolTip(toolTip);
    made->setObjectName(QLatin1String(name));
    made->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return made;
}

} // namespace

CodeEditor::CodeEditor(const PanelContext &context, sw::StageKind stage, QWidget *parent)
    : QWidget(parent),
      m_context(context),
      m_stage(stage),
      m_kernels(new QComboBox(this)),
      m_variants(new QComboBox(this)),
      m_name(new QLineEdit(this)),
      m_apply(button(tr("Apply"), tr("Compiles the program with this text (Ctrl+Return)"), "codeApply", this)),
      m_run(button(tr("Apply and run"),
                   tr("Runs the program with its own kernels, if it has not run yet, and with this text (Ctrl+Shift+Return)"),
                   "codeRun", this)),
      m_revert(button(tr("Revert"), tr("The kernel's own text again; variants are kept"), "codeRevert", this)),
      m_keep(button(tr("Keep as variant"), tr("Applies this text under a name of its own"), "codeKeep", this)),
      m_beside(button(tr("Side by side"), tr("Shows the kernel's own text beside it"), "codeBeside", this)),
      m_close(button(tr("Close"), tr("Back to all kernels (Escape); what is applied stays"), "codeClose", this)),
      m_sides(new QSplitter(Qt::Horizontal, this)),
      m_original(new KernelTextEdit(context.appearance, this)),
      m_text(new KernelTextEdit(context.appearance, this)),
      m_state(new QLabel(this))
{
    setObjectName(stage == sw::StageKind::Lowered ? QStringLiteral("loweredEditor") : QStringLiteral("codeEditor"));
    makeLayout();
    connectAll();
}

void CodeEditor::makeLayout()
{
    m_kernels->setObjectName(QStringLiteral("codeKernel"));
    m_kernels->setAccessibleName(tr("Kernel"));
    m_kernels->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_variants->setObjectName(QStringLiteral("codeVariant"));
    m_variants->setAccessibleName(tr("Variant"));
    m_variants->setToolTip(tr("The text in use: the kernel's own, or a variant that was kept"));
    m_variants->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_name->setObjectName(QStringLiteral("codeName"));
    m_name->setAccessibleName(tr("Name of the variant"));
    m_name->setPlaceholderText(tr("name"));
    m_name->setFixedWidth(kNameWidth);
    m_beside->setCheckable(true);
    m_original->setObjectName(QStringLiteral("codeOriginal"));
    m_original->setAccessibleName(tr("The kernel's own text"));
    m_original->setReadOnly(true);
    m_original->hide();
    m_text->setObjectName(QStringLiteral("codeText"));
    m_text->setAccessibleName(tr("Text of the kernel"));
    m_state->setObjectName(QStringLiteral("codeState"));
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_state->setMargin(kMargin);

    auto *bar = new QWidget(this);
    auto *row = new FlowLayout(kMargin / 2, kMargin / 2, bar);
    for (QWidget *const widget :
         std::initializer_list<QWidget *>{m_kernels, m_variants, m_name, m_apply, m_run, m_revert, m_keep, m_beside, m_close})
        row->addWidget(widget);
    m_sides->setChildrenCollapsible(false);
    m_sides->addWidget(m_original);
    m_sides->addWidget(m_text);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(m_sides, 1);
    column->addWidget(m_state);
    setFocusProxy(m_text);
}

void CodeEditor::connectAll()
{
    connect(m_apply, &QToolButton::clicked, this, &CodeEditor::apply);
    connect(m_run, &QToolButton::clicked, this, &CodeEditor::applyAndRun);
    connect(m_revert, &QToolButton::clicked, this, &CodeEditor::revert);
    connect(m_keep, &QToolButton::clicked, this, &CodeEditor::keepAsVariant);
    connect(m_close, &QToolButton::clicked, this, &CodeEditor::closed);
    connect(m_text, &KernelTextEdit::applyWanted, this, &CodeEditor::apply);
    connect(m_text, &KernelTextEdit::runWanted, this, &CodeEditor::applyAndRun);
    connect(m_text, &KernelTextEdit::closeWanted, this, &CodeEditor::closed);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
        updateDifference();
        updateState();
    });
    connect(m_beside, &QToolButton::toggled, m_original, &QWidget::setVisible);
    connect(m_kernels, &QComboBox::activated, this, [this](int kernel) { open(static_cast<std::uint32_t>(kernel)); });
    connect(m_variants, &QComboBox::activated, this, [this](int row) {
        const QVariant index = m_variants->itemData(row);
        m_base = m_text->toPlainText(); // what was typed gives way
        m_context.whatIf.useVariant(m_kernel, index.isValid() ? std::optional(index.value<std::size_t>()) : std::nullopt);
    });
    // Both sides scroll together.
    connect(m_text->verticalScrollBar(), &QScrollBar::valueChanged, m_original->verticalScrollBar(), &QScrollBar::setValue);
    connect(m_original->verticalScrollBar(), &QScrollBar::valueChanged, m_text->verticalScrollBar(), &QScrollBar::setValue);
    connect(&m_context.whatIf, &WhatIf::changed, this, [this] {
        updateVariants();
        showUsed();
        updateState();
    });
    connect(&m_context.session, &Session::runFinished, this, &CodeEditor::onRun);
    connect(&m_context.appearance, &Appearance::changed, this, &CodeEditor::updateState);
}

} // namespace stepwell::ui
