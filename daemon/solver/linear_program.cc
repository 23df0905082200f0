// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/linear_program.h"

#include <utility>

namespace coolspan {

LinearProgram::Variable LinearProgram::AddVariable(double low, double high,
                                                   double cost, Kind kind) {
  variables_.push_back({low, high, cost, kind});
  return variables_.size() - 1;
}

LinearProgram::Row LinearProgram::AddRow(double low, double high,
                                         std::vector<Term> terms) {
  rows_.push_back({low, high, std::move(terms)});
  return rows_.size() - 1;
}

}  // namespace coolspan
