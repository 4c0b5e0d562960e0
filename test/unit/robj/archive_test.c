/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/archive_symbols.h"
#include "contrib/routines/robj/prepare.h"

#include <sys/mman.h>

#include "conf/base/io.h"
#include "test/unit/fixture/cases.h"

/* What archive_write() makes of it, malloc'ed. */
static char *written(const struct written_archive *archive, size_t *size)
{
    char *bytes;
    int fd = memfd_create("archive", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(archive_write(fd, archive), 0);
    assert_int_equal(whole_file_read(fd, 1 << 20, &bytes, size), 0);
    close(fd);
    return bytes;
}

static const struct written_member two_members[] = {
    {NULL, "odd.o", (const unsigned char *)"abc", 3},
    {NULL, "even.o", (const unsigned char *)"defg", 4},
};
static const struct written_symbol two_symbols[] = {{"first", 0}, {"second", 1}};
static const struct written_archive two = {NULL, 0, two_members, 2, two_symbols, 2};

static const char *fault_of(const char *bytes, size_t size, size_t *count)
{
    struct archive archive;
    const char *fault;
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    assert_int_equal(archive_read(copy, size, "file", &archive, &fault), 0);
    if (count != NULL)
        *count = archive.count;
    archive_free(&archive);
    return fault;
}

TEST(what_is_written_is_read)
{
    size_t size;
    struct archive archive;
    const char *fault;
    char *bytes = written(&two, &size);
    assert_int_equal(archive_read(bytes, size, "lib.a", &archive, &fault), 0);
    assert_null(fault);
    assert_int_equal(archive.count, 2);
    assert_string_equal(archive.member[0].name, "odd.o");
    assert_int_equal(archive.member[0].size, 3);
    assert_memory_equal(archive.member[0].bytes, "abc", 3);
    assert_string_equal(archive.member[0].fault, "is no ELF object");
    assert_string_equal(archive.member[1].name, "even.o");
    assert_memory_equal(archive.member[1].bytes, "defg", 4);
    archive_free(&archive);
}

TEST(the_index_has_names_and_the_places_of_their_members)
{
    size_t size;
    char *bytes = written(&two, &size);
    /* 2 names; 8 + 60 + 26 is the header of the first member, 60 + 4 behind it the second's */
    static const char index[] = "\0\0\0\2\0\0\0\x5e\0\0\0\x9e"
                                "first\0second\0\0";
    assert_memory_equal(
        bytes, "!<arch>\n/               0           0     0     0       26        `\n", 68);
    assert_memory_equal(bytes + 68, index, 26);
    assert_memory_equal(bytes + 0x5e,
                        "odd.o/          0           0     0     100644  3         `\nabc\n", 64);
    assert_int_equal(size, 0x9e + 64);
    free(bytes);
}

TEST(long_names_are_in_a_table)
{
    size_t count;
    char text[512];
    static const char form[] = "!<arch>\n%-48s%-10d`\nfirst_long_name.o/\nsecond_long_name.o/\n\n"
                               "%-16s%-32s%-10d`\nab";
    static const struct {
        const char *name, *found;
    } names[] = {{"/0", "first_long_name.o"}, {"/19", "second_long_name.o"}, {"short/", "short"}};
    for (size_t i = 0; i < 3; i++) {
        struct archive archive;
        const char *fault;
        snprintf(text, sizeof text, form, "//", 40, names[i].name, "0", 2);
        char *copy = strdup(text);
        assert_int_equal(archive_read(copy, strlen(text), "lib.a", &archive, &fault), 0);
        assert_null(fault);
        assert_int_equal(archive.count, 1);
        assert_string_equal(archive.member[0].name, names[i].found);
        archive_free(&archive);
    }
    snprintf(text, sizeof text, form, "//", 40, "/40", "0", 2);
    assert_non_null(fault_of(text, strlen(text), &count));
}

TEST(what_is_not_whole_is_refused)
{
    size_t size, count;
    char *bytes = written(&two, &size);
    assert_null(fault_of(bytes, size, &count));
    for (size_t cut = 9; cut < size; cut++) {
        const char *fault = fault_of(bytes, cut, &count);
        /* where a member ends, nothing shows that others have followed */
        if (cut == 0x5e || cut == 0x9e - 1 || cut == 0x9e)
            assert_null(fault);
        else
            assert_string_equal(fault, "is damaged, or no archive of the System V kind");
    }
    memcpy(bytes + 0x5e + 48, "9999999999", 10);
    assert_non_null(fault_of(bytes, size, NULL));
    memcpy(bytes + 0x5e + 48, "3x        ", 10);
    assert_non_null(fault_of(bytes, size, NULL));
    free(bytes);
}

TEST(what_is_no_archive_is_one_object_or_refused)
{
    assert_string_equal(fault_of("", 0, NULL), "is no ELF object");
    assert_string_equal(fault_of("BC\xc0\xde"
                                 "bitcode_of_llvm",
                                 19, NULL),
                        "is LLVM's intermediate code, for link-time optimization (LTO)");
    assert_string_equal(fault_of("some text that is no object", 27, NULL), "is no ELF object");
    assert_non_null(strstr(fault_of("!<thin>\n", 8, NULL), "is a thin archive"));
}
