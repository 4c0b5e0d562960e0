/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The record of a run: its keys, their types and values, its CRC and its name.
 */
#include <fcntl.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "crc.h"
#include "journal.h"
#include "run_record.h"
#include "text.h"

#define START  UINT64_C(1700000000123456789) /* Tue Nov 14 22:13:20 2023 UTC */
#define SECOND UINT64_C(1000000000)

/* A run, to be changed before it is built. */
struct made {
    struct conf conf;
    struct journal journal;
    struct journal_step step[3];
    struct capture capture;
    struct ending ending;
    uint64_t dropped;
    double probability;
    struct record record;
    struct json_object *json;
};

static char directory[] = "/tmp/submit_record_test.XXXXXX";

static struct capture_bytes text(const char *string)
{
    return (struct capture_bytes){.at = string, .size = strlen(string)};
}

static void make(struct made *made)
{
    *made = (struct made){
        .conf = {.cluster = (char *)"", .syshost = (char *)"", .transport = (char *)"file"},
        .journal = {.job = 42,
                    .restart = 1,
                    .array_job = JOURNAL_NONE,
                    .array_task = JOURNAL_NONE,
                    .het_job = JOURNAL_NONE,
                    .nodes = 3,
                    .cpus = 16,
                    .gpus = 2,
                    .user = (char *)"alice",
                    .account = (char *)"proj",
                    .partition = (char *)"main",
                    .qos = (char *)"gold",
                    .cluster = (char *)"alpha",
                    .node = (char *)"n1",
                    .submit_host = (char *)"login",
                    .steps = made->step,
                    .step_count = 3},
        .step = {{.step = 0, .nodes = 2, .node_id = 1, .tasks = 4, .cpus_per_task = 3},
                 {.step = JOURNAL_STEP_BATCH, .nodes = 0},
                 {.step = JOURNAL_STEP_INTERACTIVE, .nodes = 1, .tasks = 1}},
        .capture = {.pid = 10,
                    .start_ns = START,
                    .uuid = {0x01, 0x9a, 0x9f, 0, 0x11, 0x22, 0x7a, 0xbc, 0x8d, 0xef, 1, 2, 3, 4, 5,
                             0xff},
                    .rank = 1,
                    .size = 4,
                    .task = 1,
                    .exec = text("/nonexistent/x")},
        .ending = {.source = "fini", .end_ns = START + 5 * SECOND / 2},
        .probability = 0.0001,
    };
}

static struct run_source source_of(const struct made *made)
{
    return (struct run_source){.conf = &made->conf,
                               .journal = &made->journal,
                               .capture = &made->capture,
                               .ending = &made->ending,
                               .dropped = made->dropped,
                               .probability = made->probability};
}

/* Builds the record with parts that other records have left in the memo, and compares those with
 * the ones that were made for it alone. */
static void assert_remembered(const struct run_source *source, struct json_memo *memo,
                              struct json_object *expected)
{
    static const char *const parts[] = {"libA", "buildIdA", "envT", "slurmT", "XALT_qaT"};
    struct run_source other = *source;
    struct record record;
    other.memo = memo;
    assert_int_equal(run_record_build(&other, &record), 0);
    struct json_object *found = json_tokener_parse(record.text);
    assert_non_null(found);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_string_equal(json_object_get_string(json_object_object_get(found, parts[i])),
                            json_object_get_string(json_object_object_get(expected, parts[i])));
    json_object_put(found);
    record_free(&record);
}

static void build(struct made *made)
{
    struct run_source source = source_of(made);
    struct json_memo *memo = json_memo_new();
    assert_int_equal(run_record_build(&source, &made->record), 0);
    assert_int_equal(strlen(made->record.text), made->record.length);
    for (size_t i = 0; i < made->record.length; i++)
        assert_in_range((unsigned char)made->record.text[i], 0x20, 0x7f);
    enum json_tokener_error error;
    made->json = json_tokener_parse_verbose(made->record.text, &error);
    if (made->json == NULL)
        fail_msg("%s: %s", json_tokener_error_desc(error), made->record.text);
    for (int i = 0; i < 2; i++)
        assert_remembered(&source, memo, made->json);
    json_memo_free(memo);
}

