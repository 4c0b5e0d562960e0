/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a worker that its user has got under control can say of others: nothing.
 */
#include "submit/flush/reading.h"
#include "submit/flush/worker_check.h"
#include "submit/record/coverage_record.h"
#include "submit/record/package_record.h"
#include "submit/record/run_record.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_node.h"

/* What the worker does; the linker puts these in place of the makers of records. */
static enum { HONEST, AS_OTHER_USER, OF_OTHER_JOB, AS_START } role;

static struct job_identity forged(const struct job_identity *identity)
{
    struct job_identity forged = *identity;
    if (role == AS_OTHER_USER)
        forged.user = (char *)"bob";
    if (role == OF_OTHER_JOB)
        forged.job = 8;
    return forged;
}

int __real_run_record_build(const struct run_source *source, struct built_record *record);
int __wrap_run_record_build(const struct run_source *source, struct built_record *record);

int __wrap_run_record_build(const struct run_source *source, struct built_record *record)
{
    struct run_source other = *source;
    const struct job_identity identity = forged(source->identity);
    other.identity = &identity;
    other.memo = NULL;
    if (role == AS_START)
        other.ending = NULL;
    return __real_run_record_build(&other, record);
}

enum { TAKEN_MAX = 8 };

struct taken {
    struct {
        char *name, *text;
    } record[TAKEN_MAX];
    size_t count;
};

static int take(void *context, const struct record_view *record)
{
    struct taken *taken = context;
    assert_true(taken->count < TAKEN_MAX);
    taken->record[taken->count].name = strdup(record->name);
    taken->record[taken->count++].text = strdup(record->text);
    return 0;
}

static void forget(struct taken *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        free(taken->record[i].name);
        free(taken->record[i].text);
    }
    taken->count = 0;
}

struct worked {
    struct conf conf;
    struct journal journal;
    int ledger;
    struct worker_check *check;
};

#define TASK                                                                                       \
    "task time=1700000001.000000000 step=0 task=0 pid=9 ticks=9\n"                                 \
    "program step=0 task=0 path=/bin/x\n"

static void work_on(struct worked *worked, uint32_t job)
{
    char text[512];
    memset(worked, 0, sizeof *worked);
    worked->conf = conf_of();
    if (job == 0)
        snprintf(text, sizeof text, "step time=1.000000000 step=0 uid=%u gid=%u node=n1\n",
                 (unsigned)getuid(), (unsigned)getgid());
    else
        snprintf(text, sizeof text,
                 "step time=1.000000000 job=%u step=0 uid=%u gid=%u node=n1 cluster=tiny\n" TASK
                 "epilog time=1700000100.000000000 user=alice account=\"a\xff\\\" partition=main\n",
                 job, (unsigned)getuid(), (unsigned)getgid());
    assert_int_equal(journal_parse(text, strlen(text), &worked->journal), 0);
    if (job == 0) {
        free(worked->journal.identity.user);
        worked->journal.identity.user = strdup("alice");
    } else {
        worked->journal.identity.array_job = worked->journal.identity.het_job = 5;
        worked->journal.identity.array_task = 3;
    }
    make_ledger(3);
    worked->ledger = made_file(&made, made.size);
    const struct job_allocation allocation =
        job_allocation_find(&worked->journal, UINT64_C(1700000200000000000));
    worked->check = worker_check_new(job == 0 ? READING_SESSION : READING_JOB, &worked->conf,
                                     &worked->journal.identity, job == 0 ? NULL : &allocation, NULL,
                                     worked->ledger, -1);
    assert_non_null(worked->check);
}

static void done_with(struct worked *worked)
{
    worker_check_free(worked->check);
    close(worked->ledger);
    journal_free(&worked->journal);
}

/* What a reader gives of that ledger. */
static enum flush_outcome read_it(const struct worked *worked, struct taken *taken,
                                  struct reading_summary *summary)
{
    bool is_session = worked->journal.identity.job == 0;
    const struct reading_request request = {.kind = is_session ? READING_SESSION : READING_JOB,
                                            .conf = &worked->conf,
                                            .identity = &worked->journal.identity,
                                            .take = take,
                                            .context = taken,
                                            .journal = is_session ? NULL : &worked->journal,
                                            .ledger = worked->ledger,
                                            .packages = -1,
                                            .now_ns = UINT64_C(1700000200000000000),
                                            .is_leader_gone = is_session,
                                            .sent = is_session ? "" : NULL};
    enum flush_outcome outcome;
    assert_int_equal(reading_run(&request, summary, &outcome), 0);
    return outcome;
}

