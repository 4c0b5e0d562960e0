/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/elf_sections.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "test/unit/fixture/cases.h"

/* An ELF file of which the head speaks of `count` sections behind it; the second is as given. */
static int make_file(uint16_t count, const Elf64_Shdr *second, off_t size)
{
    const unsigned char encoding =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    const Elf64_Ehdr header = {
        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, encoding, EV_CURRENT},
        .e_type = ET_DYN,
        .e_version = EV_CURRENT,
        .e_shoff = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = count,
    };
    int fd = memfd_create("elf_sections", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, size) == 0);
    assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
    assert_int_equal(pwrite(fd, second, sizeof *second, sizeof header + sizeof *second),
                     sizeof *second);
    return fd;
}

TEST(a_section_is_read_whole_or_not_at_all)
{
    Elf64_Shdr texts = {.sh_type = SHT_STRTAB, .sh_offset = 1000, .sh_size = 8};
    struct elf_sections sections;
    struct elf_part part;
    char copy[4];
    int fd = make_file(2, &texts, 1008);
    assert_int_equal(pwrite(fd, "\0one\0two", 8, 1000), 8);
    assert_int_equal(elf_sections_read(fd, &sections), 0);
    assert_int_equal(sections.count, 2);
    assert_int_equal(elf_section_part(&sections, 1, ELF_T_BYTE, &part), 0);
    assert_string_equal(elf_part_text(&part, 1), "one");
    assert_null(elf_part_text(&part, 5)); /* it does not end */
    assert_null(elf_part_text(&part, 8));
    assert_null(elf_part_text(&part, UINT64_MAX));
    assert_int_equal(elf_part_copy(&part, 4, copy, 4), 0);
    assert_int_equal(elf_part_copy(&part, 5, copy, 4), -ENOEXEC);
    assert_int_equal(elf_part_copy(&part, SIZE_MAX, copy, 4), -ENOEXEC);
    free(part.bytes);
    assert_int_equal(elf_section_part(&sections, 2, ELF_T_BYTE, &part), -ENOEXEC);
    elf_sections_free(&sections);
    close(fd);
}

static void assert_refused(uint16_t count, off_t size, int expected)
{
    struct elf_sections sections;
    int fd = make_file(count, &(Elf64_Shdr){.sh_type = SHT_STRTAB}, size);
    assert_int_equal(elf_sections_read(fd, &sections), expected);
    close(fd);
}

TEST(a_file_that_speaks_of_too_much_is_refused)
{
    Elf64_Shdr bomb = {.sh_type = SHT_DYNSYM, .sh_size = UINT64_C(1) << 31};
    struct elf_sections sections;
    struct elf_part part;
    assert_refused(0, 4096, -EFBIG); /* their number is that of the first section */
    assert_refused(ELF_SECTIONS_MAX + 1, 1 << 20, -EFBIG);
    assert_refused(ELF_SECTIONS_MAX, 4096, -ENOEXEC); /* it has not so many */
    int fd = make_file(2, &bomb, INT64_C(1) << 32);
    assert_int_equal(elf_sections_read(fd, &sections), 0);
    assert_int_equal(elf_section_part(&sections, 1, ELF_T_SYM, &part), -EFBIG);
    /* and not in parts */
    sections.shdr[1].sh_size = ELF_SECTION_BYTES_MAX - 8;
    assert_int_equal(elf_section_part(&sections, 1, ELF_T_BYTE, &part), 0);
    free(part.bytes);
    assert_int_equal(elf_section_part(&sections, 1, ELF_T_BYTE, &part), -EFBIG);
    elf_sections_free(&sections);
    close(fd);
}