static void release(struct made *made)
{
    json_object_put(made->json);
    record_free(&made->record);
    assert_null(made->record.text);
}

static struct json_object *get(const struct made *made, const char *table, const char *key)
{
    struct json_object *inner, *value;
    if (!json_object_object_get_ex(made->json, table, &inner) ||
        !json_object_object_get_ex(inner, key, &value))
        fail_msg("no %s.%s", table, key);
    return value;
}

static void assert_value(const struct made *made, const char *table, const char *key,
                         const char *expected)
{
    const char *found =
        json_object_to_json_string_ext(get(made, table, key), JSON_C_TO_STRING_NOSLASHESCAPE);
    if (strcmp(found, expected) != 0)
        fail_msg("%s.%s is %s, not %s", table, key, found, expected);
}

/* The keys of a table, each followed by the first letter of its type, in their order. */
static void assert_keys(struct json_object *table, const char *expected)
{
    char keys[1024] = "";
    json_object_object_foreach(table, key, value)
    {
        size_t used = strlen(keys);
        snprintf(keys + used, sizeof keys - used, "%s:%c ", key,
                 json_type_to_name(json_object_get_type(value))[0]);
    }
    assert_string_equal(keys, expected);
}

static void a_record_has_the_keys_of_xalt_and_our_table(void **state)
{
    struct made made;
    (void)state;
    make(&made);
    build(&made);
    assert_keys(made.json, "crc:s cmdlineA:a hash_id:s libA:a ptA:a envT:o userT:o xaltLinkT:o "
                           "userDT:o buildIdA:a slurmT:o XALT_qaT:o XALT_measureT:o ");
    assert_keys(json_object_object_get(made.json, "userT"),
                "account:s container:s currentEpoch:s cwd:s execModify:s exec_path:s exec_type:s "
                "job_id:s queue:s run_uuid:s scheduler:s start_date:s submit_host:s syshost:s "
                "user:s ");
    assert_keys(json_object_object_get(made.json, "userDT"),
                "Build_Epoch:d currentEpoch:d end_time:d exec_epoch:d num_cores:d num_gpus:d "
                "num_nodes:d num_tasks:d num_threads:d run_time:d start_time:d probability:d ");
    assert_keys(json_object_object_get(made.json, "slurmT"),
                "cluster:s job_id:i array_job_id:n array_task_id:n het_job_id:n het_offset:n "
                "restart_count:i node:s step_id:s node_id:i task_id:i exit_code:n signal:n "
                "core_dumped:b end_source:s end_time_error:d outlived:b cpus_alloc:i gpus_alloc:i "
                "partition:s qos:s dropped:i captured:b build_id:s ");
    json_object_object_foreach(json_object_object_get(made.json, "XALT_measureT"), key, value)
    {
        assert_int_equal(json_object_get_type(value), json_type_double);
        assert_int_equal(strlen(key), 17);
    }
    release(&made);
}