static int fits(const struct worked *worked, const char *name, const char *text)
{
    const struct record_view record = record_view(name, text, strlen(text));
    return worker_check_record(worked->check, &record);
}

/* `text` with the first `from` replaced by `to`; valid until the next call. */
static const char *with(const char *text, const char *from, const char *to)
{
    static char *changed;
    const char *at = strstr(text, from);
    if (at == NULL)
        fail_msg("no %s in %s", from, text);
    free(changed);
    assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    return changed;
}

TEST(a_worker_hands_over_its_own_records_and_no_others)
{
    static const uint32_t jobs[] = {7, 0};
    for (size_t i = 0; i < 2; i++) {
        struct worked worked;
        struct reading_summary summary;
        struct taken taken = {.count = 0};
        work_on(&worked, jobs[i]);
        role = HONEST;
        assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
        assert_int_equal(summary.records, 3);
        assert_true(taken.count >= 3);
        forget(&taken);
        for (role = AS_OTHER_USER; role <= AS_START; role++) {
            assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_BROKEN);
            assert_int_equal(taken.count, 0);
        }
        done_with(&worked);
    }
    role = HONEST;
}

TEST(a_record_is_named_for_its_user_site_and_run)
{
    static const char *const changes[][2] = {
        {".alice.", ".bob."},
        {".alice.", ".alicea."},
        {".alice.", ".alice.bob."},
        {"run.", "coverage."},
        {"run.", "link."},
        {"run.", ""},
        {"run.tiny.", "run.other."},
        {".zzz.", ".aaa."},
        {".zzz.", "."},
        {".zzz.", ".zzz.zzz."},
        {".json", ".json.json"},
        {".json", ".012345678901.json"},
        {"-7000-8000-", "-7000-9000-"}, /* another run than the text tells of */
        {"_", "_x"},
    };
    struct worked worked;
    struct reading_summary summary;
    struct taken taken = {.count = 0};
    work_on(&worked, 7);
    assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
    const char *name = taken.record[0].name, *text = taken.record[0].text;
    assert_true(fits(&worked, name, text));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (fits(&worked, with(name, changes[i][0], changes[i][1]), text))
            fail_msg("taken: %s", with(name, changes[i][0], changes[i][1]));
    forget(&taken);
    done_with(&worked);
}

