/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/hash.h"
#include "extensions.h"
#include "submit/load/parse/json_parse.h"
#include "submit/load/parse/load_record.h"
#include "test/unit/fixture/cases.h"

#define UUID "8c8d61fb-98c1-44c0-874c-d613312269f4"

/* A record with the uuid; `user` goes on in userT, `rest` after it. */
#define RECORD(user, rest) "{\"userT\":{\"run_uuid\":\"" UUID "\"" user "}" rest "}"

static int parse_named(const char *text, enum record_kind named, struct record *record,
                       struct load_reason *reason)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    int error = load_record(copy, strlen(text), named, NULL, record, reason);
    if (error != 0)
        free(copy);
    return error;
}

static int parse(const char *text, struct record *record, struct load_reason *reason)
{
    return parse_named(text, RECORD_KINDS, record, reason);
}

static struct record parsed(const char *text)
{
    struct record record;
    struct load_reason reason = {""};
    if (parse(text, &record, &reason) != 0)
        fail_msg("%s: %s", reason.text, text);
    return record;
}

static void assert_refused_named(const char *text, enum record_kind named, const char *why)
{
    struct record record;
    struct load_reason reason = {""};
    assert_int_equal(parse_named(text, named, &record, &reason), -EBADMSG);
    assert_string_equal(reason.text, why);
}

static void assert_refused(const char *text, const char *why)
{
    assert_refused_named(text, RECORD_KINDS, why);
}

TEST(crc_counts_its_own_value_as_ffff_and_no_final_newline)
{
    /* 0x58C6 was computed by another program */
    static const char rest[] = ",\"userT\":{\"run_uuid\":\"" UUID "\"}}";
    char text[128];
    snprintf(text, sizeof text, "{\"crc\":\"0x58C6\"%s", rest);
    struct record record = parsed(text);
    load_record_free(&record);

    strcat(text, "\n");
    record = parsed(text);
    load_record_free(&record);

    snprintf(text, sizeof text, "{\"crc\":\"0x0000\"%s", rest);
    assert_refused(text, "crc is 0x0000 but the text's is 0x58C6");
}

TEST(crc_of_another_form_is_refused)
{
    assert_refused("{\"crc\":\"0xZZZZ\",\"userT\":{}}", "crc is not of the form 0xNNNN");
    assert_refused("{\"crc\":\"65535.\",\"userT\":{}}", "crc is not of the form 0xNNNN");
}

TEST(uuid_alone_makes_a_record)
{
    struct record record = parsed(RECORD("", ""));
    assert_string_equal(record.run.uuid, UUID);
    assert_null(record.run.user);
    assert_null(record.run.libs.value);
    assert_false(record.run.start_time.known);
    assert_true(record.run.is_start_only);
    load_record_free(&record);
}

TEST(missing_or_odd_uuid_is_refused)
{
    static const char why[] = "userT.run_uuid is not a uuid";
    assert_refused("{}", "is no run, link, package, coverage, library, ranks or profile record");
    assert_refused("{\"userT\":null}", why);
    assert_refused("{\"userT\":{\"run_uuid\":\"\"}}", why);
    assert_refused("{\"userT\":{\"run_uuid\":\"8c8d61fb98c144c0874cd613312269f4\"}}", why);
    assert_refused("{\"userT\":{\"run_uuid\":\"" UUID "0\"}}", why);
}

TEST(broken_json_is_refused_with_its_place)
{
    assert_refused("", "JSON is cut short");
    assert_refused("{\"userT\":{", "JSON is cut short");
    assert_refused("{\"a\" 1}",
                   "JSON is damaged at byte 5: object property name separator ':' expected");
    assert_refused("[]", "is not one JSON object");
    assert_refused(RECORD("", "") "{}", "is not one JSON object");
}

TEST(nesting_is_bounded)
{
    char text[256] = "{\"a\":";
    size_t used = strlen(text);
    memset(text + used, '[', 100);
    assert_refused(text, "JSON is damaged at byte 36: nesting too deep");
}

