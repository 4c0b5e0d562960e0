/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The clock function of a vDSO, wherever its image is linked: at 0 as Linux's, where it lies as
 * qemu-user's, and elsewhere.
 */
#include <elf.h>
#include <link.h>

#include "preload/clock.h"
#include "test/unit/fixture/cases.h"

#ifdef __aarch64__
#define CLOCK_NAME "__kernel_clock_gettime"
#else
#define CLOCK_NAME "__vdso_clock_gettime"
#endif

enum { MADE_SECONDS = 12345 };

/* What a vDSO has, in the order in which it has it. */
static struct {
    ElfW(Ehdr) header;
    ElfW(Phdr) phdr[2];
    ElfW(Dyn) dynamic[3];
    ElfW(Sym) table[3];
    char names[64];
} made;

static int made_clock(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){.tv_sec = MADE_SECONDS};
    return 0;
}

/* Makes the image as if it were linked at `linked`. */
static struct image make_image(uintptr_t linked, const char *name)
{
    uintptr_t bias = (uintptr_t)&made - linked;
    made.header = (ElfW(Ehdr)){.e_phoff = (uintptr_t)made.phdr - (uintptr_t)&made, .e_phnum = 2};
    made.phdr[0] = (ElfW(Phdr)){.p_type = PT_DYNAMIC,
                                .p_offset = (uintptr_t)made.dynamic - (uintptr_t)&made,
                                .p_vaddr = (uintptr_t)made.dynamic - bias};
    made.phdr[1] = (ElfW(Phdr)){.p_type = PT_LOAD, .p_vaddr = linked};
    made.dynamic[0] = (ElfW(Dyn)){.d_tag = DT_STRTAB, .d_un.d_ptr = (uintptr_t)made.names - bias};
    made.dynamic[1] = (ElfW(Dyn)){.d_tag = DT_SYMTAB, .d_un.d_ptr = (uintptr_t)made.table - bias};
    made.dynamic[2] = (ElfW(Dyn)){.d_tag = DT_NULL};
    made.table[1] = (ElfW(Sym)){.st_name = 1, .st_shndx = SHN_UNDEF};
    made.table[2] =
        (ElfW(Sym)){.st_name = 1, .st_shndx = 7, .st_value = (uintptr_t)made_clock - bias};
    strcpy(made.names + 1, name);
    return (struct image){.vdso = (uintptr_t)&made};
}

TEST(a_vdso_is_used_wherever_it_is_linked)
{
    const uintptr_t places[] = {0, 0x1000, (uintptr_t)&made, (uintptr_t)&made + 0x5000,
                                (uintptr_t)-0x900000};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct image image = make_image(places[i], CLOCK_NAME);
        clock_function *found = clock_find(&image);
        assert_true(found == made_clock);
        assert_int_equal(clock_now(found), MADE_SECONDS * UINT64_C(1000000000));
    }
}

TEST(without_such_a_function_the_system_is_called)
{
    struct image image = make_image(0, "another_function");
    struct timespec now;
    assert_null(clock_find(&image));
    image.vdso = 0;
    assert_null(clock_find(&image));
    clock_gettime(CLOCK_REALTIME, &now);
    assert_true(clock_now(NULL) >= (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}
