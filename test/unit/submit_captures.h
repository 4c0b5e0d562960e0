/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Made-up ledgers, read.
 */
#ifndef JOBTRAIL_SUBMIT_CAPTURES_H
#define JOBTRAIL_SUBMIT_CAPTURES_H

#include <stddef.h>
#include <stdint.h>

#include "ledger_read.h"
#include "submit_fixture.h"

enum { PAGES_MAX = 40 };

extern struct made_ledger made;
extern struct made_fields fields;

/* Each with a reader of its own, whose memory it points into. */
struct captures {
    struct capture capture[PAGES_MAX];
    struct ledger_reader reader[PAGES_MAX];
    size_t count, damaged;
    uint64_t dropped;
};

/* All captures of the ledger, open at `fd`; captures_free() releases. */
struct captures read_file(int fd);

/* Of the first `size` bytes of `made`, and of all of it. */
struct captures read_cut(size_t size);
struct captures read_made(void);

void captures_free(struct captures *captures);

void assert_bytes(struct capture_bytes bytes, const void *expected, size_t size);
void assert_text(struct capture_bytes bytes, const char *expected);

/* Makes a ledger of one open capture of /bin/x. Returns where it lies. */
size_t one_capture(void);

#endif
