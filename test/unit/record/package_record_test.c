/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of packages.
 */
#include "conf/base/crc.h"
#include "submit/record/package_record.h"
#include "test/unit/fixture/cases.h"

#define RUN_A "0123456789abcdef0123456789abcdef"

static const uint8_t run_a[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                  0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

static const struct job_identity identity = {.user = (char *)"alice",
                                             .cluster = (char *)"lab",
                                             .node = (char *)"n1",
                                             .uid = 1000,
                                             .job = 7,
                                             .restart = 2};
static const struct conf conf = {.cluster = (char *)"", .syshost = (char *)"tiny"};

static struct built_record record_of(const char *program, const char *name)
{
    const struct package package = {RUN_A, program, name, "", "/p\xe4th", 0, false};
    struct capture capture = {.start_ns = UINT64_C(1700000000123456789)};
    static const struct command_lines lines;
    struct built_record record;
    memcpy(capture.uuid, run_a, sizeof capture.uuid);
    const struct package_source source = {&conf, &lines, &identity, &capture, &package, "1.0"};
    assert_int_equal(package_record_build(&source, &record), 0);
    return record;
}

TEST(a_record_has_the_keys_of_xalt)
{
    struct built_record record = record_of("python", "numpy");
    char crc[8], expected[8];
    assert_non_null(strstr(record.text,
                           "\"package_name\":\"numpy\",\"package_path\":\"/p\\uefe4th\","
                           "\"package_version\":\"1.0\",\"program\":\"python\","
                           "\"xalt_run_uuid\":\"01234567-89ab-cdef-0123-456789abcdef\"}"));
    memcpy(crc, record.text + 8, 6);
    memcpy(record.text + 8, "0xFFFF", 6);
    snprintf(expected, sizeof expected, "0x%04X", crc16(record.text, record.length));
    assert_memory_equal(crc, expected, 6);
    record_free(&record);
}

TEST(a_record_says_whose_it_is)
{
    struct built_record record = record_of("python", "numpy");
    assert_non_null(strstr(record.text,
                           "\"ownerT\":{\"cluster\":\"lab\",\"job_id\":7,\"node\":\"n1\","
                           "\"restart_count\":2,\"uid\":1000,\"user\":\"alice\"}"));
    record_free(&record);
}

TEST(a_record_is_named_for_its_run_and_package)
{
    struct built_record numpy = record_of("python", "numpy"), again = record_of("python", "numpy"),
                        other = record_of("R", "numpy"), scipy = record_of("python", "scipy");
    assert_non_null(strstr(numpy.name, ".alice.01234567-89ab-cdef-0123-456789abcdef."));
    assert_memory_equal(numpy.name, "pkg.tiny.2023_11_", 17);
    assert_int_equal(strlen(strstr(numpy.name, "cdef.") + 5), 12 + 5);
    assert_string_equal(numpy.name, again.name);
    assert_string_not_equal(numpy.name, other.name);
    assert_string_not_equal(numpy.name, scipy.name);
    record_free(&numpy);
    record_free(&again);
    record_free(&other);
    record_free(&scipy);
}
