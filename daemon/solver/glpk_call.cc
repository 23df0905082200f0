// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/glpk_call.h"

#include <glpk.h>

#include <csetjmp>

namespace coolspan {
namespace {

// GLPK's manual, section 6.1 (glp_error_hook): a hook that returns is followed
// by abort; one may jump instead if glp_free_env comes next.
extern "C" void JumpBack(void* jump) {
  std::longjmp(*static_cast<std::jmp_buf*>(jump), 1);
}

extern "C" int PrintNothing(void* /*info*/, const char* /*text*/) { return 1; }

}  // namespace

bool CallGlpk(void (*work)(void* context), void* context) {
  std::jmp_buf jump;
  if (setjmp(jump) != 0) {
    glp_free_env();
    return false;
  }
  glp_term_hook(PrintNothing, nullptr);
  glp_error_hook(JumpBack, &jump);
  work(context);
  glp_free_env();
  return true;
}

}  // namespace coolspan