TEST(a_record_says_whose_it_is_once_and_clearly)
{
    static const char *const changes[][2] = {
        {"\"user\":\"alice\"", "\"user\":\"bob\""},
        {"\"user\":\"alice\"", "\"user\":\"alice\",\"user\":\"bob\""},
        {"\"user\":\"alice\"", "\"user\":\"alice\",\"User\":\"bob\""},
        {"\"user\":\"alice\"", "\"user\":\"alice\",\"us\\u0065r\":\"bob\""},
        {"\"user\":\"alice\"", "\"user\":\"alice\\u0000\""},
        {"\"user\":\"alice\"", "\"user\":[\"alice\"]"},
        {"\"user\":\"alice\"", "\"x\":{\"user\":\"alice\"}"},
        {"\"userT\":{", "\"userT\":{\"user\":\"bob\"},\"userT\":{"},
        {"\"userT\":{", "\"usert\":{\"user\":\"bob\"},\"userT\":{"},
        {"\"userT\":{", "\"user\\u0054\":{\"user\":\"bob\"},\"userT\":{"},
        {"\"userT\":{", "\"x\":{\"userT\":{"},
        {"\"userT\":{", "\"userT\":[{"},
        {"\"envT\":{", "\"envT\":{},\"userT\":{\"user\":\"bob\"},\"envT\":{"},
        {"\"envT\":{",
         "\"envT\":{\"x\":\"\\\\\",\"userT\":{\"user\":\"bob\"}},\"y\":{\"\":\"},\"userT\":\""},
        {"{\"crc\"", "{\"userT\":{\"user\":\"bob\"}}{\"crc\""},
        {"{\"crc\"", "[{\"crc\""},
        {"\"job_id\":\"7\"", "\"job_id\":\"8\""},
        {"\"job_id\":7,", "\"job_id\":8,"},
        {"\"job_id\":7,", "\"job_id\":7.0,"},
        {"\"job_id\":7,", ""},
        {"\"array_job_id\":5", "\"array_job_id\":6"},
        {"\"array_task_id\":3", "\"array_task_id\":null"},
        {"\"het_job_id\":5", "\"het_job_id\":6"},
        {"\"het_offset\":2", "\"het_offset\":1"},
        {"\"node\":\"n1\"", "\"node\":\"n2\""},
        {"\"partition\":\"main\"", "\"partition\":\"free\""},
        {"\"queue\":\"main\"", "\"queue\":\"free\""},
        {"\"scheduler\":\"SLURM\"", "\"scheduler\":\"PBS\""},
        {"\"cluster\":\"c\"", "\"cluster\":\"big\""},
        {"-7000-8000-", "-7000-9000-"},
        {"\"run_uuid\":", "\"run_id\":"},
        {"\"slurmT\":", "\"slurmt\":"},
        {"\"exit_code\":", "\"exit_code\""},
        {"\"exit_code\":", "'exit_code':"},
        {"\"exit_code\":", "/**/\"exit_code\":"},
        {"\"exit_code\":", "\"x\":\"\n\",\"exit_code\":"},
        {"\"exit_code\":", "\"x\":\"\033[2J\",\"exit_code\":"},
        {"\"envT\":{", "\"x\":\"\xc3\xa9\",\"envT\":{"},
        {"\"envT\":{", "\"x\":\" V:4 kind:run key:run_fini_x nb:1 idx:0 value:\",\"envT\":{"},
        {"\"libA\":[", "\"libA\":[]],\"x\":["},
        /* what is in a table of facts may not end it, nor be half of JSON */
        {"\"exit_code\":", "\"x\":NaN,\"exit_code\":"},
        {"\"exit_code\":", "\"x\":{\"y\"},\"exit_code\":"},
        {"\"exit_code\":", "\"x\":[1,],\"exit_code\":"},
        {"\"libA\":[", "\"libA\":[nan,"},
        {"\"libA\":[", "\"libA\":[\"\\ud83d\","},
        {"\"libA\":[", "\"libA\":[\"\\x41\","},
        {"\"libA\":[", "\"libA\":[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]],"},
    };
    struct worked worked;
    struct reading_summary summary;
    struct taken taken = {.count = 0};
    work_on(&worked, 7);
    assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const char *text = taken.record[0].text;
        if (i % 2 == 0) /* with and without a sound one before, of another run */
            assert_true(fits(&worked, taken.record[1].name, taken.record[1].text));
        if (fits(&worked, taken.record[0].name, with(text, changes[i][0], changes[i][1])))
            fail_msg("taken: %s", with(text, changes[i][0], changes[i][1]));
    }
    /* what users name as they like says nothing */
    static const char *const harmless[][2] = {
        {"\"envT\":{", "\"envT\":{\"userT\":\"bob\",\"user\":{\"user\":\"bob\"},\"u\\\"\":1"},
        {"\"cmdlineA\":[",
         "\"cmdlineA\":[\"userT\",\"\\\"userT\\\":{\\\"user\\\":\\\"bob\\\"}\\\\\""},
    };
    for (size_t i = 0; i < 2; i++) {
        const char *rest = strstr(taken.record[0].text, harmless[i][0]) + strlen(harmless[i][0]);
        char more[512];
        snprintf(more, sizeof more, "%s%s", harmless[i][1],
                 *rest == ']' || *rest == '}' ? "" : ",");
        assert_true(
            fits(&worked, taken.record[0].name, with(taken.record[0].text, harmless[i][0], more)));
    }
    forget(&taken);
    done_with(&worked);
}