static void the_values_are_those_of_job_and_process(void **state)
{
    static const char *const values[][3] = {
        {"userT", "account", "\"proj\""},
        {"userT", "container", "\"apptainer\""},
        {"userT", "cwd", "\"\""},
        {"userT", "exec_path", "\"/nonexistent/x\""},
        {"userT", "exec_type", "\"binary\""},
        {"userT", "job_id", "\"42\""},
        {"userT", "queue", "\"main\""},
        {"userT", "run_uuid", "\"019a9f00-1122-7abc-8def-0102030405ff\""},
        {"userT", "scheduler", "\"SLURM\""},
        {"userT", "start_date", "\"Tue Nov 14 22:13:20 2023\""},
        {"userT", "submit_host", "\"login\""},
        {"userT", "syshost", "\"alpha\""},
        {"userT", "user", "\"alice\""},
        {"userDT", "Build_Epoch", "0.0000"},
        {"userDT", "end_time", "1700000002.6235"},
        {"userDT", "num_cores", "4.0000"},
        {"userDT", "num_gpus", "2.0000"},
        {"userDT", "num_nodes", "2.0000"},
        {"userDT", "num_tasks", "4.0000"},
        {"userDT", "num_threads", "1.0000"},
        {"userDT", "probability", "0.0001"},
        {"userDT", "run_time", "2.5000"},
        {"userDT", "start_time", "1700000000.1235"},
        {"slurmT", "cluster", "\"alpha\""},
        {"slurmT", "job_id", "42"},
        {"slurmT", "step_id", "\"0\""},
        {"slurmT", "restart_count", "1"},
        {"slurmT", "node", "\"n1\""},
        {"slurmT", "node_id", "1"},
        {"slurmT", "task_id", "1"},
        {"slurmT", "end_source", "\"fini\""},
        {"slurmT", "end_time_error", "0.0000"},
        {"slurmT", "cpus_alloc", "12"},
        {"slurmT", "gpus_alloc", "2"},
        {"slurmT", "partition", "\"main\""},
        {"slurmT", "qos", "\"gold\""},
        {"slurmT", "outlived", "false"},
        {"slurmT", "dropped", "7"},
        {"XALT_qaT", "XALT_TRANSMISSION_STYLE", "\"file\""},
        {"XALT_qaT", "JOBTRAIL_CAPTURE_CUT", "\"no\""},
        {"XALT_qaT", "XALT_EXECUTABLE_TRACKING", "\"yes\""},
        {"XALT_qaT", "XALT_SAMPLING", "\"yes\""},
        {"XALT_qaT", "XALT_MPI_ALWAYS_RECORD", "\"128\""},
        {"XALT_qaT", "XALT_MPI_TRACKING", "\"yes\""},
        {"XALT_qaT", "XALT_SCALAR_TRACKING", "\"no\""},
        {"XALT_qaT", "XALT_GPU_TRACKING", "\"no\""},
    };
    struct made made;
    (void)state;
    make(&made);
    made.dropped = 7;
    made.conf.sample = made.conf.track_mpi = 1;
    made.conf.always_ranks = 128;
    made.capture.container = text("apptainer");
    made.capture.gpus = 2;
    build(&made);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_value(&made, values[i][0], values[i][1], values[i][2]);
    release(&made);
}

static void the_crc_holds_over_the_text_with_its_place_marked(void **state)
{
    struct made made;
    char *end;
    (void)state;
    make(&made);
    made.capture.cwd = text("/caf\xc3\xa9/\xff");
    build(&made);
    assert_memory_equal(made.record.text, "{\"crc\":\"0x", 10);
    unsigned long crc = strtoul(made.record.text + 10, &end, 16);
    assert_ptr_equal(end, made.record.text + 14);
    memcpy(made.record.text + 8, "0xFFFF", 6);
    assert_int_equal(crc16(made.record.text, made.record.length), crc);
    release(&made);
}

