// SPDX-License-Identifier: GPL-3.0-or-later
#include <glpk.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "solver/glpk_call.h"
#include "solver/linear_program.h"

namespace coolspan {
namespace {

using Clock = std::chrono::steady_clock;

// GLPK's limit for terms; rows and columns must fit into its int too.
constexpr std::uint64_t kMax = 100'000'000;

absl::Status CheckRange(double low, double high, const char* what,
                        std::size_t number) {
  if (low <= high && low < kInfinity && high > -kInfinity) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", number, " has bounds ", low, " to ", high,
                   " (expected lower <= upper)"));
}

absl::Status Check(const LinearProgram& program, const SolveOptions& options) {
  std::size_t number = 0;
  for (const LinearProgram::VariableEntry& variable : program.variables()) {
    absl::Status range =
        CheckRange(variable.low, variable.high, "variable", number);
    if (!range.ok()) return range;
    if (!std::isfinite(variable.cost)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the cost of variable ", number, " is not finite"));
    }
    ++number;
  }
  std::uint64_t terms = 0;
  number = 0;
  for (const LinearProgram::RowEntry& row : program.rows()) {
    absl::Status range = CheckRange(row.low, row.high, "row", number);
    if (!range.ok()) return range;
    for (const LinearProgram::Term& term : row.terms) {
      if (term.variable >= program.variables().size() ||
          !std::isfinite(term.factor)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "row ", number, " has ", term.factor, " times variable ",
            term.variable, " (expected a finite factor and one of ",
            program.variables().size(), " variables)"));
      }
    }
    terms += row.terms.size();
    ++number;
  }
  if (!options.incumbent.empty() &&
      options.incumbent.size() != program.variables().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the incumbent has ", options.incumbent.size(),
                     " values for ", program.variables().size(), " variables"));
  }
  const Basis& start = options.start;
  if (!start.variables.empty() &&
      (start.variables.size() != program.variables().size() ||
       start.rows.size() != program.rows().size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the starting basis has ", start.variables.size(), " variables and ",
        start.rows.size(), " rows (expected ", program.variables().size(),
        " and ", program.rows().size(), ")"));
  }
  if (std::isnan(options.seconds)) {
    return absl::InvalidArgumentError("the time limit is not a number");
  }
  if (std::max({terms, std::uint64_t{program.variables().size()},
                std::uint64_t{program.rows().size()}}) > kMax) {
    return absl::ResourceExhaustedError(
        absl::StrCat("more than ", kMax, " variables, rows or terms"));
  }
  return absl::OkStatus();
}

// The program in GLPK's form and space for the solution. All memory is owned
// here, outside the functions that CallGlpk may leave by longjmp.
struct Session {
  const LinearProgram* program;
  bool has_integers = false;
  std::vector<int> term_row;
  std::vector<int> term_column;
  std::vector<double> term_factor;
  std::vector<double> incumbent;  // 1-based; empty: none
  bool incumbent_given = false;   // passed on to GLPK
  Clock::time_point end;
  bool has_time_limit = false;
  const SolveOptions* options = nullptr;

  Solution solution;
  int failure = 0;  // GLPK's error code
};

void Flatten(const LinearProgram& program, Session& session) {
  session.term_row.assign(1, 0);
  session.term_column.assign(1, 0);
  session.term_factor.assign(1, 0);
  std::vector<std::size_t> place(program.variables().size(), 0);
  int number = 0;
  for (const LinearProgram::RowEntry& row : program.rows()) {
    ++number;
    const std::size_t first = session.term_row.size();
    for (const LinearProgram::Term& term : row.terms) {
      std::size_t& at = place[term.variable];
      if (at >= first) {  // the row has this variable already
        session.term_factor[at] += term.factor;
        continue;
      }
      at = session.term_row.size();
      session.term_row.push_back(number);
      session.term_column.push_back(static_cast<int>(term.variable) + 1);
      session.term_factor.push_back(term.factor);
    }
  }
}

