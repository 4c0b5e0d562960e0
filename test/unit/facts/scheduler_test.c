/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which batch system a run belongs to, by environments as the systems make them.
 */
#include "conf/conf.h"
#include "submit/facts/scheduler.h"
#include "test/unit/fixture/cases.h"

/* Outside of Slurm. `env`: NAME=VALUE in lines. */
static struct scheduler *found_at(uint32_t site, const char *env)
{
    static struct scheduler scheduler;
    static char bytes[8192];
    const struct job_identity nobody = {.job = 0};
    size_t size = strlen(env);
    assert_true(size < sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = env[i] == '\n' ? '\0' : env[i];
    memset(&scheduler, 0x5a, sizeof scheduler);
    scheduler_find(site, &nobody, "", (struct capture_bytes){.at = bytes, .size = size},
                   &scheduler);
    return &scheduler;
}

/* Where the site has the system whose variable comes first. */
static struct scheduler *found_in(const char *env)
{
    return found_at(strstr(env, "PBS_JOBID") != NULL     ? CONF_PBS
                    : strstr(env, "LSF_VERSION") != NULL ? CONF_LSF
                                                         : CONF_SGE,
                    env);
}

static void expect(const char *env, const char *expected)
{
    char text[512];
    const struct scheduler *found = found_in(env);
    snprintf(text, sizeof text, "%s %s %s %s %s %u", found->name, found->job_id, found->queue,
             found->account, found->submit_host, (unsigned)found->nodes);
    if (strcmp(text, expected) != 0)
        fail_msg("'%s', not '%s'", text, expected);
}

TEST(each_system_is_known_by_its_variables)
{
    expect("HOME=/home/a\nSGE_ACCOUNT=sge\nJOB_ID=17\nQUEUE=all.q\nNHOSTS=3\nNSLOTS=12\n",
           "SGE 17 all.q sge unknown 3");
    expect("PBS_JOBID=123.head\nPBS_QUEUE=batch\nPBS_ACCOUNT=proj\nPBS_O_HOST=login\n"
           "PBS_NUM_NODES=4\n",
           "PBS 123 batch proj login 4");
    expect("PBS_JOBID=123[7].head\nSGE_ACCOUNT=sge\n", "PBS 123[7] unknown unknown unknown 1");
    expect("PBS_JOBID=head.1\n", "PBS head.1 unknown unknown unknown 1");
    expect("LSF_VERSION=34\nLSB_JOBID=9\nLSB_QUEUE=normal\nLSB_EXEC_CLUSTER=c1\n"
           "LSB_MCPU_HOSTS=n1 4 n2 4 n3 2 \n",
           "LSF 9 normal unknown c1 3");
}

TEST(what_the_site_does_not_have_is_a_claim_and_no_fact)
{
    static const char env[] = "PBS_JOBID=1.s\nPBS_ACCOUNT=physics\nPBS_QUEUE=batch\n";
    assert_string_equal(found_at(CONF_PBS, env)->account, "physics");
    for (uint32_t site = CONF_SLURM; site <= CONF_LSF + 1; site++) {
        const struct scheduler *found = found_at(site, env);
        const char *expected = site == CONF_PBS ? "PBS" : "unknown";
        assert_string_equal(found->name, expected);
        if (site != CONF_PBS)
            assert_string_equal(found->account, "unknown");
    }
}

TEST(what_nothing_tells_is_unknown)
{
    expect("", "unknown unknown unknown unknown unknown 1");
    expect("HOME=/home/a\nJOB_ID=17\n", "unknown unknown unknown unknown unknown 1");
    expect("PBS_JOBID=\n", "PBS unknown unknown unknown unknown 1");
    expect("PBS_JOBID=1\nPBS_QUEUE\nXPBS_QUEUE=q\nPBS_QUEUES=r\n",
           "PBS 1 unknown unknown unknown 1");
    /* the first that is there counts */
    expect("PBS_JOBID=1\nPBS_JOBID=2\n", "PBS 1 unknown unknown unknown 1");
}

/* Users set variables to what they like. */
TEST(numbers_and_texts_are_bounded)
{
    static const char *const numbers[] = {"",        "x",        "-1",        "0",
                                          "1000000", "16777216", "999999999", "4x"};
    static const uint32_t nodes[] = {1, 1, 1, 1, 1000000, 1, 1, 4};
    char env[2048];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(env, sizeof env, "PBS_JOBID=1\nPBS_NUM_NODES=%s\n", numbers[i]);
        if (found_in(env)->nodes != nodes[i])
            fail_msg("'%s': %u", numbers[i], (unsigned)found_in(env)->nodes);
    }
    snprintf(env, sizeof env, "PBS_JOBID=1\nPBS_QUEUE=%01000d\n", 7);
    assert_int_equal(strlen(found_in(env)->queue), 255);
    /* the environment may have been cut in a variable */
    expect("PBS_JOBID=1\nPBS_QUEUE=bat", "PBS 1 bat unknown unknown 1");
    expect("PBS_JOBID=1\nPBS_QUEUE", "PBS 1 unknown unknown unknown 1");
}

TEST(hosts_of_lsf_are_pairs)
{
    assert_int_equal(found_in("LSF_VERSION=34\nLSB_MCPU_HOSTS=n1 4\n")->nodes, 1);
    assert_int_equal(found_in("LSF_VERSION=34\nLSB_MCPU_HOSTS=  n1  4   n2 4\n")->nodes, 2);
    assert_int_equal(found_in("LSF_VERSION=34\nLSB_MCPU_HOSTS=\n")->nodes, 1);
    assert_int_equal(found_in("LSF_VERSION=34\n")->nodes, 1);
}

/* What root knows of a Slurm job is not asked of the environment. */
TEST(a_job_of_slurms_is_slurms_whatever_the_environment_says)
{
    static const char env[] = "PBS_JOBID=1\0SLURM_JOB_ID=2\0SLURM_JOB_ACCOUNT=other";
    const struct job_identity identity = {
        .job = 4711, .partition = (char *)"main", .account = (char *)""};
    struct scheduler found;
    scheduler_find(CONF_PBS, &identity, "login",
                   (struct capture_bytes){.at = env, .size = sizeof env}, &found);
    assert_string_equal(found.name, "SLURM");
    assert_string_equal(found.job_id, "4711");
    assert_string_equal(found.queue, "main");
    assert_string_equal(found.account, "unknown");
    assert_string_equal(found.submit_host, "login");
}

/* A process whose environment could not be captured. */
TEST(no_environment_tells_nothing)
{
    const struct job_identity nobody = {.job = 0};
    struct scheduler found;
    scheduler_find(CONF_PBS, &nobody, "", (struct capture_bytes){.at = NULL}, &found);
    assert_string_equal(found.name, "unknown");
    assert_int_equal(found.nodes, 1);
}