static void the_file_name_says_where_when_who_and_which(void **state)
{
    static const struct {
        const char *conf_syshost, *conf_cluster, *cluster, *user;
        uint64_t start_ns;
        const char *name;
    } cases[] = {
        {"", "", "alpha", "alice", START, "run.alpha.2023_11_14_22_13_20_1234.alice.zzz."},
        {"", "beta", "alpha", "alice", START, "run.beta.2023_11_14_22_13_20_1234.alice.zzz."},
        {"gamma", "beta", "alpha", "bob", START, "run.gamma.2023_11_14_22_13_20_1234.bob.zzz."},
        {"", "", "", "", START, "run.unknown.2023_11_14_22_13_20_1234.unknown.zzz."},
        {"", "", "alpha", "a", 1, "run.alpha.1970_01_01_00_00_00_0000.a.zzz."},
        {"", "", "alpha", "a", START - START % SECOND + SECOND - 1,
         "run.alpha.2023_11_14_22_13_20_9999.a.zzz."},
        {"", "", "a.b/c", "../../x y\n", START,
         "run.a_b_c.2023_11_14_22_13_20_1234.______x_y_.zzz."},
        {"", "", "alpha", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg",
         START,
         "run.alpha.2023_11_14_22_13_20_1234."
         "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg.zzz."},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        char name[RECORD_NAME_MAX + 1];
        make(&made);
        made.conf.syshost = (char *)cases[i].conf_syshost;
        made.conf.cluster = (char *)cases[i].conf_cluster;
        made.journal.cluster = (char *)cases[i].cluster;
        made.journal.user = (char *)cases[i].user;
        made.capture.start_ns = cases[i].start_ns;
        build(&made);
        snprintf(name, sizeof name, "%s019a9f00-1122-7abc-8def-0102030405ff.json", cases[i].name);
        assert_string_equal(made.record.name, name);
        release(&made);
    }
}

static void a_name_has_room_for_every_start(void **state)
{
    struct made made;
    (void)state;
    make(&made);
    made.capture.start_ns = UINT64_MAX;
    made.ending.end_ns = UINT64_MAX;
    build(&made);
    assert_non_null(strstr(made.record.name, ".json"));
    release(&made);
}

