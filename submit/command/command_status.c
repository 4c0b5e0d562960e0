/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/replacement.h"
#include "conf/base/text.h"
#include "conf/base/trusted.h"
#include "conf/conf_transport.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"
#include "submit/command/submit_command.h"
#include "submit/job/broken_flushes.h"
#include "submit/job/holdings.h"
#include "submit/job/quarantine.h"
#include "submit/job/spool_job.h"
#include "submit/job/spool_read.h"
#include "submit/outbox/outbox.h"
#include "submit/outbox/outbox_quarantine.h"
#include "submit/outbox/outbox_send.h"

/* ---- What is known of a node ----------------------------------------------------------------- */

/* What spool, outbox and quarantine of a node say about its jobs and records. */

/* Where the figures come from. What comes from one that cannot be read is not reported. */
enum node_place { PLACE_BREAKS, PLACE_SPOOL, PLACE_QUARANTINE, PLACE_OUTBOX, NODE_PLACES };

/* What the node's directories say. Times are seconds since the Epoch, 0: there is none. */
struct node_status {
    uint64_t jobs, jobs_over, oldest_over_s;
    uint64_t others_jobs; /* of other versions */
    uint64_t broken, broken_last_s;
    uint64_t quarantined, quarantined_last_s;
    uint64_t overflow;
    struct outbox_waiting transport[CONF_TRANSPORTS];
    size_t transport_count;
    int error[NODE_PLACES]; /* -errno where what is there could not be read */
};

static void note_job(int spool, const struct spool_job *job, struct node_status *node)
{
    struct journal journal;
    struct stat status;
    CLEANUP_CLOSE int directory = spool_open_job(spool, job);
    if (directory < 0 || fstat(directory, &status) != 0)
        return;
    node->jobs++;
    uint64_t over_s = job->left ? (uint64_t)status.st_ctim.tv_sec : 0;
    if (spool_job_journal(directory, &journal) == 0) {
        uint64_t over_ns = journal.epilog_ns != 0 ? journal.epilog_ns : journal.reboot_ns;
        if (over_ns != 0)
            over_s = over_ns / 1000000000;
        journal_free(&journal);
    }
    if (over_s == 0)
        return;
    node->jobs_over++;
    if (node->oldest_over_s == 0 || over_s < node->oldest_over_s)
        node->oldest_over_s = over_s;
}

/* Returns 0 or -errno; 0 also where the node has no spool yet. */
static int note_spool(const struct conf *conf, const char *name, struct node_status *node)
{
    struct spool_jobs jobs;
    char path[PATH_MAX];
    int error = spool_expand(conf->spool, name, path, sizeof path);
    if (error != 0)
        return error;
    CLEANUP_CLOSE int spool = spool_open_node(path);
    if (spool < 0)
        return spool == -ENOENT ? 0 : spool;
    error = spool_list(spool, 0, &jobs);
    if (error != 0)
        return error;
    for (size_t i = 0; i < jobs.count; i++)
        note_job(spool, &jobs.job[i], node);
    free(jobs.job);
    return 0;
}

/* Jobs that began under other versions (spank/version_note.h): of these only the directories are
 * known here. */
static void note_other_versions(const struct conf *conf, const char *name, struct node_status *node)
{
    uint32_t formats[VERSIONS_MAX];
    char prefix[PATH_MAX], path[PATH_MAX];
    if (spool_expand_formats(conf->spool, name, 1, prefix, sizeof prefix - 1) != 0)
        return;
    strcat(prefix, "/");
    size_t others = version_note_others(prefix, formats);
    for (size_t i = 0; i < others; i++) {
        struct spool_jobs jobs = {NULL, 0};
        CLEANUP_CLOSE int spool = version_note_path(prefix, formats[i], path) == 0
                                      ? spool_open_node(path)
                                      : -ENAMETOOLONG;
        if (spool >= 0 && spool_list(spool, 0, &jobs) == 0)
            node->others_jobs += jobs.count;
        free(jobs.job);
    }
}

static int open_below(const char *directory, const char *name)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return directory_open(AT_FDCWD, path);
}

