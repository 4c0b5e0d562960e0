/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A line of a log about a library, and the name of such a log. What was read before makes no
 * difference, and a date that was read is that of its own text.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/libraries/library_log.h"
#include "test/fuzz/fuzz.h"

static void check_date(struct library_days *days, const struct library_date *date)
{
    char text[LIBRARY_DATE_SIZE];
    struct library_date again;
    require(date->first_s <= date->last_s && date->has_day);
    if (library_date_old(date->first_s, text) != 0)
        return;
    require(library_date_parse(days, text, strlen(text), &again) == 0);
    require(again.first_s <= date->first_s && again.last_s >= date->first_s);
    require(!again.is_not_weekday);
    require(library_date_iso(date->first_s, text) == 0);
    require(library_date_parse(days, text, strlen(text), &again) == 0);
    /* offsets of before the zones have seconds */
    require(labs(again.first_s - date->first_s) < 60);
}

static void check_name(const char *path)
{
    char name[LIBRARY_NAME_SIZE];
    library_log_name(path, name);
    require((name[0] == '\0') == (path[0] == '\0'));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct library_days days;
    static int is_set;
    struct library_days fresh = {0};
    struct library_line line, expected;
    if (!is_set) {
        setenv("TZ", "Europe/Berlin", 1);
        tzset();
        is_set = 1;
    }
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    library_line_read(&days, text, text + size, &line);
    library_line_read(&fresh, text, text + size, &expected);
    require(line.dates == expected.dates && line.words == expected.words);
    require(line.words >= text && line.words <= text + size);
    for (size_t i = 0; i < line.dates; i++) {
        require(line.date[i].first_s == expected.date[i].first_s);
        require(line.date[i].last_s == expected.date[i].last_s);
        require(line.date[i].day == expected.date[i].day);
        check_date(&days, &line.date[i]);
    }
    check_name(text);
    free(text);
    return 0;
}