/* The record of this kind that is taken first. */
static size_t last_of(const struct taken *taken, const char *kind)
{
    size_t i = taken->count;
    while (i > 0 && strncmp(taken->record[i - 1].name, kind, strlen(kind)) != 0)
        i--;
    assert_true(i > 0);
    return i - 1;
}

/* Of no rules about command lines. */
static const struct command_lines any_lines;

static void take_and_free(struct taken *taken, struct built_record *record)
{
    const struct record_view view = record_view_of(record);
    take(taken, &view);
    record_free(record);
}

static void take_coverage(const struct worked *worked, struct taken *taken)
{
    struct coverage_fact fact = {
        .outcome = COVERAGE_STATIC, .date = "2023-11-14", .program = "/bin/x"};
    const struct coverage coverage = {.facts = &fact, .fact_count = 1};
    const struct job_allocation allocation = job_allocation_find(&worked->journal, 0);
    struct built_record record;
    assert_int_equal(
        coverage_record_build(&(struct coverage_record_source){.conf = &worked->conf,
                                                               .lines = &any_lines,
                                                               .journal = &worked->journal,
                                                               .coverage = &coverage,
                                                               .allocation = &allocation},
                              0, &record),
        0);
    take_and_free(taken, &record);
}

static void take_package(const struct worked *worked, struct taken *taken)
{
    const struct package package = {
        .program = "R", .name = "dplyr", .version = "1.0", .path = "/r/dplyr"};
    const struct capture capture = {.uuid = {1, 2, 3, 4, 5, 6, 0x70, 8, 0x89},
                                    .start_ns = UINT64_C(1700000001000000000)};
    struct built_record record;
    assert_int_equal(
        package_record_build(&(struct package_source){.conf = &worked->conf,
                                                      .lines = &any_lines,
                                                      .identity = &worked->journal.identity,
                                                      .capture = &capture,
                                                      .package = &package,
                                                      .version = "1.0"},
                             &record),
        0);
    take_and_free(taken, &record);
}

/* A reader who looks for the keys of another kind first would take it for that. */
TEST(a_record_has_the_keys_of_its_kind_and_no_others)
{
    static const char *const kinds[] = {"run.", "pkg.", "coverage."};
    /* the kind that may have it, and a key */
    static const char *const more[][2] = {
        {"run.",
         "\"userT\":{\"run_uuid\":\"019a9f00-0000-7000-8000-000000000001\",\"user\":\"root\"}"},
        {"run.", "\"slurmT\":{\"job_id\":8}"},
        {"run.", "\"envT\":{}"},
        {"run.", "\"hash_id\":\"0\""},
        {"pkg.", "\"xalt_run_uuid\":\"019a9f00-0000-7000-8000-000000000001\""},
        {"pkg.", "\"program\":\"R\""},
        {"coverage.", "\"coverageT\":{\"job_id\":8}"},
        {"coverage.", "\"coverageA\":[]"},
        {"link.", "\"resultT\":{\"build_user\":\"root\"}"},
        {"link.", "\"linkA\":[]"},
        {"link.", "\"jobtrailT\":{}"},
        {"root's", "\"signature\":\"00\""},
        {"nobody's", "\"laterT\":{}"},
        {"nobody's", "\"UserT\":{\"user\":\"root\"}"},
        {"nobody's", "\"user\\u0054\":{\"user\":\"root\"}"},
        {"nobody's", "\"\":0"},
        {"all", "\"crc\":\"0x0000\""},
    };
    struct worked worked;
    struct reading_summary summary;
    struct taken taken = {.count = 0};
    work_on(&worked, 7);
    assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
    take_package(&worked, &taken);
    take_coverage(&worked, &taken);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t at = last_of(&taken, kinds[i]);
        const char *name = taken.record[at].name, *text = taken.record[at].text;
        for (size_t j = 0; j < sizeof more / sizeof more[0]; j++) {
            char first[256];
            snprintf(first, sizeof first, "{%s,", more[j][1]);
            assert_true(fits(&worked, name, text));
            if (fits(&worked, name, with(text, "{", first)))
                fail_msg("taken: %s %s", name, with(text, "{", first));
        }
    }
    forget(&taken);
    done_with(&worked);
}

