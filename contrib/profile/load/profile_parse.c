/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Profile records in the loader. Anybody can write such a record; who asks for the job adds its
 * numbers up, so numbers that cannot be are refused.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/uuid7.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/parse/record_values.h"

/* RUNS, ROUTINES, NAME: as contrib/profile/record/profile_told.h has them. UUID: of one, as text.
 * DIGITS: of a number below 2^63. */
enum { RUNS = 16, ROUTINES = 16, NAME = 40, UUID = 36, DIGITS = 18 };

/* Seconds are rounded to six decimals each. */
#define SLACK_S 1e-3

/* All routines together have no more than these; `open` is of each. */
struct routines_most {
    int64_t calls, open;
    double seconds;
};

static const char digits[] = "0123456789";

/* Takes a whole number of at most `most`, and the byte `end` behind it. Moves `text` there. */
static bool take_count(const char **text, char end, int64_t most)
{
    const size_t length = strspn(*text, digits);
    if (length == 0 || length > DIGITS || (*text)[length] != end || atoll(*text) > most)
        return false;
    *text += length + (end != '\0');
    return true;
}

static bool take_seconds(const char **text, double *seconds)
{
    const size_t whole = strspn(*text, digits);
    size_t length = whole;
    if ((*text)[length] == '.')
        length += 1 + strspn(*text + length + 1, digits);
    if (whole == 0 || length > 2 * DIGITS || (*text)[length] != ':')
        return false;
    *seconds = strtod(*text, NULL);
    *text += length + 1;
    return true;
}

static bool take_name(const char **text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const size_t length = strspn(*text, letters);
    if (length == 0 || length >= NAME || (*text)[length] != '=')
        return false;
    *text += length + 1;
    return true;
}

static bool take_routine(const char **text, char end, const struct routines_most *most,
                         double *seconds)
{
    return take_name(text) && take_count(text, ':', most->calls) && take_seconds(text, seconds) &&
           take_count(text, end, most->open);
}

/* NAME=CALLS:SECONDS:OPEN, with a space between two: no more routines than a record tells of, and
 * no more calls and time than all. */
static bool are_routines(const char *text, const struct routines_most *most)
{
    double sum = 0;
    for (int count = 0; *text != '\0'; count++) {
        double seconds;
        const char end = strchr(text, ' ') == NULL ? '\0' : ' ';
        if (count == ROUTINES || !take_routine(&text, end, most, &seconds) ||
            (end == ' ' && *text == '\0'))
            return false;
        sum += seconds;
    }
    return sum <= most->seconds + SLACK_S;
}

/* "", or what a hash of 64 bits is as text. */
static bool is_hash(const char *text)
{
    return text != NULL &&
           (text[0] == '\0' || (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16));
}

/* Uuids with a space between two: of `runs`, at most RUNS. */
static bool are_runs(const char *text, int64_t runs)
{
    const int64_t count = runs < RUNS ? runs : RUNS;
    if (text == NULL || strlen(text) != (size_t)(count == 0 ? 0 : count * (UUID + 1) - 1))
        return false;
    for (int64_t i = 0; i < count; i++) {
        char uuid[UUID + 1] = "";
        memcpy(uuid, text + i * (UUID + 1), UUID);
        if (!uuid_is_text(uuid) || (i > 0 && text[i * (UUID + 1) - 1] != ' '))
            return false;
    }
    return true;
}

static bool are_times_sound(const struct profile_record *profile)
{
    const bool is_counted = profile->mpi_ranks.value > 0;
    const struct record_real *const times[] = {&profile->mpi_time, &profile->mpi_elapsed,
                                               &profile->mpi_outside_max};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (times[i]->known != is_counted ||
            (is_counted &&
             !(record_is_sum(times[i]->value) && times[i]->value <= profile->mpi_elapsed.value)))
            return false;
    return profile->mpi_outside_rank.known == is_counted &&
           (!is_counted ||
            record_are_counts((const struct record_int *const[]){&profile->mpi_outside_rank}, 1));
}

/* Times are known where calls were counted, and no others are. No call is shorter than a
 * nanosecond. */
static bool is_sound(const struct profile_record *profile)
{
    const struct routines_most most = {.calls = profile->mpi_calls.value,
                                       .open = profile->mpi_ranks.value,
                                       .seconds = profile->mpi_time.value};
    const struct record_int *const counts[] = {
        &profile->ranks,      &profile->mpi_ranks,  &profile->step_tasks,
        &profile->step_nodes, &profile->node_tasks, &profile->programs,
        &profile->runs,       &profile->mpi_runs,   &profile->mpi_size};
    return record_are_counts(counts, sizeof counts / sizeof counts[0]) &&
           are_times_sound(profile) && is_hash(profile->program) && is_hash(profile->executable) &&
           profile->mpi_runs.value <= profile->runs.value &&
           are_runs(profile->run_uuids, profile->runs.value) && profile->joined.known &&
           (profile->joined.value == 0 || profile->ranks.value == 0) &&
           profile->mpi_ranks.value <= profile->ranks.value && profile->bytes.known &&
           profile->bytes.value >= 0 && profile->mpi_calls.known && profile->mpi_calls.value >= 0 &&
           (double)profile->mpi_calls.value <= profile->mpi_elapsed.value * 1e9 &&
           profile->mpi_missed.known && profile->mpi_routines != NULL &&
           are_routines(profile->mpi_routines, &most);
}

static int load_profile(struct record_reader *reader)
{
    struct profile_record *profile = &reader->record->profile;
    int error = record_read_values(reader->record->root, &profile_fields, profile, reader->reason);
    if (error == 0 && !uuid_is_text(profile->uuid))
        error = load_refuse(reader->reason, "profileT.uuid is not a uuid");
    if (error == 0 && (!profile->job_id_raw.known || profile->step_id == NULL ||
                       profile->node == NULL || profile->path == NULL || !profile->end_time.known))
        error = load_refuse(reader->reason, "profileT does not say of which step, where or when");
    if (error == 0 && !is_sound(profile))
        error = load_refuse(reader->reason, "profileT has numbers that cannot be");
    return error;
}

const struct load_part load_part_profile = {.read = load_profile};
