/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is read of the objects in memory, which may be linked at another address than 0; the size of
 * the kernel's pages.
 */
#include <elf.h>
#include <link.h>

#include "preload/image.h"
#include "test/unit/fixture/cases.h"

/* The start of an object in memory. */
static _Alignas(4096) struct {
    ElfW(Ehdr) header;
    ElfW(Phdr) phdr[2];
    ElfW(Nhdr) note;
    char owner[4];
    unsigned char id[20];
    ElfW(Dyn) dynamic[2]; /* ends with DT_NULL */
} made;

/* Fills it in as if it were linked at `linked`. */
static struct link_map make_object(uintptr_t linked)
{
    uintptr_t bias = (uintptr_t)&made - linked;
    memcpy(made.header.e_ident, ELFMAG, SELFMAG);
    made.header.e_phoff = (uintptr_t)made.phdr - (uintptr_t)&made;
    made.header.e_phentsize = sizeof made.phdr[0];
    made.header.e_phnum = 2;
    made.note = (ElfW(Nhdr)){sizeof made.owner, sizeof made.id, NT_GNU_BUILD_ID};
    memcpy(made.owner, ELF_NOTE_GNU, sizeof made.owner);
    memset(made.id, 7, sizeof made.id);
    made.phdr[0] = (ElfW(Phdr)){
        .p_type = PT_NOTE,
        .p_vaddr = (uintptr_t)&made.note - bias,
        .p_memsz = sizeof made.note + sizeof made.owner + sizeof made.id,
    };
    made.phdr[1] = (ElfW(Phdr)){.p_type = PT_DYNAMIC, .p_vaddr = (uintptr_t)made.dynamic - bias};
    return (struct link_map){.l_addr = bias, .l_ld = made.dynamic};
}

TEST(an_objects_build_id_is_read_from_its_headers)
{
    const struct image image = {.loader_base = 0};
    const struct link_map entry = make_object(0);
    struct image_bytes id = image_build_id(&image, &entry);
    assert_int_equal(id.size, sizeof made.id);
    assert_ptr_equal(id.at, made.id);
}

/* What is at `l_addr` then is the start of another object, or nothing. */
TEST(an_object_that_is_linked_elsewhere_has_not_the_build_id_of_another)
{
    static ElfW(Dyn) other[1];
    const struct image image = {.loader_base = 0};
    struct link_map entry = make_object(0);
    entry.l_ld = other;
    assert_null(image_build_id(&image, &entry).at);
    entry = make_object((uintptr_t)&made - 4096); /* so that nothing is mapped at `l_addr` */
    assert_null(image_build_id(&image, &entry).at);
    entry.l_addr = 0;
    assert_null(image_build_id(&image, &entry).at);
}

/* Nothing has to be asked of the kernel then: the address of the table, relocated or not, is in the
 * object's first page. One that lies elsewhere says nothing. */
TEST(an_object_with_its_hash_table_in_the_first_page_is_mapped)
{
    const struct image image = {.loader_base = 0};
    struct link_map entry = make_object(0);
    for (int i = 0; i < 2; i++) {
        made.dynamic[0] = (ElfW(Dyn)){.d_tag = DT_GNU_HASH};
        made.dynamic[0].d_un.d_ptr = (i == 0 ? 0 : entry.l_addr) + 640;
        assert_ptr_equal(image_build_id(&image, &entry).at, made.id);
    }
    entry = make_object((uintptr_t)&made - 4096);
    made.dynamic[0].d_un.d_ptr = entry.l_addr + 4096 + 640;
    assert_null(image_build_id(&image, &entry).at);
}

/* A stack as the kernel begins it: arguments, variables, the auxiliary vector. */
static size_t found_page_size(size_t said)
{
    uintptr_t *stack = __builtin_alloca(4096), *at = stack;
    struct image image;
    *at++ = (uintptr_t) "program";
    *at++ = 0;
    char **envp = (char **)at;
    *at++ = (uintptr_t) "NAME=value";
    *at++ = 0;
    if (said != 0) {
        *at++ = AT_PAGESZ;
        *at++ = said;
    }
    *at++ = AT_SECURE;
    *at++ = 0;
    *at++ = AT_NULL;
    *at++ = 0;
    /* image_find() wants them above its own frame. */
    return image_find(1, (char **)stack, envp, &image) ? image.page_bytes : 0;
}

TEST(the_kernels_pages_have_the_size_that_it_says)
{
    assert_int_equal(found_page_size(4096), 4096);
    assert_int_equal(found_page_size(16384), 16384);
    assert_int_equal(found_page_size(65536), 65536);
    /* Where it says nothing, or what cannot be, multiples of the largest are good for all. */
    assert_int_equal(found_page_size(0), 65536);
    assert_int_equal(found_page_size(2048), 65536);
    assert_int_equal(found_page_size(12288), 65536);
    assert_int_equal(found_page_size((size_t)1 << 21), 65536);
}
