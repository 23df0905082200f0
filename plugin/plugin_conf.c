/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "plugin_conf.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "slurm_release.h"

/* Returns NULL, or a description of the valid values. */
typedef const char *(*setter_t)(plugin_conf_t *conf, const char *value);

static const char *set_number(uint32_t *number, const char *value, uint32_t min,
                              uint32_t max, const char *expected) {
  char *end = NULL;
  unsigned long parsed;

  errno = 0;
  parsed = strtoul(value, &end, 10);
  if (!isdigit((unsigned char)*value) || *end || errno || parsed < min ||
      parsed > max)
    return expected;
  *number = (uint32_t)parsed;
  return NULL;
}

static const char *set_yes_no(bool *flag, const char *value) {
  if (strcasecmp(value, "yes") && strcasecmp(value, "no")) return "yes or no";
  *flag = !strcasecmp(value, "yes");
  return NULL;
}

static bool is_host(const char *host) {
  struct in_addr numeric;

  for (const char *c = host; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-') return false;
  if (host[strspn(host, "0123456789.")] != '\0') return true;
  return inet_pton(AF_INET, host, &numeric) == 1;
}

/* Modifies the text. */
static bool is_endpoint(char *text) {
  const struct sockaddr_un *address;
  char *colon, *end = NULL;
  unsigned long port;

  if (!strncmp(text, "unix://", 7))
    return text[7] == '/' && text[8] != '\0' &&
           strlen(text + 7) < sizeof(address->sun_path);
  if (strncmp(text, "ipv4:", 5)) return false;
  text += 5;
  colon = strrchr(text, ':');
  if (!colon || colon == text || !isdigit((unsigned char)colon[1]))
    return false;
  *colon = '\0';
  port = strtoul(colon + 1, &end, 10);
  return is_host(text) && !*end && port >= 1 && port <= 65535;
}

/* Whether `entry` is an entry in the first `length` bytes of the list. */
static bool is_repeated(const char *list, size_t length, const char *entry) {
  const size_t size = strlen(entry);

  for (const char *at = list; at < list + length; at++) {
    if (!strncmp(at, entry, size) && at[size] == ',') return true;
    if (!(at = strchr(at, ','))) break;
  }
  return false;
}

/* The same syntax as in client/endpoints.cc. That code is in the client
 * library, which is loaded only after slurmctld has restored its jobs; an
 * invalid line must be reported when slurmctld starts, with its line number. */
static const char *set_endpoints(plugin_conf_t *conf, const char *value) {
  char *copy = xstrdup(value), *rest = copy, *entry;
  bool valid = true;

  while (valid && (entry = strsep(&rest, ",")))
    valid = !is_repeated(value, (size_t)(entry - copy), entry) &&
            is_endpoint(entry);
  xfree(copy);
  if (!valid)
    return "unix:///PATH or ipv4:HOST:PORT; several separated by commas "
           "without spaces, each specified only once";
  xfree(conf->endpoints);
  conf->endpoints = xstrdup(value);
  return NULL;
}

static const char *set_mode(plugin_conf_t *conf, const char *value) {
  for (coolspan_mode_t mode = COOLSPAN_MODE_OFF; mode <= COOLSPAN_MODE_ENFORCE;
       mode++) {
    if (!strcasecmp(value, mode_name(mode))) {
      conf->mode = mode;
      return NULL;
    }
  }
  return "enforce, advise or off";
}

static const char *set_deadline(plugin_conf_t *conf, const char *value) {
  return set_number(&conf->deadline_ms, value, 1, 1000,
                    "1 to 1000 milliseconds");
}

static const char *set_breaker(plugin_conf_t *conf, const char *value) {
  return set_number(&conf->breaker_s, value, 1, 3600, "1 to 3600 seconds");
}

static const char *set_underlying(plugin_conf_t *conf, const char *value) {
  if (strcasecmp(value, "cons_tres") && strcasecmp(value, "linear"))
    return "cons_tres or linear";
  xfree(conf->underlying);
  conf->underlying =
      xstrdup(!strcasecmp(value, "linear") ? "linear" : "cons_tres");
  return NULL;
}

static const char *set_leave_partitions(plugin_conf_t *conf,
                                        const char *value) {
  if (strpbrk(value, " \t") || *value == ',' || strstr(value, ",,") ||
      value[strlen(value) - 1] == ',')
    return "partition names separated by commas without spaces";
  xfree(conf->leave_partitions);
  conf->leave_partitions = xstrdup(value);
  return NULL;
}

static const char *set_leave_below(plugin_conf_t *conf, const char *value) {
  return set_number(&conf->leave_below_nodes, value, 0, INT_MAX,
                    "a number of nodes; 0 disables the setting");
}

static const char *set_leave_gres(plugin_conf_t *conf, const char *value) {
  return set_yes_no(&conf->leave_gres_jobs, value);
}

static const char *set_leave_shared(plugin_conf_t *conf, const char *value) {
  return set_yes_no(&conf->leave_shared_jobs, value);
}

static const char *set_leave_sub_node(plugin_conf_t *conf, const char *value) {
  return set_yes_no(&conf->leave_sub_node_jobs, value);
}

static const char *set_honor_weight(plugin_conf_t *conf, const char *value) {
  return set_yes_no(&conf->honor_weight, value);
}

static const char *set_honor_power_save(plugin_conf_t *conf,
                                        const char *value) {
  return set_yes_no(&conf->honor_power_save, value);
}

static const char *set_node_power(plugin_conf_t *conf, const char *value) {
  bool forward = false;

  if (!strcasecmp(value, "auto")) {
    conf->node_power = NODE_POWER_AUTO;
    return NULL;
  }
  if (set_yes_no(&forward, value)) return "auto, yes or no";
  conf->node_power = forward ? NODE_POWER_YES : NODE_POWER_NO;
  return NULL;
}

static const struct {
  const char *name;
  setter_t set;
} keys[] = {
    {"Endpoints", set_endpoints},
    {"Mode", set_mode},
    {"DeadlineMs", set_deadline},
    {"BreakerSeconds", set_breaker},
    {"Underlying", set_underlying},
    {"LeavePartitions", set_leave_partitions},
    {"LeaveJobsBelowNodes", set_leave_below},
    {"LeaveGresJobs", set_leave_gres},
    {"LeaveSharedJobs", set_leave_shared},
    {"LeaveSubNodeJobs", set_leave_sub_node},
    {"HonorWeight", set_honor_weight},
    {"HonorPowerSave", set_honor_power_save},
    {"NodePower", set_node_power},
};
enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]) };