static void exit_code_and_signal_are_known_or_null(void **state)
{
    static const struct {
        int known, status;
        const char *exit_code, *signal, *core;
    } cases[] = {
        {0, 0, "null", "null", "false"},    {0, 256, "null", "null", "false"},
        {1, 0, "0", "0", "false"},          {1, 3 << 8, "3", "0", "false"},
        {1, 255 << 8, "255", "0", "false"}, {1, SIGKILL, "0", "9", "false"},
        {1, SIGTERM, "0", "15", "false"},   {1, SIGSEGV | 0x80, "0", "11", "true"},
        {1, 64, "0", "64", "false"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        make(&made);
        made.ending.status_known = cases[i].known;
        made.ending.status = cases[i].status;
        made.ending.source = "task_exit";
        made.ending.error_ns = SECOND / 10;
        build(&made);
        assert_value(&made, "slurmT", "exit_code", cases[i].exit_code);
        assert_value(&made, "slurmT", "signal", cases[i].signal);
        assert_value(&made, "slurmT", "core_dumped", cases[i].core);
        assert_value(&made, "slurmT", "end_source", "\"task_exit\"");
        assert_value(&made, "slurmT", "end_time_error", "0.1000");
        release(&made);
    }
}

static void steps_have_slurms_names_nodes_and_cpus(void **state)
{
    static const struct {
        uint32_t step, size;
        const char *name, *nodes, *cpus;
    } cases[] = {
        {0, 4, "\"0\"", "2.0000", "12"},
        {0, 1, "\"0\"", "2.0000", "12"},
        {7, 1, "\"7\"", "1.0000", "16"}, /* of which the journal knows nothing */
        {JOURNAL_STEP_BATCH, 1, "\"batch\"", "1.0000", "16"},
        {JOURNAL_STEP_BATCH, 8, "\"batch\"", "3.0000", "16"}, /* mpirun */
        {JOURNAL_STEP_EXTERN, 1, "\"extern\"", "1.0000", "16"},
        {JOURNAL_STEP_INTERACTIVE, 1, "\"interactive\"", "1.0000", "16"},
        {UINT32_MAX, 1, "\"unknown\"", "1.0000", "16"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        make(&made);
        made.capture.step = cases[i].step;
        made.capture.size = cases[i].size;
        build(&made);
        assert_value(&made, "slurmT", "step_id", cases[i].name);
        assert_value(&made, "slurmT", "cpus_alloc", cases[i].cpus);
        assert_value(&made, "userDT", "num_nodes", cases[i].nodes);
        release(&made);
    }
}

static void arrays_and_heterogeneous_jobs_are_told(void **state)
{
    struct made made;
    (void)state;
    make(&made);
    made.journal.array_job = 40;
    made.journal.array_task = 2;
    made.journal.het_job = 41;
    build(&made);
    assert_value(&made, "slurmT", "array_job_id", "40");
    assert_value(&made, "slurmT", "array_task_id", "2");
    assert_value(&made, "slurmT", "het_job_id", "41");
    assert_value(&made, "slurmT", "het_offset", "1");
    release(&made);
}

static void what_is_unknown_is_unknown_or_null(void **state)
{
    struct made made;
    (void)state;
    make(&made);
    made.journal.user = made.journal.account = made.journal.partition = made.journal.submit_host =
        made.journal.cluster = (char *)"";
    made.journal.cpus = 0;
    made.capture.step = made.capture.task = UINT32_MAX;
    build(&made);
    assert_value(&made, "userT", "user", "\"unknown\"");
    assert_value(&made, "userT", "account", "\"unknown\"");
    assert_value(&made, "userT", "queue", "\"unknown\"");
    assert_value(&made, "userT", "submit_host", "\"unknown\"");
    assert_value(&made, "userT", "syshost", "\"unknown\"");
    assert_value(&made, "slurmT", "cpus_alloc", "null");
    assert_value(&made, "slurmT", "task_id", "null");
    assert_value(&made, "userT", "container", "\"none\"");
    release(&made);
}

static void the_number_of_threads_is_that_of_openmp(void **state)
{
    static const struct {
        const char *env;
        size_t size;
        const char *threads;
    } cases[] = {
        {"OMP_NUM_THREADS=8", 18, "8.0000"},
        {"A=1\0OMP_NUM_THREADS=16", 23, "16.0000"},
        {"OMP_NUM_THREADS=4", 17, "4.0000"}, /* not ended */
        {"OMP_NUM_THREADS=4,2", 20, "4.0000"},
        {"OMP_NUM_THREADS=", 17, "1.0000"},
        {"OMP_NUM_THREADS=0", 18, "1.0000"},
        {"OMP_NUM_THREADS=-3", 19, "1.0000"},
        {"OMP_NUM_THREADS=x", 18, "1.0000"},
        {"OMP_NUM_THREADSX=8", 19, "1.0000"},
        {"OMP_NUM_THREADS", 16, "1.0000"},
        {"OMP_NUM_THREADS=123456789012345678901234567890", 47, "1.0000"},
        {"", 0, "1.0000"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        make(&made);
        char *env = malloc(cases[i].size + 1);
        memcpy(env, cases[i].env, cases[i].size);
        char *exact = cases[i].size == 0 ? env : realloc(env, cases[i].size);
        made.capture.env = (struct capture_bytes){.at = exact, .size = cases[i].size};
        build(&made);
        assert_value(&made, "userDT", "num_threads", cases[i].threads);
        release(&made);
        free(exact);
    }
}

static void arguments_environment_and_ancestors_are_listed(void **state)
{
    struct made made;
    (void)state;
    make(&made);
    made.capture.argv = (struct capture_bytes){.at = "x\0\0-a b\0last", .size = 12};
    made.capture.env = (struct capture_bytes){.at = "A=1\0B=\0bare\0=e\0A=2\0C=x=y", .size = 25};
    made.capture.ancestors[0] = (struct capture_ancestor){
        .pid = 9,
        .name = text("bash"),
        .path = text("/bin/bash"),
        .argv = {.at = "bash\0-l\0", .size = 8},
    };
    made.capture.ancestors[1] = (struct capture_ancestor){.pid = 8, .name = text("sshd")};
    made.capture.ancestor_count = 2;
    made.capture.cut = 1;
    build(&made);
    assert_string_equal(json_object_to_json_string_ext(
                            json_object_object_get(made.json, "cmdlineA"), JSON_C_TO_STRING_PLAIN),
                        "[\"x\",\"\",\"-a b\",\"last\"]");
    assert_keys(json_object_object_get(made.json, "envT"), "A:s B:s :s C:s ");
    assert_value(&made, "envT", "A", "\"2\"");
    assert_value(&made, "envT", "B", "\"\"");
    assert_value(&made, "envT", "C", "\"x=y\"");
    assert_string_equal(
        json_object_to_json_string_ext(json_object_object_get(made.json, "ptA"),
                                       JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
        "[{\"cmd_name\":\"bash\",\"cmd_path\":\"/bin/bash\",\"pid\":9,\"cmdlineA\":[\"bash\","
        "\"-l\"]},{\"cmd_name\":\"sshd\",\"cmd_path\":\"\",\"pid\":8,\"cmdlineA\":[]}]");
    assert_value(&made, "XALT_qaT", "JOBTRAIL_CAPTURE_CUT", "\"yes\"");
    release(&made);
}

static void above_the_task_stands_the_daemon_of_the_step(void **state)
{
    static const struct {
        uint32_t step;
        int32_t daemon, task_pid;
        const char *tree;
    } cases[] = {
        {0, 70, 10,
         "[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"\",\"pid\":70,\"cmdlineA\":"
         "[\"slurmstepd: [42.0]\"]}]"},
        {JOURNAL_STEP_BATCH, 71, 10,
         "[{\"cmd_name\":\"slurmstepd\",\"cmd_path\":\"\",\"pid\":71,\"cmdlineA\":"
         "[\"slurmstepd: [42.batch]\"]}]"},
        {0, 0, 10, "[]"},
        {0, 70, 0, "[]"},
        {9, 70, 10, "[]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        make(&made);
        made.step[0].pid = made.step[1].pid = cases[i].daemon;
        made.capture.step = cases[i].step;
        made.capture.task_pid = cases[i].task_pid;
        build(&made);
        assert_string_equal(json_object_to_json_string_ext(json_object_object_get(made.json, "ptA"),
                                                           JSON_C_TO_STRING_PLAIN),
                            cases[i].tree);
        release(&made);
    }
}

static void the_watermark_is_a_table(void **state)
{
    static const char note[] =
        "\2XALT_Link_Info\0Build_Epoch%%1234.5%%\0Build_User%%a_%_%_b%%\0XALT_Link_Info_End\0";
    struct made made;
    (void)state;
    make(&made);
    made.capture.watermark = (struct capture_bytes){.at = note, .size = sizeof note - 1};
    build(&made);
    assert_keys(json_object_object_get(made.json, "xaltLinkT"), "Build_Epoch:s Build_User:s ");
    assert_value(&made, "xaltLinkT", "Build_User", "\"a b\"");
    assert_value(&made, "userDT", "Build_Epoch", "1234.5000");
    release(&made);
}

/* Writes `content` to a file of our directory. */
static char *file(const char *name, const char *content)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(content, stream);
    fclose(stream);
    struct timespec times[2] = {{.tv_sec = 1600000000}, {.tv_sec = 1600000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

static void the_executable_is_hashed_and_dated(void **state)
{
    struct made made;
    (void)state;
    make(&made);
    made.capture.exec = text(file("program", "abc"));
    build(&made);
    assert_string_equal(json_object_get_string(json_object_object_get(made.json, "hash_id")),
                        "a9993e364706816aba3e25717850c26c9cd0d89d"); /* FIPS 180-2, A.1 */
    assert_value(&made, "userT", "execModify", "\"Sun Sep 13 12:26:40 2020\"");
    assert_value(&made, "userDT", "exec_epoch", "1600000000.0000");
    release(&made);
}

static void an_executable_that_is_gone_or_special_has_no_hash(void **state)
{
    char fifo[128], long_path[5000];
    const char *const paths[] = {"/nonexistent/x", directory, fifo, "/dev/zero", long_path, ""};
    (void)state;
    snprintf(fifo, sizeof fifo, "%s/fifo", directory);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    memset(long_path, 'x', sizeof long_path);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        struct made made;
        make(&made);
        made.capture.exec = text(paths[i]);
        build(&made);
        assert_string_equal(json_object_get_string(json_object_object_get(made.json, "hash_id")),
                            "0");
        assert_value(&made, "userDT", "exec_epoch", "0.0000");
        release(&made);
    }
    unlink(fifo);
}

static void objects_have_real_paths_and_hashes_where_asked_for(void **state)
{
    struct made made;
    struct capture_object objects[2] = {0};
    char real[128], link[128], expected[512];
    (void)state;
    snprintf(real, sizeof real, "%s", file("lib.so.1", "abc"));
    snprintf(link, sizeof link, "%s/lib.so", directory);
    assert_int_equal(symlink("lib.so.1", link), 0);
    objects[0].path = text(link);
    objects[1].path = text("/nonexistent/lib.so");
    for (int hash = 0; hash < 2; hash++) {
        make(&made);
        made.conf.hash_objects = hash;
        made.capture.objects = objects;
        made.capture.object_count = 2;
        build(&made);
        snprintf(expected, sizeof expected, "[[\"%s\",\"%s\"],[\"/nonexistent/lib.so\",\"0\"]]",
                 real, hash ? "a9993e364706816aba3e25717850c26c9cd0d89d" : "0");
        assert_string_equal(
            json_object_to_json_string_ext(json_object_object_get(made.json, "libA"),
                                           JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE),
            expected);
        release(&made);
    }
    unlink(link);
}

static void hostile_bytes_in_every_string_survive(void **state)
{
    char bytes[256], env[600], note[600], expected[1024];
    struct capture_object object;
    struct made made;
    size_t length;
    (void)state;
    for (int i = 0; i < 255; i++)
        bytes[i] = (char)(i + 1);
    bytes[255] = '\0';
    struct capture_bytes all = text(bytes);
    char *whole = text_from_bytes(bytes, 255, &length);
    snprintf(expected, sizeof expected, "%s", whole);
    free(whole);
    int env_size = snprintf(env, sizeof env, "V=%s", bytes);
    int note_size = snprintf(note, sizeof note, "\2%s%%%%%s%%%%", "\xff\x01\"\\k", bytes + 1);
    make(&made);
    object = (struct capture_object){.path = all, .build_id = all};
    made.conf.cluster = made.conf.syshost = bytes;
    made.journal.user = made.journal.account = made.journal.partition = made.journal.node =
        made.journal.submit_host = made.journal.cluster = bytes;
    made.capture.exec = made.capture.cwd = made.capture.argv = made.capture.build_id = all;
    made.capture.env = (struct capture_bytes){.at = env, .size = (size_t)env_size};
    made.capture.watermark = (struct capture_bytes){.at = note, .size = (size_t)note_size};
    made.capture.objects = &object;
    made.capture.object_count = 1;
    made.capture.ancestors[0] =
        (struct capture_ancestor){.pid = -1, .name = all, .path = all, .argv = all};
    made.capture.ancestor_count = 1;
    build(&made);
    static const char *const same[][2] = {
        {"userT", "cwd"},     {"userT", "exec_path"},  {"userT", "user"},
        {"userT", "account"}, {"userT", "queue"},      {"userT", "submit_host"},
        {"userT", "syshost"}, {"envT", "V"},           {"slurmT", "cluster"},
        {"slurmT", "node"},   {"slurmT", "partition"},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        assert_string_equal(json_object_get_string(get(&made, same[i][0], same[i][1])), expected);
    struct json_object *argument =
        json_object_array_get_idx(json_object_object_get(made.json, "cmdlineA"), 0);
    assert_string_equal(json_object_get_string(argument), expected);
    assert_int_equal(json_object_object_length(json_object_object_get(made.json, "xaltLinkT")), 1);
    assert_null(strchr(made.record.name, '/'));
    assert_null(strchr(made.record.name, '\n'));
    release(&made);
}

static int set_up(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    return mkdtemp(directory) == NULL;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

static void no_part_of_a_record_is_taken_for_another_ones(void **state)
{
    static struct capture_object objects[2];
    struct package_run packages = {0};
    struct json_memo *memo = json_memo_new();
    (void)state;
    objects[0].path = text("/lib/a");
    objects[1].path = text("/lib/b");
    for (int change = 0; change <= 16; change++) {
        struct made made;
        make(&made);
        made.capture.objects = objects;
        made.capture.object_count = change == 1 ? 2 : 1;
        objects[0].build_id = change == 2   ? text("id")
                              : change == 3 ? text("")
                                            : (struct capture_bytes){.at = NULL};
        objects[0].path = text(change == 4 ? "/lib/c" : "/lib/a");
        made.capture.env = change == 5   ? (struct capture_bytes){.at = "A=1", .size = 4}
                           : change == 6 ? (struct capture_bytes){.at = "A=2", .size = 4}
                                         : made.capture.env;
        made.capture.step = change == 7 ? 9 : 0;
        made.capture.task = change == 8 ? 9 : 1;
        made.capture.build_id = text(change == 9 ? "1" : change == 10 ? "2" : "");
        made.dropped = change == 11;
        made.ending.status_known = change == 12 || change == 13;
        made.ending.status = change == 13 ? 9 : 0;
        made.ending.outlived = change == 14;
        made.capture.pkgs = change == 15;
        made.capture.cut = change == 16;
        struct run_source source = source_of(&made);
        for (int other = 0; other < 5; other++) {
            const struct ending exec = {.source = "exec", .end_ns = START, .error_ns = 7 * SECOND};
            source.ending = other == 1 ? NULL : other == 2 ? &exec : &made.ending;
            source.inferred = other == 3;
            source.packages = other >= 3 ? &packages : NULL;
            packages.hooked = other == 3;
            packages.lost = other == 4;
            assert_int_equal(run_record_build(&source, &made.record), 0);
            made.json = json_tokener_parse(made.record.text);
            assert_remembered(&source, memo, made.json);
            assert_remembered(&source, memo, made.json);
            release(&made);
        }
    }
    json_memo_free(memo);
}

static void a_part_that_is_too_large_to_remember_is_made_again(void **state)
{
    static char env[2 * JSON_MEMO_KEY_MAX];
    struct made made;
    (void)state;
    memset(env, 'x', sizeof env);
    env[1] = '=';
    for (size_t size = JSON_MEMO_KEY_MAX - 1; size <= JSON_MEMO_KEY_MAX + 1; size++) {
        make(&made);
        made.capture.env = (struct capture_bytes){.at = env, .size = size};
        build(&made);
        release(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_the_keys_of_xalt_and_our_table),
        cmocka_unit_test(the_values_are_those_of_job_and_process),
        cmocka_unit_test(the_crc_holds_over_the_text_with_its_place_marked),
        cmocka_unit_test(the_file_name_says_where_when_who_and_which),
        cmocka_unit_test(a_name_has_room_for_every_start),
        cmocka_unit_test(exit_code_and_signal_are_known_or_null),
        cmocka_unit_test(steps_have_slurms_names_nodes_and_cpus),
        cmocka_unit_test(arrays_and_heterogeneous_jobs_are_told),
        cmocka_unit_test(what_is_unknown_is_unknown_or_null),
        cmocka_unit_test(the_number_of_threads_is_that_of_openmp),
        cmocka_unit_test(arguments_environment_and_ancestors_are_listed),
        cmocka_unit_test(above_the_task_stands_the_daemon_of_the_step),
        cmocka_unit_test(the_watermark_is_a_table),
        cmocka_unit_test(the_executable_is_hashed_and_dated),
        cmocka_unit_test(an_executable_that_is_gone_or_special_has_no_hash),
        cmocka_unit_test(objects_have_real_paths_and_hashes_where_asked_for),
        cmocka_unit_test(hostile_bytes_in_every_string_survive),
        cmocka_unit_test(no_part_of_a_record_is_taken_for_another_ones),
        cmocka_unit_test(a_part_that_is_too_large_to_remember_is_made_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
