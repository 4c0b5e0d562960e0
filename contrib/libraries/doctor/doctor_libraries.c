/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The site's libraries: the trees of [libraries], the directories of jobtrail-libmon(8), its watch,
 * what starts its scans, and how the last one ended. Runs are recorded without them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "conf/base/trusted.h"
#include "conf/command/doctor_checks.h"
#include "conf/command/doctor_timer.h"
#include "conf/conf_defaults.h"
#include "contrib/libraries/conf_libraries.h"
#include "contrib/libraries/scan/library_lock.h"
#include "contrib/libraries/scan/library_owners.h"
#include "contrib/libraries/scan/library_source.h"

/* Scans run once an hour, or once a day. */
enum { LATE_S = 25 * 3600 };

/* Uses are reported each ten minutes. */
enum { USES_LATE_S = 1800 };

/* ---- Trees ----------------------------------------------------------------------------------- */

static void add_missing(struct doctor *doctor, const struct conf_line *tree)
{
    doctor_add(doctor, FINDING_WARN, "tree", tree->text, "",
               "%s: its libraries do not count as removed", strerror(errno));
    doctor_mend(doctor,
                "mount it, or fix line %u of %s; if it is gone for good: jobtrail-libmon scan "
                "--accept-away%s",
                tree->line, doctor->conf, doctor_conf_words(doctor));
}

/* Adds a finding unless it returns true. */
static bool check_tree(struct doctor *doctor, const struct conf_line *tree)
{
    char real[PATH_MAX], culprit[PATH_MAX];
    struct stat status;
    if (realpath(tree->text, real) == NULL || stat(real, &status) != 0) {
        add_missing(doctor, tree);
    } else if (!S_ISDIR(status.st_mode)) {
        doctor_add(doctor, FINDING_WARN, "tree", tree->text, "", "it is no directory");
        doctor_mend(doctor, "name a directory in line %u of %s", tree->line, doctor->conf);
    } else if (strcmp(real, tree->text) != 0) {
        doctor_add(doctor, FINDING_WARN, "tree", tree->text, "",
                   "a part of its path is a symbolic link, and a scan follows none");
        doctor_mend(doctor, "write 'tree = %s' in %s, line %u", real, doctor->conf, tree->line);
    } else if (trusted_check(real, culprit, sizeof culprit) == -EPERM) {
        doctor_add(doctor, FINDING_WARN, "tree", tree->text, "",
                   "others than root can change which libraries programs load, by %s", culprit);
        doctor_mend(doctor,
                    "chown root: %s && chmod go-w %s, unless those who can are to install the "
                    "site's software",
                    culprit, culprit);
    } else {
        return true;
    }
    return false;
}

/* Users and groups may be of the network, and not known yet. */
static void check_owners(struct doctor *doctor, const struct conf *conf)
{
    struct library_owners *owners;
    if (library_owners_new(conf->library_owners, &owners) != 0)
        return;
    const char *unknown = library_owners_unknown(owners);
    if (unknown != NULL) {
        doctor_add(doctor, FINDING_WARN, "libraries", unknown, "",
                   "there is no such user or group: its files name no libraries");
        doctor_mend(doctor, "fix [libraries] owners in %s", doctor->conf);
    }
    library_owners_free(owners);
}

/* ---- Directories ----------------------------------------------------------------------------- */

/* ---- Scans ----------------------------------------------------------------------------------- */

/* Adds a finding unless it returns true. */
static bool check_seen(struct doctor *doctor, const char *state,
                       const struct library_last_scan *last)
{
    const char *conf = doctor_conf_words(doctor);
    if (last->trees_away > 0) {
        doctor_add(doctor, FINDING_WARN, "scan", state, "",
                   "%" PRIu64 " trees or mounts were away in the last scan; their libraries do not "
                   "count as removed",
                   last->trees_away);
        doctor_mend(doctor,
                    "mount them; if they are gone for good: jobtrail-libmon scan --accept-away%s",
                    conf);
    }
    if (last->unreadable > 0) {
        doctor_add(doctor, FINDING_WARN, "scan", state, "",
                   "%" PRIu64 " files or directories could not be read by the last scan",
                   last->unreadable);
        doctor_mend(doctor, "fix what this command names: jobtrail-libmon scan%s", conf);
    }
    return last->trees_away == 0 && last->unreadable == 0;
}

