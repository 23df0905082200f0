/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "plugin_conf/plugin_conf.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>

#include "plugin_conf/nearest_key.h"

/* The part of a text from the file that a message shows. */
#define SHORT "%.200s"

static const char *set_number(void *field, const char *value, uint32_t min,
                              uint32_t max, const char *expected) {
  char *end = NULL;
  unsigned long parsed;

  errno = 0;
  parsed = strtoul(value, &end, 10);
  if (!isdigit((unsigned char)*value) || *end || errno || parsed < min ||
      parsed > max)
    return expected;
  *(uint32_t *)field = (uint32_t)parsed;
  return NULL;
}

static const char *set_yes_no(void *field, const char *value) {
  if (strcasecmp(value, "yes") && strcasecmp(value, "no")) return "yes or no";
  *(bool *)field = !strcasecmp(value, "yes");
  return NULL;
}

static const char *set_text(void *field, const char *value) {
  char **text = field;

  free(*text);
  *text = strdup(value);
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
static const char *set_endpoints(void *field, const char *value) {
  char *copy = strdup(value), *rest = copy, *entry;
  bool valid = true;

  while (valid && (entry = strsep(&rest, ",")))
    valid = !is_repeated(value, (size_t)(entry - copy), entry) &&
            is_endpoint(entry);
  free(copy);
  if (!valid)
    return "unix:///PATH or ipv4:HOST:PORT; several separated by commas "
           "without spaces, each specified only once";
  return set_text(field, value);
}

static const char *set_path(void *field, const char *value) {
  if (*value != '/') return "an absolute path of a PEM file";
  return set_text(field, value);
}

static const char *set_mode(void *field, const char *value) {
  for (coolspan_mode_t mode = COOLSPAN_MODE_OFF; mode <= COOLSPAN_MODE_ENFORCE;
       mode++) {
    if (!strcasecmp(value, mode_name(mode))) {
      *(coolspan_mode_t *)field = mode;
      return NULL;
    }
  }
  return "enforce, advise or off";
}

static const char *set_deadline(void *field, const char *value) {
  return set_number(field, value, 1, 1000, "1 to 1000 milliseconds");
}

static const char *set_breaker(void *field, const char *value) {
  return set_number(field, value, 1, 3600, "1 to 3600 seconds");
}

static const char *set_underlying(void *field, const char *value) {
  static const char *names[] = {"cons_tres", "linear"};

  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (!strcasecmp(value, names[i])) {
      *(const char **)field = names[i];
      return NULL;
    }
  }
  return "cons_tres or linear";
}

static const char *set_partitions(void *field, const char *value) {
  if (!*value || *value == ',' || strstr(value, ",,") ||
      value[strlen(value) - 1] == ',')
    return "partition names separated by commas without spaces";
  return set_text(field, value);
}

static const char *set_nodes(void *field, const char *value) {
  return set_number(field, value, 0, INT_MAX,
                    "a number of nodes; 0 disables the setting");
}

static const char *set_node_power(void *field, const char *value) {
  node_power_t *node_power = field;
  bool forward = false;

  if (!strcasecmp(value, "auto")) {
    *node_power = NODE_POWER_AUTO;
    return NULL;
  }
  if (set_yes_no(&forward, value)) return "auto, yes or no";
  *node_power = forward ? NODE_POWER_YES : NODE_POWER_NO;
  return NULL;
}

#define FIELD(name) offsetof(plugin_conf_t, name)
static const plugin_key_t keys[] = {
    {"Endpoints", NULL, FIELD(endpoints), set_endpoints, "endpoints"},
    {"Mode", "enforce", FIELD(mode), set_mode, NULL},
    {"DeadlineMs", "20", FIELD(deadline_ms), set_deadline, NULL},
    {"BreakerSeconds", "30", FIELD(breaker_s), set_breaker, NULL},
    {"TlsCert", "", FIELD(tls_cert), set_path, NULL},
    {"TlsKey", "", FIELD(tls_key), set_path, NULL},
    {"TlsCa", "", FIELD(tls_ca), set_path, NULL},
    {"Underlying", "cons_tres", FIELD(underlying), set_underlying, NULL},
    {"LeavePartitions", "", FIELD(leave_partitions), set_partitions,
     "partition names"},
    {"LeaveJobsBelowNodes", "0", FIELD(leave_below_nodes), set_nodes, NULL},
    {"LeaveGresJobs", "no", FIELD(leave_gres_jobs), set_yes_no, NULL},
    {"LeaveSharedJobs", "no", FIELD(leave_shared_jobs), set_yes_no, NULL},
    {"LeaveSubNodeJobs", "yes", FIELD(leave_sub_node_jobs), set_yes_no, NULL},
    {"HonorWeight", "yes", FIELD(honor_weight), set_yes_no, NULL},
    {"HonorPowerSave", "yes", FIELD(honor_power_save), set_yes_no, NULL},
    {"NodePower", "auto", FIELD(node_power), set_node_power, NULL},
};
enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]) };
_Static_assert((int)KEY_COUNT <= (int)PLUGIN_CONF_MAX_KEYS,
               "plugin_conf_t has a line for each key");

extern const plugin_key_t *plugin_conf_keys(size_t *count) {
  *count = KEY_COUNT;
  return keys;
}

extern int plugin_conf_line(const plugin_conf_t *conf, const char *key) {
  for (size_t i = 0; i < KEY_COUNT; i++)
    if (!strcmp(key, keys[i].name)) return conf->lines[i];
  return 0;
}

static const char *set_key(plugin_conf_t *conf, const plugin_key_t *key,
                           const char *value) {
  return key->set((char *)conf + key->field, value);
}

