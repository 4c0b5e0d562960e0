/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/image.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <time.h>

#include "preload/memory.h"
#include "preload/system.h"

/* This library's own dynamic section; <link.h> declares it too, but not hidden. */
extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC")
    __attribute__((visibility("hidden"), weak)); /* a static executable has none */

/* Constructors run on the main thread's stack, which begins with argv, envp and auxv in a row. The
 * values that musl leaves in the argument registers fail one of these tests. */
static int is_passed_by_loader(int argc, char **argv, char **envp)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t at = (uintptr_t)argv;
    const uintptr_t stack_span = (uintptr_t)1 << 30;
    return argc >= 0 && at > here && at - here < stack_span && at % sizeof *argv == 0 &&
           envp == argv + argc + 1;
}

/* The difference between the executable's addresses and those in its headers. A static executable
 * that is position-independent has no PT_PHDR: there its ELF header, which lies before the program
 * headers, is used. */
static uintptr_t load_bias(const struct image *image)
{
    const ElfW(Ehdr) *header = (const void *)((uintptr_t)image->phdr - sizeof *header);
    for (size_t i = 0; i < image->phdr_count; i++) {
        if (image->phdr[i].p_type == PT_PHDR)
            return (uintptr_t)image->phdr - image->phdr[i].p_vaddr;
    }
    if (image->phdr_count == 0 ||
        (uintptr_t)header / IMAGE_PAGE_MIN != (uintptr_t)image->phdr / IMAGE_PAGE_MIN ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phoff != sizeof *header)
        return 0;
    for (size_t i = 0; i < image->phdr_count; i++) {
        if (image->phdr[i].p_type == PT_LOAD && image->phdr[i].p_offset == 0)
            return (uintptr_t)header - image->phdr[i].p_vaddr;
    }
    return 0;
}

/* The kernel puts the auxiliary vector behind the NULL after the variables. Other constructors may
 * have removed variables since: libc then moves the following ones and the NULL down, and words
 * that were variables lie behind it, NULL or not. So the vector is known by its first word: its
 * types are small numbers and not 0, while no variable lies in the first page of memory. */
static const ElfW(auxv_t) * find_auxv(char **envp)
{
    const uintptr_t *word = (const uintptr_t *)envp;
    while (*word == 0 || *word >= IMAGE_PAGE_MIN)
        word++;
    return (const void *)word;
}

static bool is_page_size(uintptr_t bytes)
{
    return bytes >= IMAGE_PAGE_MIN && bytes <= IMAGE_PAGE_MAX && (bytes & (bytes - 1)) == 0;
}

int image_find(int argc, char **argv, char **envp, struct image *image)
{
    if (!is_passed_by_loader(argc, argv, envp))
        return 0;
    *image = (struct image){.argc = argc,
                            .argv = argv,
                            .envp = envp,
                            .page_bytes = IMAGE_PAGE_MAX,
                            .user = UINT32_MAX,
                            .secure = 1};
    const ElfW(auxv_t) *aux = find_auxv(envp);
    for (; aux->a_type != AT_NULL; aux++) {
        uintptr_t value = aux->a_un.a_val;
        if (aux->a_type == AT_PHDR)
            image->phdr = (const void *)value;
        else if (aux->a_type == AT_PHNUM)
            image->phdr_count = value;
        else if (aux->a_type == AT_EXECFN)
            image->exec_name = (const char *)value;
        else if (aux->a_type == AT_SYSINFO_EHDR)
            image->vdso = value;
        else if (aux->a_type == AT_PAGESZ && is_page_size(value))
            image->page_bytes = value;
        else if (aux->a_type == AT_BASE)
            image->loader_base = value;
        else if (aux->a_type == AT_EUID)
            image->user = (uint32_t)value;
        else if (aux->a_type == AT_RANDOM)
            image->random = (const void *)value;
        else if (aux->a_type == AT_SECURE)
            image->secure = value != 0;
    }
    if (image->phdr == NULL)
        image->phdr_count = 0;
    image->load_bias = load_bias(image);
    return 1;
}

