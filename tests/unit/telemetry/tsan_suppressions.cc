// SPDX-License-Identifier: GPL-3.0-or-later
// ThreadSanitizer cannot see that two threads of httplib::Server are ordered:
// Debian's libcpp-httplib is not instrumented, and its check whether a static
// variable of a function (the set of HTTP methods) is initialised is inlined.
// Then it reports the first use by the second thread as a race.
#if defined(__SANITIZE_THREAD__)
extern "C" const char*
__tsan_default_suppressions() {  // NOLINT(*-reserved-identifier)
  return "called_from_lib:libcpp-httplib.so\n";
}
#endif
