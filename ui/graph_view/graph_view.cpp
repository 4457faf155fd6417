#include "ui/graph_view/graph_view.h"

#include "ui/graph_view/find_bar.h"

#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>

namespace stepwell::ui {

namespace {

// Smaller graphs take less than a frame to lay out, so they are never a frame late.
constexpr std::size_t kBigGraph = 600;

// Both lists are sorted.
std::vector<BoxIndex> without(const std::vector<BoxIndex> &boxes, const std::vector<BoxIndex> &others)
{
    std::vector<BoxIndex> rest;
    std::ranges::set_difference(boxes, others, std::back_inserter(rest));
    return rest;
}

} // namespace

GraphView::GraphView(sw::StageKind stage, const Appearance &appearance, Selection &selection, QWidget *parent)
    : QWidget(parent),
      m_stage(stage),
      m_appearance(appearance),
      m_selection(selection),
      m_canvas(new GraphCanvas(appearance, this)),
      m_findBar(new FindBar(appearance, this))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_findBar);
    m_canvas->setObjectName(QStringLiteral("canvas"));
    setFocusProxy(m_canvas);

    connect(m_canvas, &GraphCanvas::boxHovered, this, &GraphView::onBoxHovered);
    connect(m_canvas, &GraphCanvas::boxClicked, this, &GraphView::onBoxClicked);
    connect(m_canvas, &GraphCanvas::edgeClicked, this, &GraphView::onEdgeClicked);
    connect(m_canvas, &GraphCanvas::boxMenuWanted, this, &GraphView::boxMenuWanted);
    connect(m_canvas, &GraphCanvas::edgeMenuWanted, this, &GraphView::edgeMenuWanted);
    connect(m_canvas, &GraphCanvas::foldRequested, this, &GraphView::fold);
    connect(m_canvas, &GraphCanvas::unfoldRequested, this, &GraphView::unfold);
    connect(&selection, &Selection::hoverChanged, this, &GraphView::showMarks);
    connect(&selection, &Selection::selectionChanged, this, [this] {
        showMarks();
        reveal();
    });
    connect(m_findBar, &FindBar::patternChanged, this, &GraphView::search);
    connect(m_findBar, &FindBar::nextRequested, this, &GraphView::findNext);
    connect(m_findBar, &FindBar::previousRequested, this, &GraphView::findPrevious);
    connect(m_findBar, &FindBar::closed, m_canvas, qOverload<>(&QWidget::setFocus));
}

GraphView::~GraphView() = default;

SceneFonts GraphView::sceneFonts() const
{
    QFont label = m_appearance.textFont();
    label.setWeight(QFont::DemiBold);
    QFont detail = m_appearance.textFont();
    detail.setPointSizeF(detail.pointSizeF() - 1);
    return {TextMeasure(label), TextMeasure(detail)};
}

void GraphView::setDocument(const sw::StageDocumentPtr &document, const std::vector<KernelIdentity> &kernels,
                            const sw::StageMarks &touched)
{
    m_canvas->setKernels(kernels);
    m_isTouchedNew = m_isTouchedNew || document != m_document || touched.made != m_touched.made;
    m_touched = touched;
    if (document == m_document) {
        m_isNextMoment = false;
        showMarks();
        return;
    }
    // Scopes are recognised by their position in the nesting; a graph with other scopes starts afresh.
    const bool sameScopes =
        document && m_document && std::ranges::equal(document->groups, m_document->groups, [](const auto &a, const auto &b) {
            return a.label == b.label && a.parent == b.parent;
        });
    m_document = document;
    if (!m_isNextMoment)
        m_endScene.reset();
    if (!sameScopes)
        m_folded = document ? foldedAtFirst(*document) : FoldedGroups{};
    rebuild();
}

// The end always looks the same; a moment is laid out like the one before it, or else like the end.
void GraphView::expectMoment(bool isEnd)
{
    m_isNextMoment = true;
    const GraphScenePtr shown = isCurrent() ? m_canvas->scene() : nullptr;
    if (!m_endScene)
        m_endScene = shown;
    m_like = isEnd ? std::vector<GraphScenePtr>{} : std::vector<GraphScenePtr>{shown, m_endScene};
    if (isEnd)
        m_endScene.reset();
}

