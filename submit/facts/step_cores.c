/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/facts/step_cores.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"

/* Rates are in 2^-43 of a CPU or core: 2^20 of them in 64 bits, and 2^64 ns of these in 128. */
enum { WORD_BITS = 64, WORDS = PARTITION_CORES_MAX / WORD_BITS, RATE_BITS = 43 };

#define RATE_OF_ONE (UINT64_C(1) << RATE_BITS)

/* The time of steps is counted in ticks. It is slower than the clock where they hold more CPUs than
 * there are. */
struct core {
    uint32_t alike; /* as many cores are held by the same steps: this one stands for them */
    uint32_t holders;
    uint64_t rate;     /* of each holder */
    cpu_ticks read_at; /* time of steps */
    cpu_ticks had;     /* by each holder, until then */
};

struct holding {
    bool lives;
    uint64_t version;  /* of the rate */
    uint64_t rate;     /* of all of its cores */
    cpu_ticks read_at; /* time of steps */
    cpu_ticks before;  /* the sum of its cores' clocks as it began */
    cpu_ticks had;     /* until then: core ticks, or CPU ticks where the cores are not known */
};

struct step_cores {
    const struct partition_input *input;
    uint32_t core_count; /* that `input->cpus` are */
    struct core core[PARTITION_CORES_MAX];
    uint64_t first[WORDS];   /* bit set of those that stand for all that are alike */
    struct holding *holding; /* of each step */
    cpu_ticks time;          /* of steps */
    uint64_t time_rate;      /* of it, of the clock */
    uint64_t rest_rate;      /* of the CPUs that no step has */
    cpu_ticks rest, waited;  /* of each batch step */
    size_t held;             /* cores */
    uint64_t unknown_cpus;   /* of living steps whose cores are not known */
    size_t living, batch_count;
    uint64_t version; /* grows with each change of a core that another step holds */
};

/* Walks over the cores of a step that are in `among`: *core is -1 before the first one. */
static bool next_core(const struct partition_step *step, const uint64_t *among, int *core)
{
    for (size_t at = (size_t)*core + 1; at / WORD_BITS < WORDS;) {
        if (at / WORD_BITS >= step->core_words)
            return false;
        uint64_t word = (step->cores[at / WORD_BITS] & among[at / WORD_BITS]) >> at % WORD_BITS;
        if (word != 0) {
            *core = (int)at + __builtin_ctzll(word);
            return true;
        }
        at = (at / WORD_BITS + 1) * WORD_BITS;
    }
    return false;
}

/* Kinds of cores that are held by the same steps: at first all are of kind 0. */
struct kinds {
    uint16_t of[PARTITION_CORES_MAX];
    uint16_t size[PARTITION_CORES_MAX], found[PARTITION_CORES_MAX], split[PARTITION_CORES_MAX];
    uint16_t count;
};

/* Splits the kinds of which the step holds some cores, but not all. */
static void split_kinds(struct kinds *kinds, const struct partition_step *step, const uint64_t *all)
{
    for (int i = -1; next_core(step, all, &i);)
        kinds->found[kinds->of[i]]++;
    for (int i = -1; next_core(step, all, &i);) {
        uint16_t kind = kinds->of[i];
        if (kinds->found[kind] == kinds->size[kind])
            continue;
        if (kinds->split[kind] == 0)
            kinds->split[kind] = kinds->count++;
        kinds->of[i] = kinds->split[kind];
        kinds->size[kinds->split[kind]]++;
    }
    for (uint16_t kind = 0; kind < kinds->count; kind++) {
        if (kinds->split[kind] != 0)
            kinds->size[kind] = (uint16_t)(kinds->size[kind] - kinds->found[kind]);
        kinds->split[kind] = kinds->found[kind] = 0;
    }
}

static bool has_same_cores(const struct partition_step *step, const struct partition_step *other)
{
    return step->core_words == other->core_words &&
           memcmp(step->cores, other->cores, step->core_words * sizeof *step->cores) == 0;
}

