/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "underlying.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

underlying_t underlying;
static plugin_handle_t handle = PLUGIN_INVALID_HANDLE;

static const char *own_path(void) {
  Dl_info self;

  return dladdr(&underlying, &self) ? self.dli_fname : "";
}

extern char *own_folder(void) {
  char *folder = xstrdup(own_path());
  char *slash = strrchr(folder, '/');

  if (slash)
    *slash = '\0';
  else
    strcpy(folder, *folder ? "." : "");
  return folder;
}

/* The path of the file in the first of the folders that contains it. The file
 * of this plugin is ignored: the drop-in build has the same name. */
static char *find_file(const char *file_name, const char *folders) {
  char *copy = xstrdup(folders), *rest = NULL, *found = NULL;
  struct stat own = {0}, other;

  (void)stat(own_path(), &own);
  for (char *folder = strtok_r(copy, ":", &rest); folder && !found;
       folder = strtok_r(NULL, ":", &rest)) {
    char *path = xstrdup_printf("%s/%s", folder, file_name);

    if (stat(path, &other) == 0 && S_ISREG(other.st_mode) &&
        (other.st_ino != own.st_ino || other.st_dev != own.st_dev))
      found = path;
    else
      xfree(path);
  }
  xfree(copy);
  return found;
}

extern char *underlying_load(const char *name, const char *folders) {
  /* In the order of underlying_t, which plugin_get_syms fills. */
  static const char *names[] = {
#define X(type, name, parameters, arguments) "select_p_" #name,
      COOLSPAN_HOOKED(X) COOLSPAN_FORWARDED(X)
#undef X
  };
  const int count = sizeof(names) / sizeof(names[0]);
  char *file_name = xstrdup_printf("select_%s.so", name);
  char *path = find_file(file_name, folders), *problem = NULL;
  int rc;

  _Static_assert(
      sizeof(names) / sizeof(names[0]) * sizeof(void *) == sizeof(underlying_t),
      "underlying_t must have one pointer for each name");
  if (!path)
    problem = xstrdup_printf(
        "%s not found in PluginDir=%s; add the folder of Slurm's plugins",
        file_name, folders);
  else if ((rc = plugin_load_from_file(&handle, path FROM_2505(, false))) !=
           SLURM_SUCCESS)
    problem = xstrdup_printf("%s: %s", path,
                             BEFORE_2311(plugin_strerror(rc))
                                 FROM_2311(slurm_strerror(rc)));
  else if (plugin_get_syms(handle, count, names, (void **)&underlying) < count)
    problem = xstrdup_printf("%s: missing functions of a select plugin", path);
  xfree(file_name);
  xfree(path);
  return problem;
}

extern void *underlying_variable(const char *name) {
  return plugin_get_sym(handle, name);
}

extern void underlying_unload(void) {
  plugin_unload(handle);
  handle = PLUGIN_INVALID_HANDLE;
}
