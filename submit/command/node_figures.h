/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The figures of a node's status: what each is called in JSON and OpenMetrics, and in text.
 */
#ifndef JOBTRAIL_NODE_FIGURES_H
#define JOBTRAIL_NODE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "submit/command/node_status.h"
#include "submit/outbox/outbox_waiting.h"

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
