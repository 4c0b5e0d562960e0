/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>

/* Gives the open file or directory, root's, an access control list: its owner may read and write,
 * the user `uid` what `may` says (ACL_READ, ACL_EXECUTE), and nobody else anything. Mode bits
 * cannot say this: the user would have to own it and could then change it, and others may be in the
 * user's group. On a file system without access control lists it gets the mode `otherwise`. Returns
 * 0; 1 for that; or -errno. */
static inline int access_list_give(int fd, uid_t uid, uint16_t may, mode_t otherwise)
{
    const uint32_t nobody = UINT32_MAX; /* ACL_UNDEFINED_ID, as the kernel keeps it */
    const uint16_t own = ACL_READ | ACL_WRITE | (may & ACL_EXECUTE);
    const struct {
        struct posix_acl_xattr_header header;
        struct posix_acl_xattr_entry entries[5];
    } list = {{htole32(POSIX_ACL_XATTR_VERSION)},
              {{htole16(ACL_USER_OBJ), htole16(own), htole32(nobody)},
               {htole16(ACL_USER), htole16(may), htole32(uid)},
               {htole16(ACL_GROUP_OBJ), 0, htole32(nobody)},
               {htole16(ACL_MASK), htole16(may), htole32(nobody)},
               {htole16(ACL_OTHER), 0, htole32(nobody)}}};
    if (fsetxattr(fd, "system.posix_acl_access", &list, sizeof list, 0) == 0)
        return 0;
    return errno != EOPNOTSUPP ? -errno : fchmod(fd, otherwise) != 0 ? -errno : 1;
}
