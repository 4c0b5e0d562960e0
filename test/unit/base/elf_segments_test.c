/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_segments.h"

#include <elf.h>
#include <sys/mman.h>

#include "test/unit/fixture/cases.h"

/* A shared object of two segments: all of it at the address 0x1000, and its dynamic entries. */
struct object {
    Elf64_Ehdr head;
    Elf64_Phdr segment[2];
    Elf64_Dyn dynamic[3];
    char strings[16];
};

static struct object made(void)
{
    struct object object = {
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_DYN,
                 .e_machine = EM_X86_64,
                 .e_version = EV_CURRENT,
                 .e_phoff = offsetof(struct object, segment),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 2},
        .segment = {{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(struct object)},
                    {.p_type = PT_DYNAMIC,
                     .p_offset = offsetof(struct object, dynamic),
                     .p_filesz = sizeof object.dynamic}},
        .dynamic = {{.d_tag = DT_SONAME, .d_un.d_val = 1},
                    {.d_tag = DT_STRTAB, .d_un.d_ptr = 0x1000 + offsetof(struct object, strings)},
                    {.d_tag = DT_NULL}},
        .strings = "\0libx.so.1",
    };
    return object;
}

static void assert_soname(const struct object *object, size_t size, const char *expected)
{
    char name[8] = "before";
    int fd = memfd_create("object", MFD_CLOEXEC);
    assert_int_equal(write(fd, object, size), size);
    elf_soname(fd, name, sizeof name);
    assert_string_equal(name, expected);
    close(fd);
}

TEST(a_soname_is_found_by_the_segments_and_cut_to_the_room)
{
    struct object object = made();
    assert_soname(&object, sizeof object, "libx.so");
    strcpy(object.strings + 1, "x.so");
    assert_soname(&object, sizeof object, "x.so");
}

TEST(what_is_no_object_or_damaged_has_none)
{
    struct object object = made();
    assert_soname(&object, 0, "");
    assert_soname(&object, 10, "");
    object.dynamic[0].d_un.d_val = UINT64_MAX - 10; /* overflows */
    assert_soname(&object, sizeof object, "");
    object.dynamic[0].d_un.d_val = 1 << 20; /* in no segment */
    assert_soname(&object, sizeof object, "");
    object = made();
    object.dynamic[0].d_tag = DT_NEEDED;
    assert_soname(&object, sizeof object, "");
    object = made();
    object.segment[1].p_offset = 1 << 20;
    assert_soname(&object, sizeof object, "");
}

/* Whoever makes a file sets the sizes in it: a sparse one of some blocks may speak of terabytes. */
TEST(what_a_file_speaks_of_takes_no_memory)
{
    static const Elf64_Nhdr note = {4, 2, NT_GNU_BUILD_ID};
    struct object object = made();
    unsigned char id[BUILD_ID_MAX];
    char name[8];
    int fd = memfd_create("object", MFD_CLOEXEC);
    object.segment[0].p_filesz = object.segment[1].p_filesz = INT64_C(1) << 40;
    object.head.e_shoff = sizeof object;
    object.head.e_shentsize = sizeof(Elf64_Shdr);
    Elf64_Shdr first = {.sh_size = INT64_C(1) << 33}; /* so many sections, with e_shnum 0 */
    assert_int_equal(write(fd, &object, sizeof object), sizeof object);
    assert_int_equal(write(fd, &first, sizeof first), sizeof first);
    assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
    elf_soname(fd, name, sizeof name);
    assert_string_equal(name, "libx.so");
    object.segment[1].p_type = PT_NOTE;
    memcpy(object.dynamic, &note, sizeof note);
    memcpy((char *)object.dynamic + sizeof note, "GNU\0\x0a\x0b", 7);
    assert_int_equal(pwrite(fd, &object, sizeof object, 0), sizeof object);
    assert_int_equal(elf_build_id_of(fd, id), 2);
    assert_memory_equal(id, "\x0a\x0b", 2);
    close(fd);
}
