/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_witness.h"

#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "conf/base/directory.h"
#include "contrib/libraries/scan/library_lock.h"

bool library_witness_is_watched(const struct conf *conf)
{
    struct library_watch_state watch;
    bool is_running = false;
    return conf->library_watch &&
           (conf->library_use_logs[0] != '\0' || conf->library_use_records) &&
           library_watch_state_read(conf->library_state, &watch, &is_running) == 0 && is_running;
}

enum library_witness library_witness_of(const char *path, bool is_watched)
{
    struct statfs status;
    if (statfs(path, &status) != 0)
        return WITNESS_UNKNOWN;
    if (is_watched && !directory_is_shared(path))
        return WITNESS_WATCH;
    if ((status.f_flags & ST_RDONLY) != 0)
        return WITNESS_FIXED;
    if (status.f_type == OVERLAYFS_SUPER_MAGIC)
        return WITNESS_LAYERS;
    if ((status.f_flags & ST_NOATIME) != 0)
        return WITNESS_NO_ATIME;
    return (status.f_flags & ST_RELATIME) != 0 ? WITNESS_REARMED : WITNESS_READS;
}

bool library_witness_is_atime(enum library_witness witness)
{
    return witness == WITNESS_READS || witness == WITNESS_REARMED;
}

const char *library_witness_word(enum library_witness witness)
{
    return witness == WITNESS_WATCH            ? "watch"
           : library_witness_is_atime(witness) ? "atime"
                                               : "none";
}

const char *library_witness_reason(enum library_witness witness)
{
    static const char *const reasons[] = {
        [WITNESS_UNKNOWN] = "it cannot be asked",
        [WITNESS_READS] = "each read moves the time of last access (strictatime)",
        [WITNESS_REARMED] =
            "the first read after each turn moves the time of last access (relatime)",
        [WITNESS_WATCH] = "the watch counts the opens of this host (fanotify)",
        [WITNESS_NO_ATIME] = "it is mounted with noatime: reads leave no trace",
        [WITNESS_FIXED] = "it is mounted read-only: reads leave no trace",
        [WITNESS_LAYERS] = "it is an overlay: to set a time would copy the file",
    };
    return reasons[witness];
}
