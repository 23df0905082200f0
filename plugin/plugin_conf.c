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

/* A setter returns NULL, or what would be right. */
typedef const char *(*setter_t)(plugin_conf_t *conf, const char *value);

static const char *set_number(uint32_t *where, const char *value,
                              uint32_t least, uint32_t most,
                              const char *right) {
  char *end = NULL;
  unsigned long number;

  errno = 0;
  number = strtoul(value, &end, 10);
  if (!isdigit((unsigned char)*value) || *end || errno || number < least ||
      number > most)
    return right;
  *where = (uint32_t)number;
  return NULL;
}

static const char *set_yes_no(bool *where, const char *value) {
  if (strcasecmp(value, "yes") && strcasecmp(value, "no")) return "yes or no";
  *where = !strcasecmp(value, "yes");
  return NULL;
}

static bool is_host(const char *host) {
  struct in_addr numeric;

  for (const char *c = host; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-') return false;
  if (host[strspn(host, "0123456789.")] != '\0') return true;
  return inet_pton(AF_INET, host, &numeric) == 1;
}

/* Takes the text apart. */
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

/* Whether the first `length` bytes of the list have `one` between commas. */
static bool named_before(const char *list, size_t length, const char *one) {
  const size_t size = strlen(one);

  for (const char *at = list; at < list + length; at++) {
    if (!strncmp(at, one, size) && at[size] == ',') return true;
    if (!(at = strchr(at, ','))) break;
  }
  return false;
}

/* As client/endpoints.cc has it. That is in the client library, which is opened
 * only once slurmctld knows its jobs; a wrong line must be found at its start,
 * under its number. */
static const char *set_endpoints(plugin_conf_t *conf, const char *value) {
  char *copy = xstrdup(value), *rest = copy, *one;
  bool wrong = false;

  while (!wrong && (one = strsep(&rest, ",")))
    wrong = named_before(value, (size_t)(one - copy), one) || !is_endpoint(one);
  xfree(copy);
  if (wrong)
    return "unix:///PATH or ipv4:HOST:PORT, several separated by commas "
           "without blanks, none twice";
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
                    "milliseconds, 1 to 1000");
}

static const char *set_breaker(plugin_conf_t *conf, const char *value) {
  return set_number(&conf->breaker_s, value, 1, 3600, "seconds, 1 to 3600");
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
    return "names of partitions, separated by commas without blanks";
  xfree(conf->leave_partitions);
  conf->leave_partitions = xstrdup(value);
  return NULL;
}

static const char *set_leave_below(plugin_conf_t *conf, const char *value) {
  return set_number(&conf->leave_below_nodes, value, 0, INT_MAX,
                    "a number of nodes, 0 for none");
}

static const char *set_leave_gres(plugin_conf_t *conf, const char *value) {
  return set_yes_no(&conf->leave_gres_jobs, value);
}

static const char *set_leave_shared(plugin_conf_t *conf, const char *value) {
  return set_yes_no(&conf->leave_shared_jobs, value);
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
    {"NodePower", set_node_power},
};
enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]) };

extern const char *mode_name(coolspan_mode_t mode) {
  static const char *names[] = {"off", "advise", "enforce", "unsaid"};

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

/* One line; `seen` has a bit for each key. Returns NULL or what is wrong. */
static char *read_line(plugin_conf_t *conf, char *line, unsigned *seen) {
  char *equals, *key, *value, *comment, *names, *problem;
  const char *right;

  if ((comment = strchr(line, '#'))) *comment = '\0';
  line = trim(line);
  if (!*line) return NULL;
  if (!(equals = strchr(line, '=')))
    return xstrdup_printf("'%s' is no setting; write Key=Value", line);
  *equals = '\0';
  key = trim(line);
  value = trim(equals + 1);
  for (int i = 0; i < KEY_COUNT; i++) {
    if (strcasecmp(key, keys[i].name)) continue;
    if (*seen & (1u << i))
      return xstrdup_printf("%s is set twice; leave one of the lines",
                            keys[i].name);
    *seen |= 1u << i;
    right = *value ? keys[i].set(conf, value) : "a value";
    if (right)
      return xstrdup_printf("%s cannot be '%s'; it wants %s", keys[i].name,
                            value, right);
    return NULL;
  }
  names = key_names();
  problem = xstrdup_printf("unknown key '%s'; the keys are %s", key, names);
  xfree(names);
  return problem;
}

extern char *plugin_conf_read(const char *path, plugin_conf_t *conf) {
  plugin_conf_t read = {.mode = COOLSPAN_MODE_ENFORCE,
                        .deadline_ms = 20,
                        .breaker_s = 30,
                        .underlying = xstrdup("cons_tres"),
                        .leave_gres_jobs = true};
  FILE *file = fopen(path, "re");
  char *line = NULL, *wrong = NULL, *problem = NULL;
  size_t size = 0;
  unsigned seen = 0;
  int number = 0;

  if (!file) {
    problem = xstrdup_printf(
        "%s: %s; it wants at least a line Endpoints=unix:///PATH", path,
        strerror(errno));
    plugin_conf_free(&read);
    return problem;
  }
  while (!wrong && getline(&line, &size, file) >= 0) {
    number++;
    wrong = read_line(&read, line, &seen);
  }
  if (!wrong && ferror(file)) wrong = xstrdup("cannot be read");
  if (wrong)
    problem = xstrdup_printf("%s:%d: %s", path, number, wrong);
  else if (!read.endpoints)
    problem = xstrdup_printf(
        "%s:%d: Endpoints is missing; write Endpoints=unix:///PATH or "
        "ipv4:HOST:PORT",
        path, number ? number : 1);
  xfree(wrong);
  free(line);
  fclose(file);
  if (problem) {
    plugin_conf_free(&read);
  } else {
    plugin_conf_free(conf);
    *conf = read;
  }
  return problem;
}
