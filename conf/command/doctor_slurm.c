/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/caller.h"
#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/command/doctor_checks.h"
#include "conf/command/plugstack.h"
#include "conf/conf_defaults.h"

#define SLURM_CONF_DEFAULT "/etc/slurm/slurm.conf"

/* Where a configless slurmd keeps what the controller sent (slurm.conf(5), enable_configless). */
#define SLURM_CONF_CONFIGLESS "/run/slurm/conf/slurm.conf"

/* Where distributions install Slurm's plugins; searched after PluginDir of slurm.conf. */
#define PLUGIN_DIRS "/usr/lib64/slurm:/usr/lib/slurm:/usr/lib/x86_64-linux-gnu/slurm-wlm"

/* The slurm.conf that Slurm's own programs here read. */
static const char *slurm_conf_path(void)
{
    const char *path = getenv("SLURM_CONF");
    if (path != NULL && path[0] != '\0')
        return path;
    return access(SLURM_CONF_DEFAULT, F_OK) != 0 && access(SLURM_CONF_CONFIGLESS, F_OK) == 0
               ? SLURM_CONF_CONFIGLESS
               : SLURM_CONF_DEFAULT;
}

/* The next value of `key` in `file`, slurm.conf, which may be NULL; whether there is one. */
static bool next_value(FILE *file, const char *key, char *value, size_t size)
{
    char line[4096];
    size_t length = strlen(key);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *at = line + strspn(line, " \t");
        if (strncasecmp(at, key, length) != 0)
            continue;
        at += length;
        at += strspn(at, " \t");
        if (*at++ != '=')
            continue;
        at += strspn(at, " \t");
        at[strcspn(at, " \t\r\n#")] = '\0';
        snprintf(value, size, "%s", at);
        return true;
    }
    return false;
}

/* The value of `key` in slurm.conf; returns whether it is there. */
static bool slurm_key(const char *key, char *value, size_t size)
{
    CLEANUP_FCLOSE FILE *file = fopen(slurm_conf_path(), "re");
    return next_value(file, key, value, size);
}

static void plugstack_path(const struct doctor *doctor, char *path, size_t size)
{
    if (doctor->plugstack != NULL) {
        snprintf(path, size, "%s", doctor->plugstack);
    } else if (!slurm_key("PlugStackConfig", path, size)) {
        const char *conf = slurm_conf_path(), *slash = strrchr(conf, '/');
        snprintf(path, size, "%.*s/plugstack.conf", slash == NULL ? 0 : (int)(slash - conf), conf);
    }
}

/* The plugin's file: a name without a directory is in one of Slurm's. */
static void plugin_path(const char *plugin, char *path, size_t size)
{
    char dirs[4096], *rest = NULL;
    size_t length;
    snprintf(path, size, "%s", plugin);
    if (plugin[0] == '/')
        return;
    if (!slurm_key("PluginDir", dirs, sizeof dirs))
        dirs[0] = '\0';
    length = strlen(dirs);
    snprintf(dirs + length, sizeof dirs - length, ":" PLUGIN_DIRS);
    for (char *dir = strtok_r(dirs, ":", &rest); dir != NULL; dir = strtok_r(NULL, ":", &rest)) {
        snprintf(path, size, "%s/%s", dir, plugin);
        if (access(path, F_OK) == 0)
            return;
    }
}

/* The line that plugstack.conf should have for this plugin ("": the one that was installed together
 * with this program) and this configuration. */
static void good_line(const char *plugin, const char *conf, char *text, size_t size)
{
    char own[PATH_MAX] = "";
    if (plugin[0] == '\0')
        doctor_installed(PLUGIN_FROM_BIN, own, sizeof own);
    if (plugin[0] == '\0')
        plugin = own[0] != '\0' ? own : "spank_jobtrail.so";
    snprintf(text, size, "optional %s conf=%s", plugin, conf);
}

/* What the line should be. */
static void mend_line(struct doctor *doctor, const struct plugstack_line *line, const char *plugin)
{
    char good[3 * PATH_MAX];
    good_line(plugin, line->conf[0] == '\0' ? DEFAULT_CONF : line->conf, good, sizeof good);
    doctor_mend(doctor, "write '%s' in %s, line %u", good, line->file, line->number);
}

enum { LINE_MAX_BYTES = 8192 };

/* The value of the option `letter` in the words of a command line, NULL: none. As getopt(3) has it:
 * "-N", "n1" or "-Nn1". */
