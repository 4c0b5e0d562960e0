/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Days of a calendar in one time zone: that of the process, as the C library keeps it. So local
 * times that the process writes are in this zone, too. A day has 23 or 25 hours where clocks are
 * changed. It begins with the first moment of its date: later than 0:00 where there is no 0:00.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DAYS_ZONE_MAX = 64,  /* a zone's name with its NUL */
    DAYS_TEXT_SIZE = 12, /* "YYYY-MM-DD" with its NUL, up to the year 99999 */
};

/* Whether `zone` is a time zone by its name in the IANA database, as "Europe/Berlin", and its file
 * is on this machine ($TZDIR, else /usr/share/zoneinfo). "UTC" needs no file. */
bool days_has_zone(const char *zone);

/* Whether both names are of one zone of the database, as "UTC" and "Etc/UTC". */
bool days_is_same_zone(const char *one, const char *other);

/* Gives the process the zone, by TZ in its environment, and reads its file. "" is the machine's own
 * zone, whatever TZ was. Returns 0; -EINVAL where days_has_zone() is false, with the process left
 * as it was; or -ENOMEM. Not beside other threads. What is below reads no file after it, and may be
 * called in a sandbox. */
int days_use_zone(const char *zone);

/* The name of the zone in use, for records: of the machine's own zone, too, where /etc/localtime or
 * /etc/timezone tells it. "": days_use_zone() was not called, or the name is not known. */
const char *days_zone(void);

/* The day of a time in ns since the Epoch: local days since 1970-01-01. */
int32_t days_of(uint64_t time_ns);

/* "YYYY-MM-DD" of a day. */
void days_text(int32_t day, char text[DAYS_TEXT_SIZE]);

/* The day of "YYYY-MM-DD". Returns 0; -EINVAL where the text is none, or there is no such date. */
int days_parse(const char *text, int32_t *day);

/* The begins of days after `start_ns` and before `end_ns`, ascending, in `*midnights`, to be
 * released by free(); NULL where there are none. Some years lack a day (Pacific/Apia, 2011), so the
 * date of what follows midnights[i] is days_of(midnights[i]). Returns 0 or -ENOMEM. */
int days_midnights(uint64_t start_ns, uint64_t end_ns, uint64_t **midnights, size_t *count);
