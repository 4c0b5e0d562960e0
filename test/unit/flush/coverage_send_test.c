/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is sent beside the runs of captures, in several goes.
 */
#include "submit/facts/division.h"
#include "submit/flush/coverage_send.h"
#include "submit/record/command_line.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"
#include "test/unit/fixture/made_program.h"
#include "test/unit/fixture/made_tree.h"

/* What a flush has sent until its time was over, and the next one behind that. */
struct sent {
    uint64_t unit, last; /* of the record that comes, and of the last one that was sent */
    char programs[16];   /* of these, each followed by a blank */
    size_t most;         /* how many there is time for */
};

static bool begin(void *context, uint64_t unit)
{
    struct sent *sent = context;
    assert_true(unit > sent->unit);
    sent->unit = unit;
    return true;
}

static int give(void *context, const struct built_record *record)
{
    struct sent *sent = context;
    if (sent->unit == sent->last || strncmp(record->name, "run.", 4) != 0)
        return 0;
    if (sent->most-- == 0)
        return -ETIMEDOUT;
    sent->last = sent->unit;
    snprintf(sent->programs + strlen(sent->programs), 3, "%c ",
             strstr(record->text, "/copy-")[strlen("/copy-")]);
    return 0;
}

static const char *copy(char letter)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/copy-%c", made_tree, letter);
    return path;
}

/* Three tasks, each of which ran a copy of its own. */
static struct journal journal_of_copies(void)
{
    char text[2048];
    struct journal journal;
    int used =
        snprintf(text, sizeof text,
                 "step time=100.000000000 job=7 restart=0 uid=1000 gid=100 step=0 tasks=3\n");
    for (int i = 0; i < 3; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "task time=110.000000000 step=0 task=%d pid=5%d ticks=1\n"
                         "program time=110.000000000 step=0 task=%d leader=%d path=%s\n",
                         i, i, i, i, copy((char)('a' + i)));
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "epilog time=200.000000000 partition=main account=physics\n");
    assert_int_equal(journal_parse(text, (size_t)used, &journal), 0);
    return journal;
}

TEST(a_static_program_that_goes_does_not_move_the_others)
{
    const struct conf conf = {
        .cluster = (char *)"c", .syshost = (char *)"tiny", .transport = (char *)"file"};
    struct sent sent = {.most = 2};
    uint64_t runs = 0;
    void *policy = compiled("");
    struct journal journal = journal_of_copies();
    struct job_tasks tasks;
    struct reading_request request = {.conf = &conf, .journal = &journal};
    const struct ledger_send send = {
        .request = &request, .policy = policy, .give = give, .begin = begin, .context = &sent};
    const struct job_allocation allocation = job_allocation_find(&journal, 0);
    struct coverage_told told = {.tasks = &tasks, .allocation = &allocation, .has_ledger = true};
    assert_int_equal(job_tasks_make(&journal, &tasks), 0);
    const struct division_source source = {
        .journal = &journal, .allocation = &allocation, .tasks = &tasks};
    assert_int_equal(division_new(&source, &told.division), 0);
    assert_int_equal(division_make(told.division), 0);
    for (int letter = 'a'; letter <= 'c'; letter++)
        made_program(copy((char)letter), PT_LOAD, 0755);
    assert_int_equal(coverage_send(&send, &told, 100, &runs), -ETIMEDOUT);
    assert_string_equal(sent.programs, "a b ");
    assert_int_equal(unlink(copy('a')), 0);
    request.resume_at.unit = sent.last;
    sent.unit = 0;
    sent.most = 2;
    assert_int_equal(coverage_send(&send, &told, 100, &runs), 0);
    assert_string_equal(sent.programs, "a b c ");
    division_free(told.division);
    job_tasks_free(&tasks);
    journal_free(&journal);
    free(policy);
}

ALL(made_tree_set_up, made_tree_tear_down)
