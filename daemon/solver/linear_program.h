// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SOLVER_LINEAR_PROGRAM_H_
#define COOLSPAN_SOLVER_LINEAR_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"

namespace coolspan {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// min c^T x subject to l <= A x <= u and bounds of x; some x may have to be
// integers. To maximise, negate the costs.
class LinearProgram {
 public:
  using Variable = std::size_t;  // numbered from 0 in the order they are added
  using Row = std::size_t;
  enum class Kind { kReal, kInteger };
  struct Term {
    Variable variable;
    double factor;
  };

  // cost: factor in the objective. Bounds may be infinite.
  Variable AddVariable(double low, double high, double cost,
                       Kind kind = Kind::kReal);
  Variable AddBinary(double cost) {
    return AddVariable(0, 1, cost, Kind::kInteger);
  }
  // low <= sum of terms <= high; terms of one variable add up.
  Row AddRow(double low, double high, std::vector<Term> terms);

  struct VariableEntry {
    double low;
    double high;
    double cost;
    Kind kind;
  };
  struct RowEntry {
    double low;
    double high;
    std::vector<Term> terms;
  };
  const std::vector<VariableEntry>& variables() const { return variables_; }
  const std::vector<RowEntry>& rows() const { return rows_; }

 private:
  std::vector<VariableEntry> variables_;
  std::vector<RowEntry> rows_;
};

enum class SolveStatus {
  kOptimal,     // values are an optimum
  kFeasible,    // time or iteration limit; values are the best found
  kUnknown,     // time or iteration limit before any solution was found
  kInfeasible,  // no feasible point exists
  kUnbounded,   // the objective has no minimum
};

// A basis of the simplex method: which variables and rows are basic and which
// are at a bound.
enum class Standing : std::uint8_t { kBasic, kAtLow, kAtHigh };
struct Basis {
  std::vector<Standing> variables;
  std::vector<Standing> rows;
};

struct Solution {
  SolveStatus status = SolveStatus::kUnknown;
  // Of values; set if status is kOptimal or kFeasible.
  double objective = kInfinity;
  // Lower bound on the objective of every feasible point; -infinity if unknown.
  double bound = -kInfinity;
  std::vector<double> values;
  // Set if status is kOptimal and no variable is an integer. The price (dual
  // value) of a row is the change of the objective per unit of its bound.
  std::vector<double> row_prices;
  Basis basis;
};

struct SolveOptions {
  double seconds = kInfinity;
  // A known feasible point, a value for each variable; empty: none. The
  // solution is never worse.
  std::vector<double> incumbent = {};
  // Limit for the simplex method on the relaxed problem (integers as reals);
  // deterministic, unlike seconds.
  int max_iterations = std::numeric_limits<int>::max();
  // Called every hundred iterations of that simplex method; true stops it.
  std::function<bool()> stop = nullptr;
  // Starting basis, for instance the one of an earlier solution extended by
  // added rows (basic) and variables (at a bound). Empty or not a basis:
  // GLPK's own.
  Basis start = {};
};

// Solves the program with GLPK: the simplex method, then branch and cut if
// there are integer variables. Prints nothing. Thread-safe: calls share nothing
// and free all memory.
// Errors: INVALID_ARGUMENT for an unknown variable, a bound or factor that is
// not a number, low > high, an incumbent or a start of the wrong size;
// RESOURCE_EXHAUSTED for more variables, rows or terms than GLPK supports;
// INTERNAL if GLPK fails.
absl::StatusOr<Solution> Solve(const LinearProgram& program,
                               const SolveOptions& options = {});

}  // namespace coolspan

#endif  // COOLSPAN_SOLVER_LINEAR_PROGRAM_H_
