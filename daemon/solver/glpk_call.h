// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SOLVER_GLPK_CALL_H_
#define COOLSPAN_SOLVER_GLPK_CALL_H_

namespace coolspan {

// Calls work(context) in a new, silent GLPK environment of this thread and
// frees the environment with all its objects afterwards. If GLPK would abort
// the process, leaves work by longjmp and returns false, so work and the
// functions it calls must not own anything.
bool CallGlpk(void (*work)(void* context), void* context);

}  // namespace coolspan

#endif  // COOLSPAN_SOLVER_GLPK_CALL_H_