TEST(numbers_may_be_strings)
{
    struct record record =
        parsed(RECORD(",\"job_id\":42", ",\"userDT\":{\"num_cores\":\"4.0000\",\"start_time\":"
                                        "\"1569439459.8441\",\"num_gpus\":\"\"}"));
    assert_string_equal(record.run.job_id, "42");
    assert_int_equal(record.run.job_id_raw.value, 42);
    assert_int_equal(record.run.num_cores.value, 4);
    assert_true(record.run.start_time.value > 1569439459.84 &&
                record.run.start_time.value < 1569439459.85);
    assert_false(record.run.num_gpus.known);
    load_record_free(&record);
}

TEST(wrong_types_are_refused_by_name)
{
    static const struct {
        const char *rest, *why;
    } rows[] = {
        {",\"user\":[]}", "userT.user is not a text"},
        {"},\"hash_id\":{}", "hash_id is not a text"},
        {"},\"slurmT\":[]", "slurmT is not an object"},
        {"},\"userDT\":{\"num_cores\":\"many\"}", "userDT.num_cores is not a number"},
        {"},\"userDT\":{\"num_cores\":{}}", "userDT.num_cores is not a number"},
        {"},\"userDT\":{\"num_cores\":1.5}", "userDT.num_cores is not a whole number"},
        {"},\"userDT\":{\"num_cores\":1e300}", "userDT.num_cores is out of range"},
        {"},\"userDT\":{\"start_time\":1e12}", "userDT.start_time is out of range"},
        {"},\"userDT\":{\"start_time\":NaN}", "userDT.start_time is out of range"},
        {"},\"userDT\":{\"start_time\":\"inf\"}", "userDT.start_time is out of range"},
        {"},\"libA\":{}", "libA is not an array"},
        {"},\"libA\":[[\"/a\",\"0\"],[\"/b\"]]", "libA[1] is not [path, hash]"},
        {"},\"libA\":[[\"/a\",0]]", "libA[0] is not [path, hash]"},
        {"},\"envT\":[]", "envT is not an object"},
        {"},\"cmdlineA\":\"x\"", "cmdlineA is not an array"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"userT\":{\"run_uuid\":\"" UUID "\"%s}", rows[i].rest);
        assert_refused(text, rows[i].why);
    }
}

TEST(nonsense_in_a_watermark_is_not_known)
{
    struct record record = parsed(RECORD(
        "", ",\"xaltLinkT\":{\"Build_Epoch\":\"soon\",\"Build_User\":[],\"Build_OS\":\"L\"}"));
    struct build_record build;
    load_build(&record.run.build, &build);
    assert_false(build.build_epoch.known);
    assert_null(build.build_user);
    assert_string_equal(build.build_os, "L");
    load_record_free(&record);
}

TEST(too_long_text_is_refused)
{
    size_t size = RECORD_TEXT_MAX_BYTES + 200;
    char *text = malloc(size);
    assert_non_null(text);
    int length = snprintf(text, size, "{\"userT\":{\"run_uuid\":\"" UUID "\",\"cwd\":\"%0*d\"}}",
                          RECORD_TEXT_MAX_BYTES + 1, 0);
    assert_true(length > 0 && (size_t)length < size);
    assert_refused(text, "userT.cwd is too long");
    free(text);
}

TEST(json_null_is_not_known)
{
    struct record record = parsed(
        RECORD(",\"user\":null", ",\"libA\":null,\"slurmT\":{\"exit_code\":null,\"signal\":9,"
                                 "\"core_dumped\":true,\"end_source\":\"task_exit\"}"));
    assert_null(record.run.user);
    assert_null(record.run.libs.value);
    assert_false(record.run.exit_code.known);
    assert_int_equal(record.run.signal.value, 9);
    assert_int_equal(record.run.core_dumped.value, 1);
    assert_false(record.run.is_start_only);
    load_record_free(&record);
}

