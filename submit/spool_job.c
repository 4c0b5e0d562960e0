/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spool_job.h"

#include <errno.h>
#include <stdlib.h>

#include "journal.h"
#include "reboot.h"
#include "spool_read.h"
#include "user_name.h"

enum { JOURNAL_MAX_BYTES = 256 << 20 };

int spool_job_journal(int directory, struct journal *journal)
{
    char *text;
    size_t size;
    int result = spool_read_file(directory, JOURNAL_NAME, JOURNAL_MAX_BYTES, &text, &size);
    if (result != 0)
        return result == -ENOENT ? -ENODATA : result;
    result = journal_parse(text, size, journal);
    free(text);
    if (result == 0 && (result = user_name_fill(journal)) != 0)
        journal_free(journal);
    if (result == 0)
        reboot_find(journal);
    return result;
}
