/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What hooks wrote down: its lines, which of them make records, and the records.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "conf/base/crc.h"
#include "conf/compile.h"
#include "contrib/hooks/packages.h"
#include "submit/flush/package_send.h"

#define RUN_A "0123456789abcdef0123456789abcdef"
#define RUN_B "ffffffffffffffffffffffffffffffff"

static const uint8_t run_a[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                  0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

static struct packages parsed_bytes(const char *bytes, size_t size)
{
    struct packages packages;
    char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    assert_int_equal(packages_parse(copy, size, &packages), 0);
    return packages;
}

static struct packages parsed(const char *text)
{
    return parsed_bytes(text, strlen(text));
}

static void each_package_of_a_run_is_there_once_with_its_version(void **state)
{
    struct packages packages = parsed("hook\t" RUN_A "\tpython\t3.11.2\n"
                                      "pkg\t" RUN_A "\tpython\t0\tnumpy\t\t/x/numpy\n"
                                      "pkg\t" RUN_B "\tpython\t0\tnumpy\t9\t/y/numpy\n"
                                      "pkg\t" RUN_A "\tR\t2\tnumpy\t7\t/r\n"
                                      "pkg\t" RUN_A "\tpython\t3\tnumpy\t1.2\t/x/numpy\n"
                                      "pkg\t" RUN_A "\tpython\t0\tnumpy\t1.3\t/z/numpy\n"
                                      "hook\t" RUN_A "\tpython\t3.11.2\n");
    struct package_run run = packages_of_run(&packages, run_a);
    (void)state;
    assert_int_equal(packages.bad_lines, 0);
    assert_int_equal(run.count, 3);
    assert_true(run.hooked);
    assert_int_equal(run.lost, 3);
    assert_string_equal(run.package[0].program, "R");
    assert_string_equal(run.package[1].name, "");
    assert_string_equal(run.package[1].version, "3.11.2");
    assert_string_equal(run.package[2].version, "1.2");
    assert_string_equal(run.package[2].path, "/x/numpy");
    run = packages_of_run(&packages, (const uint8_t[16]){0});
    assert_int_equal(run.count, 0);
    assert_false(run.hooked);
    packages_free(&packages);
}

static void bad_lines_are_counted_and_the_others_used(void **state)
{
    static const char *const bad[] = {
        "",
        "\t",
        "pkg",
        "hook\t" RUN_A "\tpython",
        "hook\t" RUN_A "\tpython\t3\tx",
        "hook\t" RUN_A "\t\t3",
        "hook\tABCDEF6789abcdef0123456789abcdef\tpython\t3",
        "hook\t" RUN_A "0\tpython\t3",
        "pkg\t" RUN_A "\tpython\t0\t\t1\t/x",
        "pkg\t" RUN_A "\tpython\t\tn\t1\t/x",
        "pkg\t" RUN_A "\tpython\t1x\tn\t1\t/x",
        "pkg\t" RUN_A "\tpython\t99999999999\tn\t1\t/x",
        "pkg\t" RUN_A "\tpython\t0\tn\t1",
        "pkg\t" RUN_A "\tpython\t0\tn\t1\t/x\ty",
        "pkg\t" RUN_A "\tpython\t0\tn\t1\t/x\r",
        "pkg\t" RUN_A "\tpython\t0\tn\x1b[m\t1\t/x",
        "pkg\t" RUN_A "\ta-name-that-is-longer-than-any-language-has\t0\tn\t1\t/x",
        "hook2\t" RUN_A "\tpython\t3",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "hook\t" RUN_A "\tpython\t3\n%s\npkg\t" RUN_A "\tpython\t0\tn\t1\t\n", bad[i]);
        struct packages packages = parsed(text);
        if (packages.bad_lines != 1 || packages.count != 2)
            fail_msg("'%s': %zu bad, %zu used", bad[i], packages.bad_lines, packages.count);
        packages_free(&packages);
    }
}

