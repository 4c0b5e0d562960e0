/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_rpm.h"

#include "test/unit/fixture/cases.h"

static struct library_packages *packages;
static struct globs *patterns;
static struct library_rpm rpm;

static int begin(void **state)
{
    (void)state;
    packages = calloc(1, sizeof *packages);
    rpm = (struct library_rpm){.packages = packages};
    int error = packages == NULL ? -ENOMEM : globs_read("*.so *.so.*", &patterns);
    rpm.patterns = patterns;
    return error;
}

static int end(void **state)
{
    (void)state;
    library_packages_free(packages);
    globs_free(patterns);
    return 0;
}

static void take(const char *text)
{
    assert_int_equal(library_rpm_take(&rpm, text, strlen(text)), 0);
}

static void assert_file(size_t at, const char *path, const char *name, const char *version)
{
    assert_true(at < packages->files);
    const struct library_package *package = &packages->package[packages->file[at].package];
    assert_string_equal(packages->file[at].path, path);
    assert_string_equal(package->name, name);
    assert_string_equal(package->version, version);
}

TEST(lines_come_in_any_parts)
{
    take("fft 3:1.0-");
    take("1\n/opt/fft/libfft.so.1\n/opt/fft/README\nempty 2-1\nzlib 1.3-2.el9\n/usr/lib64/lib");
    take("z.so\n");
    assert_int_equal(packages->files, 2);
    assert_int_equal(packages->packages, 3);
    assert_file(0, "/opt/fft/libfft.so.1", "fft", "3:1.0-1");
    assert_file(1, "/usr/lib64/libz.so", "zlib", "1.3-2.el9");
}

TEST(what_no_package_or_path_is_like_is_left_out)
{
    static char longest[2 * PATH_MAX];
    take("/no/package.so\nfft 1-1\n\n");
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest, "/x.so.", 6);
    take(longest);
    take("\n/after.so\n");
    assert_int_equal(library_rpm_take(&rpm, "/nul\0.so\n", sizeof "/nul\0.so\n" - 1), 0);
    assert_int_equal(packages->files, 1);
    assert_file(0, "/after.so", "fft", "1-1");
}

TEST(too_much_is_refused)
{
    rpm.bytes = UINT64_C(512) << 20;
    assert_int_equal(library_rpm_take(&rpm, "x", 1), -EFBIG);
}

EACH(begin, end)