int BoundKind(double low, double high) {
  if (low == high) return GLP_FX;
  if (std::isinf(low)) return std::isinf(high) ? GLP_FR : GLP_UP;
  return std::isinf(high) ? GLP_LO : GLP_DB;
}

void Load(const Session& session, glp_prob* problem) {
  const LinearProgram& program = *session.program;
  if (!program.rows().empty()) {
    glp_add_rows(problem, static_cast<int>(program.rows().size()));
  }
  if (!program.variables().empty()) {
    glp_add_cols(problem, static_cast<int>(program.variables().size()));
  }
  int number = 0;
  for (const LinearProgram::RowEntry& row : program.rows()) {
    glp_set_row_bnds(problem, ++number, BoundKind(row.low, row.high), row.low,
                     row.high);
  }
  number = 0;
  for (const LinearProgram::VariableEntry& variable : program.variables()) {
    glp_set_col_bnds(problem, ++number, BoundKind(variable.low, variable.high),
                     variable.low, variable.high);
    glp_set_obj_coef(problem, number, variable.cost);
    if (variable.kind == LinearProgram::Kind::kInteger) {
      glp_set_col_kind(problem, number, GLP_IV);
    }
  }
  glp_load_matrix(problem, static_cast<int>(session.term_row.size()) - 1,
                  session.term_row.data(), session.term_column.data(),
                  session.term_factor.data());
}

int MillisecondsLeft(const Session& session) {
  constexpr int kNoLimit = std::numeric_limits<int>::max();
  if (!session.has_time_limit) return kNoLimit;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      session.end - Clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, kNoLimit - 1));
}

int StandingCode(Standing standing, int bound_kind) {
  if (standing == Standing::kBasic) return GLP_BS;
  if (bound_kind == GLP_FX) return GLP_NS;
  if (bound_kind == GLP_FR) return GLP_NF;
  if (bound_kind == GLP_UP) return GLP_NU;
  if (bound_kind == GLP_LO) return GLP_NL;
  return standing == Standing::kAtHigh ? GLP_NU : GLP_NL;
}

Standing StandingOf(int code) {
  if (code == GLP_BS) return Standing::kBasic;
  return code == GLP_NU ? Standing::kAtHigh : Standing::kAtLow;
}

void SetStart(const Session& session, glp_prob* problem) {
  const Basis& start = session.options->start;
  if (start.variables.empty()) {
    glp_adv_basis(problem, 0);
    return;
  }
  int number = 0;
  for (const Standing standing : start.variables) {
    ++number;
    glp_set_col_stat(problem, number,
                     StandingCode(standing, glp_get_col_type(problem, number)));
  }
  number = 0;
  for (const Standing standing : start.rows) {
    ++number;
    glp_set_row_stat(problem, number,
                     StandingCode(standing, glp_get_row_type(problem, number)));
  }
}

// Calls glp_simplex for 100 iterations at a time so that options.stop can be
// asked in between; each call continues from the basis of the one before, but
// loses the pricing information (with 20 iterations at a time, large programs
// take 1.5 times as long).
int SimplexFromBasis(const Session& session, glp_smcp& control,
                     glp_prob* problem) {
  constexpr int kIterationsPerCall = 100;
  const SolveOptions& options = *session.options;
  if (!options.stop) {
    control.it_lim = options.max_iterations;
    return glp_simplex(problem, &control);
  }
  int left = options.max_iterations;
  while (true) {
    control.it_lim = std::min(left, kIterationsPerCall);
    const int failure = glp_simplex(problem, &control);
    if (failure != GLP_EITLIM) return failure;
    left -= control.it_lim;
    if (left <= 0 || options.stop()) return failure;
  }
}