static void check_last(struct doctor *doctor, const char *state,
                       const struct library_last_scan *last)
{
    char when[64];
    const char *conf = doctor_conf_words(doctor);
    doctor_time_text(last->ended_s, when, sizeof when);
    if (last->is_failed) {
        doctor_add(doctor, FINDING_BAD, "scan", state, "", "the last scan failed, %s", when);
        doctor_mend(doctor, "fix what this command says: jobtrail-libmon scan%s", conf);
    } else if ((int64_t)time(NULL) - last->ended_s > LATE_S) {
        doctor_add(doctor, FINDING_WARN, "scan", state, "", "the last scan is too long ago: %s",
                   when);
        doctor_mend(doctor,
                    "see journalctl -u jobtrail-libmon, and what this says: jobtrail-libmon scan%s",
                    conf);
    } else if (check_seen(doctor, state, last)) {
        doctor_add(doctor, FINDING_OK, "scan", state, "", "the last scan saw all, %s", when);
    }
}

/* Root alone can read it. */
static void check_scan(struct doctor *doctor, const char *state, bool is_started)
{
    struct library_last_scan last;
    int error = library_last_scan_read(state, &last);
    if (error == 0) {
        check_last(doctor, state, &last);
    } else if (error == -ENOENT && is_started) {
        doctor_add(doctor, FINDING_WARN, "scan", state, "", "no scan has ended yet");
        doctor_mend(doctor, "let the first one read all libraries: jobtrail-libmon scan%s",
                    doctor_conf_words(doctor));
    } else if (error != -ENOENT && error != -EACCES) {
        doctor_add(doctor, FINDING_WARN, "scan", state, "",
                   "how the last scan ended cannot be read: %s", strerror(-error));
        doctor_mend(doctor, "remove %s/lock, and: jobtrail-libmon scan%s", state,
                    doctor_conf_words(doctor));
    }
}

/* ---- The watch and log_dir ------------------------------------------------------------------- */

static void add_seen(struct doctor *doctor, const char *state,
                     const struct library_watch_state *watch)
{
    if (watch->unwatched > 0) {
        doctor_add(doctor, FINDING_WARN, "watch", state, "",
                   "%" PRIu64 " directories cannot be watched: %s; scans find changes there, but "
                   "not who made them",
                   watch->unwatched, strerror(watch->error));
        doctor_mend(doctor, watch->error == ENOSPC
                                ? "name smaller trees: at most 65536 directories, 32 MiB of paths, "
                                  "and three eighths of "
                                  "/proc/sys/fs/fanotify/max_user_marks, which can be raised"
                                : "watch on the host where people install");
    } else {
        doctor_add(doctor, FINDING_OK, "watch", state, "",
                   "watched directories: %" PRIu64 "; events: %" PRIu64
                   ", of processes that had ended: %" PRIu64 ", overruns: %" PRIu64,
                   watch->directories, watch->events, watch->unknown, watch->overruns);
    }
}

static void add_uses(struct doctor *doctor, const char *state,
                     const struct library_watch_state *watch)
{
    char when[64];
    if (watch->uses_s == 0 || (int64_t)time(NULL) - watch->uses_s <= USES_LATE_S)
        return;
    doctor_time_text(watch->uses_s, when, sizeof when);
    doctor_add(doctor, FINDING_WARN, "watch", state, "",
               "no uses of libraries are reported since %s", when);
    doctor_mend(doctor, "see syslog, or journalctl -u jobtrail-libwatch, for 'jobtrail-libmon: "
                        "uses:'; the watch tries again each five minutes");
}

