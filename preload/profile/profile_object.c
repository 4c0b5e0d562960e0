/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/profile/profile_object.h"

#include <limits.h>
#include <stddef.h>

#include "preload/image.h"
#include "preload/memory.h"
#include "preload/proc.h"
#include "preload/profile/profile_live.h"
#include "preload/profile/profile_run.h"
#include "preload/system.h"

/* An object that has the function. */
struct holder {
    struct profile_range range;
    uint64_t bias;
    struct image_bytes build_id;
    const char *path;
    bool is_executable;
};

static struct profile_range range_of(const ElfW(Phdr) * phdr, size_t count, uint64_t bias)
{
    struct profile_range range = {UINT64_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        uint64_t start = bias + phdr[i].p_vaddr;
        if (phdr[i].p_type != PT_LOAD)
            continue;
        range.start = start < range.start ? start : range.start;
        range.end = start + phdr[i].p_memsz > range.end ? start + phdr[i].p_memsz : range.end;
    }
    return range;
}

static bool is_within(const struct profile_range *range, uint64_t address)
{
    return address >= range->start && address < range->end;
}

/* The executable, or what the link map has, unless another thread changes that. */
static bool find_object(uint64_t function, struct holder *found)
{
    const struct image *image = profile_run_image();
    const struct r_debug *loader = image_loader(image);
    const struct link_map *next = loader == NULL ? NULL : loader->r_map, *entry = NULL;
    const ElfW(Phdr) *phdr = image->phdr;
    size_t count = image->phdr_count;
    uintptr_t bias = image->load_bias;
    for (;; next = entry->l_next) {
        struct profile_range range = range_of(phdr, phdr == NULL ? 0 : count, bias);
        if (is_within(&range, function)) {
            *found = (struct holder){
                .range = range,
                .bias = bias,
                .build_id = image_headers_build_id(phdr, count, bias),
                .path = entry == NULL ? NULL : entry->l_name,
                .is_executable = entry == NULL,
            };
            return true;
        }
        if (next == NULL || !image_is_consistent(loader))
            return false;
        entry = next;
        bias = entry->l_addr;
        phdr = image_headers(image, entry, &count);
    }
}

/* Writes the object behind those that are there. Returns whether there is room. */
static bool put_object(struct profile_live *live, const struct holder *found, const char *path)
{
    struct profile_process *process = live->process;
    char *end = (char *)process + PROFILE_PROCESS_BYTES;
    struct profile_object *object =
        (struct profile_object *)(void *)((char *)(process + 1) + live->object_bytes);
    size_t room = (size_t)(end - (char *)object);
    size_t build_id = found->build_id.size <= PROFILE_BUILD_ID ? found->build_id.size : 0;
    size_t length = text_length(path);
    if (room < sizeof *object + PROFILE_BUILD_ID + 8)
        return false;
    room -= sizeof *object + build_id + 8;
    size_t path_bytes = length <= room ? length : room;
    size_t bytes = (sizeof *object + build_id + path_bytes + 7) & ~(size_t)7;
    *object = (struct profile_object){
        .bytes = (uint32_t)bytes,
        .path_bytes = (uint16_t)path_bytes,
        .build_id_bytes = (uint8_t)build_id,
        .flags = (found->is_executable ? PROFILE_OBJECT_EXECUTABLE : 0) |
                 (path_bytes < length ? PROFILE_OBJECT_CUT : 0),
        .bias = found->bias,
        .start = found->range.start,
        .end = found->range.end,
        .since = profile_run_ticks(),
    };
    memcpy(object + 1, found->build_id.at, build_id);
    memcpy((char *)(object + 1) + build_id, path, path_bytes);
    live->record_bytes[live->objects] = (uint16_t)bytes;
    live->object_bytes += (uint32_t)bytes;
    __atomic_store_n(&process->object_bytes, live->object_bytes, __ATOMIC_RELEASE);
    return true;
}

static uint32_t note_object(struct profile_live *live, uint64_t function)
{
    struct holder found;
    char path[1024];
    uint32_t number = live->objects;
    if (!find_object(function, &found))
        return 0;
    if (found.is_executable) {
        long length = system_readlink("/proc/self/exe", path, sizeof path - 1);
        path[length < 0 ? 0 : length] = '\0';
        found.path = path;
    } else if (found.path[0] != '/') { /* the loader has it as dlopen(3) was called */
        size_t length = proc_real_path(found.path, path, sizeof path);
        path[length] = '\0';
        found.path = length > 0 ? path : found.path;
    }
    if (number >= LIVE_OBJECTS || !put_object(live, &found, found.path)) {
        live->process->lost_objects++;
        return 0;
    }
    live->object[number] = found.range;
    if (found.is_executable)
        live->executable = found.range;
    __atomic_store_n(&live->objects, number + 1, __ATOMIC_RELEASE);
    return number + 1;
}

/* Whether an object of the link map lies there. Where another thread changes the map, it is taken
 * to be there. */
static bool is_loaded(const struct image *image, uint64_t start)
{
    const struct r_debug *loader = image_loader(image);
    const struct link_map *entry = loader->r_map;
    for (; entry != NULL && image_is_consistent(loader); entry = entry->l_next) {
        size_t count;
        const ElfW(Phdr) *phdr = image_headers(image, entry, &count);
        if (phdr != NULL && range_of(phdr, count, entry->l_addr).start == start)
            return true;
    }
    return entry != NULL;
}

/* The object of this number in the chunk. */
static struct profile_object *object_at(struct profile_live *live, uint32_t number)
{
    char *at = (char *)(live->process + 1);
    const char *end = at + live->object_bytes;
    for (uint32_t i = 1; i < number && at < end; i++)
        at += live->record_bytes[i - 1];
    return (struct profile_object *)(void *)at;
}

bool profile_object_forget(void)
{
    struct profile_live *live = profile_live();
    bool has_gone = false;
    if (live == NULL || live->objects == 0 || !profile_is_on ||
        __atomic_exchange_n(&live->objects_busy, 1, __ATOMIC_ACQUIRE) != 0)
        return false;
    for (uint32_t i = 0; i < live->objects; i++) {
        struct profile_range *range = &live->object[i];
        if (range->end == 0 || is_within(&live->executable, range->start) ||
            is_loaded(profile_run_image(), range->start))
            continue;
        range->start = range->end = 0;
        object_at(live, i + 1)->until = profile_run_ticks();
        has_gone = true;
    }
    __atomic_store_n(&live->objects_busy, 0, __ATOMIC_RELEASE);
    return has_gone;
}

bool profile_object_is_gone(uint32_t number)
{
    const struct profile_live *live = profile_live();
    return number > 0 && number <= live->objects && live->object[number - 1].end == 0;
}

uint32_t profile_object_find(uint64_t function)
{
    struct profile_live *live = profile_live();
    uint32_t count = __atomic_load_n(&live->objects, __ATOMIC_ACQUIRE);
    uint32_t number = 0;
    for (uint32_t i = count; i > 0; i--) {
        if (is_within(&live->object[i - 1], function))
            return i;
    }
    if (__atomic_exchange_n(&live->objects_busy, 1, __ATOMIC_ACQUIRE) == 0) {
        if (count == __atomic_load_n(&live->objects, __ATOMIC_ACQUIRE))
            number = note_object(live, function);
        __atomic_store_n(&live->objects_busy, 0, __ATOMIC_RELEASE);
    }
    return number;
}
