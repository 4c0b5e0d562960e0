/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's file of profiles from an input that is such a file without most of its pages: the header,
 * then 512 bytes for the start of each page that follows.
 */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/profile/profile_file.h"

enum { FUZZ_PROFILE_PART = 512, FUZZ_PROFILE_PAGES_MAX = 64 };

/* Makes the file in `fd`, which is -1 at first. */
static inline void fuzz_profile_file(int *fd, const unsigned char *data, size_t size)
{
    struct profile_header header = {.magic = 0};
    size_t head = size < sizeof header ? size : sizeof header;
    memcpy(&header, data, head);
    header.magic = PROFILE_MAGIC; /* inputs outlive a format */
    if (*fd < 0)
        *fd = memfd_create("profile", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, 0) != 0 ||
        pwrite(*fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        abort();
    off_t page = PROFILE_PAGE;
    for (size_t at = head; at < size && page < FUZZ_PROFILE_PAGES_MAX * (off_t)PROFILE_PAGE;
         at += FUZZ_PROFILE_PART) {
        size_t part = size - at < FUZZ_PROFILE_PART ? size - at : FUZZ_PROFILE_PART;
        if (pwrite(*fd, data + at, part, page) != (ssize_t)part)
            abort();
        page += PROFILE_PAGE;
    }
    /* one byte says whether the last page is whole */
    if (size > 0 && data[size - 1] % 2 == 0 && ftruncate(*fd, page) != 0)
        abort();
}
