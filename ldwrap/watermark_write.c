/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/watermark_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "conf/base/cleanup.h"

/* Our reader accepts strings below 32 KiB. A blank is written as five bytes, and counted as five.
 */
enum { VALUE_MAX = 16 << 10 };

static void add_fact(FILE *stream, const char *key, const char *value)
{
    if (value == NULL)
        return;
    fprintf(stream, "<%s>%%%%", key);
    for (size_t used = 0; *value != '\0' && used < VALUE_MAX; value++) {
        used += *value == ' ' ? 5 : 1;
        if (*value == ' ')
            fputs("_%_%_", stream);
        else
            putc(*value, stream);
    }
    fputs("%%", stream);
    putc('\0', stream);
}

/* The keys in XALT's order. Its reader joins the strings and looks for `>%%` after each '<',
 * whatever a value holds. The last value is a number, so that it always finds one. */
static void add_all(FILE *stream, const struct watermark_facts *facts)
{
    static const char zeros[7];
    char epoch[32], date[64] = "", year[8] = "";
    struct tm broken;
    time_t when = (time_t)facts->epoch;
    if ((facts->is_utc ? gmtime_r(&when, &broken) : localtime_r(&when, &broken)) != NULL) {
        strftime(date, sizeof date, "%a %b %d %H:%M:%S %Y", &broken);
        strftime(year, sizeof year, "%Y", &broken);
    }
    snprintf(epoch, sizeof epoch, "%.4f", facts->epoch);
    putc(2, stream);
    fputs("XALT_Link_Info", stream);
    putc('\0', stream);
    add_fact(stream, "XALT_Version", facts->version);
    add_fact(stream, "Build_host", facts->host);
    add_fact(stream, "Build_Syshost", facts->syshost);
    add_fact(stream, "Build_compiler", facts->compiler);
    add_fact(stream, "Build_compilerPath", facts->compiler_path);
    add_fact(stream, "Build_OS", facts->os);
    add_fact(stream, "Build_User", facts->user);
    add_fact(stream, "Build_UUID", facts->uuid);
    add_fact(stream, "Build_Year", year);
    add_fact(stream, "Build_date", date);
    add_fact(stream, "Build_LOADEDMODULES", facts->loaded_modules);
    add_fact(stream, "Build_LMFILES", facts->lmfiles);
    add_fact(stream, "Build_CWD", facts->cwd);
    add_fact(stream, "Build_Epoch", epoch);
    fwrite(zeros, 1, sizeof zeros, stream);
    fputs("XALT_Link_Info_End", stream);
    putc('\0', stream);
}

char *watermark_write(const struct watermark_facts *facts, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (stream == NULL)
        return NULL;
    add_all(stream, facts);
    int failed = ferror(stream);
    if (fclose(stream) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