static void a_newer_hooks_lines_are_passed_over(void **state)
{
    struct packages packages = parsed("module\tof\tanother\tform\nsomething\n");
    (void)state;
    assert_int_equal(packages.bad_lines, 0);
    assert_int_equal(packages.count, 0);
    packages_free(&packages);
}

static void lines_are_bounded_whole_and_without_nul(void **state)
{
    static char text[3 * PACKAGES_LINE];
    (void)state;
    int length = snprintf(text, sizeof text, "pkg\t" RUN_A "\tpython\t0\tn\t1\t/");
    memset(text + length, 'x', sizeof text - (size_t)length);
    text[PACKAGES_LINE - 1] = '\n';
    struct packages packages = parsed_bytes(text, PACKAGES_LINE);
    assert_int_equal(packages.count, 1);
    packages_free(&packages);
    text[PACKAGES_LINE - 1] = 'x';
    text[PACKAGES_LINE] = '\n';
    packages = parsed_bytes(text, PACKAGES_LINE + 1);
    assert_int_equal(packages.count, 0);
    assert_int_equal(packages.bad_lines, 1);
    packages_free(&packages);
    packages = parsed("hook\t" RUN_A "\tpython\t3");
    assert_int_equal(packages.bad_lines, 1);
    packages_free(&packages);
    packages = parsed_bytes("hook\t" RUN_A "\tpython\t3\0\n", 45 + 0);
    assert_int_equal(packages.bad_lines, 1);
    packages_free(&packages);
    packages = parsed("");
    assert_int_equal(packages.count + packages.bad_lines, 0);
    packages_free(&packages);
}

static void a_run_has_so_many_packages_and_no_more(void **state)
{
    size_t size = 0;
    char *text;
    FILE *file = open_memstream(&text, &size);
    struct packages packages;
    (void)state;
    fputs("hook\t" RUN_A "\tpython\t3\n", file);
    for (int i = 0; i < PACKAGES_OF_RUN_MAX + 9; i++)
        fprintf(file, "pkg\t" RUN_A "\tpython\t1\tp%d\t1\t/x\n", i);
    fclose(file);
    assert_int_equal(packages_parse(text, size, &packages), 0);
    struct package_run run = packages_of_run(&packages, run_a);
    assert_true(run.hooked);
    assert_int_equal(run.count, PACKAGES_OF_RUN_MAX);
    assert_int_equal(run.lost, 1 + 10);
    packages_free(&packages);
}

static void a_file_is_read_up_to_its_bound(void **state)
{
    char path[] = "/tmp/package_test.XXXXXX";
    int fd = mkstemp(path);
    struct packages packages;
    (void)state;
    unlink(path);
    dprintf(fd, "hook\t" RUN_A "\tpython\t3\n");
    assert_int_equal(packages_read(fd, &packages), 0);
    assert_int_equal(packages.count, 1);
    packages_free(&packages);
    /* its owner can make it as long as he likes */
    assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
    assert_int_equal(packages_read(fd, &packages), 0);
    assert_int_equal(packages.count, 1);
    assert_int_equal(packages.bad_lines, 2);
    packages_free(&packages);
    close(fd);
    assert_int_equal(packages_read(fd, &packages), -EBADF);
}

/* A policy with these package rules. */
static void *policy_of(struct conf_rule *rules, size_t count)
{
    struct conf conf = {.path = (char *)"/c",
                        .spool = (char *)"/s",
                        .library = (char *)"/l",
                        .submit = (char *)"/j",
                        .hooks = (char *)"",
                        .package = {rules, count}};
    struct conf_error error;
    void *policy;
    size_t size;
    assert_int_equal(compile_policy(&conf, &policy, &size, &error), 0);
    return policy;
}

