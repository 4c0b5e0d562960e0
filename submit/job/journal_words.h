/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One line of a journal (spank/journal.h) as its words: "VERB time=... KEY=VALUE ...".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { JOURNAL_WORDS_MAX = 64 };

struct journal_words {
    char *verb;
    char *word[JOURNAL_WORDS_MAX]; /* "KEY=VALUE", the value decoded */
    size_t words;
    uint64_t time_ns;
};

/* Cuts `text` in place. Returns 0, or -EINVAL where it is no line of a journal. */
int journal_words_cut(char *text, struct journal_words *line);

/* The value of `key`; NULL: there is none. */
const char *journal_words_value(const struct journal_words *line, const char *key);

/* The decimal number that is the value of `key`, or `fallback`. */
uint64_t journal_words_number(const struct journal_words *line, const char *key, uint64_t fallback);
uint32_t journal_words_number32(const struct journal_words *line, const char *key,
                                uint32_t fallback);

/* The value of `key`, "SECONDS.NANOSECONDS" with nine digits after the point, in nanoseconds; 0 for
 * anything else. */
uint64_t journal_words_time(const struct journal_words *line, const char *key);

/* CPUs in the form of SLURM_JOB_CPUS_PER_NODE, as "4" or "4(x2),2". */
struct journal_cpus {
    uint32_t sum;
    uint32_t each;     /* 0: not all nodes have the same */
    uint32_t of_place; /* of the node at `place`; 0: there is none */
    uint64_t nodes;    /* how many nodes the text is of */
};

/* All 0 for anything else, NULL included. `place` is from 0; -1: unknown. */
struct journal_cpus journal_words_cpus(const char *text, long place);

/* How many entries a list with commas has; 0 for NULL and "". */
uint32_t journal_words_count_list(const char *text);

/* ---- Lists of nodes -------------------------------------------------------------------------- */

/* The place, from 0, of a node in a list as Slurm writes it, as "n[1-3,07],gpu5" or "r[0-1]n[0-3]".
 * -1: it is not in it, or the list is none. Takes time by the length of the list, not by the number
 * of nodes. */
long node_list_find(const char *list, const char *node);

/* How many nodes such a list names. -1: it is none. */
long node_list_count(const char *list);
