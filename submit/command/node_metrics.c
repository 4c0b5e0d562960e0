/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/command/node_metrics.h"

#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/replacement.h"
#include "conf/base/trusted.h"
#include "submit/command/node_figures.h"

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