int Simplex(const Session& session, glp_smcp& control, glp_prob* problem) {
  SetStart(session, problem);
  const int failure = SimplexFromBasis(session, control, problem);
  if (failure != GLP_EBADB && failure != GLP_ESING && failure != GLP_ECOND) {
    return failure;
  }
  glp_adv_basis(problem, 0);
  return SimplexFromBasis(session, control, problem);
}

// Solves the relaxed problem. Returns whether branching may follow.
bool Relax(Session& session, glp_prob* problem) {
  glp_smcp control;
  glp_init_smcp(&control);
  control.msg_lev = GLP_MSG_OFF;
  control.meth = GLP_DUALP;
  control.r_test = GLP_RT_FLIP;
  control.tm_lim = MillisecondsLeft(session);
  session.failure = Simplex(session, control, problem);
  Solution& solution = session.solution;
  if (session.failure == GLP_ETMLIM || session.failure == GLP_EITLIM) {
    session.failure = 0;
    if (glp_get_dual_stat(problem) == GLP_FEAS) {
      solution.bound = glp_get_obj_val(problem);
    }
    if (glp_get_prim_stat(problem) == GLP_FEAS) {
      solution.status = SolveStatus::kFeasible;
    }
    return false;
  }
  if (session.failure != 0) return false;
  switch (glp_get_status(problem)) {
    case GLP_OPT:
      solution.status = SolveStatus::kOptimal;
      solution.bound = glp_get_obj_val(problem);
      return true;
    case GLP_NOFEAS:
      solution.status = SolveStatus::kInfeasible;
      solution.bound = kInfinity;
      return false;
    case GLP_UNBND:
      solution.status = SolveStatus::kUnbounded;
      return false;
    default:
      return false;
  }
}

extern "C" void OnTree(glp_tree* tree, void* context) {
  Session& session = *static_cast<Session*>(context);
  const int best = glp_ios_best_node(tree);
  if (best != 0) {
    session.solution.bound =
        std::max(session.solution.bound, glp_ios_node_bound(tree, best));
  }
  if (glp_ios_reason(tree) == GLP_IHEUR && !session.incumbent_given &&
      !session.incumbent.empty()) {
    session.incumbent_given = true;
    glp_ios_heur_sol(tree, session.incumbent.data());
  }
}

void Branch(Session& session, glp_prob* problem) {
  glp_iocp control;
  glp_init_iocp(&control);
  control.msg_lev = GLP_MSG_OFF;
  control.tm_lim = MillisecondsLeft(session);
  control.cb_func = OnTree;
  control.cb_info = &session;
  control.gmi_cuts = GLP_ON;
  control.mir_cuts = GLP_ON;
  session.failure = glp_intopt(problem, &control);
  const bool timed_out = session.failure == GLP_ETMLIM;
  if (timed_out) session.failure = 0;
  Solution& solution = session.solution;
  switch (glp_mip_status(problem)) {
    case GLP_OPT:
    case GLP_FEAS:
      solution.status =
          timed_out ? SolveStatus::kFeasible : SolveStatus::kOptimal;
      if (!timed_out) solution.bound = glp_mip_obj_val(problem);
      break;
    case GLP_NOFEAS:
      solution.status = SolveStatus::kInfeasible;
      solution.bound = kInfinity;
      break;
    default:
      solution.status = SolveStatus::kUnknown;
  }
}

void ReadValues(Session& session, glp_prob* problem, bool from_tree) {
  Solution& solution = session.solution;
  solution.objective =
      from_tree ? glp_mip_obj_val(problem) : glp_get_obj_val(problem);
  for (std::size_t i = 0; i < solution.values.size(); ++i) {
    const int column = static_cast<int>(i) + 1;
    solution.values[i] = from_tree ? glp_mip_col_val(problem, column)
                                   : glp_get_col_prim(problem, column);
  }
}

