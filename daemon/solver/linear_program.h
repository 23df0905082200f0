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

// min c'x, l <= Ax <= u, and bounds of x, some of which are whole numbers. A
// maximum is the minimum of the opposite.
class LinearProgram {
 public:
  using Variable = std::size_t;  // numbered from 0 in the order they are added
  using Row = std::size_t;
  enum class Kind { kReal, kWhole };
  struct Term {
    Variable variable;
    double factor;
  };

  // cost: factor in the objective. Bounds may be infinite.
  Variable AddVariable(double low, double high, double cost,
                       Kind kind = Kind::kReal);
  Variable AddBinary(double cost) {
    return AddVariable(0, 1, cost, Kind::kWhole);
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
  kOptimal,     // values are the optimum
  kFeasible,    // the time or the iterations ended; values are the best found
  kUnknown,     // they ended before any were found
  kInfeasible,  // there are none
  kUnbounded,   // the objective has no least value
};

// Where the simplex method stands: which variables and rows have the values
// that the others leave them, which are at a bound.
enum class Standing : std::uint8_t { kBasic, kAtLow, kAtHigh };
struct Basis {
  std::vector<Standing> variables;
  std::vector<Standing> rows;
};

struct Solution {
  SolveStatus status = SolveStatus::kUnknown;
  // Of values, where status is optimal or feasible.
  double objective = kInfinity;
  // No feasible point has a lower objective; -infinity where nothing is known.
  double bound = -kInfinity;
  std::vector<double> values;
  // Where the status is optimal and no variable is whole. A row's price is what
  // the objective gains for each unit that the row's bound is raised by.
  std::vector<double> row_prices;
  Basis basis;
};

struct SolveOptions {
  double seconds = kInfinity;
  // A feasible point that is known already, a value for each variable; empty:
  // none. The solution is never worse.
  std::vector<double> incumbent = {};
  // Of the simplex method for variables that are not whole; the same anywhere,
  // unlike seconds.
  int max_iterations = std::numeric_limits<int>::max();
  // Asked every hundred iterations of the simplex method for variables that are
  // not whole; where it says true, they end.
  std::function<bool()> stop = nullptr;
  // Where the simplex method starts, for instance from where it stood before
  // rows (basic) and variables (at a bound) were added; empty, or no basis:
  // from one of its own.
  Basis start = {};
};

// Solves the programme with GLPK: the simplex method, and branch and cut if
// there are whole variables. Prints nothing. Any thread may call it, each for
// itself: nothing is shared, and all memory is given back.
// Errors: INVALID_ARGUMENT for a variable that is not there, a bound or a
// factor that is no number, a low above its high, an incumbent of another
// number of values; RESOURCE_EXHAUSTED for more variables, rows or terms than
// GLPK counts; INTERNAL for what GLPK gives up on.
absl::StatusOr<Solution> Solve(const LinearProgram& program,
                               const SolveOptions& options = {});

}  // namespace coolspan

#endif  // COOLSPAN_SOLVER_LINEAR_PROGRAM_H_