TEST(zero_end_time_means_a_start_record)
{
    struct record record =
        parsed(RECORD("", ",\"userDT\":{\"start_time\":5.0,\"end_time\":0.0,\"run_time\":0.0}"));
    assert_true(record.run.is_start_only);
    assert_false(record.run.end_time.known);
    assert_false(record.run.run_time.known);
    load_record_free(&record);

    record = parsed(RECORD("", ",\"userDT\":{\"end_time\":0.0},\"slurmT\":{\"end_time_error\":0.0,"
                               "\"end_time_min\":null,\"end_time_max\":null}"));
    assert_true(record.run.is_start_only);
    assert_false(record.run.end_time_min.known);
    assert_false(record.run.end_time_max.known);
    load_record_free(&record);

    record = parsed(RECORD("", ",\"userDT\":{\"start_time\":5.0,\"end_time\":6.0}"));
    assert_false(record.run.is_start_only);
    load_record_free(&record);
}

TEST(time_of_the_record_counts_where_there_is_no_start)
{
    struct record record =
        parsed(RECORD(",\"currentEpoch\":\"7.5\"", ",\"userDT\":{\"start_time\":5.0}"));
    assert_false(record.run.record_epoch.known);
    load_record_free(&record);

    record = parsed(RECORD(",\"currentEpoch\":\"7.5\"", ",\"userDT\":{}"));
    assert_true(record.run.record_epoch.known && record.run.record_epoch.value == 7.5);
    load_record_free(&record);
}

TEST(libraries_are_a_set_in_order)
{
    struct record record = parsed(
        RECORD("", ",\"libA\":[[\"/b\",\"2\"],[\"/a\",\"1\"],[\"/b\",\"2\"],[\"/b\",\"1\"]]"));
    assert_string_equal(canonical_text(record.run.libs.value, NULL),
                        "[[\"/a\",\"1\"],[\"/b\",\"1\"],[\"/b\",\"2\"]]");
    load_record_free(&record);
}

#define LIBS ",\"libA\":[[\"/a\",\"0\"],[\"/b\",\"12\"],[\"/c\",\"0\"]]"

static void assert_libs(const char *text, const char *libs)
{
    struct record record = parsed(text);
    assert_string_equal(canonical_text(record.run.libs.value, NULL), libs);
    load_record_free(&record);
}

TEST(a_build_id_takes_the_place_of_a_hash)
{
    static const char without[] = "[[\"/a\",\"0\"],[\"/b\",\"12\"],[\"/c\",\"0\"]]";
    assert_libs(RECORD("", LIBS ",\"buildIdA\":[\"ab01\",\"cd02\",\"0\"]"),
                "[[\"/a\",\"build-id:ab01\"],[\"/b\",\"12\"],[\"/c\",\"0\"]]");
    assert_libs(RECORD("", LIBS), without);
    /* what is no build-id, and those of other libraries */
    assert_libs(RECORD("", LIBS ",\"buildIdA\":[\"AB01\",\"\",\"x y\"]"), without);
    assert_libs(RECORD("", LIBS ",\"buildIdA\":[\"ab01\",\"cd02\"]"), without);
    assert_libs(RECORD("", LIBS ",\"buildIdA\":[]"), without);
    assert_libs(RECORD("", LIBS ",\"buildIdA\":null"), without);
    assert_refused(RECORD("", ",\"libA\":[[\"/a\",0]],\"buildIdA\":[\"ab01\"]"),
                   "libA[0] is not [path, hash]");
}

TEST(canonical_text_does_not_depend_on_the_order_of_keys)
{
    struct record record =
        parsed(RECORD("", ",\"envT\":{\"PATH\":\"/bin\",\"A\":\"\"},"
                          "\"ptA\":[{\"pid\":1,\"cmd_name\":\"sh\",\"x\":null}]"));
    assert_string_equal(canonical_text(record.run.environment.value, NULL),
                        "{\"A\":\"\",\"PATH\":\"/bin\"}");
    assert_string_equal(canonical_text(record.run.ancestors.value, NULL),
                        "[{\"cmd_name\":\"sh\",\"x\":null}]");
    assert_string_equal(record.run.ancestor_pids, "[1]");
    load_record_free(&record);
}

