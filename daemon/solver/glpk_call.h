// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SOLVER_GLPK_CALL_H_
#define COOLSPAN_SOLVER_GLPK_CALL_H_

namespace coolspan {

// Calls work(context) in an environment of GLPK that is the thread's own, new,
// silent, and gone afterwards with all that was made in it. Where GLPK would
// abort the process, work is left at once instead and the answer is false; so
// neither work nor what it calls may own anything.
bool CallGlpk(void (*work)(void* context), void* context);

}  // namespace coolspan

#endif  // COOLSPAN_SOLVER_GLPK_CALL_H_
