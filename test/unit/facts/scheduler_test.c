/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which batch system a run belongs to, by what environments of each look like.
 */
#include "submit/facts/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ENV(text) ((struct capture_bytes){.at = (text), .size = sizeof(text) - 1})

static char none[] = "";

static struct scheduler find(struct capture_bytes env)
{
    static struct scheduler found;
    const struct job_identity nobody = {.partition = none, .account = none};
    scheduler_find(&nobody, "", env, &found);
    return found;
}

static void slurms_facts_are_those_of_root(void **state)
{
    char partition[] = "gpu";
    const struct job_identity identity = {.job = 42, .partition = partition, .account = none};
    struct scheduler found = {.nodes = 3};
    (void)state;
    scheduler_find(&identity, "login1", ENV("SGE_ACCOUNT=x\0JOB_ID=7\0"), &found);
    assert_string_equal(found.name, "SLURM");
    assert_string_equal(found.job_id, "42");
    assert_string_equal(found.queue, "gpu");
    assert_string_equal(found.account, "unknown");
    assert_string_equal(found.submit_host, "login1");
}

static void the_others_are_told_by_their_variables(void **state)
{
    (void)state;
    struct scheduler found = find(ENV("JOB_ID=7\0SGE_ACCOUNT=a\0QUEUE=all.q\0NHOSTS=3\0"));
    assert_string_equal(found.name, "SGE");
    assert_int_equal(found.nodes, 3);
    found = find(ENV("PBS_JOBID=9.server\0PBS_O_HOST=login\0PBS_NUM_NODES=many\0"));
    assert_string_equal(found.name, "PBS");
    assert_int_equal(found.nodes, 1);
    found = find(ENV("LSF_VERSION=10\0LSB_MCPU_HOSTS=a 4  b 4 c 2 \0LSB_JOBID=5\0"));
    assert_string_equal(found.name, "LSF");
    assert_int_equal(found.nodes, 3);
    found = find(ENV("PATH=/bin\0"));
    assert_string_equal(found.name, "unknown");
    assert_string_equal(found.job_id, "unknown");
    assert_int_equal(found.nodes, 1);
}

static void values_are_texts_of_the_scheduler(void **state)
{
    struct scheduler found;
    const struct job_identity nobody = {.partition = none, .account = none};
    (void)state;
    scheduler_find(&nobody, "", ENV("PBS_JOBID=9\0PBS_QUEUE=\0PBS_ACCOUNT=a b\0"), &found);
    assert_string_equal(found.job_id, "9");
    assert_string_equal(found.queue, "unknown");
    assert_string_equal(found.account, "a b");
    assert_string_equal(found.submit_host, "unknown");
}

static void an_environment_may_end_anywhere(void **state)
{
    static const char env[] = "XPBS_JOBID=1\0PBS_JOBIDX=2\0PBS_JOBID=345";
    (void)state;
    for (size_t size = 0; size < sizeof env; size++) {
        struct scheduler found;
        const struct job_identity nobody = {.partition = none, .account = none};
        scheduler_find(&nobody, "", (struct capture_bytes){.at = env, .size = size}, &found);
        bool is_pbs = size >= sizeof env - 1 - 3;
        assert_string_equal(found.name, is_pbs ? "PBS" : "unknown");
        if (size > sizeof env - 1 - 3) /* as far as it goes */
            assert_memory_equal(found.job_id, "345", size - (sizeof env - 1 - 3));
    }
    assert_string_equal(find((struct capture_bytes){.at = NULL}).name, "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slurms_facts_are_those_of_root),
        cmocka_unit_test(the_others_are_told_by_their_variables),
        cmocka_unit_test(values_are_texts_of_the_scheduler),
        cmocka_unit_test(an_environment_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
