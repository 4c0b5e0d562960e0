/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernel and the loader have put into the memory of this process: arguments, environment,
 * auxiliary vector, program headers, link map. Nothing here makes a system call, but
 * that image_headers() may have to ask whether an entry's page is mapped.
 *
 * Constructors of other libraries may have run before. What they do to the array of variables
 * (setenv, unsetenv, putenv) is seen here, but for an array that they have moved.
 */
#pragma once

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct image {
    int argc;
    char **argv;
    char **envp;
    const char *exec_name;   /* AT_EXECFN: the path given to execve(2), may be relative */
    const ElfW(Phdr) * phdr; /* of the executable */
    size_t phdr_count;
    uintptr_t load_bias; /* of the executable */
    uintptr_t vdso;      /* address of the vDSO's ELF header; 0: none */
    size_t page_bytes;   /* of the kernel: addresses and offsets of mappings are multiples of it */
    uintptr_t loader_base; /* AT_BASE; 0: the kernel started no loader beside the executable */
    const unsigned char *random; /* AT_RANDOM: 16 bytes from the kernel; NULL: none */
    uint32_t user;               /* AT_EUID: the effective user that the program was started with */
    int secure; /* AT_SECURE: the caller has fewer rights than this program and has made its
                   environment; also set where the kernel does not say */
};

/* The page sizes that Linux has on the machines of system.h: 4, 16 and 64 KiB. */
enum { IMAGE_PAGE_MIN = 4 << 10, IMAGE_PAGE_MAX = 64 << 10 };

/* Fills `*image` from what the loader passed to a constructor. glibc passes (argc, argv, envp);
 * musl passes nothing, which is noticed. Returns 1, or 0 when the arguments are not there. */
int image_find(int argc, char **argv, char **envp, struct image *image);

/* Whether this copy of the library is a shared object, and so the program a dynamic one. */
int image_is_dynamic(const struct image *image);

/* The loader's rendezvous (dlopen(3) changes it); NULL in a static executable. */
const struct r_debug *image_loader(const struct image *image);

/* Whether the link map can be walked now: another thread may be in dlopen or dlclose. To be called
 * before each step. A change between this call and the step is not noticed. */
int image_is_consistent(const struct r_debug *loader);

/* A process may have several copies of the library. Whether this copy is the one that records: the
 * first libjobtrail.so of the link map, or without one the copy linked into the executable. */
int image_is_first_copy(const struct r_debug *loader);

/* An address in the writable data of this copy of the library; 0: it is no libjobtrail.so. */
uintptr_t image_own_data(const struct r_debug *loader);

/* Whether this entry is a shared object with a file, and not this library itself. */
int image_is_object(const struct link_map *entry);

struct image_bytes {
    const unsigned char *at; /* NULL: none */
    size_t size;
};

/* Notes that are still to be looked at (elf(5)): of one segment, and those of other segments. */
struct image_notes {
    const ElfW(Phdr) * phdr;
    size_t phdr_count;
    uintptr_t bias;
    const unsigned char *at;
    size_t size;
};

/* All notes of the executable. */
struct image_notes image_exec_notes(const struct image *image);

/* The descriptor of the next one that is `owner`/`type`. Each length in a note is checked against
 * what is left of its segment. */
struct image_bytes image_notes_next(struct image_notes *notes, const char *owner, uint32_t type);

/* The descriptor of the note `owner`/`type` in the executable. */
struct image_bytes image_exec_note(const struct image *image, const char *owner, uint32_t type);

/* The program headers of a loaded object, `*count` of them; NULL: they cannot be read. */
const ElfW(Phdr) *
    image_headers(const struct image *image, const struct link_map *entry, size_t *count);

/* The build-id of an object with these program headers. */
struct image_bytes image_headers_build_id(const ElfW(Phdr) * phdr, size_t count, uintptr_t bias);

/* The build-id of a loaded object. */
struct image_bytes image_build_id(const struct image *image, const struct link_map *entry);