int image_is_dynamic(const struct image *image)
{
    if (own_dynamic == NULL)
        return 0;
    for (size_t i = 0; i < image->phdr_count; i++) {
        if (image->phdr[i].p_type == PT_DYNAMIC)
            return image->load_bias + image->phdr[i].p_vaddr != (uintptr_t)own_dynamic;
    }
    return 1;
}

const struct r_debug *image_loader(const struct image *image)
{
    for (size_t i = 0; i < image->phdr_count; i++) {
        if (image->phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *entry = (const void *)(image->load_bias + image->phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_DEBUG)
                return (const void *)entry->d_un.d_ptr;
        }
    }
    return NULL;
}

int image_is_consistent(const struct r_debug *loader)
{
    return __atomic_load_n((const int *)&loader->r_state, __ATOMIC_ACQUIRE) == RT_CONSISTENT;
}

/* Whether the last part of `path` is our library's name. */
static bool is_our_name(const char *path)
{
    return text_equal(text_last_part(path), "libjobtrail.so");
}

int image_is_first_copy(const struct r_debug *loader)
{
    if (loader == NULL)
        return 1;
    for (const struct link_map *entry = loader->r_map; entry != NULL; entry = entry->l_next) {
        if (entry->l_ld == own_dynamic && entry->l_name != NULL && entry->l_name[0] != '\0')
            return 1;
        if (entry->l_name != NULL && is_our_name(entry->l_name))
            return 0;
    }
    return 1;
}

/* The library is linked without RELRO: its dynamic section lies in data that can be written. */
uintptr_t image_own_data(const struct r_debug *loader)
{
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    while (entry != NULL && entry->l_ld != own_dynamic)
        entry = entry->l_next;
    return entry != NULL && entry->l_name != NULL && is_our_name(entry->l_name)
               ? (uintptr_t)own_dynamic
               : 0;
}

/* The one for profiles is no more of the program than we are. The vDSO is no file; a library
 * has a name without a directory, too, by an empty one in LD_LIBRARY_PATH. */
int image_is_object(const struct link_map *entry)
{
    const char *name = entry->l_name;
    if (name == NULL || name[0] == '\0' || entry->l_ld == own_dynamic)
        return 0;
    if (name[0] == 'l' &&
        (text_equal(name, "linux-vdso.so.1") || text_equal(name, "linux-gate.so.1")))
        return 0;
    return !text_equal(text_last_part(name), "libjobtrail-profile.so");
}

static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* The note at notes->at, where one of its lengths is not more than what is left; then notes->at is
 * behind it. NULL where it is damaged. */
static const unsigned char *next_note(struct image_notes *notes, ElfW(Nhdr) * note)
{
    const unsigned char *at = notes->at;
    size_t left = notes->size - sizeof *note;
    memcpy(note, at, sizeof *note);
    if (note->n_namesz > left || padded(note->n_namesz) > left)
        return NULL;
    left -= padded(note->n_namesz);
    if (note->n_descsz > left)
        return NULL;
    size_t step = padded(note->n_descsz) < left ? padded(note->n_descsz) : left;
    notes->at = at + sizeof *note + padded(note->n_namesz) + step;
    notes->size = left - step;
    return at + sizeof *note;
}

struct image_bytes image_notes_next(struct image_notes *notes, const char *owner, uint32_t type)
{
    size_t owner_size = text_length(owner) + 1;
    ElfW(Nhdr) note;
    for (;;) {
        while (notes->size < sizeof note) {
            if (notes->phdr_count == 0)
                return (struct image_bytes){NULL, 0};
            const ElfW(Phdr) *phdr = notes->phdr++;
            notes->phdr_count--;
            notes->at = (const unsigned char *)(notes->bias + phdr->p_vaddr);
            notes->size = phdr->p_type == PT_NOTE ? phdr->p_memsz : 0;
        }
        const unsigned char *name = next_note(notes, &note);
        if (name == NULL)
            notes->size = 0;
        else if (note.n_type == type && note.n_namesz == owner_size &&
                 memcmp(name, owner, owner_size) == 0)
            return (struct image_bytes){name + padded(note.n_namesz), note.n_descsz};
    }
}