TEST(ancestors_of_a_jobs_runs_are_the_same)
{
    struct record record = parsed(RECORD(
        ",\"job_id\":\"17\"", ",\"ptA\":[{\"pid\":17,\"cmdlineA\":[\"x: [17.0]\",\"117 5%j\","
                              "\"\\\"pid\\\":8\"]},{\"cmd_name\":\"a\",\"pid\":4}]"));
    assert_string_equal(canonical_text(record.run.ancestors.value, NULL),
                        "[{\"cmdlineA\":[\"x: [%j.0]\",\"117 5%%j\",\"\\\"pid\\\":8\"]},"
                        "{\"cmd_name\":\"a\"}]");
    assert_string_equal(record.run.ancestor_pids, "[17,4]");
    load_record_free(&record);
}

TEST(job_id_that_is_no_number_stays_text)
{
    struct record record = parsed(RECORD(",\"job_id\":\"12.login1\"", ""));
    assert_string_equal(record.run.job_id, "12.login1");
    assert_false(record.run.job_id_raw.known);
    load_record_free(&record);
}

/* XALT has no slurmT; where it is, a number that only userT says is a session's. */
TEST(a_sessions_job_is_none_of_slurms)
{
    for (size_t i = 0; i < 2; i++) {
        struct record record = parsed(
            i == 0 ? RECORD(",\"job_id\":\"7\"", ",\"slurmT\":{\"job_id\":null,\"node\":\"n1\"}")
                   : RECORD(",\"job_id\":\"7\"", ""));
        assert_string_equal(record.run.job_id, "7");
        assert_int_equal(record.run.job_id_raw.known, i);
        load_record_free(&record);
    }
}

TEST(foreign_bytes_become_private_use_and_stay_distinct)
{
    struct record record = parsed(RECORD(",\"cwd\":\"/\x80\xff\xed\xa0\x80/\xc3\xbc/\xc3\"", ""));
    assert_string_equal(record.run.cwd,
                        "/\xee\xbe\x80\xee\xbf\xbf"            /* U+EF80 U+EFFF */
                        "\xee\xbf\xad\xee\xbe\xa0\xee\xbe\x80" /* a bare surrogate */
                        "/\xc3\xbc/\xee\xbf\x83");
    load_record_free(&record);
}

TEST(lone_surrogates_and_nuls_become_replacement_characters)
{
    struct record record =
        parsed(RECORD(",\"cwd\":\"a\\u0000b\\\\u0000\",\"user\":\"\\ud800x\"", ""));
    assert_string_equal(record.run.cwd, "a\xef\xbf\xbd"
                                        "b\\u0000");
    assert_string_equal(record.run.user, "\xef\xbf\xbdx");
    load_record_free(&record);
}

/* json-c takes some characters that are written as a pair for half of one. */
TEST(each_surrogate_pair_is_its_character)
{
    for (unsigned high = 0xd800; high <= 0xdbff; high++) {
        unsigned low = 0xdc00 + high % 0x400;
        uint32_t character = 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
        char text[256], expected[32];
        snprintf(text, sizeof text,
                 RECORD(",\"cwd\":\"\\\\ud836\\udc00a\\u%04x\\u%04Xb\\nc\"",
                        ",\"cmdlineA\":[\"\\u%04X\\u%04x\"]"),
                 high, low, high, low);
        snprintf(expected, sizeof expected, "%c%c%c%c", (int)(0xf0 | character >> 18),
                 (int)(0x80 | (character >> 12 & 0x3f)), (int)(0x80 | (character >> 6 & 0x3f)),
                 (int)(0x80 | (character & 0x3f)));
        struct record record = parsed(text);
        char cwd[64], cmdline[64];
        snprintf(cwd, sizeof cwd,
                 "\\ud836\xef\xbf\xbd"
                 "a%sb\nc",
                 expected);
        snprintf(cmdline, sizeof cmdline, "[\"%s\"]", expected);
        assert_string_equal(record.run.cwd, cwd);
        assert_string_equal(record.run.cmdline, cmdline);
        load_record_free(&record);
    }
}