/* Jobs and sessions; what transports refused is in the directory "outbox" there. */
static int note_quarantine(const struct conf *conf, struct node_status *node)
{
    struct stat status;
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_take(open_below(conf->state, "quarantine"), &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (name[0] == '.' || strcmp(name, "outbox") == 0 ||
            fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(status.st_mode))
            continue;
        node->quarantined++;
        if ((uint64_t)status.st_ctim.tv_sec > node->quarantined_last_s)
            node->quarantined_last_s = (uint64_t)status.st_ctim.tv_sec;
    }
    return error == -ENOENT ? 0 : error;
}

static int note_outbox(const struct conf *conf, struct node_status *node)
{
    CLEANUP_CLOSE int outbox = outbox_directory(conf);
    if (outbox < 0 && outbox != -ENOENT)
        return outbox;
    node->overflow = outbox < 0 ? 0 : overflow_read(outbox);
    int error = 0;
    for (size_t i = 0; i < CONF_TRANSPORTS; i++) {
        struct outbox_waiting waiting;
        int counted = outbox_waiting_read(conf, outbox, conf_transports[i].name, &waiting);
        error = error == 0 ? counted : error;
        if (counted != 0)
            continue;
        if (waiting.is_configured || waiting.batches > 0)
            node->transport[node->transport_count++] = waiting;
    }
    return error;
}

/* Reads all of it, of the node `name`. What cannot be read is 0, and its place has an error. */
static void node_status_read(const struct conf *conf, const char *name, struct node_status *node)
{
    const struct broken_flushes breaks = broken_flushes_read(conf);
    *node = (struct node_status){.broken = breaks.count, .broken_last_s = (uint64_t)breaks.last};
    note_other_versions(conf, name, node);
    node->error[PLACE_BREAKS] = breaks.error;
    node->error[PLACE_SPOOL] = note_spool(conf, name, node);
    node->error[PLACE_QUARANTINE] = note_quarantine(conf, node);
    node->error[PLACE_OUTBOX] = note_outbox(conf, node);
}

/* ---- What users hold ------------------------------------------------------------------------- */

/* By the number of each user an object with their name, and how many jobs of theirs wait in the
 * spool, what is quarantined, and bytes of these, of records in the outbox and of kept profiles.
 * Sessions are not among them: root does not look into users' directories. */

static void add_figure(struct json_object *users, uid_t uid, const char *key, uint64_t value)
{
    char number[16];
    struct json_object *user, *was;
    if (value == 0 || uid == QUARANTINE_NOBODY)
        return;
    snprintf(number, sizeof number, "%u", (unsigned)uid);
    if (!json_object_object_get_ex(users, number, &user)) {
        const struct passwd *account = getpwuid(uid);
        user = json_object_new_object();
        json_object_object_add(users, number, user);
        json_object_object_add(user, "user",
                               json_object_new_string(account == NULL ? "" : account->pw_name));
    }
    if (json_object_object_get_ex(user, key, &was))
        value += json_object_get_uint64(was);
    json_object_object_add(user, key, json_object_new_uint64(value));
}

static void add_quarantined(void *users, uid_t uid, const char *name, uint64_t bytes)
{
    (void)name;
    add_figure(users, uid, "quarantined", 1);
    add_figure(users, uid, "quarantine_bytes", bytes);
}

static void add_waiting(const struct conf *conf, const char *node, struct json_object *users)
{
    char path[PATH_MAX];
    struct holdings holdings = {.user = NULL};
    CLEANUP_CLOSE int spool =
        spool_expand(conf->spool, node, path, sizeof path) == 0 ? spool_open_node(path) : -EINVAL;
    if (spool >= 0)
        holdings_read(spool, &holdings);
    for (size_t i = 0; i < holdings.count; i++) {
        add_figure(users, holdings.user[i].uid, "jobs", holdings.user[i].jobs);
        add_figure(users, holdings.user[i].uid, "spool_bytes", holdings.user[i].bytes);
    }
    holdings_free(&holdings);
}