static const char *option_of(const char *words, ssize_t size, char letter)
{
    for (const char *word = words; word < words + size; word += strlen(word) + 1) {
        if (word[0] != '-' || word[1] != letter)
            continue;
        const char *next = word + strlen(word) + 1;
        return word[2] != '\0' ? word + 2 : next < words + size ? next : NULL;
    }
    return NULL;
}

/* The value of a variable in the environment of a process. */
static const char *variable_of(const char *words, ssize_t size, const char *name)
{
    size_t length = strlen(name);
    for (const char *word = words; word < words + size; word += strlen(word) + 1)
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word + length + 1;
    return NULL;
}

/* Whether the process in the directory `pid` of /proc is slurmd of this node and this cluster.
 * Several slurmd may run on a machine, as in tests. */
static bool is_our_slurmd(const struct doctor *doctor, int pid)
{
    char name[64], line[LINE_MAX_BYTES], environment[64 << 10];
    if (io_read_text(pid, "comm", name, sizeof name) <= 0 || strcmp(name, "slurmd\n") != 0)
        return false;
    ssize_t size = io_read_text(pid, "cmdline", line, sizeof line);
    ssize_t more = io_read_text(pid, "environ", environment, sizeof environment);
    if (size <= 0 || more < 0)
        return false;
    const char *node = option_of(line, size, 'N'), *conf = option_of(line, size, 'f');
    const char *own = getenv("SLURM_CONF");
    if (conf == NULL)
        conf = variable_of(environment, more, "SLURM_CONF");
    if (node != NULL && strcmp(node, doctor->node) != 0)
        return false;
    return conf == NULL || own == NULL || own[0] == '\0' || strcmp(conf, own) == 0;
}

/* An older file of the same name, which an upgrade has replaced, serves as well. */
static bool has_plugin(int pid)
{
    CLEANUP_FREE char *text = NULL;
    size_t room = 0;
    bool is_found = false;
    int fd = openat(pid, "maps", O_RDONLY | O_CLOEXEC);
    CLEANUP_FCLOSE FILE *file = fd < 0 ? NULL : fdopen(fd, "re");
    while (file != NULL && !is_found && getline(&text, &room, file) > 0)
        is_found = strstr(text, "/spank_jobtrail.so") != NULL;
    return is_found;
}

static void check_slurmd(struct doctor *doctor)
{
    static const char restart[] = "restart slurmd (from Slurm 23.11 on: scontrol reconfigure); "
                                  "running jobs go on";
    unsigned with = 0, without = 0;
    char last[64] = "";
    CLEANUP_LISTING DIR *listing = NULL;
    if (!caller_is_root())
        return; /* nobody else may look */
    listing_open(AT_FDCWD, "/proc", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (name[strspn(name, "0123456789")] != '\0')
            continue;
        CLEANUP_CLOSE int pid = openat(dirfd(listing), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (pid < 0 || !is_our_slurmd(doctor, pid))
            continue;
        bool has = has_plugin(pid);
        with += has;
        without += !has;
        snprintf(last, sizeof last, "process %.32s", name);
    }
    if (with > 0)
        doctor_add(doctor, FINDING_OK, "slurmd", last, "", "has loaded the plugin");
    else if (without > 0)
        doctor_add(doctor, FINDING_BAD, "slurmd", last, restart,
                   "has not loaded the plugin: it started before the line was in plugstack.conf. "
                   "Steps load the plugin, and no epilog flushes their jobs");
    else
        doctor_add(doctor, FINDING_WARN, "slurmd", doctor->node, "start slurmd",
                   "no slurmd of this node is seen here");
}

static void check_plugin(struct doctor *doctor, const struct plugstack_line *line)
{
    char path[2 * PATH_MAX], own[PATH_MAX];
    struct stat status;
    plugin_path(line->plugin, path, sizeof path);
    if (stat(path, &status) != 0) {
        doctor_add(doctor, FINDING_BAD, "plugin", path,
                   "install jobtrail's plugin on this node (package jobtrail-node)", "%s",
                   strerror(errno));
        doctor_installed(PLUGIN_FROM_BIN, own, sizeof own);
        if (own[0] != '\0')
            mend_line(doctor, line, own);
    } else if (!doctor_is_changeable(doctor, "plugin", path, path)) {
        doctor_add(doctor, FINDING_OK, "plugin", path, "", "there, and root's");
        doctor_release(doctor, path);
        if (doctor->roles & ROLE_NODE)
            check_slurmd(doctor);
    }
}

#define PROLOG_COMMAND "jobtrail-submit prolog"

static bool has_prolog_command(const char *script)
{
    char line[4096];
    bool is_found = false;
    CLEANUP_FCLOSE FILE *file = fopen(script, "re");
    while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL)
        is_found = line[strspn(line, " \t")] != '#' && strstr(line, PROLOG_COMMAND) != NULL;
    return is_found;
}