static void add_shared(struct doctor *doctor, const struct conf *conf)
{
    for (size_t i = 0; i < conf->library_trees.count; i++) {
        const struct conf_line *tree = &conf->library_trees.line[i];
        if (!directory_is_shared(tree->text))
            continue;
        doctor_add(doctor, FINDING_WARN, "watch", tree->text, "",
                   "a network file system: the watch sees only what this host does");
        doctor_mend(doctor, "watch on the hosts where people install into it");
    }
}

static void check_uses(struct doctor *doctor, const struct conf *conf, bool is_watched)
{
    bool has_logs = conf->library_use_logs[0] != '\0';
    if (is_watched && has_logs)
        doctor_writable(doctor, "libraries", conf->library_use_logs,
                        "fix [libraries] use_logs in jobtrail.conf");
    if (is_watched || conf->library_use_atime || (!has_logs && !conf->library_use_records))
        return;
    doctor_add(doctor, FINDING_WARN, "libraries", has_logs ? conf->library_use_logs : "use_records",
               "", "%s has no effect: it needs 'watch = yes' or 'use_atime = yes', and a tree",
               has_logs ? "use_logs" : "use_records");
    doctor_mend(doctor, "write 'watch = yes' in [libraries] of jobtrail.conf");
}

static void check_log_dir(struct doctor *doctor, const struct conf *conf)
{
    const char *shared = conf_library_log_dir_is_in(conf);
    if (shared != NULL) {
        doctor_add(doctor, FINDING_BAD, "libraries", conf->library_log_dir, "",
                   "users cannot append lines: by a link or a mount it is not separate from '%s'",
                   shared);
        doctor_mend(doctor, "name a directory of its own for log_dir in %s", doctor->conf);
    } else if (conf->library_log_dir[0] != '\0') {
        doctor_writable(doctor, "libraries", conf->library_log_dir,
                        "fix [libraries] log_dir in jobtrail.conf");
    }
    if (conf->library_log_dir[0] != '\0' && conf->sessions[0] == '\0') {
        doctor_add(doctor, FINDING_WARN, "libraries", conf->library_log_dir, "",
                   "log_dir has no effect here: lines go through [spool] sessions, which is empty");
        doctor_mend(doctor, "name a directory for sessions in [spool] of %s", doctor->conf);
    }
}

/* Root alone can see it. */
static void check_watch(struct doctor *doctor, const struct conf *conf)
{
    struct library_watch_state watch;
    bool is_running = false, is_watched = conf->library_watch && conf->library_trees.count > 0;
    check_uses(doctor, conf, is_watched);
    if (!is_watched)
        return;
    int error = library_watch_state_read(conf->library_state, &watch, &is_running);
    if (error == -EACCES)
        return;
    if (error != 0 || !is_running) {
        doctor_add(
            doctor, FINDING_WARN, "watch", conf->library_state, "",
            "no library watch is running: 'watch = yes' has no effect here, and no opens are "
            "counted for use_logs and use_records");
        doctor_mend(doctor,
                    "the process watch runs it: see syslog for jobtrail-libmon; without Slurm: "
                    "systemctl enable --now jobtrail-libwatch, or jobtrail-libmon watch%s",
                    doctor_conf_words(doctor));
    } else {
        add_seen(doctor, conf->library_state, &watch);
        add_uses(doctor, conf->library_state, &watch);
        add_shared(doctor, conf);
    }
}

/* ---- Uses by times of last access ------------------------------------------------------------ */

static void check_source(struct doctor *doctor, const struct conf_line *tree, bool is_watched,
                         size_t *good)
{
    enum library_source source = library_source_of(tree->text, is_watched);
    bool is_blind = source == SOURCE_NO_ATIME || source == SOURCE_FIXED || source == SOURCE_LAYERS;
    *good += library_source_is_atime(source);
    if (!is_blind)
        return;
    doctor_add(doctor, FINDING_WARN, "atime", tree->text, "", "no uses are known: %s",
               library_source_reason(source));
    doctor_mend(doctor, "%swatch on the hosts where it is used",
                source == SOURCE_LAYERS ? "" : "mount it writable and with relatime here; or ");
}

