#pragma once
// Runs the program once, with tensors standing for values of the later run: known values are computed, the rest becomes the
// graph. A failed statement is reported, the names that it would set become broken, and the next statement runs.

#include "engine/language/arguments.h"
#include "engine/language/compile.h"
#include "engine/language/library.h"
#include "engine/language/library_caller.h"
#include "engine/language/operators.h"
#include "engine/language/subscripts.h"
#include "engine/types/safetensors.h"

#include <map>
#include <unordered_set>

namespace sw::language {

// Where an elaborator writes to and finds functions; it borrows the builder and the library.
struct ElaboratorParts {
    std::shared_ptr<SourceMap> sources;
    GraphBuilder &builder;
    Library &library;
    std::stop_token stop;
};

class Elaborator {
public:
    // Borrows the program; one without text serves for calls from outside.
    Elaborator(const ProgramSource &program, ElaboratorParts parts);

    ProgramResult run();
    // Calls a function of the library; see LibraryCaller.
    Result<Value> callLibrary(const LibraryCall &made);

private:
    // ---- statements (elaborator.cpp)
    void execute(StatementId id);
    void executeBlock(std::span<const StatementId> block);
    Result<Done> tryExecute(const Statement &statement);
    Result<Done> executeAssign(const Statement &statement);
    Result<Done> executeExpression(const Statement &statement);
    Result<Done> executeReturn(const Statement &statement);
    Result<Done> executeIf(const Statement &statement);
    Result<Done> executeFor(const Statement &statement);
    Result<Done> executeScope(const Statement &statement);
    void breakNames(const Statement &statement);
    Result<Done> bindNames(std::span<const NameSyntax> names, const Value &value, ExprId from);
    void bindName(std::string_view name, const Value &value);

    // ---- input, param, const, output (declarations.cpp)
    struct Type {
        DType dtype = DType::F32;
        Shape shape;
    };
    Result<Type> evaluateType(const TypeSyntax &type);
    Result<DType> evaluateDType(const TypeSyntax &type);
    Result<Done> declarePlaceholder(const Statement &statement, PlaceholderRole role);
    Result<Done> readInitializer(const Statement &statement, const Type &type, PlaceholderAttributes &attributes);
    [[nodiscard]] bool isLoad(ExprId value);
    Result<HostTensor> loadTensor(ExprId call, const Type &type, std::string_view declared);
    Result<HostTensor> readTensor(ExprId call);
    Result<std::string> fileText(ExprId argument, std::string_view what);
    Result<Done> declareDimension(const Statement &statement);
    Result<std::int64_t> integerAt(ExprId id, std::string_view what);
    Result<Done> declareConst(const Statement &statement);
    Result<Done> declareOutput(const Statement &statement);
    Result<Value> checkedType(const TypeSyntax &type, const Value &value, const Place &item, bool bindsNames);
    Result<Done> checkTopLevel(const Statement &statement, std::string_view what);
    SourceId itemOfName(const NameSyntax &name);

    // ---- expressions (expressions.cpp)
    Result<Value> evaluate(ExprId id);
    Result<Value> evaluateKind(ExprId id, const Expr &expr);
    Result<Operand> operandOf(ExprId id);
    Result<Value> evaluateName(ExprId id, const Expr &expr);
    Result<Value> evaluateList(ExprId id, const Expr &expr);
    Result<Value> evaluateBinary(ExprId id);
    Result<Value> combine(ExprId id, const Result<Operand> &left);
    Result<Value> multiplyMatrices(const Operand &left, const Operand &right, const Place &item);
    Result<Value> evaluateLogical(const Expr &expr);
    Result<Value> evaluateConditional(const Expr &expr);
    Result<Value> evaluateAttribute(ExprId id, const Expr &expr);
    Result<Value> evaluateSubscript(ExprId id, const Expr &expr);
    Result<Value> evaluateComprehension(ExprId id, const Expr &expr);
    Result<SubscriptItem> evaluateSubscriptItem(ExprId id);
    Result<std::optional<std::int64_t>> evaluateBound(ExprId id);

    // ---- names and calls (calls.cpp)
    Result<Value> lookup(std::string_view name, ExprId id);
    std::optional<Value> findVariable(std::string_view name);
    std::optional<Value> findFunction(std::string_view name);
    Failure unknownName(std::string_view name, ExprId id);
    std::vector<std::string> knownNames();
    Result<Value> evaluateCall(ExprId id, const Expr &expr);
    Result<Value> evaluateCallee(const Expr &callee, ExprId id, std::vector<Argument> &arguments);
    Result<Value> call(const FunctionValue &function, std::span<const Argument> arguments, const Place &item);
    Result<Value> callOp(Op op, std::span<const Argument> arguments, const Place &item);
    Result<Value> callDefinition(const FunctionValue &function, std::span<const Argument> arguments, const Place &item);
    Result<Value> runDefinition(const FunctionValue &function, const BoundArguments &bound, ScopeId scope, SourceId item);
    std::optional<Value> findInLibrary(std::string_view name);
    Result<Done> bindParameters(const Statement &definition, const BoundArguments &bound, SourceId item);
    Result<Value> runBody(const Statement &definition, SourceId item);
    Signature signatureOf(const FunctionValue &function);

    const ProgramSource &m_program;
    std::shared_ptr<SourceMap> m_sources;
    Tracer m_tracer;
    Library &m_library;
    Module m_module;
    std::uint32_t m_depth = 0; // how many nested statements and expressions are being evaluated, across all calls
    std::vector<NodeId> m_outputs;
    std::vector<std::string> m_outputNames;
    std::vector<SourceId> m_outputItems;
    std::size_t m_unnamedOutputs = 0;
    std::map<std::pair<ScopeId, std::string>, ScopeId> m_namedScopes;
    std::map<std::string, TensorArchive> m_archives; // by the name that the program has for the file
    std::unordered_set<std::string> m_placeholderNames;
    std::unordered_set<std::string> m_takenOutputNames;
};

} // namespace sw::language
