/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/shared_file_system.h"

#include <stddef.h>
#include <sys/vfs.h>

bool shared_file_system(const char *path)
{
    /* From linux/magic.h and the file systems' own sources. */
    static const unsigned types[] = {0x6969 /* NFS */,
                                     0xff534d42 /* CIFS */,
                                     0xfe534d42 /* SMB2 */,
                                     0x0bd00bd0 /* Lustre */,
                                     0x47504653 /* GPFS */,
                                     0x00c36400 /* Ceph */,
                                     0x19830326 /* BeeGFS */};
    struct statfs status;
    for (size_t i = 0; statfs(path, &status) == 0 && i < sizeof types / sizeof types[0]; i++) {
        if ((unsigned)status.f_type == types[i])
            return true;
    }
    return false;
}