TEST(raw_nul_byte_is_refused)
{
    static const char text[] = "{\"userT\":{\"run_uuid\":\"" UUID "\"}\0}";
    struct record record;
    struct load_reason reason;
    char *copy = malloc(sizeof text);
    assert_non_null(copy);
    memcpy(copy, text, sizeof text);
    assert_int_equal(load_record(copy, sizeof text - 1, RECORD_KINDS, NULL, &record, &reason),
                     -EBADMSG);
    free(copy);
}

static void assert_same_number(struct record_real one, struct record_real other)
{
    assert_int_equal(one.known, other.known);
    if (one.known)
        assert_true(one.value == other.value);
}

/* The parser reads what has an escape in it. */
TEST(plain_values_are_read_as_the_parser_reads_them)
{
    static const char *const times[] = {
        "1752224125.1888",    "-0.5", "0", "12", "1706822787.01", "1e3", "null", "true", "\"7\"",
        "123456789.123456789"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char rest[256], escaped[512], plain[512];
        snprintf(
            rest, sizeof rest,
            ",\"userDT\":{\"num_cores\":4,\"num_cores\":%s,\"start_time\":%s},"
            "\"slurmT\":{\"core_dumped\":false,\"signal\":null,\"node\":\"n1\"},\"hash_id\":\"7\"",
            i == 6 ? "null" : "8", times[i]);
        snprintf(escaped, sizeof escaped,
                 "{\"userT\":{\"run_uuid\":\"%s\",\"user\":\"b\\u006fb\"}%s}", UUID, rest);
        snprintf(plain, sizeof plain, "{\"userT\":{\"run_uuid\":\"%s\",\"user\":\"bob\"}%s}", UUID,
                 rest);
        struct record one = parsed(plain), other = parsed(escaped);
        assert_non_null(other.root);
        assert_string_equal(one.run.user, other.run.user);
        assert_string_equal(one.run.node, other.run.node);
        assert_string_equal(one.run.hash_id, other.run.hash_id);
        assert_same_number(one.run.start_time, other.run.start_time);
        assert_int_equal(one.run.num_cores.known, other.run.num_cores.known);
        assert_int_equal(one.run.core_dumped.value, other.run.core_dumped.value);
        assert_false(one.run.signal.known);
        load_record_free(&one);
        load_record_free(&other);
    }
}

TEST(what_only_looks_plain_is_for_the_parser)
{
    assert_refused(RECORD("", ",\"slurmT\":{\"core_dumped\":tomato}"),
                   "JSON is damaged at byte 86: boolean expected");
    assert_refused(RECORD("", ",\"slurmT\":{\"node\":n1},\"slurmT\":{}"),
                   "JSON is damaged at byte 79: null expected");
}

/* What is in one test as the loader's fast path takes it, and as its parser does. */
static const char *const readings[] = {"", "\"laterA\":[[]],"};

TEST(a_record_with_keys_of_several_kinds_is_refused)
{
    static const char why[] = "has keys of records of several kinds";
    static const char *const forged[] = {
        "\"xalt_run_uuid\":\"" UUID "\",\"userT\":{\"run_uuid\":\"" UUID "\",\"user\":\"root\"}}",
        "\"userT\":{\"run_uuid\":\"" UUID "\",\"user\":\"root\"},\"resultT\":{\"uuid\":\"" UUID
        "\"}}",
        "\"userT\":{\"run_uuid\":\"" UUID "\"},\"function\":[]}",
        "\"coverageT\":{\"uuid\":\"" UUID "\"},\"coverageA\":[],\"slurmT\":{}}",
        "\"resultT\":{\"uuid\":\"" UUID "\"},\"ownerT\":null}",
        "\"coverageT\":{\"uuid\":\"" UUID "\"},\"coverageA\":[],\"xalt_run_uuid\":\"" UUID "\"}",
        "\"libraryT\":{\"uuid\":\"" UUID "\"},\"resultT\":{\"uuid\":\"" UUID "\"}}",
        "\"isT\":{},\"userT\":{\"run_uuid\":\"" UUID "\"}}",
    };
    for (size_t i = 0; i < 2 * sizeof forged / sizeof forged[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "{%s%s", readings[i % 2], forged[i / 2]);
        for (enum record_kind named = RECORD_RUN; named <= RECORD_KINDS; named++)
            assert_refused_named(text, named, why);
    }
}

