/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/days.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"

#define SECOND_NS   UINT64_C(1000000000)
#define DAY_SECONDS 86400

static char zone_name[DAYS_ZONE_MAX];

static const char *zone_directory(void)
{
    const char *directory = getenv("TZDIR");
    return directory == NULL || directory[0] == '\0' ? "/usr/share/zoneinfo" : directory;
}

/* Words of letters, digits, '_', '+' and '-' with '/' between. */
static bool is_name(const char *zone)
{
    size_t length = strlen(zone), word = 0;
    for (size_t i = 0; i < length; i++) {
        if (zone[i] == '/' ? word == 0
                           : !isalnum((unsigned char)zone[i]) && !strchr("_+-", zone[i]))
            return false;
        word = zone[i] == '/' ? 0 : word + 1;
    }
    return word > 0 && length < DAYS_ZONE_MAX;
}

bool days_has_zone(const char *zone)
{
    char path[PATH_MAX], start[4];
    if (!is_name(zone))
        return false;
    if (strcmp(zone, "UTC") == 0)
        return true;
    int length = snprintf(path, sizeof path, "%s/%s", zone_directory(), zone);
    if (length < 0 || (size_t)length >= sizeof path)
        return false;
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd >= 0 && io_read(fd, start, sizeof start) == 4 && memcmp(start, "TZif", 4) == 0;
}

bool days_is_same_zone(const char *one, const char *other)
{
    const char *const names[] = {one, other};
    struct stat facts[2];
    if (strcmp(one, other) == 0)
        return true;
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_MAX];
        if (!is_name(names[i]) ||
            snprintf(path, sizeof path, "%s/%s", zone_directory(), names[i]) >= (int)sizeof path ||
            stat(path, &facts[i]) != 0)
            return false;
    }
    return facts[0].st_dev == facts[1].st_dev && facts[0].st_ino == facts[1].st_ino;
}

/* Where /etc/localtime is a link into the database, as "Etc/UTC". Without it the C library takes
 * UTC. */
static bool name_by_link(char name[DAYS_ZONE_MAX])
{
    static const char database[] = "/zoneinfo/";
    CLEANUP_FREE char *path = realpath("/etc/localtime", NULL);
    const char *found = path == NULL ? NULL : strstr(path, database);
    if (path == NULL && errno == ENOENT)
        found = "/zoneinfo/UTC";
    if (found == NULL || !is_name(found + sizeof database - 1))
        return false;
    snprintf(name, DAYS_ZONE_MAX, "%s", found + sizeof database - 1);
    return true;
}

static void name_of_machine(char name[DAYS_ZONE_MAX])
{
    if (name_by_link(name))
        return;
    name[0] = '\0';
    io_read_text(AT_FDCWD, "/etc/timezone", name, DAYS_ZONE_MAX);
    name[strcspn(name, "\n")] = '\0';
    if (!is_name(name))
        name[0] = '\0';
}

int days_use_zone(const char *zone)
{
    char name[DAYS_ZONE_MAX];
    if (zone[0] != '\0' && !days_has_zone(zone))
        return -EINVAL;
    if (zone[0] == '\0')
        name_of_machine(name);
    else
        snprintf(name, sizeof name, "%s", zone);
    if ((zone[0] == '\0' ? unsetenv("TZ") : setenv("TZ", zone, 1)) != 0)
        return -ENOMEM;
    memcpy(zone_name, name, sizeof zone_name);
    tzset();
    return 0;
}

const char *days_zone(void)
{
    return zone_name;
}

/* The C library's zones have offsets of less than a day. */
static int32_t day_of(time_t seconds)
{
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL)
        return 0;
    int64_t at = (int64_t)seconds + local.tm_gmtoff;
    return (int32_t)((at - (at % DAY_SECONDS + DAY_SECONDS) % DAY_SECONDS) / DAY_SECONDS);
}

int32_t days_of(uint64_t time_ns)
{
    return day_of((time_t)(time_ns / SECOND_NS));
}

void days_text(int32_t day, char text[DAYS_TEXT_SIZE])
{
    time_t seconds = (time_t)day * DAY_SECONDS;
    struct tm date;
    text[0] = '\0';
    if (gmtime_r(&seconds, &date) != NULL)
        strftime(text, DAYS_TEXT_SIZE, "%Y-%m-%d", &date);
}

int days_parse(const char *text, int32_t *day)
{
    static const char form[] = "0000-00-00";
    char again[DAYS_TEXT_SIZE];
    for (size_t i = 0; i < sizeof form; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return -EINVAL;
    struct tm date = {
        .tm_year = atoi(text) - 1900, .tm_mon = atoi(text + 5) - 1, .tm_mday = atoi(text + 8)};
    int32_t found = (int32_t)(timegm(&date) / DAY_SECONDS);
    days_text(found, again); /* 02-30 would be in March */
    if (strcmp(text, again) != 0)
        return -EINVAL;
    *day = found;
    return 0;
}

/* The first second of another day after `seconds`. The longest days have less than 49 hours. */
static time_t next_midnight(time_t seconds)
{
    int32_t day = day_of(seconds);
    time_t before = seconds, after = seconds + 49 * 3600;
    while (after - before > 1) {
        time_t between = before + (after - before) / 2;
        if (day_of(between) > day)
            after = between;
        else
            before = between;
    }
    return after;
}

int days_midnights(uint64_t start_ns, uint64_t end_ns, uint64_t **midnights, size_t *count)
{
    uint64_t *found = NULL;
    size_t found_count = 0;
    time_t at = (time_t)(start_ns / SECOND_NS);
    while ((uint64_t)(at = next_midnight(at)) < (end_ns + SECOND_NS - 1) / SECOND_NS) {
        if (GROW(found, found_count) != 0) {
            free(found);
            return -ENOMEM;
        }
        found[found_count++] = (uint64_t)at * SECOND_NS;
    }
    *midnights = found;
    *count = found_count;
    return 0;
}