static struct json_object *read_users(const struct conf *conf, const char *node)
{
    struct json_object *users = json_object_new_object();
    CLEANUP_CLOSE int quarantine = open_below(conf->state, "quarantine");
    CLEANUP_CLOSE int outbox = outbox_directory(conf);
    add_waiting(conf, node, users);
    if (quarantine >= 0)
        quarantine_each(quarantine, add_quarantined, users);
    for (size_t i = 0; outbox >= 0 && i < CONF_TRANSPORTS; i++) {
        CLEANUP_LISTING DIR *listing = NULL;
        uid_t uid = QUARANTINE_NOBODY;
        uint32_t job;
        listing_open(outbox, conf_transports[i].name, &listing);
        for (const char *name; (name = listing_next(listing)) != NULL;) {
            uint64_t bytes = outbox_owned(dirfd(listing), name, &uid, &job);
            add_figure(users, uid, "outbox_bytes", bytes);
        }
    }
    CLEANUP_LISTING DIR *listing = NULL;
    if (conf->profile_directory[0] != '\0')
        listing_take(directory_open(AT_FDCWD, conf->profile_directory), &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (name[strspn(name, "0123456789")] == '\0')
            add_figure(users, (uid_t)strtoul(name, NULL, 10), "profile_bytes",
                       holdings_bytes(dirfd(listing), name));
    return users;
}

static void print_users(FILE *to, struct json_object *users)
{
    json_object_object_foreach(users, number, user)
    {
        fprintf(to, "user %s\n", number);
        json_object_object_foreach(user, key, value)
            fprintf(to, "  %-44s %s\n", key, json_object_get_string(value));
    }
}

/* ---- Metrics --------------------------------------------------------------------------------- */

/* The figures of a node's status: what each is called in JSON and OpenMetrics, and in text; and all
 * of them as OpenMetrics, for Prometheus. */

enum { NODE_FIGURES = 10, TRANSPORT_FIGURES = 6 };

struct node_figure {
    const char *name, *text;
    uint64_t value;
    bool is_time;    /* seconds since the Epoch; not printed where it is 0 */
    bool is_unknown; /* not printed */
};

static bool node_figure_is_told(const struct node_figure *figure)
{
    return !figure->is_unknown && (!figure->is_time || figure->value != 0);
}

static uint64_t places_unread(const struct node_status *node)
{
    uint64_t count = 0;
    for (size_t i = 0; i < NODE_PLACES; i++)
        count += node->error[i] != 0;
    return count;
}

/* Those of the node but those of its transports. */
static void node_figures(const struct node_status *node, struct node_figure figures[NODE_FIGURES])
{
    const bool breaks = node->error[PLACE_BREAKS] != 0, spool = node->error[PLACE_SPOOL] != 0;
    const bool quarantine = node->error[PLACE_QUARANTINE] != 0;
    const bool outbox = node->error[PLACE_OUTBOX] != 0;
    const struct node_figure all[NODE_FIGURES] = {
        {"jobs", "jobs in the spool", node->jobs, false, spool},
        {"jobs_over", "jobs in the spool that are over", node->jobs_over, false, spool},
        {"jobs_over_oldest_seconds", "end of the oldest job that is over", node->oldest_over_s,
         true, spool},
        {"jobs_other_version", "jobs that began under another version", node->others_jobs, false,
         spool},
        {"broken_flushes", "jobs in a row for which the flush broke down", node->broken, false,
         breaks},
        {"broken_flushes_last_seconds", "last time the flush broke down", node->broken_last_s, true,
         breaks},
        {"quarantine", "jobs and sessions in the quarantine", node->quarantined, false, quarantine},
        {"quarantine_last_seconds", "last time a job came into the quarantine",
         node->quarantined_last_s, true, quarantine},
        {"outbox_overflow", "times records found no room in the outbox", node->overflow, false,
         outbox},
        {"status_errors", "sources of these numbers that were unreadable", places_unread(node),
         false, false},
    };
    memcpy(figures, all, sizeof all);
}

static void node_figures_of_transport(const struct outbox_waiting *waiting,
                                      struct node_figure figures[TRANSPORT_FIGURES])
{
    const struct node_figure all[TRANSPORT_FIGURES] = {
        {"outbox_records", "records that wait", waiting->records, false, false},
        {"outbox_bytes", "bytes of records that wait", waiting->bytes, false, false},
        {"outbox_oldest_seconds", "oldest record that waits", waiting->oldest_s, true, false},
        {"outbox_failures", "failures to send in a row", waiting->backoff.failures, false, false},
        {"outbox_next_try_seconds", "next try to send",
         waiting->backoff.failures > 0 ? waiting->backoff.until_s : 0, true, false},
        {"outbox_lost", "refused or damaged records that were lost", waiting->lost, false, false},
    };
    memcpy(figures, all, sizeof all);
}

/* All samples of a metric follow its name: https://prometheus.io/docs/specs/om/open_metrics_spec */
static void node_metrics_print(FILE *to, const struct node_status *node)
{
    struct node_figure figures[NODE_FIGURES], of_transport[TRANSPORT_FIGURES];
    node_figures(node, figures);
    for (size_t i = 0; i < NODE_FIGURES; i++) {
        fprintf(to, "# HELP jobtrail_%s %s\n# TYPE jobtrail_%s gauge\n", figures[i].name,
                figures[i].text, figures[i].name);
        if (node_figure_is_told(&figures[i]))
            fprintf(to, "jobtrail_%s %" PRIu64 "\n", figures[i].name, figures[i].value);
    }
    for (size_t i = 0; node->transport_count > 0 && i < TRANSPORT_FIGURES; i++)
        for (size_t t = 0; t < node->transport_count; t++) {
            node_figures_of_transport(&node->transport[t], of_transport);
            const struct node_figure *figure = &of_transport[i];
            if (t == 0)
                fprintf(to, "# HELP jobtrail_%s %s\n# TYPE jobtrail_%s gauge\n", figure->name,
                        figure->text, figure->name);
            if (node_figure_is_told(figure))
                fprintf(to, "jobtrail_%s{transport=\"%s\"} %" PRIu64 "\n", figure->name,
                        node->transport[t].name, figure->value);
        }
    fprintf(to, "# EOF\n");
}

/* Becomes, for good, the user who could have changed where `culprit` leads. */
static int become_owner(const char *culprit)
{
    struct stat status;
    if (lstat(culprit, &status) != 0)
        return -errno;
    if (status.st_uid == 0)
        return -EPERM;
    if (setgroups(0, NULL) != 0 || setresgid(status.st_gid, status.st_gid, status.st_gid) != 0 ||
        setresuid(status.st_uid, status.st_uid, status.st_uid) != 0)
        return -errno;
    return 0;
}

/* The directory of the file. On Debian that of node_exporter belongs to the user prometheus, who
 * could redirect what root writes there: the file is written as such a user then. */
static int open_metrics_directory(const char *path, const char **name)
{
    char culprit[PATH_MAX];
    int directory = trusted_parent(path, name, TRUSTED_ALONE, culprit, sizeof culprit);
    if (directory != -EPERM || geteuid() != 0)
        return directory;
    int error = become_owner(culprit);
    char word[TERMINAL_WORD_SIZE], other[TERMINAL_WORD_SIZE];
    if (error == -EPERM)
        fprintf(stderr, "jobtrail-submit: %s: others can write to %s\n", terminal_word(path, word),
                terminal_word(culprit, other));
    return error != 0 ? error : trusted_parent(path, name, TRUSTED_ALONE, culprit, sizeof culprit);
}

/* Writes the file `path`, for node_exporter's textfile collector. That one reads at any time: it
 * gets the old file or the new one. Others may read it. To be called last: the process may be
 * another user then. Returns 0 or -errno; -EPERM, after a line on stderr, where others can write to
 * a directory above it. */
static int node_metrics_write(const char *path, const struct node_status *node)
{
    const char *name;
    CLEANUP_CLOSE int directory = open_metrics_directory(path, &name);
    if (directory < 0)
        return directory;
    int fd = replacement_open(directory, name);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file == NULL)
        return fd < 0 ? fd : -errno;
    node_metrics_print(file, node);
    int error = fflush(file) != 0 ? -errno : 0;
    error = replacement_end(directory, name, fd, 0644, error);
    fclose(file);
    return error;
}

