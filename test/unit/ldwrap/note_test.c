/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watermark: its text, its object for any machine, its uuid.
 */
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>

#include "conf/base/elf_segments.h"
#include "ldwrap/link_job.h"
#include "ldwrap/note_object.h"
#include "submit/evidence/watermark.h"
#include "test/unit/fixture/cases.h"

static void take(void *context, const char *key, const char *value)
{
    strcat(strcat(strcat(strcat(context, key), "="), value), ";");
}

TEST(what_is_written_is_read)
{
    const struct watermark_facts facts = {
        .uuid = "u-1", .cwd = "/a b/c", .user = "", .epoch = 86400.5, .is_utc = 1};
    char taken[1024] = "";
    size_t size;
    char *text = watermark_write(&facts, &size);
    assert_non_null(text);
    assert_int_equal(watermark_read(text, size, take, taken), 6);
    assert_string_equal(
        taken, "Build_User=;Build_UUID=u-1;Build_Year=1970;Build_date=Fri Jan 02 00:00:00 1970;"
               "Build_CWD=/a b/c;Build_Epoch=86400.5000;");
    free(text);
}

/* By xalt_generate_watermark of XALT 3.2.4 (test/data/watermark/xalt-3.2.4.s), assembled. */
TEST(the_bytes_are_those_of_xalt)
{
    static const char xalt[] = "\2XALT_Link_Info\0"
                               "<XALT_Version>%%3.2.4%%\0"
                               "<Build_host>%%login1%%\0"
                               "<Build_Syshost>%%tiny%%\0"
                               "<Build_compiler>%%gcc%%\0"
                               "<Build_compilerPath>%%/usr/bin/x86_64-linux-gnu-gcc-12%%\0"
                               "<Build_OS>%%Linux_%_%_6.1.0%%\0"
                               "<Build_User>%%bob%%\0"
                               "<Build_UUID>%%5468e07b-0c8a-49a1-8010-3c9a11fce259%%\0"
                               "<Build_Year>%%2024%%\0"
                               "<Build_date>%%Tue_%_%_Nov_%_%_19_%_%_07:06:40_%_%_2024%%\0"
                               "<Build_LOADEDMODULES>%%gcc/13:hdf5/1.14%%\0"
                               "<Build_LMFILES>%%%%\0"
                               "<Build_CWD>%%/home/bob/flow%%\0"
                               "<Build_Epoch>%%1732000000.5000%%\0"
                               "\0\0\0\0\0\0\0XALT_Link_Info_End";
    const struct watermark_facts facts = {.version = "3.2.4",
                                          .host = "login1",
                                          .syshost = "tiny",
                                          .compiler = "gcc",
                                          .compiler_path = "/usr/bin/x86_64-linux-gnu-gcc-12",
                                          .os = "Linux 6.1.0",
                                          .user = "bob",
                                          .uuid = "5468e07b-0c8a-49a1-8010-3c9a11fce259",
                                          .loaded_modules = "gcc/13:hdf5/1.14",
                                          .lmfiles = "",
                                          .cwd = "/home/bob/flow",
                                          .epoch = 1732000000.5,
                                          .is_utc = true};
    size_t size;
    char *text = watermark_write(&facts, &size);
    assert_non_null(text);
    assert_int_equal(size, sizeof xalt);
    assert_memory_equal(text, xalt, size);
    free(text);
}

TEST(long_values_are_cut_so_that_readers_take_them)
{
    char *longest = malloc(40001), *taken = calloc(1, 50000);
    size_t size;
    for (int blank = 0; blank < 2; blank++) {
        memset(longest, blank ? ' ' : 'x', 40000);
        longest[40000] = taken[0] = '\0';
        char *text = watermark_write(
            &(struct watermark_facts){.loaded_modules = longest, .is_utc = 1}, &size);
        assert_int_equal(watermark_read(text, size, take, taken), 4);
        const char *value = strstr(taken, "Build_LOADEDMODULES=") + strlen("Build_LOADEDMODULES=");
        size_t same = strspn(value, blank ? " " : "x");
        assert_true(same >= (blank ? 3200 : 16000) && same <= 16384);
        free(text);
    }
    free(longest);
    free(taken);
}

/* The one section of this name, which must be there. */
static Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    size_t names;
    assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        assert_non_null(gelf_getshdr(section, header));
        if (strcmp(elf_strptr(elf, names, header->sh_name), name) == 0)
            return section;
    }
    return NULL;
}