extern const char *mode_name(coolspan_mode_t mode) {
  static const char *names[] = {"off", "advise", "enforce"};

  return names[mode];
}

extern void plugin_conf_free(plugin_conf_t *conf) {
  xfree(conf->endpoints);
  xfree(conf->underlying);
  xfree(conf->leave_partitions);
}

static char *trim(char *text) {
  char *end;

  while (isspace((unsigned char)*text)) text++;
  end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) end--;
  *end = '\0';
  return text;
}

static char *key_names(void) {
  char *names = NULL;

  for (int i = 0; i < KEY_COUNT; i++)
    xstrfmtcat(names, "%s%s", i ? ", " : "", keys[i].name);
  return names;
}

/* Parses one line; `seen` has a bit for each key. Returns NULL, or the error
 * message. */
static char *read_line(plugin_conf_t *conf, char *line, unsigned *seen) {
  char *equals, *key, *value, *comment, *names, *problem;
  const char *expected;

  if ((comment = strchr(line, '#'))) *comment = '\0';
  line = trim(line);
  if (!*line) return NULL;
  if (!(equals = strchr(line, '=')))
    return xstrdup_printf("'%s' is not a setting (expected Key=Value)", line);
  *equals = '\0';
  key = trim(line);
  value = trim(equals + 1);
  for (int i = 0; i < KEY_COUNT; i++) {
    if (strcasecmp(key, keys[i].name)) continue;
    if (*seen & (1u << i))
      return xstrdup_printf("%s: specified more than once", keys[i].name);
    *seen |= 1u << i;
    expected = *value ? keys[i].set(conf, value) : "a value";
    if (expected)
      return xstrdup_printf("%s: invalid value '%s' (expected %s)",
                            keys[i].name, value, expected);
    return NULL;
  }
  names = key_names();
  problem = xstrdup_printf("unknown key '%s' (expected one of %s)", key, names);
  xfree(names);
  return problem;
}

extern char *plugin_conf_read(const char *path, plugin_conf_t *conf) {
  FILE *file = fopen(path, "re");
  char *line = NULL, *line_problem = NULL, *problem = NULL;
  size_t size = 0;
  unsigned seen = 0;
  int number = 0;

  *conf = (plugin_conf_t){.mode = COOLSPAN_MODE_ENFORCE,
                          .deadline_ms = 20,
                          .breaker_s = 30,
                          .underlying = xstrdup("cons_tres"),
                          .leave_sub_node_jobs = true,
                          .honor_weight = true,
                          .honor_power_save = true};
  if (!file)
    return xstrdup_printf(
        "%s: %s (expected a file with at least Endpoints=unix:///PATH)", path,
        strerror(errno));
  while (getline(&line, &size, file) >= 0) {
    number++;
    line_problem = read_line(conf, line, &seen);
    if (line_problem && !problem)
      problem = xstrdup_printf("%s:%d: %s", path, number, line_problem);
    xfree(line_problem);
  }
  if (!problem && ferror(file))
    problem = xstrdup_printf("%s:%d: read error", path, number);
  if (!problem && !conf->endpoints)
    problem = xstrdup_printf(
        "%s:%d: Endpoints is missing (expected Endpoints=unix:///PATH or "
        "Endpoints=ipv4:HOST:PORT)",
        path, number ? number : 1);
  free(line);
  fclose(file);
  return problem;
}
