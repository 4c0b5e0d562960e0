/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The record of a run: its values, its CRC and its name; keys_written_test.c has its keys.
 */
#include <json-c/json.h>
#include <signal.h>
#include <time.h>

#include "conf/base/crc.h"
#include "conf/base/json_end.h"
#include "conf/base/text.h"
#include "spank/journal.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_run.h"

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

TEST(the_values_are_those_of_job_and_process)
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
        {"userDT", "end_time", "1700000002.623457"},
        {"userDT", "num_cores", "4.0000"},
        {"userDT", "num_gpus", "2.0000"},
        {"userDT", "num_nodes", "2.0000"},
        {"userDT", "num_tasks", "4.0000"},
        {"userDT", "num_threads", "1.0000"},
        {"userDT", "probability", "0.0010526315789473684"},
        {"userDT", "run_time", "2.500000"},
        {"userDT", "start_time", "1700000000.123457"},
        {"slurmT", "cluster", "\"alpha\""},
        {"slurmT", "job_id", "42"},
        {"slurmT", "step_id", "\"0\""},
        {"slurmT", "restart_count", "1"},
        {"slurmT", "uid", "1000"},
        {"slurmT", "node", "\"n1\""},
        {"slurmT", "node_id", "1"},
        {"slurmT", "task_id", "1"},
        {"slurmT", "end_source", "\"fini\""},
        {"slurmT", "end_time_error", "0.000000"},
        {"slurmT", "end_time_min", "1700000002.123456"},
        {"slurmT", "end_time_max", "1700000003.623457"},
        {"slurmT", "pid", "10"},
        {"slurmT", "core_seconds", "null"},
        {"slurmT", "core_seconds_max", "null"},
        {"slurmT", "core_days", "[]"},
        {"slurmT", "leads", "false"},
        {"slurmT", "clock_step", "null"},
        {"slurmT", "captured_by", "\"library\""},
        {"slurmT", "user_cpu", "null"},
        {"slurmT", "max_rss", "null"},
        {"slurmT", "cpus_alloc", "12"},
        {"slurmT", "gpus_alloc", "2"},
        {"slurmT", "partition", "\"main\""},
        {"slurmT", "qos", "\"gold\""},
        {"slurmT", "outlived", "false"},
        {"slurmT", "dropped", "7"},
        {"slurmT", "unlisted", "0"},
        {"XALT_qaT", "XALT_TRANSMISSION_STYLE", "\"file\""},
        {"XALT_qaT", "JOBTRAIL_CAPTURE_CUT", "\"no\""},
        {"XALT_qaT", "JOBTRAIL_UNHASHED", "\"0\""},
        {"XALT_qaT", "XALT_EXECUTABLE_TRACKING", "\"yes\""},
        {"XALT_qaT", "XALT_SAMPLING", "\"yes\""},
        {"XALT_qaT", "XALT_MPI_ALWAYS_RECORD", "\"128\""},
        {"XALT_qaT", "XALT_MPI_TRACKING", "\"yes\""},
        {"XALT_qaT", "XALT_SCALAR_TRACKING", "\"no\""},
        {"XALT_qaT", "XALT_GPU_TRACKING", "\"yes\""},
    };
    struct made made;
    make(&made);
    made.dropped = 7;
    made.conf.sample = 1;
    made.conf.track_programs = CONF_PROGRAMS_MPI;
    made.conf.always_ranks = 128;
    made.capture.container = text("apptainer");
    made.capture.gpus = 2;
    build(&made);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_value(&made, values[i][0], values[i][1], values[i][2]);
    release(&made);
}

TEST(what_a_run_had_of_the_allocation_is_exact)
{
    struct made made;
    make_whole(&made);
    made.had.core_seconds = 1.0 / 3;
    made.had.most = 1e-9;
    made.day[0].core_seconds = 1.0 / 3;
    made.had.day_count = 1;
    build(&made);
    assert_value(&made, "slurmT", "core_seconds", "0.3333333333333333");
    assert_value(&made, "slurmT", "core_seconds_max", "0.0000000010000000000000000622815914577799");
    assert_value(&made, "slurmT", "core_days", "[[\"2023-11-14\",0.3333333333333333]]");
    assert_value(&made, "slurmT", "leads", "true");
    assert_value(&made, "slurmT", "clock_step", "-0.25");
    release(&made);
}

TEST(the_crc_holds_over_the_text_with_its_place_marked)
{
    struct made made;
    char *end;
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

TEST(the_file_name_says_where_when_who_and_which)
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        char name[RECORD_NAME_MAX + 1];
        make(&made);
        made.conf.syshost = (char *)cases[i].conf_syshost;
        made.conf.cluster = (char *)cases[i].conf_cluster;
        made.journal.identity.cluster = (char *)cases[i].cluster;
        made.journal.identity.user = (char *)cases[i].user;
        made.capture.start_ns = cases[i].start_ns;
        build(&made);
        snprintf(name, sizeof name, "%s019a9f00-1122-7abc-8def-0102030405ff.json", cases[i].name);
        assert_string_equal(made.record.name, name);
        release(&made);
    }
}

TEST(a_name_has_room_for_every_start)
{
    struct made made;
    make(&made);
    made.capture.start_ns = UINT64_MAX;
    made.ending.end_ns = UINT64_MAX;
    build(&made);
    assert_non_null(strstr(made.record.name, ".json"));
    release(&made);
}

TEST(exit_code_and_signal_are_known_or_null)
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
        assert_value(&made, "slurmT", "end_time_error", "0.100000");
        release(&made);
    }
}

TEST(steps_have_slurms_names_nodes_and_cpus)
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