static void check_object(int fd, const struct elf_target *target, const char *mark,
                         size_t mark_size)
{
    GElf_Ehdr ehdr;
    GElf_Shdr header;
    size_t size;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    assert_non_null(gelf_getehdr(elf, &ehdr));
    assert_int_equal(ehdr.e_type, ET_REL);
    assert_int_equal(ehdr.e_ident[EI_CLASS], target->elf_class);
    assert_int_equal(ehdr.e_ident[EI_DATA], target->data);
    assert_int_equal(ehdr.e_machine, target->machine);
    assert_int_equal(ehdr.e_flags, target->flags);
    Elf_Scn *section = section_named(elf, ".note.xalt.info", &header);
    assert_non_null(section);
    assert_int_equal(header.sh_type, SHT_NOTE);
    assert_int_equal(header.sh_flags, SHF_ALLOC);
    assert_int_equal(header.sh_addralign, 4);
    const void *content =
        elf_note_in(elf_getdata(section, NULL), WATERMARK_OWNER, WATERMARK_TYPE, &size);
    assert_non_null(content);
    assert_int_equal(size, mark_size);
    assert_memory_equal(content, mark, mark_size);
    assert_non_null(section_named(elf, ".note.GNU-stack", &header));
    assert_int_equal(header.sh_flags, 0);
    int has_features =
        target->machine == EM_X86_64 || target->machine == EM_386 || target->machine == EM_AARCH64;
    assert_int_equal(section_named(elf, ".note.gnu.property", &header) != NULL, has_features);
    elf_end(elf);
}

TEST(the_object_is_right_for_each_machine)
{
    static const struct elf_target targets[] = {
        {ELFCLASS64, ELFDATA2LSB, EM_X86_64, 0},  {ELFCLASS32, ELFDATA2LSB, EM_386, 0},
        {ELFCLASS32, ELFDATA2LSB, EM_X86_64, 0}, /* x32 */
        {ELFCLASS64, ELFDATA2LSB, EM_AARCH64, 0}, {ELFCLASS64, ELFDATA2LSB, EM_PPC64, 2},
        {ELFCLASS64, ELFDATA2MSB, EM_PPC64, 1},   {ELFCLASS64, ELFDATA2MSB, EM_S390, 0},
        {ELFCLASS64, ELFDATA2LSB, EM_RISCV, 5},   {ELFCLASS32, ELFDATA2MSB, EM_MIPS, 0x70001005},
    };
    static const char marks[3][8] = {"\2abcdef", "\2abc", "\2"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (size_t j = 0; j < 3; j++) {
            int fd = memfd_create("object", 0);
            assert_int_equal(note_object_write(fd, &targets[i], marks[j], 7 - 3 * j), 0);
            check_object(fd, &targets[i], marks[j], 7 - 3 * j);
            close(fd);
        }
    }
}

TEST(an_object_that_cannot_be_written_is_an_error)
{
    static const struct elf_target target = {ELFCLASS64, ELFDATA2LSB, EM_X86_64, 0};
    int fd = open("/dev/null", O_RDONLY);
    assert_true(note_object_write(fd, &target, "\2", 1) < 0);
    close(fd);
}

static struct strings list_of(const char *const *items)
{
    struct strings list = {NULL, 0};
    for (; *items != NULL; items++)
        assert_int_equal(strings_add(&list, *items), 0);
    return list;
}

TEST(a_reproducible_uuid_knows_no_place_and_no_temporary_file)
{
    static const char *const first[] = {"ld",       "-o",  "/build/1/x", "/tmp/ccAbCd12.o",
                                        "-L/a/lib", "-lm", NULL};
    static const char *const same[] = {"/usr/bin/ld", "-o",  "/home/2/x", "/var/tmp/cczzzzzz.o",
                                       "-L/b/lib",    "-lm", NULL};
    static const char *const other[] = {"ld",       "-o",  "/build/1/x", "/tmp/ccAbCd12.o",
                                        "-L/a/lib", "-lz", NULL};
    struct strings lists[] = {list_of(first), list_of(same), list_of(other)};
    char uuids[4][UUID_STR_LEN];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(link_uuid_reproducible("1", &lists[i], uuids[i]), 0);
    assert_int_equal(link_uuid_reproducible("2", &lists[0], uuids[3]), 0);
    /* By uuid.uuid5() of Python: of "1", -o, x, nothing, lib and -lm, a NUL after each. */
    assert_string_equal(uuids[0], "238fbe7a-5a7a-5493-861d-ce35b0449aa5");
    assert_string_equal(uuids[0], uuids[1]);
    assert_string_not_equal(uuids[0], uuids[2]);
    assert_string_not_equal(uuids[0], uuids[3]);
    assert_int_equal(uuids[0][14], '5');
    assert_non_null(strchr("89ab", uuids[0][19]));
    for (size_t i = 0; i < 3; i++)
        strings_free(&lists[i]);
}

static int use_elf(void **state)
{
    (void)state;
    return elf_version(EV_CURRENT) == EV_NONE;
}

ALL(use_elf, NULL)
