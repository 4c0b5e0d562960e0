/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * On the list is what shell scripts, module systems and the front ends of languages start by the
 * dozen, and of which nobody asks how much it is used. Names are those of the packages of Debian,
 * Ubuntu and Red Hat. A rule sees the real path of an executable: of awk that is mawk or gawk, of
 * sh dash or bash. Not on the list are interpreters, compilers, make, git, editors, ssh and
 * programs that transfer data.
 */
#include "conf/system_tools.h"

#include <stddef.h>

/* With /usr merged a real path begins with /usr, and without it may begin with /bin or /sbin. */
#define SYSTEM(names) "/(usr/)?s?bin/(" names ")"

/* clang-format off */
const char *const system_tools[] = {
    /* shells */
    SYSTEM("r?bash|dash|ash|sh|zsh[-0-9.]*|[lmpr]?ksh[0-9.]*|tcsh|(bsd-)?csh|fish|posh|yash|busybox"),
    /* coreutils */
    SYSTEM("\\[|arch|base(32|64|name|nc)|cat|ch(con|grp|mod|own|root)|comm|coreutils|cp|csplit|cut|"
           "date|dd|df|v?dir|dircolors|dirname|du|echo|env|(un)?expand|expr|factor|false|fmt|fold"),
    SYSTEM("groups|head|hostid|id|install|join|kill|ln|(un)?link|logname|ls|mk(dir|fifo|nod|temp)|mv|"
           "nice|nl|nohup|nproc|numfmt|od|paste|pathchk|pinky|pr|printenv|printf|ptx|pwd"),
    SYSTEM("readlink|realpath|rm|rmdir|runcon|seq|shred|shuf|sleep|sort|split|stat|stdbuf|stty|sync|"
           "(md5|b2|ck|sha[0-9]+)?sum|tac|tail|tee|test|timeout|touch|tr|true|truncate|tsort|tty"),
    SYSTEM("uname|uniq|uptime|users|wc|who|whoami|yes"),
    /* Ubuntu: GNU's beside those in Rust, which are one program */
    "/(usr/)?bin/gnu(cp|mv|rm)",
    "/usr/lib/cargo/bin/coreutils/[^/]*",
    /* text and files: grep, sed, awk, findutils, diffutils, less, file, which, bc */
    SYSTEM("[ef]?grep|sed|[gm]?awk|original-awk|gawk-[0-9.]*|find|xargs|cmp|s?diff3?|patch|ed|"
           "less(echo|key|pipe)?|more|file|which|time|bc|dc"),
    /* archives and compression */
    SYSTEM("(bsd)?tar|cpio|g(un)?zip|(un)?(zip|xz|lzma|zstd|lz4|compress)|b(un)?zip2|[bx]?zcat|lzop"),
    /* util-linux and what Debian has of BSD's */
    SYSTEM("cal|chrt|col(rm|umn)?|dmesg|fallocate|findmnt|flock|getopt|hd|hexdump|ionice|ipc(mk|rm|s)|"
           "last|linux(32|64)|logger|look|ls(blk|cpu|ipc|irq|locks|mem|mod|ns|pci|usb)"),
    SYSTEM("mcookie|mesg|mountpoint|namei|nsenter|prlimit|rename(\\.ul)?|renice|rev|run-parts|script|"
           "set(arch|priv|sid|term)|taskset|tempfile|ul|unshare|uuidgen|whereis|xxd"),
    /* processes, hardware and network: procps, psmisc, kmod, numactl, iproute2 */
    SYSTEM("free|fuser|killall5?|kmod|numactl|numastat|p(grep|idof|idwait|kill|map|s|stree|wdx)|sysctl|"
           "top|vmstat|w|watch|ifconfig|ip|netstat|ping|ss"),
    /* the C library and terminals */
    SYSTEM("clear|domainname|envsubst|getconf|getent|gettext|hostname|iconv|infocmp|ldconfig(\\.real)?|"
           "ldd|locale|localedef|manpath|reset|tabs|tic|toe|tput|tset"),
    /* systemd */
    SYSTEM("(hostname|journal|login|system|timedate)ctl|systemd-[^/]*"),
    "/(usr/)?lib/systemd/[^/]*",
    /* becomes R at once, wherever R is installed */
    ".*/Rscript",
    NULL,
};
/* clang-format on */
