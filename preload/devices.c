/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/devices.h"

#include <stdbool.h>

#include "preload/image.h"
#include "preload/memory.h"
#include "preload/system.h"

enum { DEVICES_MAX = 64, ENTRIES_BYTES = 2048 };

/* As getdents64(2) fills it. */
struct device_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* The devices found: a class in the high half of each, a number in the low half. */
struct devices {
    uint32_t count;
    uint32_t seen[DEVICES_MAX];
    int kfd; /* AMD's common device is open */
};

static bool has_gpu_runtime(const struct r_debug *loader)
{
    static const char *const runtimes[] = {"libcuda.so", "libamdhip64.so", "libze_loader.so"};
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    for (; entry != NULL && image_is_consistent(loader); entry = entry->l_next) {
        const char *name = entry->l_name == NULL ? "" : text_last_part(entry->l_name);
        for (size_t i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++) {
            if (text_after(name, runtimes[i]) != NULL)
                return true;
        }
    }
    return false;
}

static void devices_add(struct devices *devices, uint32_t device)
{
    for (uint32_t i = 0; i < devices->count; i++) {
        if (devices->seen[i] == device)
            return;
    }
    if (devices->count < DEVICES_MAX)
        devices->seen[devices->count++] = device;
}

static bool is_number(const char *text)
{
    return *text >= '0' && *text <= '9';
}

static void note_descriptor(struct devices *devices, int directory, const char *name)
{
    char path[64];
    long length = system_call6(SYS_readlinkat, directory, (long)name, (long)path,
                               (long)sizeof path - 1, 0, 0);
    if (length > 0) {
        path[length] = '\0';
        const uint32_t nvidia = 0, render = 1u << 16;
        const char *rest;
        if ((rest = text_after(path, "/dev/nvidia")) != NULL && is_number(rest))
            devices_add(devices, nvidia | text_number(rest));
        else if ((rest = text_after(path, "/dev/dri/renderD")) != NULL && is_number(rest))
            devices_add(devices, render | text_number(rest));
        else if (text_equal(path, "/dev/kfd"))
            devices->kfd = 1;
    }
}

static void note_descriptors(struct devices *devices, int directory)
{
    _Alignas(struct device_entry) char bytes[ENTRIES_BYTES];
    long size;
    while ((size = system_call6(SYS_getdents64, directory, (long)bytes, sizeof bytes, 0, 0, 0)) >
           0) {
        for (long at = 0; at < size;) {
            const struct device_entry *entry = (const void *)(bytes + at);
            note_descriptor(devices, directory, entry->name);
            at += entry->length;
        }
    }
}

uint32_t devices_count(const struct r_debug *loader)
{
    struct devices devices = {.count = 0};
    if (!has_gpu_runtime(loader))
        return 0;
    int directory = system_open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    if (directory < 0)
        return 0;
    note_descriptors(&devices, directory);
    system_close(directory);
    return devices.count == 0 && devices.kfd ? 1 : devices.count;
}