TEST(a_record_is_of_the_kind_that_its_name_says)
{
    static const char *const sound[] = {
        [RECORD_RUN] = "\"userT\":{\"run_uuid\":\"" UUID "\"},\"hash_id\":\"1\"}",
        [RECORD_LINK] = "\"resultT\":{\"uuid\":\"" UUID "\"},\"link_line\":[]}",
        [RECORD_PACKAGE] = "\"xalt_run_uuid\":\"" UUID "\",\"program\":\"R\"}",
        [RECORD_COVERAGE] = "\"coverageT\":{\"uuid\":\"" UUID "\"},\"coverageA\":[]}",
        [RECORD_LIBRARY] =
            "\"libraryT\":{\"uuid\":\"" UUID "\",\"event\":\"" UUID
            "\",\"kind\":\"use\",\"what\":\"open\",\"library\":\"m\",\"path\":\"/m\","
            "\"found\":1},\"wasT\":{}}",
        [RECORD_RANKS] =
            "\"ranksT\":{\"uuid\":\"" UUID "\",\"job_id\":7,\"step_id\":\"0\",\"node\":\"n\","
            "\"program\":\"/x\",\"end_time\":1,\"step_tasks\":2,\"step_nodes\":1,"
            "\"node_tasks\":2,\"ranks\":2,\"unseen\":0,\"timed\":2,\"measured\":1,"
            "\"ended_zero\":1,\"ended_code\":0,\"ended_signal\":1,\"ended_unknown\":0}}",
        [RECORD_PROFILE] =
            "\"profileT\":{\"uuid\":\"" UUID "\",\"job_id\":7,\"step_id\":\"0\",\"node\":\"n\","
            "\"path\":\"/x\",\"bytes\":9,\"end_time\":1,\"step_tasks\":2,\"step_nodes\":1,"
            "\"node_tasks\":2,\"joined\":false,\"program\":\"0123456789abcdef\","
            "\"executable\":\"\",\"programs\":1,"
            "\"runs\":1,\"mpi_runs\":1,\"run_uuids\":\"" UUID "\",\"mpi_size\":2,"
            "\"mpi_outside_rank\":1,\"ranks\":2,\"mpi_ranks\":1,\"mpi_calls\":3,\"mpi_time\":1,"
            "\"mpi_elapsed\":2,\"mpi_outside_max\":1,\"mpi_missed\":0,\"mpi_untimed\":false,"
            "\"mpi_open\":false,\"mpi_routines\":\"MPI_Wait=3:1.000000:0\"}}",
    };
    for (enum record_kind kind = RECORD_RUN; kind < 2 * RECORD_KINDS; kind++) {
        enum record_kind is = kind % RECORD_KINDS;
        char text[1024], why[64];
        snprintf(text, sizeof text, "{\"signature\":\"x\",\"newT\":1,%s%s",
                 readings[kind / RECORD_KINDS], sound[is]);
        if (is == RECORD_LIBRARY && !JOBTRAIL_LIBRARIES) {
            assert_refused_named(text, is,
                                 "is a lib record: this jobtrail is built without libraries");
            continue;
        }
        if (is == RECORD_PROFILE && !JOBTRAIL_PROFILE) {
            assert_refused_named(text, is,
                                 "is a profile record: this jobtrail is built without profiles");
            continue;
        }
        if (is == RECORD_RANKS && !JOBTRAIL_WITNESS) {
            assert_refused_named(
                text, is, "is a ranks record: this jobtrail is built without the kernel witness");
            continue;
        }
        for (enum record_kind named = RECORD_RUN; named <= RECORD_KINDS; named++) {
            struct record record;
            struct load_reason reason;
            if (named == is || named == RECORD_KINDS) {
                assert_int_equal(parse_named(text, named, &record, &reason), 0);
                assert_int_equal(record.kind, is);
                load_record_free(&record);
                continue;
            }
            snprintf(why, sizeof why, "is named %s and is %s", record_kind_name(named),
                     record_kind_name(is));
            assert_refused_named(text, named, why);
        }
    }
}

