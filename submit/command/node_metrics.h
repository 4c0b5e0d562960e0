/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The figures of a node's status: what each is called in JSON and OpenMetrics, and in text; and all
 * of them as OpenMetrics, for Prometheus.
 */
#ifndef JOBTRAIL_NODE_METRICS_H
#define JOBTRAIL_NODE_METRICS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "submit/command/node_status.h"
#include "submit/outbox/outbox_waiting.h"

void node_metrics_print(FILE *to, const struct node_status *node);

/* Writes the file `path`, for node_exporter's textfile collector. That one reads at any time: it
 * gets the old file or the new one. Others may read it. To be called last: the process may be
 * another user then. Returns 0 or -errno; -EPERM, after a line on stderr, where others can write to
 * a directory above it. */
int node_metrics_write(const char *path, const struct node_status *node);

enum { NODE_FIGURES = 10, TRANSPORT_FIGURES = 6 };

struct node_figure {
    const char *name, *text;
    uint64_t value;
    bool is_time;    /* seconds since the Epoch; not printed where it is 0 */
    bool is_unknown; /* not printed */
};

bool node_figure_is_told(const struct node_figure *figure);

/* Those of the node but those of its transports. */
void node_figures(const struct node_status *node, struct node_figure figures[NODE_FIGURES]);

void node_figures_of_transport(const struct outbox_waiting *waiting,
                               struct node_figure figures[TRANSPORT_FIGURES]);

#endif
