/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_source.h"

#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "conf/base/directory.h"
#include "contrib/libraries/scan/library_lock.h"

bool library_source_is_watched(const struct conf *conf)
{
    struct library_watch_state watch;
    bool is_running = false;
    return conf->library_watch &&
           (conf->library_use_logs[0] != '\0' || conf->library_use_records) &&
           library_watch_state_read(conf->library_state, &watch, &is_running) == 0 && is_running;
}

enum library_source library_source_of(const char *path, bool is_watched)
{
    struct statfs status;
    if (statfs(path, &status) != 0)
        return SOURCE_UNKNOWN;
    if (is_watched && !directory_is_shared(path))
        return SOURCE_WATCH;
    if ((status.f_flags & ST_RDONLY) != 0)
        return SOURCE_FIXED;
    if (status.f_type == OVERLAYFS_SUPER_MAGIC)
        return SOURCE_LAYERS;
    if ((status.f_flags & ST_NOATIME) != 0)
        return SOURCE_NO_ATIME;
    return (status.f_flags & ST_RELATIME) != 0 ? SOURCE_REARMED : SOURCE_READS;
}

bool library_source_is_atime(enum library_source source)
{
    return source == SOURCE_READS || source == SOURCE_REARMED;
}

const char *library_source_word(enum library_source source)
{
    return source == SOURCE_WATCH ? "watch" : library_source_is_atime(source) ? "atime" : "none";
}

const char *library_source_reason(enum library_source source)
{
    static const char *const reasons[] = {
        [SOURCE_UNKNOWN] = "its file system cannot be checked",
        [SOURCE_READS] = "each read moves the time of last access (strictatime)",
        [SOURCE_REARMED] =
            "the first read after each turn moves the time of last access (relatime)",
        [SOURCE_WATCH] = "the watch counts the opens of this host (fanotify)",
        [SOURCE_NO_ATIME] = "it is mounted with noatime: reads leave no trace",
        [SOURCE_FIXED] = "it is mounted read-only: reads leave no trace",
        [SOURCE_LAYERS] = "it is an overlay: to set a time would copy the file",
    };
    return reasons[source];
}