/* One reader takes the first of two, another the last. */
TEST(a_key_that_is_there_twice_is_refused)
{
    static const char why[] = "has a key twice";
    static const char *const twice[] = {
        "\"userT\":{\"run_uuid\":\"" UUID "\"},\"userT\":{\"run_uuid\":\"" UUID
        "\",\"user\":\"root\"}}",
        "\"userT\":{\"run_uuid\":\"" UUID "\"},\"hash_id\":\"1\",\"hash_id\":\"2\"}",
        "\"libA\":[],\"userT\":{\"run_uuid\":\"" UUID "\"},\"libA\":[]}",
        "\"crc2\":0,\"signature\":\"1\",\"signature\":\"2\",\"userT\":{\"run_uuid\":\"" UUID "\"}}",
        "\"resultT\":{\"uuid\":\"" UUID "\"},\"resultT\":{\"uuid\":\"" UUID "\"}}",
        "\"xalt_run_uuid\":\"\",\"xalt_run_uuid\":\"" UUID "\"}",
        "\"coverageT\":{},\"coverageT\":{\"uuid\":\"" UUID "\"},\"coverageA\":[]}",
    };
    for (size_t i = 0; i < 2 * sizeof twice / sizeof twice[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "{%s%s", readings[i % 2], twice[i / 2]);
        assert_refused(text, why);
    }
    /* what no list knows is nobody's */
    struct record record = parsed(RECORD("", ",\"laterT\":1,\"laterT\":2"));
    assert_int_equal(record.kind, RECORD_RUN);
    load_record_free(&record);
}

TEST(what_is_no_number_is_no_time)
{
    static const char *const odd[] = {"\"nan\"",  "\"-inf\"", "NaN",
                                      "Infinity", "1e300",    "\"1e12\""};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char text[256], marked[256];
        snprintf(text, sizeof text, "{\"resultT\":{\"uuid\":\"" UUID "\",\"build_epoch\":%s}}",
                 odd[i]);
        assert_refused(text, "resultT.build_epoch is out of range");
        /* a watermark is whatever the executable's owner put there: then its time is not known */
        snprintf(marked, sizeof marked,
                 RECORD("", ",\"xaltLinkT\":{\"Build_Epoch\":%s,\"Build_OS\":\"L\"}"), odd[i]);
        struct record record = parsed(marked);
        struct build_record build;
        load_build(&record.run.build, &build);
        assert_string_equal(build.build_os, "L");
        assert_false(build.build_epoch.known);
        assert_true(build.build_epoch.value == 0);
        load_record_free(&record);
    }
}

