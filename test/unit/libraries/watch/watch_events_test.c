/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_events.h"

#include <fcntl.h>
#include <sys/fanotify.h>

#include "test/unit/fixture/cases.h"

static struct {
    int count, overruns;
    struct watch_event last;
    char name[64];
} met;

static void take(void *context, const struct watch_event *event)
{
    (void)context;
    met.count++;
    met.overruns += (event->mask & FAN_Q_OVERFLOW) != 0;
    met.last = *event;
    if (event->name != NULL)
        strcpy(met.name, event->name);
}

/* An event of the file `name` in a directory whose handle has 4 bytes. Returns its size. */
static size_t make_event(unsigned char *bytes, const char *name, int pidfd)
{
    size_t name_size = strlen(name) + 1, info_size = 4 + 8 + 8 + 4 + name_size;
    struct fanotify_event_metadata head = {
        .event_len = (uint32_t)(sizeof head + info_size + 8),
        .vers = FANOTIFY_METADATA_VERSION,
        .metadata_len = sizeof head,
        .mask = FAN_CREATE,
        .fd = FAN_NOFD,
        .pid = 42,
    };
    struct fanotify_event_info_header info = {.info_type = 2, .len = (uint16_t)info_size};
    struct fanotify_event_info_header pid = {.info_type = 4, .len = 8};
    const uint32_t handle[] = {4, 1, 0x01020304};
    unsigned char *at = bytes;
    memcpy(at, &head, sizeof head);
    memcpy(at += sizeof head, &info, 4);
    memcpy(at += 4, "FILESYST", 8);
    memcpy(at += 8, handle, sizeof handle);
    memcpy(at += sizeof handle, name, name_size);
    memcpy(at += name_size, &pid, 4);
    memcpy(at + 4, &pidfd, 4);
    return head.event_len;
}

TEST(an_event_has_its_name_directory_and_process)
{
    unsigned char bytes[256];
    size_t size = make_event(bytes, "libx.so", -1);
    met.count = 0;
    assert_int_equal(watch_events_each(bytes, size, true, take, NULL), 0);
    assert_int_equal(met.count, 1);
    assert_string_equal(met.name, "libx.so");
    assert_true(met.last.mask == FAN_CREATE && met.last.pid == 42 && met.last.is_gone);
    assert_memory_equal(met.last.fsid, "FILESYST", 8);
    assert_int_equal(met.last.handle_size, 8);
    size = make_event(bytes, ".", -1);
    assert_int_equal(watch_events_each(bytes, size, false, take, NULL), 0);
    assert_string_equal(met.name, "");
}

static void take_open(void *context, const struct watch_event *event)
{
    assert_int_equal(event->pidfd, *(int *)context);
    assert_false(event->is_gone);
    assert_true(fcntl(event->pidfd, F_GETFD) >= 0);
}

TEST(the_process_is_held_until_the_event_is_taken)
{
    unsigned char bytes[256];
    int fd = open("/", O_RDONLY | O_CLOEXEC);
    size_t size = make_event(bytes, "libx.so", fd);
    assert_int_equal(watch_events_each(bytes, size, true, take_open, &fd), 0);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

TEST(an_overrun_has_no_name)
{
    const struct fanotify_event_metadata head = {
        .event_len = sizeof head,
        .vers = FANOTIFY_METADATA_VERSION,
        .metadata_len = sizeof head,
        .mask = FAN_Q_OVERFLOW,
        .fd = FAN_NOFD,
    };
    met.overruns = 0;
    assert_int_equal(watch_events_each(&head, sizeof head, true, take, NULL), 0);
    assert_int_equal(met.overruns, 1);
}

TEST(what_is_cut_or_of_another_version_is_refused)
{
    unsigned char bytes[256];
    size_t size = make_event(bytes, "libx.so", -1);
    for (size_t cut = 1; cut < size; cut++)
        assert_int_equal(watch_events_each(bytes, size - cut, true, take, NULL), -EPROTO);
    bytes[4]++;
    assert_int_equal(watch_events_each(bytes, size, true, take, NULL), -EPROTO);
    bytes[4]--;
    bytes[sizeof(struct fanotify_event_metadata) + 12] = 200; /* the handle's size */
    assert_int_equal(watch_events_each(bytes, size, true, take, NULL), -EPROTO);
}
