#include "ui/models/tuning_model.h"

#include "ui/models/quantity.h"

#include <QFont>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stepwell::ui {

namespace {

// What the candidate stores, beside what the compiler's choice stores.
QString valuesText(const sw::CandidateTrial &trial)
{
    switch (trial.state) {
    case sw::TrialState::Timed:
    case sw::TrialState::Slower:
        return trial.maxUlp == 0 ? TuningModel::tr("equal") : TuningModel::tr("within %1 ULP").arg(trial.maxUlp);
    case sw::TrialState::Wrong:
        return TuningModel::tr("wrong");
    case sw::TrialState::Failed:
    case sw::TrialState::TooLarge:
    case sw::TrialState::Stopped:
        return {};
    }
    Q_UNREACHABLE();
}

} // namespace

QString bandText(const sw::TimeBand &band)
{
    if (band.median <= 0)
        return {};
    const QString median = timeText(std::llround(band.median));
    return band.low < band.high
               ? QStringLiteral("%1 \u00b1 %2 %").arg(median).arg(50 * (band.high - band.low) / band.median, 0, 'f', 1)
               : median;
}

void TuningModel::setTuning(sw::KernelTuning tuning)
{
    const std::size_t before = m_tuning.search.candidates.size();
    const std::size_t now = tuning.search.candidates.size();
    // While a search goes on, candidates are only added.
    if (m_tuning.key == tuning.key && before > 0 && now >= before) {
        if (now > before)
            beginInsertRows({}, static_cast<int>(before), static_cast<int>(now) - 1);
        m_tuning = std::move(tuning);
        rank();
        if (now > before)
            endInsertRows();
        emit dataChanged(index(0, 0), index(static_cast<int>(before) - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    m_tuning = std::move(tuning);
    rank();
    endResetModel();
}

void TuningModel::rank()
{
    const std::vector<sw::Candidate> &all = m_tuning.search.candidates;
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].time > 0)
            timed.push_back(i);
    // The best is so beyond noise; a single ratio may be smaller by chance.
    std::ranges::stable_sort(
        timed, {}, [&](std::size_t candidate) { return std::pair(candidate != m_tuning.search.best, all[candidate].time); });
    m_places.assign(all.size(), 0);
    for (std::size_t place = 0; place < timed.size(); ++place)
        m_places[timed[place]] = place + 1;
}

std::optional<std::size_t> TuningModel::placeOf(std::size_t candidate) const
{
    return m_places[candidate] == 0 ? std::nullopt : std::optional(m_places[candidate]);
}

int TuningModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tuning.search.candidates.size());
}

int TuningModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString TuningModel::textOf(std::size_t candidate, Column column) const
{
    const sw::Candidate &of = m_tuning.search.candidates[candidate];
    switch (column) {
    case Number:
        return QString::number(candidate);
    case Source:
        return QString::fromUtf8(nameOf(of.source));
    case Predicted:
        return of.predictedCycles ? countText(std::llround(*of.predictedCycles)) : QString();
    case Time:
        return bandText(of.trial.nanoseconds);
    case Relative:
        return of.time > 0 ? QString::fromStdString(relativeTimeText(of)) + QStringLiteral(" \u00d7") : QString();
    case Place:
        return m_places[candidate] == 0 ? QString() : QString::number(m_places[candidate]);
    case Values:
        return valuesText(of.trial);
    case Verdict:
        return QString::fromStdString(verdictOf(m_tuning.search, candidate));
    case Changes:
        return QString::fromStdString(changesOf(m_tuning.search.candidates.front().transforms, of.transforms));
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant TuningModel::sortKeyOf(std::size_t candidate, Column column) const
{
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const sw::Candidate &of = m_tuning.search.candidates[candidate];
    switch (column) {
    case Number:
        return static_cast<double>(candidate);
    case Predicted:
        return of.predictedCycles.value_or(kNone);
    case Time:
        return of.trial.nanoseconds.median > 0 ? of.trial.nanoseconds.median : kNone;
    case Relative:
    case Place:
        return m_places[candidate] == 0 ? kNone : static_cast<double>(m_places[candidate]);
    case Source:
    case Values:
    case Verdict:
    case Changes:
    case ColumnCount:
        return textOf(candidate, column);
    }
    Q_UNREACHABLE();
}

QVariant TuningModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const auto column = static_cast<Column>(index.column());
    const auto candidate = static_cast<std::size_t>(index.row());
    if (role == Qt::DisplayRole)
        return textOf(candidate, column);
    if (role == kSortRole)
        return sortKeyOf(candidate, column);
    if (role == Qt::TextAlignmentRole) {
        const bool isText = column == Source || column == Values || column == Verdict || column == Changes;
        return static_cast<int>((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::FontRole && candidate == m_tuning.search.best) {
        QFont font;
        font.setBold(true);
        return font;
    }
    return {};
}

QVariant TuningModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const bool isTip = role == Qt::ToolTipRole;
    switch (static_cast<Column>(section)) {
    case Number:
        return isTip ? tr("In the order in which they were tried; 0 is the model's own choice") : tr("No.");
    case Source:
        return isTip ? tr("Chosen by the compiler's model, kept from an earlier search, drawn at random, edited from a good one, "
                          "or crossed from two good ones")
                     : tr("From");
    case Predicted:
        return isTip ? tr("Cycles by the model that the compiler chooses with; empty: it has no price for the list")
                     : tr("Price");
    case Time:
        return isTip ? tr("The median of its launches, and half of the band that holds it with a confidence of 95 %")
                     : tr("Time");
    case Relative:
        return isTip ? tr("Its time divided by that of the model's choice, measured in turn") : tr("Ratio");
    case Place:
        return isTip ? tr("Among those that have a time; 1 is the best, the others by their ratios") : tr("Place");
    case Values:
        return isTip ? tr("What it stores, beside what the model's choice stores") : tr("Values");
    case Verdict:
        return isTip ? QVariant() : tr("Verdict");
    case Changes:
        return isTip ? tr("Compared with the model's choice") : tr("Changes");
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