/* Whether one of the site's Prolog scripts runs the command. A value of Prolog may be a pattern,
 * and there may be several. */
static bool site_runs_prolog(void)
{
    char pattern[PATH_MAX];
    bool is_found = false;
    CLEANUP_FCLOSE FILE *file = fopen(slurm_conf_path(), "re");
    while (!is_found && next_value(file, "Prolog", pattern, sizeof pattern)) {
        glob_t scripts = {0};
        if (glob(pattern, 0, NULL, &scripts) == 0)
            for (size_t i = 0; i < scripts.gl_pathc && !is_found; i++)
                is_found = has_prolog_command(scripts.gl_pathv[i]);
        globfree(&scripts);
    }
    return is_found;
}

bool doctor_runs_in_job(void)
{
    char flags[1024];
    return slurm_key("PrologFlags", flags, sizeof flags) && strcasestr(flags, "RunInJob") != NULL;
}

static void check_prolog(struct doctor *doctor)
{
    if (!doctor_runs_in_job())
        return;
    if (site_runs_prolog())
        doctor_add(doctor, FINDING_OK, "prolog", slurm_conf_path(), "",
                   "PrologFlags has RunInJob, and a Prolog script runs '" PROLOG_COMMAND "'");
    else
        doctor_add(
            doctor, FINDING_WARN, "prolog", slurm_conf_path(),
            "run '" PROLOG_COMMAND " || true' in the site's Prolog script",
            "PrologFlags has RunInJob: Slurm does not call the plugin's prolog; without that "
            "script's help jobs have no account, no partition and no restart count, and "
            "rules about these skip them");
}

/* A missing line. Where people call srun it is needed for the option --jobtrail alone. */
static void add_missing_line(struct doctor *doctor, const char *path, int found)
{
    char good[3 * PATH_MAX];
    if (!(doctor->roles & ROLE_NODE)) {
        doctor_add(doctor, FINDING_OK, "plugstack", path, "",
                   "no line loads the plugin, and this is no node");
        return;
    }
    good_line("", doctor->conf, good, sizeof good);
    doctor_add(doctor, FINDING_BAD, "plugstack", path, "", "%s",
               found < 0 ? strerror(-found) : "no line loads it");
    doctor_mend(doctor, "%s '%s' to %s, and restart slurmd", found < 0 ? "write" : "add", good,
                path);
}

/* The configuration to look at: the one asked for, or that of the plugin's line. */
static void choose_conf(struct doctor *doctor, const struct plugstack_line *line)
{
    const char *plugin = line->conf[0] != '\0' ? line->conf : DEFAULT_CONF;
    if (strcmp(doctor->conf, DEFAULT_CONF) == 0 || strcmp(doctor->conf, plugin) == 0)
        doctor->conf = plugin;
    else
        doctor_add(doctor, FINDING_BAD, "plugstack", line->plugin,
                   "write conf=FILE in plugstack.conf, or leave --conf out",
                   "the plugin reads %s and not %s", plugin, doctor->conf);
}

void doctor_slurm(struct doctor *doctor, const struct conf *conf)
{
    static struct plugstack_line line; /* large */
    char path[PATH_MAX];
    struct stat status;
    (void)conf;
    plugstack_path(doctor, path, sizeof path);
    int found = plugstack_find(path, &line);
    if (found <= 0) {
        add_missing_line(doctor, path, found);
        return;
    }
    if (stat(path, &status) == 0 && (status.st_mode & S_IROTH) == 0) {
        doctor_add(doctor, FINDING_BAD, "plugstack", path, "", "users cannot read it");
        doctor_mend(doctor, "chmod a+r %s", path);
    } else if (line.is_required) {
        doctor_add(doctor, FINDING_WARN, "plugstack", path, "",
                   "it is 'required': a plugin that cannot be loaded fails jobs and drains nodes");
        mend_line(doctor, &line, line.plugin);
    } else {
        doctor_add(doctor, FINDING_OK, "plugstack", path, "", "loads %s", line.plugin);
    }
    check_plugin(doctor, &line);
    check_prolog(doctor);
    choose_conf(doctor, &line);
}
