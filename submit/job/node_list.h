/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_NODE_LIST_H
#define JOBTRAIL_NODE_LIST_H

/* The place, from 0, of a node in a list as Slurm writes it, as "n[1-3,07],gpu5" or "r[0-1]n[0-3]".
 * -1: it is not in it, or the list is none. Takes time by the length of the list, not by the number
 * of nodes. */
long node_list_find(const char *list, const char *node);

/* How many nodes such a list names. -1: it is none. */
long node_list_count(const char *list);

#endif