TEST(a_package_says_whose_it_is)
{
    static const char *const changes[][2] = {
        {"\"user\":\"alice\"", "\"user\":\"bob\""},
        {"\"user\":\"alice\"", "\"user\":\"alice\",\"user\":\"bob\""},
        {"\"job_id\":7,", "\"job_id\":8,"},
        {"\"job_id\":7,", "\"job_id\":null,"},
        {"\"restart_count\":0", "\"restart_count\":1"},
        {"\"cluster\":\"c\"", "\"cluster\":\"big\""},
        {"\"ownerT\":{", "\"ownert\":{"},
        {"\"ownerT\":{", "\"ownerT\":{},\"ownerT\":{"},
        {"\"xalt_run_uuid\":\"0", "\"xalt_run_uuid\":\"1"},
    };
    const struct package package = {"x", "python", "numpy", "1", "/p", 0, false};
    struct capture capture = {.start_ns = UINT64_C(1700000001000000000)};
    struct worked worked;
    struct built_record record;
    work_on(&worked, 7);
    const struct package_source source = {&worked.conf, &any_lines, &worked.journal.identity,
                                          &capture,     &package,   "1"};
    assert_int_equal(package_record_build(&source, &record), 0);
    assert_true(fits(&worked, record.name, record.text));
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (fits(&worked, record.name, with(record.text, changes[i][0], changes[i][1])))
            fail_msg("taken: %s", with(record.text, changes[i][0], changes[i][1]));
    record_free(&record);
    done_with(&worked);
}

/* The facts of a table that is the same as in the record before are known; its run is another. */
TEST(the_record_before_does_not_vouch_for_another_run)
{
    struct worked worked;
    struct reading_summary summary;
    struct taken taken = {.count = 0};
    work_on(&worked, 7);
    assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
    assert_true(fits(&worked, taken.record[0].name, taken.record[0].text));
    assert_false(fits(&worked, taken.record[1].name, taken.record[0].text));
    assert_true(fits(&worked, taken.record[1].name, taken.record[1].text));
    assert_true(fits(&worked, taken.record[1].name, taken.record[1].text));
    forget(&taken);
    done_with(&worked);
}

TEST(a_session_is_no_job)
{
    struct worked worked;
    struct reading_summary summary;
    struct taken taken = {.count = 0};
    work_on(&worked, 0);
    assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
    const char *text = taken.record[0].text;
    assert_true(fits(&worked, taken.record[0].name, text));
    assert_false(fits(&worked, taken.record[0].name,
                      with(text, "\"scheduler\":\"unknown\"", "\"scheduler\":\"PBS\"")));
    assert_false(fits(&worked, taken.record[0].name,
                      with(text, "\"account\":\"unknown\"", "\"account\":\"physics\"")));
    assert_false(fits(&worked, taken.record[0].name,
                      with(text, "\"scheduler\":\"unknown\"", "\"scheduler\":\"SLURM\"")));
    assert_false(
        fits(&worked, taken.record[0].name, with(text, "\"job_id\":null", "\"job_id\":7")));
    forget(&taken);
    done_with(&worked);
}

TEST(a_summary_says_no_more_than_there_was_room_for)
{
    struct reading_summary summary, most;
    struct worked worked;
    struct taken taken = {.count = 0};
    work_on(&worked, 7);
    assert_int_equal(read_it(&worked, &taken, &summary), FLUSH_DONE);
    assert_true(fits(&worked, taken.record[0].name, taken.record[0].text));
    memset(&most, 0xff, sizeof most);
    worker_check_summary(worked.check, &most);
    assert_int_equal(most.records, 1);
    assert_int_equal(most.packages, 0);
    assert_int_equal(most.damaged, made.size / LEDGER_PAGE + 1);
    assert_int_equal(most.running, made.size / LEDGER_PAGE + 1);
    assert_int_equal(most.unhooked, made.size / LEDGER_PAGE + 1);
    assert_int_equal(most.bad_lines, 1);
    assert_int_equal(most.dropped, UINT32_MAX);
    forget(&taken);
    done_with(&worked);
}

EACH(node_set_up, node_tear_down)