TEST(arrays_and_heterogeneous_jobs_are_told)
{
    struct made made;
    make(&made);
    made.journal.identity.array_job = 40;
    made.journal.identity.array_task = 2;
    made.journal.identity.het_job = 41;
    build(&made);
    assert_value(&made, "slurmT", "array_job_id", "40");
    assert_value(&made, "slurmT", "array_task_id", "2");
    assert_value(&made, "slurmT", "het_job_id", "41");
    assert_value(&made, "slurmT", "het_offset", "1");
    release(&made);
}

TEST(what_is_unknown_is_unknown_or_null)
{
    struct made made;
    make(&made);
    made.journal.identity.user = made.journal.identity.account = made.journal.identity.partition =
        made.journal.submit_host = made.journal.identity.cluster = (char *)"";
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
    release(&made);
}

static bool has_key(const struct made *made, const char *table, const char *key)
{
    return json_object_object_get_ex(json_object_object_get(made->json, table), key, NULL);
}

TEST(what_xalt_leaves_out_is_left_out)
{
    struct made made;
    make(&made);
    build(&made);
    assert_false(has_key(&made, "userT", "container"));
    assert_false(has_key(&made, "userDT", "Build_Epoch"));
    assert_false(has_key(&made, "userDT", "currentEpoch"));
    release(&made);
}

TEST(the_number_of_threads_is_that_of_openmp)
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
        {"OMP_NUM_THREADS=4,2,2,2,2,2,2", 30, "4.0000"},
        {"OMP_NUM_THREADS= 4", 19, "4.0000"},
        {"OMP_NUM_THREADS=", 17, "1.0000"},
        {"OMP_NUM_THREADS=0", 18, "1.0000"},
        {"OMP_NUM_THREADS=-3", 19, "1.0000"},
        {"OMP_NUM_THREADS=x", 18, "1.0000"},
        {"OMP_NUM_THREADSX=8", 19, "1.0000"},
        {"OMP_NUM_THREADS", 16, "1.0000"},
        {"OMP_NUM_THREADS=123456789012345678901234567890", 47, "1.0000"},
        {"", 0, "1.0000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct made made;
        make(&made);
        char *env = malloc(cases[i].size + 1);
        memcpy(env, cases[i].env, cases[i].size);
        char *exact = cases[i].size == 0 ? env : realloc(env, cases[i].size);
        made.capture.facts = (struct capture_bytes){.at = exact, .size = cases[i].size};
        build(&made);
        assert_value(&made, "userDT", "num_threads", cases[i].threads);
        release(&made);
        free(exact);
    }
}

TEST(arguments_environment_and_ancestors_are_listed)
{
    struct made made;
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

TEST(above_the_task_stands_the_daemon_of_the_step)
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

TEST(the_watermark_is_a_table)
{
    /* as XALT writes it and jobtrail does, and as earlier builds of jobtrail wrote it; with a key
     * that no watermark has */
    static const char notes[2][128] = {
        "\2XALT_Link_Info\0<Build_Epoch>%%1234.5%%\0<Build_User>%%a_%_%_b%%\0<User_Key>%%c%%\0"
        "\0\0\0\0\0\0\0XALT_Link_Info_End",
        "\2XALT_Link_Info\0Build_Epoch%%1234.5%%\0Build_User%%a_%_%_b%%\0XALT_Link_Info_End",
    };
    for (size_t i = 0; i < 2; i++) {
        struct made made;
        make(&made);
        made.capture.watermark = (struct capture_bytes){.at = notes[i], .size = sizeof notes[i]};
        build(&made);
        assert_keys(json_object_object_get(made.json, "xaltLinkT"), "Build_Epoch:s Build_User:s ");
        assert_value(&made, "xaltLinkT", "Build_User", "\"a b\"");
        assert_value(&made, "userDT", "Build_Epoch", "1234.5000");
        release(&made);
    }
}

/* JSON has no NaN: a collector that is sent one refuses it, and whatever comes with it. */
TEST(a_watermark_of_no_time_is_of_none)
{
    static const char *const odd[] = {"nan",   "-nan", "inf",  "-inf", "1e999",
                                      "1e300", "-5",   "soon", ""};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct made made;
        char note[128];
        int size =
            snprintf(note, sizeof note, "\2XALT_Link_Info%cBuild_Epoch%%%%%s%%%%%c", 0, odd[i], 0);
        make(&made);
        made.capture.watermark = (struct capture_bytes){.at = note, .size = (size_t)size};
        build(&made);
        assert_value(&made, "userDT", "Build_Epoch", "0.0000");
        assert_ptr_equal(json_value_end(made.record.text, made.record.text + made.record.length),
                         made.record.text + made.record.length);
        release(&made);
    }
}

TEST(hostile_bytes_in_every_string_survive)
{
    char bytes[256], env[600], note[600], expected[1024];
    struct capture_object object;
    struct made made;
    size_t length;
    for (int i = 0; i < 255; i++)
        bytes[i] = (char)(i + 1);
    bytes[255] = '\0';
    struct capture_bytes all = text(bytes);
    char *whole = text_from_bytes(bytes, 255, &length);
    snprintf(expected, sizeof expected, "%s", whole);
    free(whole);
    int env_size = snprintf(env, sizeof env, "V=%s", bytes);
    int note_size = snprintf(note, sizeof note, "\2<Build_CWD>%%%%%s%%%%", bytes);
    make(&made);
    object = (struct capture_object){.path = all, .build_id = all};
    made.conf.cluster = made.conf.syshost = bytes;
    made.journal.identity.user = made.journal.identity.account = made.journal.identity.partition =
        made.journal.identity.node = made.journal.submit_host = made.journal.identity.cluster =
            bytes;
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
    return 0;
}

ALL(set_up, NULL)
