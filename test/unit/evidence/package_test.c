/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What hooks wrote down, line by line.
 */
#include <fcntl.h>

#include "contrib/hooks/packages.h"
#include "submit/evidence/package_read.h"
#include "test/unit/fixture/cases.h"

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

TEST(each_package_of_a_run_is_there_once_with_its_version)
{
    struct packages packages = parsed("hook\t" RUN_A "\tpython\t3.11.2\n"
                                      "pkg\t" RUN_A "\tpython\t0\tnumpy\t\t/x/numpy\n"
                                      "pkg\t" RUN_B "\tpython\t0\tnumpy\t9\t/y/numpy\n"
                                      "pkg\t" RUN_A "\tR\t2\tnumpy\t7\t/r\n"
                                      "pkg\t" RUN_A "\tpython\t3\tnumpy\t1.2\t/x/numpy\n"
                                      "pkg\t" RUN_A "\tpython\t0\tnumpy\t1.3\t/z/numpy\n"
                                      "hook\t" RUN_A "\tpython\t3.11.2\n");
    struct package_run run = packages_of_run(&packages, run_a);
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

TEST(a_line_of_a_hook_for_xalt_counts_where_no_other_has_the_package)
{
    struct packages packages = parsed("xalt\t" RUN_A "\tpython\t0\tnumpy\t3.11.2\t/x/__init__.py\n"
                                      "xalt\t" RUN_A "\tpython\t0\tscipy\t3.11.2\t/s\n"
                                      "pkg\t" RUN_A "\tpython\t0\tnumpy\t\t/x\n"
                                      "pkg\t" RUN_A "\tpython\t0\tnumpy\t1.24\t/x\n"
                                      "xalt\t" RUN_B "\tR\t0\tMASS\t7\t\n"
                                      "xalt\t" RUN_B "\tR\t0\tMASS\t7\n");
    struct package_run run = packages_of_run(&packages, run_a);
    assert_int_equal(packages.bad_lines, 1);
    assert_int_equal(run.count, 2);
    assert_true(run.hooked);
    assert_string_equal(run.package[0].version, "1.24");
    assert_string_equal(run.package[1].name, "scipy");
    assert_string_equal(run.package[1].version, "3.11.2");
    packages_free(&packages);
}

TEST(bad_lines_are_counted_and_the_others_used)
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

TEST(a_newer_hooks_lines_are_passed_over)
{
    struct packages packages = parsed("module\tof\tanother\tform\nsomething\n");
    assert_int_equal(packages.bad_lines, 0);
    assert_int_equal(packages.count, 0);
    packages_free(&packages);
}

TEST(lines_are_bounded_whole_and_without_nul)
{
    static char text[3 * PACKAGES_LINE];
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

TEST(a_run_has_so_many_packages_and_no_more)
{
    size_t size = 0;
    char *text;
    FILE *file = open_memstream(&text, &size);
    struct packages packages;
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

TEST(a_file_is_read_up_to_its_bound)
{
    char path[] = "/tmp/package_test.XXXXXX";
    int fd = mkstemp(path);
    struct packages packages;
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
