/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks that records have certain values, without parsing them: one pass over their text, and what
 * is the same as in the record before is compared as a whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "submit/definition/record_keys.h"

enum { RECORD_FACTS_MAX = 48 };

struct record_fact {
    const char *table; /* one of the record's own; NULL: the record itself */
    const char *key;
    const char *text; /* the value as it stands in JSON that we have written */
    int differs;      /* any other value but this one */
    int may_lack;     /* the record may be without it */
    /* Whether the value is one that it may be, `length` bytes of sound JSON; it is asked once for
     * each record. NULL: the text says. */
    bool (*fits)(void *context, const char *value, size_t length);
    void *context;
};

struct record_facts;

/* For records of this kind with these facts, RECORD_FACTS_MAX at the most, those of a table side by
 * side. The array and its texts must outlive it; the text of the first, which is in a table or the
 * only one that is not, may change between two records. Returns NULL when out of memory;
 * record_facts_free() releases. */
struct record_facts *record_facts_new(enum record_kind kind, const struct record_fact *fact,
                                      size_t count);

/* Whether the `size` bytes at `text` are a JSON object (RFC 8259) without blanks, on one line and
 * in ASCII (text_is_ascii_json()), with the keys of its kind (record_keys.h), each once at the most
 * and no others, and with each of these facts once, but for those that it may lack. Nothing in it
 * may be taken for such a fact by a reader who knows no capitals or undoes escapes. What the other
 * values are is for their readers. */
int record_facts_hold(struct record_facts *facts, const char *text, size_t size);

void record_facts_free(struct record_facts *facts);