static int find_alike(struct step_cores *cores, const uint64_t *all)
{
    CLEANUP_FREE struct kinds *kinds = calloc(1, sizeof *kinds);
    const struct partition_step *last = NULL;
    if (kinds == NULL)
        return -ENOMEM;
    kinds->count = 1;
    for (size_t word = 0; word < WORDS; word++)
        kinds->size[0] = (uint16_t)(kinds->size[0] + __builtin_popcountll(all[word]));
    for (size_t i = 0; i < cores->input->step_count; i++) {
        const struct partition_step *step = &cores->input->steps[i];
        if (step->is_batch || step->cores == NULL || (last != NULL && has_same_cores(step, last)))
            continue;
        split_kinds(kinds, step, all);
        last = step;
    }
    for (size_t i = 0; i < PARTITION_CORES_MAX; i++) {
        if ((all[i / WORD_BITS] >> i % WORD_BITS & 1) == 0 || kinds->size[kinds->of[i]] == 0)
            continue;
        cores->core[i].alike = kinds->size[kinds->of[i]];
        cores->first[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
        kinds->size[kinds->of[i]] = 0;
    }
    return 0;
}

/* CPUs x cores, so that all is whole: a core is input->cpus / core_count CPUs. */
static void set_rates(struct step_cores *cores)
{
    cpu_ticks cpus = cores->input->cpus, all = cpus * cores->core_count;
    cpu_ticks held = cores->held * cpus + (cpu_ticks)cores->unknown_cpus * cores->core_count;
    cores->time_rate = RATE_OF_ONE;
    cores->rest_rate = 0;
    if (held > all)
        cores->time_rate = (uint64_t)((all << RATE_BITS) / held);
    else
        cores->rest_rate = (uint64_t)(((all - held) << RATE_BITS) / cores->core_count);
}

int step_cores_make(const struct partition_input *input, struct step_cores **cores)
{
    uint64_t all[WORDS] = {0};
    struct step_cores *made = calloc(1, sizeof *made);
    if (made == NULL)
        return -ENOMEM;
    made->input = input;
    /* The cores that any step holds, into `all`. Returns how many cores the job's CPUs are. */
    uint32_t count = 0, given = input->cores != 0 ? input->cores : input->cpus;
    for (size_t i = 0; i < input->step_count; i++) {
        const struct partition_step *step = &input->steps[i];
        if (step->is_batch || step->cores == NULL)
            continue;
        for (size_t word = 0; word < step->core_words && word < WORDS; word++)
            all[word] |= step->cores[word];
    }
    for (size_t word = 0; word < WORDS; word++)
        count += (uint32_t)__builtin_popcountll(all[word]);
    count = count > given ? count : given;
    made->core_count = count > 0 ? count : 1;
    made->holding = calloc(input->step_count + 1, sizeof *made->holding);
    int error = made->holding == NULL ? -ENOMEM : find_alike(made, all);
    set_rates(made);
    if (error != 0)
        step_cores_free(made);
    else
        *cores = made;
    return error;
}

/* What so many ticks are at a rate, rounded down. */
static cpu_ticks scale(cpu_ticks ticks, uint64_t rate)
{
    cpu_ticks ns = ticks >> CPU_TICKS_BITS, rest = ticks & (CPU_TICKS_IN_NS - 1);
    return (ns * rate >> (RATE_BITS - CPU_TICKS_BITS)) + (rest * rate >> RATE_BITS);
}

void step_cores_advance(struct step_cores *cores, uint64_t ns)
{
    cpu_ticks ticks = (cpu_ticks)ns << CPU_TICKS_BITS;
    cores->time += scale(ticks, cores->time_rate);
    if (cores->batch_count == 0)
        return;
    cpu_ticks rest = scale(ticks, cores->rest_rate) / cores->batch_count;
    cores->rest += rest;
    if (cores->living > 0)
        cores->waited += rest;
}

static cpu_ticks had_of_core(const struct step_cores *cores, const struct core *core)
{
    return core->had + scale(cores->time - core->read_at, core->rate);
}

static void set_holders(struct step_cores *cores, struct core *core, uint32_t holders)
{
    core->had = had_of_core(cores, core);
    core->read_at = cores->time;
    core->holders = holders;
    core->rate = holders > 0 ? RATE_OF_ONE / holders : 0;
}

/* Sum of the clocks of the step's cores, and its rate. */
static cpu_ticks sum_cores(struct step_cores *cores, size_t step)
{
    struct holding *holding = &cores->holding[step];
    cpu_ticks sum = 0;
    holding->rate = 0;
    for (int i = -1; next_core(&cores->input->steps[step], cores->first, &i);) {
        const struct core *core = &cores->core[i];
        sum += had_of_core(cores, core) * core->alike;
        holding->rate += core->rate * core->alike;
    }
    holding->version = cores->version;
    return sum;
}

/* A clock of a core is rounded down each time that its holders change; a step, as it is read. So
 * the sum of the clocks may be behind by some ticks. */
static void read_known(struct step_cores *cores, size_t step)
{
    struct holding *holding = &cores->holding[step];
    if (holding->version == cores->version) {
        holding->had += scale(cores->time - holding->read_at, holding->rate);
        return;
    }
    cpu_ticks sum = sum_cores(cores, step);
    if (sum > holding->before + holding->had)
        holding->had = sum - holding->before;
}

static bool is_known(const struct step_cores *cores, size_t step)
{
    return cores->input->steps[step].cores != NULL;
}

static uint32_t unknown_cpus(const struct step_cores *cores, size_t step)
{
    uint32_t cpus = cores->input->steps[step].cpus;
    return cpus < cores->input->cpus ? cpus : cores->input->cpus;
}

cpu_ticks step_cores_had(struct step_cores *cores, size_t step)
{
    struct holding *holding = &cores->holding[step];
    if (cores->input->steps[step].is_batch)
        return cores->rest;
    if (holding->lives && holding->read_at != cores->time) {
        if (is_known(cores, step))
            read_known(cores, step);
        else
            holding->had += (cores->time - holding->read_at) * unknown_cpus(cores, step);
        holding->read_at = cores->time;
    }
    return is_known(cores, step) ? holding->had * cores->input->cpus / cores->core_count
                                 : holding->had;
}

void step_cores_begin(struct step_cores *cores, size_t step)
{
    struct holding *holding = &cores->holding[step];
    bool is_shared = false;
    holding->lives = true;
    holding->read_at = cores->time;
    cores->living++;
    if (!is_known(cores, step))
        cores->unknown_cpus += unknown_cpus(cores, step);
    for (int i = -1;
         is_known(cores, step) && next_core(&cores->input->steps[step], cores->first, &i);) {
        struct core *core = &cores->core[i];
        if (core->holders == 0)
            cores->held += core->alike;
        else
            is_shared = true;
        set_holders(cores, core, core->holders + 1);
    }
    if (is_shared)
        cores->version++;
    if (is_known(cores, step))
        holding->before = sum_cores(cores, step);
    set_rates(cores);
}

void step_cores_end(struct step_cores *cores, size_t step)
{
    bool is_shared = false;
    step_cores_had(cores, step);
    cores->holding[step].lives = false;
    cores->living--;
    if (!is_known(cores, step))
        cores->unknown_cpus -= unknown_cpus(cores, step);
    for (int i = -1;
         is_known(cores, step) && next_core(&cores->input->steps[step], cores->first, &i);) {
        struct core *core = &cores->core[i];
        set_holders(cores, core, core->holders - 1);
        if (core->holders == 0)
            cores->held -= core->alike;
        else
            is_shared = true;
    }
    if (is_shared)
        cores->version++;
    set_rates(cores);
}

void step_cores_set_batch(struct step_cores *cores, size_t count)
{
    cores->batch_count = count;
}

cpu_ticks step_cores_waited(const struct step_cores *cores)
{
    return cores->waited;
}

void step_cores_free(struct step_cores *cores)
{
    if (cores == NULL)
        return;
    free(cores->holding);
    free(cores);
}
