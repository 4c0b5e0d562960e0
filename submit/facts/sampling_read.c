/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/sampling_read.h"

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf_sampling.h"

static const struct conf_interval *find_interval(const struct conf_intervals *table,
                                                 uint64_t run_ns)
{
    const struct conf_interval *found = NULL;
    for (size_t i = 0; i < table->count; i++) {
        if (table->interval[i].from_s * 1000000000u <= run_ns)
            found = &table->interval[i];
    }
    return found;
}

static bool has_probability(const struct conf_intervals *table, double probability)
{
    for (size_t i = 0; i < table->count; i++) {
        if (conf_interval_compile(&table->interval[i]).probability == probability)
            return true;
    }
    return false;
}

/* Whether the process has decided with a probability of the site's tables. Any other one is not
 * believed, since reports weigh a run by it. */
static bool has_decided(const struct conf *conf, const struct capture *capture)
{
    double probability = capture->probability;
    return capture->end_ns != 0 &&
           (probability == 1 || has_probability(&conf->scalar, probability) ||
            has_probability(&conf->mpi, probability));
}

bool sampling_keeps(const struct conf *conf, const struct capture *capture,
                    const struct ending *ending, double *probability)
{
    bool is_decided = has_decided(conf, capture);
    *probability = is_decided ? capture->probability : 1;
    if (is_decided || capture->keep || !conf->sample)
        return true;
    /* Where the end is not known, the run may have been as long as the upper bound. */
    const struct conf_interval *interval = find_interval(
        capture->size > 1 ? &conf->mpi : &conf->scalar, ending->max_ns - capture->start_ns);
    if (interval == NULL)
        return true;
    struct policy_interval compiled = conf_interval_compile(interval);
    *probability = compiled.probability;
    return capture->random <= compiled.threshold;
}
