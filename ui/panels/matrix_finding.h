#pragma once

#include "engine/api/compare/comparer.h"
#include "ui/panels/panel.h"

#include <functional>

class QLabel;
class QPushButton;

namespace stepwell::ui {

// Below a matrix: looks for the first value of a column that parts from the reference, says in words which kernel stores it and
// which rewrite made it so, and leads there.
class MatrixFinding : public QWidget {
    Q_OBJECT

public:
    MatrixFinding(const PanelContext &context, QWidget *parent = nullptr);

    // madeBy: the compilation in the window that the matrix was made beside.
    void setMatrix(const sw::Matrix &matrix, const sw::ComparedProgram &program, std::uint64_t madeBy);
    // The column of the current cell; below 0: none.
    void setColumn(int column);
    [[nodiscard]] bool isSettled() const;
    // Makes the smallest program that shows what is wrong with the column, as this file.
    void makeMinimal(const QString &path);

private:
    void chooseMinimal();
    // The column to look into: the current one, or else the first with a difference.
    [[nodiscard]] sw::MatrixColumn wanted() const;
    void search();
    void answer(const sw::DivergenceAnswer &found);
    [[nodiscard]] QString sentence(const sw::FirstDivergence &found) const;
    void follow(const QString &link);
    // Does this once the window shows the compilation that was searched.
    void withColumn(std::function<void()> action);
    void selectNode(std::uint32_t node);
    void selectKernel(std::uint32_t kernel);
    void updateState();

    PanelContext m_context;
    QLabel *m_told;
    QLabel *m_minimalTold;
    QPushButton *m_search;
    QPushButton *m_minimal;
    sw::Matrix m_matrix;
    sw::ComparedProgram m_program;
    std::uint64_t m_madeBy = 0;
    int m_column = -1;           // where the search would look
    sw::MatrixColumn m_searched; // where it looked
    sw::FirstDivergence m_found;
    QString m_file;                  // of the minimal program
    std::function<void()> m_pending; // waits for a compilation
};

} // namespace stepwell::ui