// Fills prices and basis, which have their final sizes already.
void ReadBasis(Session& session, glp_prob* problem) {
  Solution& solution = session.solution;
  for (std::size_t i = 0; i < solution.row_prices.size(); ++i) {
    const int row = static_cast<int>(i) + 1;
    solution.row_prices[i] = glp_get_row_dual(problem, row);
    solution.basis.rows[i] = StandingOf(glp_get_row_stat(problem, row));
  }
  for (std::size_t i = 0; i < solution.values.size(); ++i) {
    solution.basis.variables[i] =
        StandingOf(glp_get_col_stat(problem, static_cast<int>(i) + 1));
  }
}

void Work(void* context) {
  Session& session = *static_cast<Session*>(context);
  glp_prob* problem = glp_create_prob();
  Load(session, problem);
  const bool relaxed = Relax(session, problem);
  bool from_tree = false;
  if (session.has_integers && session.failure == 0) {
    from_tree = relaxed;
    if (relaxed) {
      Branch(session, problem);
    } else if (session.solution.status == SolveStatus::kFeasible) {
      session.solution.status = SolveStatus::kUnknown;
    }
  }
  const bool has_values = session.solution.status == SolveStatus::kOptimal ||
                          session.solution.status == SolveStatus::kFeasible;
  if (session.failure == 0 && has_values) {
    ReadValues(session, problem, from_tree);
    if (!session.has_integers) ReadBasis(session, problem);
  }
  glp_delete_prob(problem);
}

// Uses the incumbent if GLPK found no solution or a worse one.
void TakeIncumbent(const LinearProgram& program,
                   const std::vector<double>& incumbent, Solution& solution) {
  if (incumbent.empty() || solution.status == SolveStatus::kUnbounded) return;
  double objective = 0;
  for (std::size_t i = 0; i < incumbent.size(); ++i) {
    objective += program.variables()[i].cost * incumbent[i];
  }
  if (solution.status != SolveStatus::kUnknown &&
      solution.objective <= objective) {
    return;
  }
  if (solution.status == SolveStatus::kUnknown) {
    solution.status = SolveStatus::kFeasible;
  }
  solution.objective = objective;
  solution.values = incumbent;
}

}  // namespace

absl::StatusOr<Solution> Solve(const LinearProgram& program,
                               const SolveOptions& options) {
  if (absl::Status status = Check(program, options); !status.ok()) {
    return status;
  }
  Session session;
  session.program = &program;
  session.has_time_limit = options.seconds < 1e6;
  if (session.has_time_limit) {
    session.end =
        Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(
                           std::max(options.seconds, 0.0) * 1e6));
  }
  session.has_integers =
      std::any_of(program.variables().begin(), program.variables().end(),
                  [](const LinearProgram::VariableEntry& variable) {
                    return variable.kind == LinearProgram::Kind::kInteger;
                  });
  Flatten(program, session);
  if (!options.incumbent.empty()) {
    session.incumbent = {0};
    session.incumbent.insert(session.incumbent.end(), options.incumbent.begin(),
                             options.incumbent.end());
  }
  session.options = &options;
  session.solution.values.resize(program.variables().size());
  if (!session.has_integers) {
    session.solution.row_prices.resize(program.rows().size());
    session.solution.basis.variables.resize(program.variables().size());
    session.solution.basis.rows.resize(program.rows().size());
  }
  if (!CallGlpk(Work, &session) || session.failure != 0) {
    return absl::InternalError(absl::StrCat(
        "GLPK failed", session.failure == 0 ? "" : ", code ",
        session.failure == 0 ? "" : absl::StrCat(session.failure)));
  }
  const bool has_values = session.solution.status == SolveStatus::kOptimal ||
                          session.solution.status == SolveStatus::kFeasible;
  if (!has_values) session.solution.values.clear();
  if (session.solution.status != SolveStatus::kOptimal) {
    session.solution.row_prices.clear();
    session.solution.basis = {};
  }
  TakeIncumbent(program, options.incumbent, session.solution);
  return std::move(session.solution);
}

}  // namespace coolspan