static const struct doctor_duty use_duty = {
    0,      "jobtrail-libuse poll",  "jobtrail-libuse",
    "poll", "jobtrail-libuse.timer", "use_atime = yes of [libraries] has no effect"};

static void check_atime(struct doctor *doctor, const struct conf *conf)
{
    bool is_watched = library_source_is_watched(conf);
    size_t good = 0;
    if (!conf->library_use_atime)
        return;
    doctor_duty(doctor, &use_duty, true);
    for (size_t i = 0; i < conf->library_trees.count; i++)
        check_source(doctor, &conf->library_trees.line[i], is_watched, &good);
    if (conf->library_use_logs[0] == '\0' && !conf->library_use_records) {
        doctor_add(doctor, FINDING_WARN, "atime", "use_atime", "",
                   "uses are reported nowhere: neither use_logs nor use_records is set");
        doctor_mend(doctor, "write 'use_records = yes' in [libraries] of jobtrail.conf");
    } else if (good > 0) {
        doctor_add(doctor, FINDING_OK, "atime", conf->library_trees.line[0].text, "",
                   "trees whose uses are known by times of last access: %zu", good);
    }
}

/* Whether this host has made a scan; root alone can see whether it has not. */
static bool has_state(const char *state)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/lock", state);
    return access(path, F_OK) == 0 || errno == EACCES;
}

static bool has_local_tree(const struct conf *conf)
{
    for (size_t i = 0; i < conf->library_trees.count; i++)
        if (!directory_is_shared(conf->library_trees.line[i].text))
            return true;
    return false;
}

static const struct doctor_duty scan_duty = {
    0,      "jobtrail-libmon scan",  "jobtrail-libmon",
    "scan", "jobtrail-libmon.timer", "changes in the trees of [libraries] are not found"};

void doctor_libraries(struct doctor *doctor, const struct conf *conf)
{
    check_log_dir(doctor, conf);
    check_watch(doctor, conf);
    if (conf->library_trees.count == 0)
        return;
    bool is_needed = has_local_tree(conf) || has_state(conf->library_state);
    bool is_started = doctor_duty(doctor, &scan_duty, is_needed);
    if (!is_needed && !is_started) {
        doctor_add(doctor, FINDING_OK, "tree", conf->library_trees.line[0].text, "",
                   "trees on shared file systems are scanned by one host, which is not this one");
        return;
    }
    const struct conf_lines *trees = &conf->library_trees;
    size_t good = 0;
    for (size_t i = 0; i < trees->count; i++)
        good += check_tree(doctor, &trees->line[i]);
    if (good == trees->count)
        doctor_add(doctor, FINDING_OK, "tree", trees->line[0].text, "",
                   "trees that are there, and root's: %zu", good);
    check_owners(doctor, conf);
    doctor_writable(doctor, "libraries", conf->library_state,
                    "fix [libraries] state in jobtrail.conf");
    if (conf->library_logs[0] != '\0')
        doctor_writable(doctor, "libraries", conf->library_logs,
                        "fix [libraries] logs in jobtrail.conf");
    if (conf->library_list[0] != '\0') {
        /* The directory of a file: "/x" is in "/". */
        char directory[PATH_MAX];
        int length = (int)(strrchr(conf->library_list, '/') - conf->library_list);
        snprintf(directory, sizeof directory, "%.*s", length == 0 ? 1 : length, conf->library_list);
        doctor_writable(doctor, "libraries", directory, "fix [libraries] list in jobtrail.conf");
    }
    check_scan(doctor, conf->library_state, is_started);
    check_atime(doctor, conf);
}
