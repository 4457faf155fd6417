// How long the matrix of a program takes on four devices, and which part of it each column needs: compiling, running with its
// repeats, and judging. Prints the matrix, too. stepwell_matrix_benchmark [PROGRAM.sw], without one the example attention.

#include "engine/api/compare/matrix.h"
#include "engine/api/compare/matrix_text.h"
#include "engine/api/compilation.h"
#include "engine/api/resources.h"
#include "engine/backend/host/host_process.h"
#include "engine/backend/native_backends.h"

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

int main(int count, char **arguments)
{
    using Clock = std::chrono::steady_clock;
    sw::BackendRegistry registry;
    sw::addNativeBackends(registry, sw::findHostProgram());
    sw::ProgramCompiler compiler(registry);
    sw::CompileRequest request;
    request.program.resourceFolder = sw::findResourceFolder();
    request.program.fileName = count > 1 ? arguments[1] : request.program.resourceFolder + "/examples/attention.sw";
    std::vector<sw::MatrixColumn> columns;
    for (const char *device : {"llvm", "c", "opencl", "interpreter"}) {
        sw::MatrixColumn column;
        column.device = device;
        columns.push_back(std::move(column));
    }
    Clock::time_point before = Clock::now();
    const Clock::time_point start = before;
    std::string steps;
    sw::MatrixOptions options;
    options.onChange = [&](const sw::Matrix &matrix) {
        const Clock::time_point now = Clock::now();
        std::string states;
        for (const sw::MatrixColumnResult &column : matrix.columns)
            states += sw::format(" {}", sw::nameOf(column.state));
        steps += sw::format("{:8.1f} ms, then:{}\n", std::chrono::duration<double, std::milli>(now - before).count(), states);
        before = now;
    };
    const sw::Matrix matrix =
        sw::makeMatrix(compiler, request, columns, [](const sw::Compilation &) { return sw::RunInputs(); }, options);
    const double all = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    std::printf("%s\n%s\nall %.1f ms\n", sw::matrixText(matrix, sw::MatrixFormat::Text).c_str(), steps.c_str(), all);
    return 0;
}
