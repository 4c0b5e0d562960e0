/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/spool_access.h"

#include <endian.h>
#include <errno.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define ACCESS_LIST "system.posix_acl_access"
#define NOBODY      UINT32_MAX /* ACL_UNDEFINED_ID, as the kernel keeps it */

enum { ENTRIES = 5, READ_WRITE_SEARCH = ACL_READ | ACL_WRITE | ACL_EXECUTE };

static struct posix_acl_xattr_entry entry(uint16_t tag, uint16_t may, uint32_t id)
{
    return (struct posix_acl_xattr_entry){htole16(tag), htole16(may), htole32(id)};
}

int spool_access_give(int directory, uid_t uid)
{
    struct {
        struct posix_acl_xattr_header header;
        struct posix_acl_xattr_entry entries[ENTRIES];
    } list = {{htole32(POSIX_ACL_XATTR_VERSION)},
              {entry(ACL_USER_OBJ, READ_WRITE_SEARCH, NOBODY), entry(ACL_USER, ACL_EXECUTE, uid),
               entry(ACL_GROUP_OBJ, 0, NOBODY), entry(ACL_MASK, ACL_EXECUTE, NOBODY),
               entry(ACL_OTHER, 0, NOBODY)}};
    if (fsetxattr(directory, ACCESS_LIST, &list, sizeof list, 0) == 0)
        return 0;
    return errno != EOPNOTSUPP ? -errno : fchmod(directory, 0711) != 0 ? -errno : 0;
}
