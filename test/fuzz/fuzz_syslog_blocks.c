/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lines of a syslog file, which anybody on the node may have written: syslog_blocks_is_one() and
 * syslog_blocks_add(). What is set aside has to be as good as what it was made of: it is lines that
 * can be loaded later.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "submit/load/read/syslog_blocks.h"
#include "submit/load/read/syslog_line.h"
#include "test/fuzz/fuzz.h"

/* Of memory, while lines are read. */
enum { KEEP_BYTES = 4096 };

/* A line is one if its program's name says so, and not for what it goes on with. */
static void check_name(const char *line)
{
    const char *name = syslog_line_program(line, "XALT_LOGGING_");
    if (syslog_blocks_is_one(line) && name == NULL)
        abort();
    if (name == NULL)
        return;
    /* no other program has said it: the end of its name would stand before */
    if (memmem(line, (size_t)(name - line), ": ", 2) != NULL || line[0] == ' ')
        abort();
}

static int add(struct syslog_blocks *blocks, char *line)
{
    struct load_reason reason;
    char *whole = NULL;
    size_t size = 0;
    enum record_kind kind;
    int result = syslog_blocks_add(blocks, line, &whole, &size, &kind, &reason);
    if (result == 1 && (whole == NULL || whole[size] != '\0'))
        abort();
    if (result == -ENOMEM || (result != 1 && whole != NULL))
        abort();
    free(whole);
    return result;
}

/* Each line at a size of its own, so that no byte behind it goes unnoticed. */
static void each_line(const char *text, size_t size,
                      void (*take)(struct syslog_blocks *blocks, char *line),
                      struct syslog_blocks *blocks)
{
    for (const char *at = text, *last = text + size; at < last;) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        size_t length = (size_t)((end == NULL ? last : end) - at);
        char *line = strndup(at, length);
        take(blocks, line);
        free(line);
        at += length + 1;
    }
}

static void take_again(struct syslog_blocks *blocks, char *line)
{
    if (!syslog_blocks_is_one(line) || add(blocks, line) < 0)
        abort();
}

static void load_later(void *context, const char *lines, size_t size, const char *reason)
{
    if (reason[0] == '\0')
        abort();
    each_line(lines, size, take_again, context);
}

static void ignore(void *context, const char *lines, size_t size, const char *reason)
{
    (void)context, (void)lines, (void)size, (void)reason;
}

static struct syslog_blocks *later;

static void take(struct syslog_blocks *blocks, char *line)
{
    check_name(line);
    if (syslog_blocks_is_one(line))
        add(blocks, line);
    syslog_blocks_drain(blocks, KEEP_BYTES, load_later, later);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct syslog_blocks *blocks = syslog_blocks_new();
    later = syslog_blocks_new();
    if (blocks == NULL || later == NULL)
        abort();
    each_line((const char *)data, size, take, blocks);
    syslog_blocks_drain(blocks, 0, load_later, later);
    syslog_blocks_drain(later, 0, ignore, NULL);
    syslog_blocks_free(blocks);
    syslog_blocks_free(later);
    return 0;
}