static void set_defaults(plugin_conf_t *conf) {
  *conf = (plugin_conf_t){0};
  for (size_t i = 0; i < KEY_COUNT; i++)
    if (keys[i].fallback && *keys[i].fallback)
      set_key(conf, &keys[i], keys[i].fallback);
}

extern const char *mode_name(coolspan_mode_t mode) {
  static const char *names[] = {"off", "advise", "enforce"};

  return names[mode];
}

extern void plugin_conf_free(plugin_conf_t *conf) {
  free(conf->endpoints);
  free(conf->tls_cert);
  free(conf->tls_key);
  free(conf->tls_ca);
  free(conf->leave_partitions);
  *conf = (plugin_conf_t){0};
}

static char *trim(char *text) {
  char *end;

  while (isspace((unsigned char)*text)) text++;
  end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) end--;
  *end = '\0';
  return text;
}

/* Where the parser is, and the first error. */
typedef struct {
  const char *path;
  int line;
  bool failed;
  char *problem;
  size_t problem_size;
} reading_t;

__attribute__((format(printf, 2, 3))) static void fail(reading_t *reading,
                                                       const char *format,
                                                       ...) {
  const size_t size = reading->problem_size;
  va_list arguments;
  int length;

  if (reading->failed) return;
  reading->failed = true;
  length =
      snprintf(reading->problem, size, "%s:%d: ", reading->path, reading->line);
  if (length < 0 || (size_t)length >= size) return;
  va_start(arguments, format);
  vsnprintf(reading->problem + length, size - (size_t)length, format,
            arguments);
  va_end(arguments);
}

static void fail_unknown(reading_t *reading, const char *key) {
  const char *nearest = nearest_key(key, keys, KEY_COUNT);
  char names[400] = "";

  if (nearest) {
    fail(reading, "unknown key '" SHORT "'; did you mean %s?", key, nearest);
    return;
  }
  for (size_t i = 0; i < KEY_COUNT; i++) {
    const size_t used = strlen(names);

    snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
             keys[i].name);
  }
  fail(reading, "unknown key '" SHORT "' (expected one of %s)", key, names);
}

static void read_value(plugin_conf_t *conf, size_t i, const char *value,
                       reading_t *reading) {
  const char *const name = keys[i].name, *const entries = keys[i].entries;
  const char *expected;

  if (conf->lines[i]) {
    fail(reading, "%s: specified more than once", name);
    return;
  }
  conf->lines[i] = reading->line;
  if (strpbrk(value, " \t\v\f\r"))
    fail(reading, "%s: blank in '" SHORT "' (expected one key on a line%s%s%s)",
         name, value, entries ? "; several " : "", entries ? entries : "",
         entries ? " separated by commas" : "");
  else if ((expected = set_key(conf, &keys[i], value)))
    fail(reading, "%s: invalid value '" SHORT "' (expected %s)", name, value,
         expected);
}

static void read_line(plugin_conf_t *conf, char *line, reading_t *reading) {
  char *equals, *key, *comment;

  if ((comment = strchr(line, '#'))) *comment = '\0';
  line = trim(line);
  if (!*line) return;
  if (!(equals = strchr(line, '='))) {
    fail(reading, "'" SHORT "' is not a setting (expected Key=Value)", line);
    return;
  }
  *equals = '\0';
  key = trim(line);
  for (size_t i = 0; i < KEY_COUNT; i++) {
    if (strcasecmp(key, keys[i].name)) continue;
    read_value(conf, i, trim(equals + 1), reading);
    return;
  }
  fail_unknown(reading, key);
}

/* Removes a byte order mark. */
static char *check_text(char *line, size_t length, reading_t *reading) {
  static const char utf8_mark[] = "\xEF\xBB\xBF";

  if (strlen(line) != length || !strncmp(line, "\xFF\xFE", 2) ||
      !strncmp(line, "\xFE\xFF", 2))
    fail(reading, "not a text file (expected Key=Value lines in UTF-8)");
  if (reading->line != 1 || strncmp(line, utf8_mark, strlen(utf8_mark)))
    return line;
  fail(reading, "starts with a byte order mark (expected UTF-8 without one)");
  return line + strlen(utf8_mark);
}

extern bool plugin_conf_read(const char *path, plugin_conf_t *conf,
                             char *problem, size_t problem_size) {
  reading_t reading = {
      .path = path, .problem = problem, .problem_size = problem_size};
  char *line = NULL;
  ssize_t length;
  size_t size = 0;
  FILE *file;

  set_defaults(conf);
  if (!(file = fopen(path, "re"))) {
    snprintf(problem, problem_size, "%s: %s (expected a file %s)", path,
             strerror(errno),
             errno == ENOENT ? "with at least Endpoints=unix:///PATH"
                             : "that can be read");
    return false;
  }
  while ((length = getline(&line, &size, file)) >= 0) {
    reading.line++;
    read_line(conf, check_text(line, (size_t)length, &reading), &reading);
  }
  if (!reading.line) reading.line = 1;
  if (ferror(file)) fail(&reading, "read error");
  if (!conf->endpoints)
    fail(&reading,
         "Endpoints is missing (expected Endpoints=unix:///PATH or "
         "Endpoints=ipv4:HOST:PORT)");
  if (!conf->tls_cert != !conf->tls_key || !conf->tls_cert != !conf->tls_ca)
    fail(&reading,
         "%s is missing (expected TlsCert, TlsKey and TlsCa, or none "
         "of them)",
         !conf->tls_cert  ? "TlsCert"
         : !conf->tls_key ? "TlsKey"
                          : "TlsCa");
  free(line);
  fclose(file);
  return !reading.failed;
}