/* ---- The status ------------------------------------------------------------------------------ */

/* Says on stderr what could not be read. Returns 0 or the first error. */
static int report_errors(const struct conf *conf, const struct node_status *node)
{
    static const char *const places[NODE_PLACES] = {
        [PLACE_BREAKS] = BROKEN_FLUSHES,
        [PLACE_SPOOL] = "the spool",
        [PLACE_QUARANTINE] = "the quarantine",
        [PLACE_OUTBOX] = "the outbox",
    };
    int first = 0;
    for (size_t i = 0; i < NODE_PLACES; i++) {
        if (node->error[i] == 0)
            continue;
        fprintf(stderr, "jobtrail-submit: status: %s%s%s cannot be read: %s\n", places[i],
                i == PLACE_SPOOL ? " " : " in ", i == PLACE_SPOOL ? conf->spool : conf->state,
                strerror(-node->error[i]));
        first = first == 0 ? node->error[i] : first;
    }
    return first;
}

static void print_figure(FILE *to, const struct node_figure *figure)
{
    char when[32] = "-";
    struct tm local;
    time_t time = (time_t)figure->value;
    if (node_figure_is_told(figure) && !figure->is_time)
        snprintf(when, sizeof when, "%" PRIu64, figure->value);
    else if (node_figure_is_told(figure) && localtime_r(&time, &local) != NULL)
        strftime(when, sizeof when, "%FT%T", &local);
    fprintf(to, "%-46s %s\n", figure->text, when);
}

