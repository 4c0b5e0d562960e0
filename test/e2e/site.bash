# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records of a small site, for what people ask: test/data/records, and a link, packages, a module map,
# fields of science, coverage and sampled runs.
#
#   load site
#   setup_file() { site_records "$DIR"; site_load STORE; }

# Each record is one line of DIR/records.
site_records() { # DIR
    SITE=$1
    export SITE
    mkdir -p "$SITE"
    jq -ac 'del(.crc)' "$JOBTRAIL_SOURCE"/test/data/records/*.json >"$SITE/records"
    site_more >"$SITE/more"
    cat "$SITE/more" >>"$SITE/records"
    printf '%s\n' '/sw/hdf5/1.14.3 hdf5/1.14.3' '/home/alice flow/2' >"$SITE/modules"
    printf 'climate\tClimate <b>\tD\nphysics\tPhysics\tD\n' >"$SITE/accounts"
}

site_load() { # STORE
    "$JOBTRAIL_BIN/jobtrail-load" --store "$1" --modules "$SITE/modules" --accounts "$SITE/accounts" \
        "$SITE/records"
}

site_more() {
    local i
    site_link
    site_package numpy 1.26.4
    site_package mpi4py 3.1.5
    site_coverage
    # of ten thousand short runs of `tiny` each, four were kept
    for i in 1 2 3 4; do
        site_run "019a9f00-1111-7000-8000-00000000000$i" tiny 0.0001
    done
}

# the link of flow.mpi, whose runs name it by Build_UUID
site_link() {
    jq -ac --slurp 'map(select((.xaltLinkT.Build_UUID // "") != ""))[0] |
        {resultT: {uuid: .xaltLinkT.Build_UUID, build_user: "bob", build_host: "login1",
            build_syshost: "tiny", build_epoch: "1732010400", exec_path: .userT.exec_path,
            hash_id: .hash_id, link_path: "/usr/bin/gfortran", link_program: "gfortran", wd: "/home/bob"},
         linkA: [["/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0", "0"]], link_line: ["gfortran", "flow.o"],
         function: ["H5Fopen", "H5Dread"]}' "$SITE/records"
}

site_package() { # NAME VERSION: in the run of job 13 that lived on
    jq -ac --slurp --arg name "$1" --arg version "$2" \
        'map(select(.userT.job_id == "13"))[0] |
        {package_name: $name, package_version: $version, package_path: "/usr/lib/\($name)",
         program: "python", xalt_run_uuid: .userT.run_uuid,
         ownerT: (.slurmT + .userT | {user, cluster, node, restart_count, job_id: (.job_id | tonumber)})}' "$SITE/records"
}

site_run() { # UUID EXECUTABLE PROBABILITY [JQ-FILTER]: of an hour on two cores, by carol
    jq -ac --slurp --arg uuid "$1" --arg exec "/opt/$2" --argjson p "$3" \
        'map(select(.slurmT.step_id == "batch"))[0] |
        .userT += {run_uuid: $uuid, exec_path: $exec, user: "carol", account: "chem", job_id: "99"} |
        .userDT += {probability: $p, run_time: 3600, end_time: (.userDT.start_time + 3600)} |
        .slurmT += {job_id: 99, step_id: "0", cpus_alloc: 2} | '"${4:-.}" "$SITE/records"
}

# on two nodes: a program that is recorded, with a follower on the other one; a static one that is not
site_coverage() {
    local node=0 facts
    for facts in '[{"outcome":"recorded","leader":0,"first_task":0,"core_seconds":3600},
                   {"outcome":"container","leader":null,"first_task":2,"core_seconds":1800}]' \
        '[{"outcome":"follower","leader":0,"first_task":1,"core_seconds":1800}]'; do
        node=$((node + 1))
        jq -nc --argjson facts "$facts" --arg node "n$node" '{coverageT: {
            uuid: "019a9f00-2222-7000-8000-0000000000\($node[1:])0", cluster: "tiny", syshost: "tiny",
            job_id: 12, array_job_id: null, array_task_id: null, het_job_id: null, het_offset: null,
            restart_count: 0, node: $node, user: "alice", account: "climate", partition: "main",
            dropped: 0}, coverageA: ($facts | map(. + {step_id: "0", program: "/bin/x", tasks: 1,
            start_time: 1732096800, end_time: 1732100400}))}'
    done
}
