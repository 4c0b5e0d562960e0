/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The job that docs/numbers.md draws: drawing, table and division are the same.
 */
#include <math.h>

#include "submit/facts/partition.h"
#include "test/unit/fixture/cases.h"

#define MINUTE UINT64_C(60000000000)

enum { SIGNS = 128, CPUS = 4, MINUTES = 20 };

/* CPU minutes by sign. */
struct page {
    double drawn[SIGNS], told[SIGNS];
};

static void read_page(struct page *page)
{
    char line[1024], sign, *cell;
    FILE *file = fopen(NUMBERS_PAGE, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        int at = 0;
        if (sscanf(line, " CPU %*d %n", &at) == 0 && at > 0)
            for (const char *c = line + at; *c > ' '; c++)
                page->drawn[(unsigned char)*c % SIGNS]++;
        at = 0;
        if (sscanf(line, "| `%c` |%n", &sign, &at) == 1 && at > 0 &&
            (cell = strchr(line + at, '|')) != NULL)
            page->told[(unsigned char)sign % SIGNS] = atof(cell + 1);
    }
    fclose(file);
}

static double minutes(struct partition_shares shares)
{
    double sum = 0;
    for (size_t i = 0; i < shares.count; i++)
        sum += shares.share[i].core_seconds / 60;
    return sum;
}

enum { BATCH, SIM, STEPS };
enum { SCRIPT, RANK_0, RANK_1, TASKS };
enum { BASH, PREP, GZIP, SIM_RUN, FIT, RUNS };

TEST(the_job_of_the_page_is_divided_as_it_is_drawn)
{
    const uint64_t two_cores = 3;
    const struct partition_step steps[STEPS] = {
        [BATCH] = {.is_batch = true, .end_ns = 20 * MINUTE},
        [SIM] = {.cpus = 2,
                 .cores = &two_cores,
                 .core_words = 1,
                 .start_ns = 6 * MINUTE,
                 .end_ns = 16 * MINUTE},
    };
    const struct partition_task tasks[TASKS] = {
        [SCRIPT] = {.step = BATCH, .end_ns = 20 * MINUTE, .max_ns = 20 * MINUTE},
        [RANK_0] = {SIM, false, 6 * MINUTE, 14 * MINUTE, 14 * MINUTE},
        [RANK_1] = {SIM, true, 6 * MINUTE, 16 * MINUTE, 16 * MINUTE},
    };
    const struct partition_run runs[RUNS] = {
        [BASH] = {SCRIPT, SIZE_MAX, PARTITION_WRAPPER, 1, 0, 20 * MINUTE, 20 * MINUTE},
        [PREP] = {SCRIPT, BASH, PARTITION_PROGRAM, 1, 2 * MINUTE, 6 * MINUTE, 6 * MINUTE},
        [GZIP] = {SCRIPT, PREP, PARTITION_PROGRAM, 1, 4 * MINUTE, 6 * MINUTE, 6 * MINUTE},
        [SIM_RUN] = {RANK_0, SIZE_MAX, PARTITION_PROGRAM, 1, 6 * MINUTE, 14 * MINUTE, 14 * MINUTE},
        [FIT] = {SCRIPT, BASH, PARTITION_PROGRAM, 1, 16 * MINUTE, 17 * MINUTE, 20 * MINUTE},
    };
    const struct partition_input input = {.cpus = CPUS,
                                          .end_ns = MINUTES * MINUTE,
                                          .steps = steps,
                                          .step_count = STEPS,
                                          .tasks = tasks,
                                          .task_count = TASKS,
                                          .runs = runs,
                                          .run_count = RUNS};
    struct partition *partition;
    struct page page = {0};
    double found[SIGNS] = {0}, whole = 0;

    read_page(&page);
    assert_int_equal(partition_make(&input, &partition), 0);
    found['p'] = minutes(partition_of_run(partition, PREP));
    found['g'] = minutes(partition_of_run(partition, GZIP));
    found['m'] = minutes(partition_of_run(partition, SIM_RUN)) +
                 minutes(partition_of_task(partition, RANK_1, PARTITION_FOLLOWER));
    found['f'] = minutes(partition_of_run(partition, FIT));
    found['?'] = minutes(partition_of_task(partition, SCRIPT, PARTITION_UNCERTAIN));
    found['s'] = minutes(partition_of_task(partition, SCRIPT, PARTITION_UNSEEN));
    found['.'] = minutes(partition_idle(partition));
    for (size_t i = 0; i < SIGNS; i++) {
        if (fabs(found[i] - page.drawn[i]) > 1e-6 || fabs(found[i] - page.told[i]) > 1e-6)
            fail_msg("'%c': %.3f CPU minutes, %.0f drawn, %.0f in the table", (int)i, found[i],
                     page.drawn[i], page.told[i]);
        whole += found[i];
    }
    assert_true(fabs(whole - CPUS * MINUTES) < 1e-6);
    assert_true(fabs(partition_most_of_run(partition, FIT) - 960) < 1e-6);
    partition_free(partition);
}
