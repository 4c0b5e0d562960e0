/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The object is the one that trampolines are copies of.
 */
#include "contrib/routines/robj/object_edit.h"

#include <fcntl.h>

#include "contrib/routines/robj/trampoline.h"
#include "contrib/routines/robj/trampoline_templates.h"
#include "preload/routines/routine_note.h"
#include "test/unit/fixture/cases.h"

static struct trampoline template;

/* For the machine that this program is for. */
static int open_template(void **state)
{
    Elf64_Ehdr header = {.e_machine = EM_NONE};
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    (void)state;
    ssize_t got = fd < 0 ? -1 : read(fd, &header, sizeof header);
    close(fd);
    const struct object own = {.header.e_machine = header.e_machine,
                               .is_64 = header.e_ident[EI_CLASS] == ELFCLASS64};
    return got == sizeof header ? trampoline_find(&own, &template) : -EIO;
}

static int close_template(void **state)
{
    (void)state;
    trampoline_close(&template);
    return 0;
}

/* The symbol of this name; fails where there is none. */
static GElf_Sym symbol_named(const struct object *object, const char *name)
{
    for (size_t i = 0; i < object->count; i++) {
        GElf_Sym symbol;
        const char *found;
        if (object_symbol(object, i, &symbol, &found) && strcmp(found, name) == 0)
            return symbol;
    }
    fail_msg("no symbol %s", name);
    return (GElf_Sym){0};
}

TEST(only_names_change_and_the_rest_stays_where_it_is)
{
    const struct object *object = &template.object;
    const struct symbol_edit edits[] = {{template.entry, "a_name_that_is_longer_than_it_was", NULL},
                                        {template.real, "r", NULL}};
    const struct object_edit edit = {edits, 2, {0, NULL, 0}};
    unsigned char *bytes;
    size_t size, changed = 0;
    struct object edited;
    assert_int_equal(object_edit(object, &edit, &bytes, &size), 0);
    for (size_t i = 0; i < object->size; i++)
        changed += bytes[i] != object->bytes[i];
    assert_true(changed > 0 && changed <= 2 * 4 + 2 * 8); /* two names; place and size of a table */
    assert_null(object_open(bytes, size, &edited));
    assert_null(object_refusal(&edited));
    assert_int_equal(symbol_named(&edited, edits[0].name).st_size,
                     symbol_named(object, "jobtrail_entry").st_size);
    assert_int_equal(symbol_named(&edited, "r").st_shndx, SHN_UNDEF);
    symbol_named(&edited, "word"); /* a local one has its name as before */
    object_close(&edited);
    free(bytes);
}

TEST(a_trampoline_is_as_global_and_visible_as_its_routine_and_has_a_note)
{
    const GElf_Sym like = {.st_info = GELF_ST_INFO(STB_WEAK, STT_FUNC), .st_other = STV_PROTECTED};
    unsigned char *bytes;
    size_t size;
    struct object trampoline;
    GElf_Shdr header;
    static const char texts[] = "dgemm_\0liblapack.a";
    assert_int_equal(
        trampoline_make(&template, "dgemm_", "dgemm_.real", "liblapack.a", &like, &bytes, &size),
        0);
    assert_null(object_open(bytes, size, &trampoline));
    GElf_Sym symbol = symbol_named(&trampoline, "dgemm_");
    assert_int_equal(GELF_ST_BIND(symbol.st_info), STB_WEAK);
    assert_int_equal(GELF_ST_TYPE(symbol.st_info), STT_FUNC);
    assert_int_equal(symbol.st_other, STV_PROTECTED);
    symbol = symbol_named(&trampoline, "dgemm_.real");
    assert_int_equal(GELF_ST_VISIBILITY(symbol.st_other), STV_HIDDEN);
    assert_non_null(gelf_getshdr(elf_getscn(trampoline.elf, template.note), &header));
    assert_int_equal(header.sh_size, 12 + 12 + sizeof(struct routine_note) + sizeof texts + 1);
    assert_memory_equal(bytes + header.sh_offset + 32, texts, sizeof texts);
    object_close(&trampoline);
    free(bytes);
}

TEST(a_note_has_bounds)
{
    char name[ROUTINE_NOTE_NAME_MAX + 2];
    unsigned char *bytes;
    size_t size;
    memset(name, 'n', sizeof name);
    name[ROUTINE_NOTE_NAME_MAX] = '\0';
    const GElf_Sym like = {.st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC)};
    assert_int_equal(trampoline_make(&template, name, "r", name, &like, &bytes, &size), 0);
    free(bytes);
    name[ROUTINE_NOTE_NAME_MAX] = 'n';
    name[ROUTINE_NOTE_NAME_MAX + 1] = '\0';
    assert_int_equal(trampoline_make(&template, name, "r", "l", &like, &bytes, &size),
                     -ENAMETOOLONG);
}

TEST(a_damaged_object_is_refused)
{
    const struct object *object = &template.object;
    unsigned char *bytes = malloc(object->size);
    assert_non_null(bytes);
    for (size_t cut = 0; cut < object->size; cut++) {
        struct object damaged;
        memcpy(bytes, object->bytes, cut);
        assert_non_null(object_open(bytes, cut, &damaged));
    }
    free(bytes);
}

TEST(a_symbol_that_is_not_there_cannot_be_renamed)
{
    const struct symbol_edit symbol = {template.object.count, "n", NULL};
    const struct object_edit edit = {&symbol, 1, {0, NULL, 0}};
    unsigned char *bytes;
    size_t size;
    assert_int_equal(object_edit(&template.object, &edit, &bytes, &size), -ENOEXEC);
}

ALL(open_template, close_template)
