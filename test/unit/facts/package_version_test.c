/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which version of a Python package its installer left word of.
 */
#include <sys/stat.h>

#include "submit/facts/package_version.h"
#include "test/unit/fixture/cases.h"

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

TEST(versions_come_from_what_installers_left)
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

TEST(no_more_directories_are_looked_into_than_the_bound)
{
    enum { BOUND = 64 };
    struct package_versions *versions = package_versions_new();
    char path[256], version[PACKAGE_VERSION_SIZE];
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

TEST(no_more_entries_of_a_directory_are_read_than_the_bound)
{
    enum { BOUND = 8192, MADE = BOUND + 100 };
    struct package_versions *versions = package_versions_new();
    char path[256], name[32], version[PACKAGE_VERSION_SIZE];
    int found = 0;
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
    assert_true(found >= BOUND - 2 && found <= BOUND); /* "." and ".." are entries too */
    package_versions_free(versions);
    end_site();
}
