/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A node's status as OpenMetrics, for Prometheus.
 */
#ifndef JOBTRAIL_NODE_METRICS_H
#define JOBTRAIL_NODE_METRICS_H

#include <stdio.h>

#include "submit/command/node_status.h"

void node_metrics_print(FILE *to, const struct node_status *node);

/* Writes the file `path`, for node_exporter's textfile collector. That one reads at any time: it
 * gets the old file or the new one. Others may read it. To be called last: the process may be
 * another user then. Returns 0 or -errno; -EPERM, after a line on stderr, where others can write to
 * a directory above it. */
int node_metrics_write(const char *path, const struct node_status *node);

#endif