TEST(an_end_outside_of_its_bounds_is_refused)
{
    static const struct {
        const char *end, *bounds, *why; /* NULL: it is taken */
    } rows[] = {
        {"100.5", "\"end_time_min\":100.5,\"end_time_max\":100.5", NULL},
        {"100.5", "\"end_time_min\":\"99\",\"end_time_max\":1.01e2", NULL},
        {"100.5", "\"end_time_min\":null,\"end_time_max\":null", NULL},
        {"100.5", "\"end_time_min\":90", NULL},
        {"100.5", "\"end_time_max\":1e11", NULL},
        {"0.0", "\"end_time_min\":9,\"end_time_max\":-8", NULL}, /* no end, no bounds */
        {"100.5", "\"end_time_min\":100.5001,\"end_time_max\":200",
         "slurmT.end_time_min is after userDT.end_time"},
        {"100.5", "\"end_time_min\":100.5001", "slurmT.end_time_min is after userDT.end_time"},
        {"100.5", "\"end_time_min\":90,\"end_time_max\":100.4999",
         "slurmT.end_time_max is before userDT.end_time"},
        {"100.5", "\"end_time_max\":-1e10", "slurmT.end_time_max is before userDT.end_time"},
        {"100.5", "\"end_time_min\":-1e10", "slurmT.end_time_min is out of range"},
        {"100.5", "\"end_time_min\":0", "slurmT.end_time_min is out of range"},
        {"100.5", "\"end_time_min\":-1e12", "slurmT.end_time_min is out of range"},
        {"100.5", "\"end_time_max\":100000000001", "slurmT.end_time_max is out of range"},
        {"100.5", "\"end_time_max\":1e300", "slurmT.end_time_max is out of range"},
        {"100.5", "\"end_time_max\":\"inf\"", "slurmT.end_time_max is out of range"},
        {"100.5", "\"end_time_min\":NaN", "slurmT.end_time_min is out of range"},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{%s\"userT\":{\"run_uuid\":\"" UUID
                 "\"},\"userDT\":{\"end_time\":%s},\"slurmT\":{%s}}",
                 readings[i % 2], rows[i / 2].end, rows[i / 2].bounds);
        if (rows[i / 2].why != NULL) {
            assert_refused(text, rows[i / 2].why);
            continue;
        }
        struct record record = parsed(text);
        assert_int_equal(record.run.end_time.known, rows[i / 2].end[0] != '0');
        load_record_free(&record);
    }
}

TEST(command_line_is_the_same_text_however_it_is_written)
{
    struct record plain = parsed(RECORD("", ",\"cmdlineA\":[\"a b\",\"\",\"c,]\"]"));
    struct record spaced = parsed(RECORD("", ",\"cmdlineA\":[ \"a b\" , \"\" ,\"c,]\" ]"));
    assert_string_equal(plain.run.cmdline, "[\"a b\",\"\",\"c,]\"]");
    assert_string_equal(spaced.run.cmdline, plain.run.cmdline);
    load_record_free(&plain);
    load_record_free(&spaced);
    assert_refused(RECORD("", ",\"cmdlineA\":\"a\""), "cmdlineA is not an array");
}

TEST(text_is_as_it_was_when_it_is_set_aside)
{
    static const char text[] = RECORD(",\"user\":\"bob\"", ",\"libA\":[[\"/a\",\"0\"]]");
    static const char bad[] = RECORD(",\"user\":\"bob\"", ",\"libA\":[[\"/a\",0]]");
    struct record record = parsed(text);
    assert_string_equal(record.run.user, "bob");
    assert_string_equal(load_record_text(&record), text);
    load_record_free(&record);

    struct load_reason reason;
    char *copy = strdup(bad);
    assert_non_null(copy);
    assert_int_equal(load_record(copy, strlen(bad), RECORD_KINDS, NULL, &record, &reason),
                     -EBADMSG);
    assert_string_equal(copy, bad);
    free(copy);
}

TEST(uuid_is_in_lower_case)
{
    struct record record =
        parsed("{\"userT\":{\"run_uuid\":\"8C8D61FB-98C1-44C0-874C-D613312269F4\"}}");
    assert_string_equal(record.run.uuid, UUID);
    load_record_free(&record);
}

TEST(part_that_was_seen_is_not_parsed_again)
{
    static const char text[] = RECORD("", ",\"libA\":[[\"/a\",\"0\"]]");
    struct id_cache seen = {0};
    struct load_reason reason;
    for (int i = 0; i < 2; i++) {
        struct record record;
        assert_int_equal(
            load_record(strdup(text), strlen(text), RECORD_KINDS, &seen, &record, &reason), 0);
        assert_int_equal(record.run.libs.value == NULL, i);
        load_record_free(&record);
    }
    id_cache_free(&seen);
}
