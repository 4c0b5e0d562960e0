/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/node_metrics.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"

bool node_figure_is_told(const struct node_figure *figure)
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

void node_figures(const struct node_status *node, struct node_figure figures[NODE_FIGURES])
{
    const bool breaks = node->error[PLACE_BREAKS] != 0, spool = node->error[PLACE_SPOOL] != 0;
    const bool quarantine = node->error[PLACE_QUARANTINE] != 0;
    const bool outbox = node->error[PLACE_OUTBOX] != 0;
    const struct node_figure all[NODE_FIGURES] = {
        {"jobs", "jobs in the spool", node->jobs, false, spool},
        {"jobs_over", "jobs in the spool that are over", node->jobs_over, false, spool},
        {"jobs_over_oldest_seconds", "end of the first of them", node->oldest_over_s, true, spool},
        {"jobs_other_version", "jobs that began under another version", node->others_jobs, false,
         spool},
        {"broken_flushes", "jobs in a row for which the flush broke down", node->broken, false,
         breaks},
        {"broken_flushes_last_seconds", "last time it broke down", node->broken_last_s, true,
         breaks},
        {"quarantine", "jobs and sessions in the quarantine", node->quarantined, false, quarantine},
        {"quarantine_last_seconds", "last time one came there", node->quarantined_last_s, true,
         quarantine},
        {"outbox_overflow", "times records found no room in the outbox", node->overflow, false,
         outbox},
        {"status_errors", "places of these figures that could not be read", places_unread(node),
         false, false},
    };
    memcpy(figures, all, sizeof all);
}

void node_figures_of_transport(const struct outbox_waiting *waiting,
                               struct node_figure figures[TRANSPORT_FIGURES])
{
    const struct node_figure all[TRANSPORT_FIGURES] = {
        {"outbox_records", "records that wait", waiting->records, false, false},
        {"outbox_bytes", "their bytes", waiting->bytes, false, false},
        {"outbox_oldest_seconds", "since when the first of them waits", waiting->oldest_s, true,
         false},
        {"outbox_failures", "failures in a row", waiting->backoff.failures, false, false},
        {"outbox_next_try_seconds", "next try",
         waiting->backoff.failures > 0 ? waiting->backoff.until_s : 0, true, false},
        {"outbox_lost", "refused or damaged records that were lost", waiting->lost, false, false},
    };
    memcpy(figures, all, sizeof all);
}

/* All samples of a metric follow its name: https://prometheus.io/docs/specs/om/open_metrics_spec */
void node_metrics_print(FILE *to, const struct node_status *node)
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
    if (error == -EPERM)
        fprintf(stderr, "jobtrail-submit: %s: others can write to %s\n", path, culprit);
    return error != 0 ? error : trusted_parent(path, name, TRUSTED_ALONE, culprit, sizeof culprit);
}

int node_metrics_write(const char *path, const struct node_status *node)
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
