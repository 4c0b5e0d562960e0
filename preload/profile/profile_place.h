/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The profile's file (profile_file.h) as the process finds it in its spool directory: made by root
 * for a job that asked for it. No descriptor is kept: a program may close all that it has.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/profile/profile_file.h"

enum { PROFILE_PATH_ROOM = 4096 };

struct profile_place {
    char path[PROFILE_PATH_ROOM];
    uint32_t user;                 /* who the file has to belong to */
    uint64_t device, inode, size;  /* as it was when its head was mapped */
    struct profile_header *header; /* shared; stays mapped */
};

/* Sets the path for the spool directory. Returns whether it fits. */
bool profile_place_set(struct profile_place *place, const char *spool, uint32_t user);

/* Maps the head of the file. Returns whether this is a profile's file of the user's. */
bool profile_place_map(struct profile_place *place);

/* Claims a chunk of `bytes`, whose pages can be touched then, of the first `limit` bytes of the
 * file. Returns a descriptor of the file to map it by, which the caller closes, or -1, which is
 * counted in the file. */
int profile_place_claim(const struct profile_place *place, uint32_t bytes, uint64_t limit,
                        uint64_t *offset);

/* Maps pages of the file at `address`, or anywhere where that is NULL. NULL: they cannot be. */
void *profile_place_pages(const struct profile_place *place, int fd, void *address, size_t bytes,
                          uint64_t offset);

/* Fills the head of a chunk and publishes it. */
void profile_place_publish(struct profile_chunk *chunk, uint64_t offset, uint32_t bytes,
                           uint64_t process, enum profile_kind kind);