static void print_node(FILE *to, const struct node_status *node, struct json_object *users)
{
    struct node_figure figures[NODE_FIGURES], of_transport[TRANSPORT_FIGURES];
    node_figures(node, figures);
    for (size_t i = 0; i < NODE_FIGURES; i++)
        print_figure(to, &figures[i]);
    for (size_t t = 0; t < node->transport_count; t++) {
        fprintf(to, "transport %s%s\n", node->transport[t].name,
                node->transport[t].is_configured ? "" : " (not configured)");
        node_figures_of_transport(&node->transport[t], of_transport);
        for (size_t i = 0; i < TRANSPORT_FIGURES; i++)
            print_figure(to, &of_transport[i]);
    }
    print_users(to, users);
}

static void add_figures(struct json_object *table, const struct node_figure *figures, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_object_add(
            table, figures[i].name,
            node_figure_is_told(&figures[i]) ? json_object_new_uint64(figures[i].value) : NULL);
}

static void print_node_json(FILE *to, const struct node_status *node, struct json_object *users)
{
    struct node_figure figures[NODE_FIGURES], of_transport[TRANSPORT_FIGURES];
    struct json_object *table = json_object_new_object(), *array = json_object_new_array();
    node_figures(node, figures);
    add_figures(table, figures, NODE_FIGURES);
    for (size_t t = 0; t < node->transport_count; t++) {
        struct json_object *transport = json_object_new_object();
        json_object_object_add(transport, "transport",
                               json_object_new_string(node->transport[t].name));
        node_figures_of_transport(&node->transport[t], of_transport);
        add_figures(transport, of_transport, TRANSPORT_FIGURES);
        json_object_array_add(array, transport);
    }
    json_object_object_add(table, "transports", array);
    json_object_object_add(table, "users", json_object_get(users));
    fprintf(to, "%s\n", json_object_to_json_string_ext(table, JSON_C_TO_STRING_PLAIN));
    json_object_put(table);
}

enum submit_status command_status(const struct submit_options *options)
{
    struct conf conf;
    struct node_status node;
    if (options->json + options->openmetrics + options->write > 1)
        return SUBMIT_USAGE;
    enum submit_status status = submit_conf_load(options, &conf);
    if (status != SUBMIT_OK)
        return status;
    node_status_read(&conf, options->node, &node);
    int error = report_errors(&conf, &node);
    if (options->write && conf.metrics[0] != '\0') {
        int written = node_metrics_write(conf.metrics, &node);
        if (written != 0)
            fprintf(stderr, "jobtrail-submit: %s: %s\n", conf.metrics, strerror(-written));
        error = error == 0 ? written : error;
    } else if (options->openmetrics) {
        node_metrics_print(stdout, &node);
    } else if (!options->write) {
        struct json_object *users = read_users(&conf, options->node);
        (options->json ? print_node_json : print_node)(stdout, &node, users);
        json_object_put(users);
    }
    conf_free(&conf);
    return node.broken >= BROKEN_FLUSHES_MANY ? SUBMIT_BREAKS
           : error != 0                       ? SUBMIT_UNUSABLE
                                              : SUBMIT_OK;
}