void GraphView::rebuild()
{
    const std::uint64_t wanted = ++m_wanted;
    if (!m_isNextMoment)
        m_like.clear();
    // At the end, the nodes of a kernel are side by side.
    const auto hasKernel = [](const sw::DocumentItem &item) { return item.kernel != sw::kNoIndex; };
    if (m_document && m_stage == sw::StageKind::Graph && std::ranges::any_of(m_document->items, hasKernel))
        std::ranges::reverse(m_like);
    if (!m_document) {
        showScene(nullptr);
        return;
    }
    if (m_document->items.size() < kBigGraph) {
        showScene(makeGraphScene(m_document, m_folded, sceneFonts(), m_like));
        return;
    }
    m_isLayingOut = true;
    if (!m_layouts)
        m_layouts = std::make_unique<RequestQueue>();
    m_layouts->post(RequestTag::Facts, [this, wanted, document = m_document, folded = m_folded, fonts = sceneFonts(),
                                        like = m_like](const std::stop_token &) {
        const GraphScenePtr scene = makeGraphScene(document, folded, fonts, like);
        QMetaObject::invokeMethod(this, [this, wanted, scene] {
            if (wanted == m_wanted)
                showScene(scene);
        });
    });
}

void GraphView::showScene(const GraphScenePtr &scene)
{
    m_isLayingOut = false;
    if (std::exchange(m_isNextMoment, false))
        m_canvas->setNextScene(scene);
    else
        m_canvas->setScene(scene);
    search();
    showMarks();
    revealTouched();
    reveal();
    emit sceneChanged();
}

void GraphView::revealTouched()
{
    const GraphMarks &marks = m_canvas->marks();
    if (!std::exchange(m_isTouchedNew, false))
        return;
    m_canvas->ensureVisible(marks.made.empty() ? marks.matched : marks.made);
}

void GraphView::reveal()
{
    const GraphMarks &marks = m_canvas->marks();
    const std::vector<BoxIndex> &first = marks.selected.empty() ? marks.nearSelected : marks.selected;
    if (m_revealed == m_selection.number() || first.empty())
        return;
    m_revealed = m_selection.number();
    m_canvas->ensureVisible({first.front()});
}

std::vector<BoxIndex> GraphView::boxesOf(const std::vector<sw::ItemIndex> &items) const
{
    std::vector<BoxIndex> boxes;
    const GraphScenePtr &scene = m_canvas->scene();
    if (!isCurrent())
        return boxes;
    for (const sw::ItemIndex item : items) {
        if (item < scene->boxOfItem.size() && scene->boxOfItem[item] != sw::kNoIndex)
            boxes.push_back(scene->boxOfItem[item]);
    }
    std::ranges::sort(boxes);
    boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
    return boxes;
}

void GraphView::showMarks()
{
    GraphMarks marks;
    const PartnerSet &hovered = m_selection.hovered(m_stage);
    const PartnerSet &selected = m_selection.selected(m_stage);
    static const PartnerSet kNone;
    const PartnerSet &hoveredBefore = m_before ? m_before->hovered(m_stage) : kNone;
    const PartnerSet &selectedBefore = m_before ? m_before->selected(m_stage) : kNone;
    marks.hovered = boxesOf(drawn(hovered.items, hoveredBefore.items));
    marks.selected = boxesOf(drawn(selected.items, selectedBefore.items));
    marks.nearHovered = without(boxesOf(drawn(hovered.nearItems, hoveredBefore.nearItems)), marks.hovered);
    marks.nearSelected = without(boxesOf(drawn(selected.nearItems, selectedBefore.nearItems)), marks.selected);
    marks.matched = boxesOf(m_touched.matched);
    marks.made = without(boxesOf(m_touched.made), marks.matched);
    markDifference(marks);
    marks.found = m_found;
    for (const auto &[item, flag] : m_flags)
        for (const BoxIndex box : boxesOf({item}))
            if (std::ranges::find(marks.flags, box, &BoxFlag::box) == marks.flags.end())
                marks.flags.push_back({box, flag.sign, flag.color});
    m_canvas->setMarks(std::move(marks));
}

