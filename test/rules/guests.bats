#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What we load into a host, looked at as a file: what it asks of the host and what it shows to it.

LIBRARY=$JOBTRAIL_STAGE/lib/libjobtrail.so
PLUGIN=$JOBTRAIL_STAGE/lib/slurm/spank_jobtrail.so

@test "the preload library has no dynamic symbol at all" {
    [[ $(nm -D "$LIBRARY" 2>/dev/null) == "" ]]
    # One entry: the reserved one that every table starts with.
    [[ $(readelf --dyn-syms -W "$LIBRARY" | sed -n 's/.* contains \([0-9]*\) entr.*/\1/p') == 1 ]]
}

@test "the preload library needs no other library" {
    run readelf -dW "$LIBRARY"
    [[ $status == 0 && $output == *INIT_ARRAY* && $output == *FINI_ARRAY* ]]
    [[ $output != *NEEDED* && $output != *TEXTREL* && $output != *RPATH* && $output != *RUNPATH* ]]
}

@test "the preload library has no TLS, and nothing that is writable and executable" {
    run readelf -lW "$LIBRARY"
    [[ $status == 0 && $output == *LOAD* ]]
    [[ $output != *TLS* && $output != *RWE* && $output != *INTERP* ]]
    [[ $output == *GNU_STACK* ]]
}

@test "the plugin exports what Slurm looks up and nothing else" {
    [[ $(nm -D --defined-only "$PLUGIN" | awk '{ print $3 }' | grep -vE '^(plugin_name|plugin_type|plugin_version|spank_plugin_version|slurm_spank_[a-z_]+)$') == "" ]]
    [[ $(nm -D --defined-only "$PLUGIN" | grep -c ' slurm_spank_') -ge 6 ]]
}

@test "the plugin needs libc alone: no libslurm, no threads" {
    [[ $(readelf -dW "$PLUGIN" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p') == libc.so.6 ]]
    [[ $(nm -D --undefined-only "$PLUGIN") != *pthread* ]]
}