static void the_earlier_of_the_rules_for_name_and_path_decides(void **state)
{
    struct conf_rule rules[] = {
        {POLICY_KEEP, (char *)"python:name:known", 1, 1},
        {POLICY_SKIP, (char *)"python:path:/home/.*", 2, 1},
        {POLICY_SKIP, (char *)"python:name:_.*", 3, 1},
        {POLICY_KEEP, (char *)"python:path:.*/site-packages/.*", 4, 1},
        {POLICY_SKIP, (char *)"R:name:.*", 5, 1},
    };
    static const struct {
        const char *program, *name, *path;
        int kept;
    } cases[] = {
        {"python", "known", "/home/a/known.py", 1},
        {"python", "other", "/home/a/other.py", 0},
        {"python", "other", "/home/a/site-packages/other.py", 0},
        {"python", "_x", "/opt/site-packages/_x.py", 0},
        {"python", "x", "/opt/site-packages/x.py", 1},
        {"python", "x", "/opt/x.py", 1},
        {"R", "known", "", 0},
        {"octave", "_x", "", 1},
    };
    void *policy = policy_of(rules, sizeof rules / sizeof rules[0]);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct package package = {RUN_A, cases[i].program, cases[i].name,
                                        "",    cases[i].path,    0};
        if (package_kept(policy, &package) != cases[i].kept)
            fail_msg("%s %s", cases[i].name, cases[i].path);
    }
    free(policy);
}

static const struct job_identity identity = {.user = (char *)"alice",
                                             .cluster = (char *)"lab",
                                             .node = (char *)"n1",
                                             .job = 7,
                                             .restart = 2};
static const struct conf conf = {.cluster = (char *)"", .syshost = (char *)"tiny"};

static struct built_record record_of(const char *program, const char *name)
{
    const struct package package = {RUN_A, program, name, "", "/p\xe4th", 0};
    struct capture capture = {.start_ns = UINT64_C(1700000000123456789)};
    static const struct command_lines lines;
    struct built_record record;
    memcpy(capture.uuid, run_a, sizeof capture.uuid);
    const struct package_source source = {&conf, &lines, &identity, &capture, &package, "1.0"};
    assert_int_equal(package_record_build(&source, &record), 0);
    return record;
}

