/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_packages.h"

#include <sys/stat.h>

#include "conf/base/directory.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/var/lib/dpkg/%s", made_tree, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static int make_root(void **state)
{
    return made_tree_set_up(state) != 0 ? -1 : directory_make_all(below("var/lib/dpkg/info"), 0755);
}

static void assert_package(const struct library_packages *packages, const char *path,
                           const char *expected)
{
    char whole[256], found[256] = "";
    const char *package, *version;
    snprintf(whole, sizeof whole, "%s%s", made_tree, path);
    if (library_packages_find(packages, whole, &package, &version))
        snprintf(found, sizeof found, "%s %s", package, version);
    assert_string_equal(found, expected);
}

TEST(a_file_has_the_package_of_the_list_and_the_version_of_the_status)
{
    struct library_packages *packages;
    struct globs *patterns;
    const char *package, *version;
    put("info/zlib1g:amd64.list", "/.\n/lib/x86/libz.so.1\n/usr/lib/libz.so\n/etc/z.conf\n");
    put("info/zlib1g:i386.list", "/usr/lib/i386/libz.so\n");
    put("info/fft.list", "/opt/fft/libfft.so.1\n");
    put("info/gone.list", "/opt/gone/libgone.so.1");
    put("info/fft.md5sums", "x /opt/fft/libother.so\n");
    put("status", "Package: fft\nVersion: 2:1.0-1\nArchitecture: all\n\nPackage: zlib1g\n"
                  "Architecture: amd64\nVersion: 1.3\n\nPackage: zlib1g\nArchitecture: i386\n"
                  "Version: 1.2\nDescription: no\n Version: 7");
    assert_int_equal(globs_read("*.so *.so.*", &patterns), 0);
    assert_int_equal(library_packages_read(made_tree, patterns, &packages), 0);
    assert_package(packages, "/opt/fft/libfft.so.1", "fft 2:1.0-1");
    assert_package(packages, "/usr/lib/libz.so", "zlib1g 1.3");
    assert_package(packages, "/usr/lib/i386/libz.so", "zlib1g 1.2");
    assert_package(packages, "/usr/lib/x86/libz.so.1", "zlib1g 1.3"); /* /lib is /usr/lib */
    assert_package(packages, "/opt/gone/libgone.so.1", "gone ");
    assert_package(packages, "/etc/z.conf", "");
    assert_package(packages, "/opt/fft/libother.so", "");
    assert_false(library_packages_find(packages, "/opt/fft/libfft.so.1", &package, &version));
    library_packages_free(packages);
    assert_int_equal(library_packages_read("/nowhere", patterns, &packages), 0);
    assert_false(library_packages_find(packages, "/nowhere/x.so", &package, &version));
    library_packages_free(packages);
    globs_free(patterns);
}

static void assert_version(const struct globs *patterns, const char *expected)
{
    struct library_packages *packages;
    assert_int_equal(library_packages_read(made_tree, patterns, &packages), 0);
    assert_package(packages, "/opt/fft/libfft.so.1", expected);
    library_packages_free(packages);
}

/* The files of another system's root may be anybody's: no link leads out of it, and no FIFO
 * holds the scan up. */
TEST(links_and_fifos_below_a_root_are_not_opened)
{
    char status[256], outside[256], info[256], moved[256];
    struct globs *patterns;
    snprintf(status, sizeof status, "%s/var/lib/dpkg/status", made_tree);
    snprintf(outside, sizeof outside, "%s/outside", made_tree);
    snprintf(info, sizeof info, "%s/var/lib", made_tree);
    snprintf(moved, sizeof moved, "%s/var/elsewhere", made_tree);
    assert_int_equal(globs_read("*.so.*", &patterns), 0);
    put("info/fft.list", "/opt/fft/libfft.so.1\n");
    put("status", "Package: fft\nVersion: 7\n");
    assert_version(patterns, "fft 7");
    assert_int_equal(rename(status, outside), 0);
    assert_int_equal(symlink(outside, status), 0);
    assert_version(patterns, "fft ");
    assert_int_equal(unlink(status), 0);
    assert_int_equal(mkfifo(status, 0600), 0);
    assert_version(patterns, "fft ");
    assert_int_equal(unlink(status), 0);
    assert_int_equal(rename(info, moved), 0);
    assert_int_equal(symlink(moved, info), 0);
    assert_version(patterns, "");
    globs_free(patterns);
}

ALL(make_root, made_tree_tear_down)
