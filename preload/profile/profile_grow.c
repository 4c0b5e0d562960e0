/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_grow.h"

#include <stddef.h>

#include "preload/profile/profile_live.h"
#include "preload/profile/profile_place.h"
#include "preload/profile/profile_run.h"
#include "preload/slots/signal_hold.h"
#include "preload/system.h"

void *profile_memory(size_t bytes, bool forget)
{
    long result = system_call6(SYSTEM_MAP, 0, (long)bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (system_failed(result))
        return NULL;
    void *memory = (void *)result;
    if (!forget ||
        !system_failed(system_call6(SYS_madvise, result, (long)bytes, MADV_WIPEONFORK, 0, 0, 0)))
        return memory;
    system_unmap(memory, bytes);
    return NULL;
}

/* The entries up to the piece `count`. */
static uint32_t room_of(const struct profile_shape *shape, uint32_t count)
{
    return shape->first << 2 * count;
}

/* Fills the head of the piece. */
static bool publish(const struct profile_place *place, int fd, uint64_t offset, uint32_t bytes)
{
    struct profile_chunk *chunk = profile_place_pages(place, fd, NULL, PROFILE_PAGE, offset);
    if (chunk == NULL)
        return false;
    profile_place_publish(chunk, offset, bytes, profile_live()->offset, PROFILE_PIECE);
    system_unmap(chunk, PROFILE_PAGE);
    return true;
}

/* Maps the array with its pieces, all of which are known. */
static void *map_all(const struct profile_place *place, int fd, const struct profile_own *own,
                     const struct profile_shape *shape, const struct profile_pieces *pieces,
                     uint32_t count)
{
    size_t bytes = (size_t)room_of(shape, count) * shape->bytes;
    long result = system_call6(SYSTEM_MAP, 0, (long)bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (system_failed(result))
        return NULL;
    char *at = (char *)result;
    bool is_mapped = profile_place_pages(place, fd, at, (size_t)shape->first * shape->bytes,
                                         own->offset + shape->at) != NULL;
    for (uint32_t i = 0; is_mapped && i < count; i++) {
        size_t before = (size_t)room_of(shape, i) * shape->bytes;
        is_mapped = profile_place_pages(place, fd, at + before, 3 * before,
                                        pieces->offset[i] + PROFILE_PAGE) != NULL;
    }
    if (is_mapped)
        return at;
    system_unmap(at, bytes);
    return NULL;
}

static void *grow(const struct profile_own *own, const struct profile_shape *shape,
                  struct profile_pieces *pieces, struct profile_array *array, uint32_t *room)
{
    const struct profile_place *place = profile_run_place();
    uint32_t number = __atomic_load_n(&pieces->count, __ATOMIC_RELAXED);
    struct profile_pieces known = *pieces;
    if (number >= PROFILE_PIECES || (number > 0 && known.offset[number - 1] == 0))
        return NULL;
    uint32_t bytes = PROFILE_PAGE + PROFILE_PIECE_COUNT(shape->first, number + 1) * shape->bytes;
    int fd = profile_place_claim(place, bytes, profile_run_limit(), &known.offset[number]);
    void *at = NULL;
    if (fd >= 0 && publish(place, fd, known.offset[number], bytes))
        at = map_all(place, fd, own, shape, &known, number + 1);
    if (fd >= 0)
        system_close(fd);
    /* What failed is not tried again at each call. A handler may have added this piece in the
     * meantime: then ours is not used. */
    uint32_t next = at == NULL ? PROFILE_PIECES : number + 1;
    if (!__atomic_compare_exchange_n(&pieces->count, &number, next, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) ||
        at == NULL)
        return NULL;
    pieces->offset[number] = known.offset[number];
    array->piece[number] = known.offset[number];
    *room = room_of(shape, number + 1);
    return at;
}

void *profile_grow(const struct profile_own *own, const struct profile_shape *shape,
                   struct profile_pieces *pieces, struct profile_array *array, uint32_t *room)
{
    uint64_t held = signals_hold();
    void *at = grow(own, shape, pieces, array, room);
    signals_release(held);
    return at;
}
