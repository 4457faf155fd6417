#include "ui/panels/loop_bar.h"

#include "ui/panels/flow_layout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>

#include <algorithm>
#include <array>
#include <limits>

namespace stepwell::ui {

namespace {

constexpr int kSliderWidth = 52;
constexpr std::size_t kAlwaysShown = 6; // counters; of more, only those that the run is in
constexpr std::array kAxes{"global_x", "global_y", "global_z"};
constexpr int kClosed = -1;

// A loop without a name has a number.
QString labelOf(const sw::TraceLoop &loop)
{
    const QString label = QString::fromStdString(loop.label);
    return label.front().isDigit() ? u'%' + label : label;
}

} // namespace

LoopBar::LoopBar(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("loopBar"));
    setLayout(new FlowLayout(0, 8, this));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void LoopBar::setFacts(const TraceFacts *facts)
{
    for (const Counter &counter : m_counters)
        delete counter.box;
    m_counters.clear();
    setVisible(facts != nullptr);
    if (!facts)
        return;
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis)
        if (facts->globalSize[axis] > 1)
            add(kAxes[axis], tr("item %1").arg(QChar(u"xyz"[axis])), static_cast<int>(axis), {}, facts->globalSize[axis]);
    for (const sw::TraceLoop &loop : facts->loops)
        add(loop.name, labelOf(loop), -1, loop, loop.extent.value_or(std::numeric_limits<int>::max()));
    setVisible(!m_counters.empty());
}

void LoopBar::add(const std::string &name, const QString &label, int axis, const sw::TraceLoop &loop, std::int64_t extent)
{
    const std::size_t index = m_counters.size();
    const int last = static_cast<int>(std::min<std::int64_t>(extent, std::numeric_limits<int>::max()) - 1);
    Counter counter{name, axis, loop, new QWidget(this), nullptr, nullptr, nullptr, kClosed};
    auto *row = new QHBoxLayout(counter.box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(5);
    counter.label = new QLabel(label, counter.box);
    counter.slider = new QSlider(Qt::Horizontal, counter.box);
    counter.slider->setFixedWidth(kSliderWidth);
    counter.slider->setRange(0, last);
    counter.slider->setObjectName(QStringLiteral("counterSlider.") + QString::fromStdString(name));
    counter.slider->setAccessibleName(tr("Jump to a value of %1").arg(label));
    counter.number = new QSpinBox(counter.box);
    counter.number->setRange(kClosed, last);
    counter.number->setSpecialValueText(QStringLiteral("\u2013"));
    counter.number->setKeyboardTracking(false);
    counter.number->setObjectName(QStringLiteral("counter.") + QString::fromStdString(name));
    counter.number->setAccessibleName(tr("Value of %1").arg(label));
    if (axis >= 0 || loop.extent)
        counter.number->setSuffix(tr(" of %1").arg(extent));
    row->addWidget(counter.label);
    row->addWidget(counter.slider);
    row->addWidget(counter.number);
    counter.slider->setVisible(axis >= 0 || loop.extent.has_value());
    connect(counter.slider, &QSlider::valueChanged, this, [this, index](int value) { moveTo(index, value); });
    connect(counter.number, &QSpinBox::valueChanged, this, [this, index](int value) { moveTo(index, value); });
    layout()->addWidget(counter.box);
    m_counters.push_back(counter);
    show(m_counters.back(), kClosed);
}

void LoopBar::show(Counter &counter, int value)
{
    const QSignalBlocker quietSlider(counter.slider);
    const QSignalBlocker quietNumber(counter.number);
    counter.shown = value;
    counter.slider->setValue(std::max(0, value));
    counter.number->setValue(value);
    counter.label->setEnabled(value != kClosed);
}

void LoopBar::setPosition(const sw::TracePosition &position)
{
    for (Counter &counter : m_counters) {
        if (counter.axis >= 0) {
            show(counter, static_cast<int>(position.workItem[static_cast<std::size_t>(counter.axis)]));
            continue;
        }
        const auto open = std::ranges::find(position.counters, counter.name, &sw::TraceCounter::name);
        show(counter, open == position.counters.end() ? kClosed : static_cast<int>(open->value));
    }
    hideClosed();
}

void LoopBar::hideClosed()
{
    const bool showsAll = m_counters.size() <= kAlwaysShown;
    const bool isAnyOpen =
        std::ranges::any_of(m_counters, [](const Counter &counter) { return counter.axis < 0 && counter.shown != kClosed; });
    for (std::size_t i = 0; i < m_counters.size(); ++i) {
        const Counter &counter = m_counters[i];
        counter.box->setVisible(showsAll || counter.axis >= 0 || (isAnyOpen ? counter.shown != kClosed : i < kAlwaysShown));
    }
}

// The place keeps the work item and the loops around the one that is moved.
std::string LoopBar::placeOf(const Counter &moved, int value) const
{
    std::string place;
    const auto add = [&place](const std::string &name, int wanted) {
        place += (place.empty() ? "" : ",") + name + "=" + std::to_string(wanted);
    };
    for (const Counter &counter : m_counters) {
        if (&counter == &moved)
            add(counter.name, value);
        else if (counter.axis >= 0)
            add(counter.name, counter.shown);
        else if (moved.axis < 0 && counter.shown != kClosed && counter.loop.line < moved.loop.line &&
                 moved.loop.endLine < counter.loop.endLine)
            add(counter.name, counter.shown);
    }
    return place;
}

void LoopBar::moveTo(std::size_t index, int value)
{
    Counter &counter = m_counters[index];
    if (value == kClosed) {
        show(counter, counter.shown);
        return;
    }
    if (value == counter.shown)
        return;
    const auto direction = value > counter.shown ? sw::TraceDirection::Forward : sw::TraceDirection::Backward;
    const std::string place = placeOf(counter, value);
    show(counter, value); // until the run is there
    emit jumpWanted(direction, place);
}

} // namespace stepwell::ui
