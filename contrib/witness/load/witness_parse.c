/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of ranks in the loader, and what a coverage says of the kernel witness. Anybody can
 * write such a record; who asks for the job adds its numbers up, and administrators read the
 * sums: numbers and words that cannot be are refused.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/uuid7.h"
#include "submit/load/parse/load_part.h"
#include "submit/load/parse/record_values.h"

/* ENDS: as contrib/witness/facts/rank_summary.h has them. DIGITS: of a number of 32 bits. */
enum { ENDS = 16, DIGITS = 10, EXIT_MOST = 255, SIGNAL_MOST = 127 };

static bool is_real_spread(const struct record_real *least, const struct record_real *mean,
                           const struct record_real *most)
{
    if (!mean->known)
        return !least->known && !most->known;
    return least->known && most->known && record_is_sum(least->value) &&
           record_is_sum(mean->value) && record_is_sum(most->value);
}

static bool is_int_spread(const struct record_int *least, const struct record_real *mean,
                          const struct record_int *most)
{
    if (!mean->known)
        return !least->known && !most->known;
    return least->known && most->known && record_is_sum((double)least->value) &&
           record_is_sum(mean->value) && record_is_sum((double)most->value);
}

/* Takes a whole number of at most `most`, and moves `text` behind it. */
static bool take_number(const char **text, unsigned long long most)
{
    const size_t digits = strspn(*text, "0123456789");
    if (digits == 0 || digits > DIGITS || strtoull(*text, NULL, 10) > most)
        return false;
    *text += digits;
    return true;
}

static bool take_byte(const char **text, char byte)
{
    *text += **text == byte;
    return (*text)[-1] == byte;
}

static bool take_end(const char **text)
{
    return take_number(text, EXIT_MOST) && take_byte(text, ':') && take_number(text, SIGNAL_MOST);
}

/* EXIT:SIGNAL=RANKS, with a space between two; "": none. */
static bool are_ends(const char *text)
{
    for (int count = 0; *text != '\0'; count++) {
        if (count == ENDS || !take_end(&text) || !take_byte(&text, '=') ||
            !take_number(&text, UINT32_MAX))
            return false;
        if (*text != '\0' && (!take_byte(&text, ' ') || *text == '\0'))
            return false;
    }
    return true;
}

static bool is_end(const char *text)
{
    return text == NULL || (take_end(&text) && *text == '\0');
}

/* Counts add up; least, mean and most are known together; ways to end have their form. */
static bool is_sound(const struct ranks_record *ranks)
{
    const struct record_int *const counts[] = {
        &ranks->ranks,      &ranks->unseen,     &ranks->timed,        &ranks->measured,
        &ranks->ended_zero, &ranks->ended_code, &ranks->ended_signal, &ranks->ended_unknown,
        &ranks->step_tasks, &ranks->step_nodes, &ranks->node_tasks};
    return record_are_counts(counts, sizeof counts / sizeof counts[0]) &&
           ranks->timed.value <= ranks->ranks.value &&
           ranks->measured.value <= ranks->ranks.value &&
           ranks->ended_zero.value + ranks->ended_code.value + ranks->ended_signal.value +
                   ranks->ended_unknown.value ==
               ranks->ranks.value &&
           is_real_spread(&ranks->elapsed_min, &ranks->elapsed_mean, &ranks->elapsed_max) &&
           is_real_spread(&ranks->cpu_min, &ranks->cpu_mean, &ranks->cpu_max) &&
           is_int_spread(&ranks->memory_min, &ranks->memory_mean, &ranks->memory_max) &&
           is_int_spread(&ranks->faults_min, &ranks->faults_mean, &ranks->faults_max) &&
           (ranks->ends == NULL || are_ends(ranks->ends)) && is_end(ranks->failed_end);
}

/* "static=3 unloaded=1": causes that there are, each once at most, in their order, with a number of
 * 32 bits; or "". */
static bool are_causes(const char *text)
{
    static const char *const causes[] = {
#define WITNESS_CAUSE(verdict, name) #name "=",
#include "contrib/witness/witness_causes.def"
    };
    const char *const begin = text;
    for (size_t at = 0; at < sizeof causes / sizeof causes[0] && *text != '\0'; at++) {
        const size_t length = strlen(causes[at]);
        const char *next = text + (text != begin && *text == ' ');
        if (strncmp(next, causes[at], length) != 0)
            continue;
        text = next + length;
        if (!take_number(&text, UINT32_MAX) || (*text != ' ' && *text != '\0'))
            return false;
    }
    return *text == '\0';
}

static bool is_level(const char *text)
{
    return strcmp(text, "objects") == 0 || strcmp(text, "ends") == 0 || strcmp(text, "none") == 0 ||
           strcmp(text, "off") == 0;
}

/* Or none. */
static bool is_word(struct json_object *table, const char *key, bool (*fits)(const char *text))
{
    struct json_object *value = json_object_object_get(table, key);
    if (value == NULL)
        return true;
    const char *text = json_object_get_string(value);
    return json_object_is_type(value, json_type_string) &&
           strlen(text) == (size_t)json_object_get_string_len(value) && fits(text);
}

static int load_witness(struct json_object *coverage, struct load_reason *reason)
{
    if (!is_word(coverage, "witness", is_level))
        return load_refuse(reason, "coverageT.witness is no level");
    if (!is_word(coverage, "witness_causes", are_causes))
        return load_refuse(reason, "coverageT.witness_causes has what is no cause and its number");
    return 0;
}

static int load_ranks(struct record_reader *reader)
{
    struct ranks_record *ranks = &reader->record->ranks;
    int error = record_read_values(reader->record->root, &ranks_fields, ranks, reader->reason);
    if (error == 0 && !uuid_is_text(ranks->uuid))
        error = load_refuse(reader->reason, "ranksT.uuid is not a uuid");
    if (error == 0 && (!ranks->job_id_raw.known || ranks->step_id == NULL || ranks->node == NULL ||
                       ranks->program == NULL || !ranks->end_time.known))
        error = load_refuse(reader->reason, "ranksT does not say of which step, where or when");
    if (error == 0 && !is_sound(ranks))
        error = load_refuse(reader->reason, "ranksT has counts that cannot be");
    return error;
}

const struct load_part load_part_witness = {
    .read = load_ranks,
    .check_coverage = load_witness,
};