void GraphView::setFlags(std::vector<std::pair<sw::ItemIndex, BoxFlag>> flags)
{
    m_flags = std::move(flags);
    showMarks();
}

// While a big graph is being laid out, the canvas shows an old one whose item numbers are no longer valid.
bool GraphView::isCurrent() const
{
    return m_canvas->scene() && m_canvas->scene()->document == m_document;
}

void GraphView::onBoxHovered(BoxIndex box)
{
    if (box == sw::kNoIndex || !isCurrent()) {
        m_selection.clearHover();
        return;
    }
    const Lit lit = litBy(m_canvas->scene()->itemsOf(box));
    lit.selection.setHover(m_stage, lit.items);
}

void GraphView::onBoxClicked(BoxIndex box, Qt::KeyboardModifiers modifiers)
{
    m_revealed = m_selection.number() + 1; // selections made here do not scroll the view
    if (box == sw::kNoIndex) {
        m_selection.clear();
        return;
    }
    if (!isCurrent())
        return;
    const SelectMode mode = modifiers & Qt::ControlModifier ? SelectMode::Add : SelectMode::Replace;
    const Lit lit = litBy(m_canvas->scene()->itemsOf(box));
    lit.selection.select(m_stage, lit.items, mode);
}

void GraphView::onEdgeClicked(std::uint32_t edge)
{
    if (!isCurrent())
        return;
    const sw::DocumentEdge &documentEdge = m_document->edges[m_canvas->scene()->edges[edge].documentEdge];
    if (documentEdge.decision != sw::kNoIndex) {
        m_selection.select(sw::StageKind::Schedule, {documentEdge.decision});
    } else {
        const Lit lit = litBy({documentEdge.from});
        lit.selection.select(m_stage, lit.items);
    }
}

void GraphView::fold(std::uint32_t group)
{
    if (!isCurrent())
        return;
    m_folded.insert(group);
    rebuild();
}

void GraphView::unfold(std::uint32_t group)
{
    if (!isCurrent())
        return;
    m_folded.erase(group);
    rebuild();
}

void GraphView::foldAll()
{
    if (!m_document)
        return;
    for (std::uint32_t group = 0; group < m_document->groups.size(); ++group)
        m_folded.insert(group);
    rebuild();
}

void GraphView::unfoldAll()
{
    m_folded.clear();
    rebuild();
}

void GraphView::find()
{
    m_findBar->open();
}
void GraphView::findNext()
{
    step(1);
}
void GraphView::findPrevious()
{
    step(-1);
}

void GraphView::search()
{
    m_found.clear();
    m_foundAt = -1;
    const GraphScenePtr &scene = m_canvas->scene();
    if (scene && !m_findBar->pattern().pattern().isEmpty()) {
        for (BoxIndex box = 0; box < scene->boxes.size(); ++box) {
            const SceneBox &candidate = scene->boxes[box];
            if (candidate.label.contains(m_findBar->pattern()) || candidate.detail.contains(m_findBar->pattern()))
                m_found.push_back(box);
        }
    }
    m_findBar->setCount(0, static_cast<int>(m_found.size()));
    showMarks();
}

void GraphView::step(int direction)
{
    const int count = static_cast<int>(m_found.size());
    if (count == 0)
        return;
    m_foundAt = m_foundAt < 0 ? (direction > 0 ? 0 : count - 1) : (m_foundAt + direction + count) % count;
    const BoxIndex box = m_found[static_cast<std::size_t>(m_foundAt)];
    m_findBar->setCount(m_foundAt + 1, count);
    m_canvas->centerOn(box);
    if (!isCurrent())
        return;
    const Lit lit = litBy(m_canvas->scene()->itemsOf(box));
    lit.selection.select(m_stage, lit.items);
}

} // namespace stepwell::ui