struct image_notes image_exec_notes(const struct image *image)
{
    return (struct image_notes){
        .phdr = image->phdr, .phdr_count = image->phdr_count, .bias = image->load_bias};
}

struct image_bytes image_exec_note(const struct image *image, const char *owner, uint32_t type)
{
    struct image_notes notes = image_exec_notes(image);
    return image_notes_next(&notes, owner, type);
}

/* Whether `address`, a multiple of 4, can be read. futex(2) compares the word there with a number
 * and, should they be equal, waits for no time: EFAULT tells that nothing is mapped. It costs a
 * third of mincore(2), and no sandbox forbids it, since libc needs it. */
static bool is_mapped(const void *address)
{
    static const struct timespec none = {0, 0};
    return system_call6(SYS_futex, (long)address, FUTEX_WAIT_PRIVATE, 0, (long)&none, 0, 0) !=
           -EFAULT;
}

/* Whether a hash table of the object's symbols, by which the loader looks up names, begins in its
 * first page. Linkers put one there, and then that page is known to be mapped. glibc has relocated
 * the table's address, musl has not. */
static bool has_hash_in_first_page(const struct link_map *entry)
{
    for (const ElfW(Dyn) *at = entry->l_ld; at->d_tag != DT_NULL; at++) {
        if ((at->d_tag == DT_HASH || at->d_tag == DT_GNU_HASH) &&
            (at->d_un.d_ptr < IMAGE_PAGE_MIN || at->d_un.d_ptr - entry->l_addr < IMAGE_PAGE_MIN))
            return true;
    }
    return false;
}

/* Whether the program headers are those of the object that the entry is of. An object that is
 * linked at another address than 0 does not begin at `l_addr`, where another one may be. */
static bool is_header_of(const struct link_map *entry, const ElfW(Phdr) * phdr, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (phdr[i].p_type == PT_DYNAMIC)
            return entry->l_addr + phdr[i].p_vaddr == (uintptr_t)entry->l_ld;
    }
    return false;
}

const ElfW(Phdr) *
    image_headers(const struct image *image, const struct link_map *entry, size_t *count)
{
    const ElfW(Ehdr) *header = (const void *)entry->l_addr;
    if (header == NULL || (uintptr_t)header % IMAGE_PAGE_MIN != 0)
        return NULL;
    if ((uintptr_t)header != image->loader_base && !has_hash_in_first_page(entry) &&
        !is_mapped(header))
        return NULL;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)))
        return NULL;
    /* Loaders need the program headers in the first page, which the header is in. */
    size_t end = header->e_phoff + (size_t)header->e_phnum * sizeof(ElfW(Phdr));
    if (header->e_phoff >= IMAGE_PAGE_MIN || end > IMAGE_PAGE_MIN)
        return NULL;
    const ElfW(Phdr) *phdr = (const void *)(entry->l_addr + header->e_phoff);
    *count = header->e_phnum;
    return is_header_of(entry, phdr, *count) ? phdr : NULL;
}

struct image_bytes image_headers_build_id(const ElfW(Phdr) * phdr, size_t count, uintptr_t bias)
{
    if (phdr == NULL)
        return (struct image_bytes){NULL, 0};
    struct image_notes notes = {.phdr = phdr, .phdr_count = count, .bias = bias};
    return image_notes_next(&notes, ELF_NOTE_GNU, NT_GNU_BUILD_ID);
}

struct image_bytes image_build_id(const struct image *image, const struct link_map *entry)
{
    size_t count = 0;
    const ElfW(Phdr) *phdr = image_headers(image, entry, &count);
    return image_headers_build_id(phdr, count, entry->l_addr);
}