static void a_record_has_the_keys_of_xalt(void **state)
{
    struct built_record record = record_of("python", "numpy");
    char crc[8], expected[8];
    (void)state;
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

static void a_record_says_whose_it_is(void **state)
{
    struct built_record record = record_of("python", "numpy");
    (void)state;
    assert_non_null(strstr(record.text,
                           "\"ownerT\":{\"cluster\":\"lab\",\"job_id\":7,\"node\":\"n1\","
                           "\"restart_count\":2,\"user\":\"alice\"}"));
    record_free(&record);
}

static void a_record_is_named_for_its_run_and_package(void **state)
{
    struct built_record numpy = record_of("python", "numpy"), again = record_of("python", "numpy"),
                        other = record_of("R", "numpy"), scipy = record_of("python", "scipy");
    (void)state;
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

static char site[64];

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", site, name);
    *strrchr(path, '/') = '\0';
    mkdir(path, 0700);
    path[strlen(path)] = '/';
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void start_site(void)
{
    strcpy(site, "/tmp/package_test.XXXXXX");
    assert_non_null(mkdtemp(site));
}

static void end_site(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", site);
    assert_int_equal(system(command), 0);
}

static void versions_come_from_what_installers_left(void **state)
{
    static const struct {
        const char *name, *path, *version;
    } cases[] = {
        {"numpy", "numpy/__init__.py", "1.24.2"},
        {"six", "six.py", "1.16"},
        {"yaml", "yaml/__init__.py", "6.0"},
        {"_yaml", "_yaml/__init__.py", "6.0"},
        {"yam", "yam/__init__.py", ""},
        {"google.protobuf", "google/protobuf/__init__.py", "4.2"},
        {"zope.interface", "zope/interface/__init__.py", "5.5"},
        {"mod", "sub/mod.py", ""},
        {"none", "none.py", ""},
    };
    struct package_versions *versions = package_versions_new();
    char path[256], version[PACKAGE_VERSION_SIZE];
    (void)state;
    start_site();
    write_file("numpy-1.24.2.dist-info/METADATA", "");
    write_file("Six-1.16-py3.11.egg-info/PKG-INFO", "");
    write_file("PyYAML-6.0.dist-info/top_level.txt", "_yaml\r\nyaml\n");
    write_file("protobuf-4.2.dist-info/top_level.txt", "google.protobuf\n");
    write_file("zope_Interface-5.5.dist-info/top_level.txt", "");
    write_file("mod-.dist-info/METADATA", "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", site, cases[i].path);
        package_version_find(versions, cases[i].name, path, version);
        if (strcmp(version, cases[i].version) != 0)
            fail_msg("%s: '%s'", cases[i].name, version);
    }
    package_version_find(versions, "numpy", "numpy/__init__.py", version);
    assert_string_equal(version, "");
    package_version_find(versions, "a.b.c", "/c.py", version);
    assert_string_equal(version, "");
    package_version_find(versions, "x", "", version);
    assert_string_equal(version, "");
    package_versions_free(versions);
    end_site();
}

static void no_more_directories_are_looked_into_than_the_bound(void **state)
{
    enum { BOUND = 64 };
    struct package_versions *versions = package_versions_new();
    char path[256], version[PACKAGE_VERSION_SIZE];
    (void)state;
    start_site();
    for (int i = 0; i <= BOUND; i++) {
        snprintf(path, sizeof path, "%d", i);
        write_file(strcat(path, "/x"), "");
        snprintf(path, sizeof path, "%d/one-1.dist-info/METADATA", i);
        write_file(path, "");
        snprintf(path, sizeof path, "%s/%d/one.py", site, i);
        package_version_find(versions, "one", path, version);
        assert_string_equal(version, i < BOUND ? "1" : "");
    }
    snprintf(path, sizeof path, "%s/0/one.py", site);
    package_version_find(versions, "one", path, version);
    assert_string_equal(version, "1");
    package_versions_free(versions);
    end_site();
}

static void no_more_entries_of_a_directory_are_read_than_the_bound(void **state)
{
    enum { BOUND = 8192, MADE = BOUND + 100 };
    struct package_versions *versions = package_versions_new();
    char path[256], name[32], version[PACKAGE_VERSION_SIZE];
    int found = 0;
    (void)state;
    start_site();
    for (int i = 0; i < MADE; i++) {
        snprintf(path, sizeof path, "%dp-1.egg-info", i);
        write_file(path, "");
    }
    for (int i = 0; i < MADE; i++) {
        snprintf(name, sizeof name, "%dp", i);
        snprintf(path, sizeof path, "%s/%s.py", site, name);
        package_version_find(versions, name, path, version);
        found += version[0] != '\0';
    }
    assert_in_range(found, BOUND - 2, BOUND); /* "." and ".." are entries too */
    package_versions_free(versions);
    end_site();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_package_of_a_run_is_there_once_with_its_version),
        cmocka_unit_test(bad_lines_are_counted_and_the_others_used),
        cmocka_unit_test(a_newer_hooks_lines_are_passed_over),
        cmocka_unit_test(lines_are_bounded_whole_and_without_nul),
        cmocka_unit_test(a_run_has_so_many_packages_and_no_more),
        cmocka_unit_test(a_file_is_read_up_to_its_bound),
        cmocka_unit_test(the_earlier_of_the_rules_for_name_and_path_decides),
        cmocka_unit_test(a_record_has_the_keys_of_xalt),
        cmocka_unit_test(a_record_says_whose_it_is),
        cmocka_unit_test(a_record_is_named_for_its_run_and_package),
        cmocka_unit_test(versions_come_from_what_installers_left),
        cmocka_unit_test(no_more_directories_are_looked_into_than_the_bound),
        cmocka_unit_test(no_more_entries_of_a_directory_are_read_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
