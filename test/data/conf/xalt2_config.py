# SPDX-License-Identifier: LGPL-2.1-or-later
# A configuration in the layout of XALT 2 (Config/UGENT_config.py in XALT's repository has it, too), with what basic
# regular expressions have: a pattern is searched for, and only ^ and $ tie it to an end.

scalar_prgm_start_record = [
    r'/python[0-9][^/][^/]*$',
    r'/R$',
]

hostname_patterns = [
    '^c[0-9]*-',
    r'\\(gpu\\|nid\\)-*[a-c]\\?[0-9]\\{2,5\\}',
]

accept_path_patterns = [
    '^/usr/bin/ddt',
    r'/usr/.*/python3\\.11$',
    r'/tmp/\\.x',
]

ignore_path_patterns = [
    r'^/sbin/',
    r'^/bin/',
    '^/etc',
    r'^/usr',
    r'^/root$\\|^/root/',
    r'/opt/apps/\\(intel\\|gcc\\)[0-9_]*/',
    r'/g\\+c*$',
    r'/mpi.*[cC]*$',
    r'/conftest$',
    r'/cm\\(TC_[a-f0-9][a-f0-9]*\\|TryCompileExec[0-9]*\\)$',
    r'build-[0-9]\\{4\\}',
    '/workflow-ng$/',
    'lto1|wrapper',
    '/l(d)',
    '*x',
    '.cargo[]/]bin',
]

accept_env_patterns = [
    '.*PATH.*',
    '^OMP',
    '^R_*$',
    r'_\\|MODULES$',
]

ignore_env_patterns = [
    '^__',
    r'^OMP_NUM_THREADS$',
    'TOKEN',
]
