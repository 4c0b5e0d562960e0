#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian's packages: built, installed by README's commands into a system that has only what they depend on, upgraded
# while jobs run, removed and purged. One story: each test goes on where the one before it ended.

# shellcheck disable=SC2016 # what is quoted is for other shells to expand

load site

setup_file() {
    DIR=$(mktemp -d)
    chmod 755 "$DIR"
    DEBS=$DIR/debs
    export DIR DEBS
    build_packages
    start_site
}

teardown_file() {
    stop_site
}

# said COMMAND...: which must succeed; what it printed is $output
said() {
    run "$@"
    echo "$output"
    [[ $status == 0 ]]
}

N() { # the number of the formats
    sed -n 's/^.*define JOB_FORMATS //p' "$JOBTRAIL_SOURCE/spank/job_formats.h"
}

# as the user games, whom every system has
as_games() { # COMMAND...
    at_site setpriv --reuid games --regid games --clear-groups "$@"
}

# The commands of README that lead to the first report, one a line
readme_commands() {
    sed -n '/three commands/,/^[^ ]/s/^    *\([a-z].*\)/\1/p' "$JOBTRAIL_SOURCE/README.md" | sed 's/  *#.*//'
}

apt() { # WORD...: for a shell of the node
    in_node bash -c "apt-get -q -y $*"
}

install_debs() { # DIRECTORY [OPTION]: the whole of one build
    apt install "${2-}" "/debs/$1/*.deb"
}

# A job that waits in its middle for /srv/go.NAME, and runs a program before, after, and in a step
waiting_job() { # NAME
    submit "python3 -c 'print(1)'; touch /srv/waits.$1; until [[ -e /srv/go.$1 ]]; do sleep 0.1; done
        python3 -c 'print(2)'; srun python3 -c 'print(3)'"
}

is_waiting() { # NAME
    [[ -e $ROOT/srv/waits.$1 ]]
}

let_go() { # NAME
    touch "$ROOT/srv/go.$1"
}

# What the job's runs printed, and nothing else: no line from the loader
output_is_whole() { # JOB
    [[ $(cat "$ROOT/srv/out.$1") == $'1\n2\n3' ]]
}

runs() { # JOB: how many of python3 the store has
    at_site systemctl start jobtrail-load >/dev/null
    at_site jobtrail-acct -S 2000-01-01 -n -P -o JobID,Exec -j "$1" | grep -c python3
}

has_runs() { # JOB NUMBER
    [[ $(runs "$1") == "$2" ]]
}

status_of() { # PACKAGE
    at_site dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || echo unknown
}

# Process watches whose program is this runtime's
watchers() { # N
    in_node bash -c 'for process in /proc/[0-9]*; do
        [[ $(readlink "$process/exe") != */jobtrail/'"$1"'/bin/jobtrail-submit ]] || echo "${process##*/}"; done'
}

# For a shell of the node: a directory that nodes cannot write
read_only() { # DIRECTORY
    in_node bash -c "mount --bind $1 $1 && mount -o remount,bind,ro $1"
}

# Suppressed:
# - repeated-path-segment: directories of the name jobtrail, lib and lmod lie where CMake, Python and Lmod look
# - spelling-error-in-binary: the compiler has cut "is tzdata installed?" in two
# - package-supports-alternative-init-but-no-init.d-script: the service has a unit of systemd alone, and only
#   some releases of lintian ask for more
# - initial-upload-closes-no-bugs: nobody has asked Debian for it
# - out-of-date-standards-version, newer-standards-version: each release of Debian's lintian has another one
@test "the packages are clean for lintian" {
    local tag tags suppressed=()
    tags=$(lintian-explain-tags --list-tags)
    for tag in repeated-path-segment spelling-error-in-binary package-supports-alternative-init-but-no-init.d-script \
        initial-upload-closes-no-bugs out-of-date-standards-version newer-standards-version; do
        # lintian refuses a tag that it does not have any more
        ! grep -qx "$tag" <<<"$tags" || suppressed+=(--suppress-tags "$tag")
    done
    run lintian --display-info --pedantic --fail-on error,warning,info,pedantic "${suppressed[@]}" "$DEBS"/first/*.changes
    echo "$output"
    [[ $status == 0 ]]
}

@test "made again from the same objects, with other settings, they are the same to the byte" {
    local package
    build_again
    for package in "$DEBS"/first/*.deb; do cmp "$package" "$PACKAGES/${package##*/}"; done
    rm "$PACKAGES"/*.deb
}

@test "each installed file is in one package, but for the examples" {
    DESTDIR=$DIR/all cmake --install "$PACKAGES"/jobtrail/obj-* >/dev/null
    find "$DIR/all" ! -type d -printf '%P\n' | sed 's/\.gz$//' | grep -v __pycache__ | xargs -n 1 basename | sort -u >"$DIR/made"
    for deb in "$DEBS"/first/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$'; done |
        sed 's/\.gz$//' | xargs -n 1 basename | sort -u >"$DIR/packed"
    left=$(comm -23 "$DIR/made" "$DIR/packed" | paste -sd ' ')
    echo "$left"
    [[ $left == "CHANGELOG.md installed jobtrail-send.cron jobtrail-uninstall jobtrail.conf.example" ]]
    [[ -z $(for deb in "$DEBS"/first/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$'; done | sort | uniq -d) ]]
}

@test "README's three commands lead from nothing to the first report" {
    local began=$SECONDS
    mapfile -t commands < <(readme_commands)
    printf '%s\n' "${commands[@]}"
    [[ ${#commands[@]} == 3 ]]
    in_node env -C /debs/first bash -c "${commands[0]}"
    at_site bash -c "${commands[1]}"
    job=$(submit 'python3 -c "print(1)"')
    theirs=$(as_games sbatch --parsable --chdir=/ --output=/dev/null <<<$'#!/bin/bash\npython3 -c "print(1)"')
    wait_job "$job"
    wait_job "$theirs"
    said at_site bash -c "${commands[2]}"
    grep -q '^python3' <<<"$output"
    echo "# from nothing to the first report: $((SECONDS - began)) s" >&3
    # and users are answered: systemd has started what the package has enabled. munged is where libmunge looks for it
    [[ -L $ROOT/etc/systemd/system/multi-user.target.wants/jobtrail-answer.service ]]
    at_site systemctl start jobtrail-answer
    at_site mkdir -p /run/munge
    at_site ln -sf /srv/lab/run/munge.socket /run/munge/munge.socket.2
    eventually 30 at_site test -S /run/jobtrail-answer/socket
    run as_games cat /var/lib/jobtrail/jobtrail.db
    [[ $status != 0 ]]
    said as_games jobtrail-acct -n -P -o JobID,User,Exec
    [[ $output == "$theirs.batch|games|python3"* && $output != *root* ]]
    said as_games jobtrail-report users --csv
    [[ $output == *games* && $output != *root* ]]
    at_site bash -c 'kill "$(cat /srv/jobtrail-answer.pid)"'
    eventually 30 at_site test ! -e /run/jobtrail-answer/socket
}

@test "everything is there that the programs need" {
    # slurmd has mounted the spool, in the namespace of its node
    said in_node jobtrail-conf doctor
    # no systemd and no cron run here
    [[ $(grep -c '^bad' <<<"$output") == 0 && $(grep '^warning' <<<"$output" | grep -cv '^warning timer ') == 0 ]]
    for program in conf submit load acct answer ps report ld; do at_site "jobtrail-$program" --help >/dev/null; done
    at_site bash -c 'for file in /usr/lib/jobtrail/*/bin/* /usr/lib/jobtrail/*/lib/jobtrail/transport_*.so /usr/bin/jobtrail-l*; do
        ldd "$file"; done' >"$DIR/ldd"
    [[ $(grep -c "=>" "$DIR/ldd") -gt 10 ]]
    [[ $(grep -c "not found" "$DIR/ldd") == 0 ]]
    [[ -z $(at_site dpkg --audit) ]]
    # what autopkgtest would run
    cp "$JOBTRAIL_SOURCE/debian/tests/programs" "$ROOT/srv/programs"
    mkdir "$ROOT/srv/tmp"
    said in_node env AUTOPKGTEST_TMP=/srv/tmp /srv/programs
}

@test "the library in the packages imports nothing, and its hooks report packages" {
    for library in "$ROOT/usr/lib/jobtrail/$(N)/lib/jobtrail/preload"/*/libjobtrail.so "$ROOT/usr/lib/jobtrail/$(N)/lib/libjobtrail.so"; do
        [[ $(readelf --wide --dynamic "$library") != *NEEDED* ]]
        [[ -z $(nm --dynamic "$library") ]]
    done
    mkdir -p "$ROOT/srv/python"
    echo >"$ROOT/srv/python/rare_package.py"
    job=$(submit 'PYTHONPATH=$PYTHONPATH:/srv/python python3 -c "import rare_package"')
    wait_job "$job"
    at_site systemctl start jobtrail-load
    [[ -e $(echo "$ROOT/usr/lib/jobtrail/$(N)/share/jobtrail/hooks/python/__pycache__"/*.pyc) ]]
    said at_site jobtrail-report packages
    [[ $output == *rare_package* ]]
}

# The commands of a section of the quick starts, one a line, for this job
quick_start() { # SECTION JOB
    sed -n "/^## $1\$/,/^## /s/^    //p" "$JOBTRAIL_SOURCE/docs/quick-starts.md" | sed "s/-j 12 /-j $2 /"
}

@test "the quick starts work as they stand there" {
    job=$(submit 'srun python3 -c "exit(3)"')
    wait_job "$job"
    has_runs "$job" 1
    for section in Administrator User Analyst "Support engineer"; do
        mapfile -t commands < <(quick_start "$section" "$job")
        [[ ${#commands[@]} -ge 5 ]]
        for command in "${commands[@]}"; do
            echo "$section: $command"
            said in_node env -C /srv bash -c "$command"
            case $command in
            *--coverage*) [[ $output == *" recorded "* ]] ;;
            *" -j $job "* | "jobtrail-acct "*FAILED*) [[ $output == *python3* || $output == *"$job"* ]] ;;
            "jobtrail-report "*" -o "*) ;;
            *) [[ -n $output ]] ;;
            esac
        done
    done
    grep -q python3 "$ROOT/srv/executables.csv"
    grep -q '<table' "$ROOT/srv/software.html"
}

@test "accounting is asked only where Slurm has some" {
    said at_site systemctl start jobtrail-slurm
    printf '#!/bin/sh\necho "AccountingStorageType   = accounting_storage/slurmdbd"\n' >"$ROOT/usr/local/bin/scontrol"
    chmod 755 "$ROOT/usr/local/bin/scontrol"
    run at_site systemctl start jobtrail-slurm
    rm "$ROOT/usr/local/bin/scontrol"
    echo "$output"
    # sacct: there is no accounting
    [[ $status == 5 ]]
}

# A second system in /srv/client, which shares the network, and munged's socket
start_client() {
    local name archives=()
    for name in client common "runtime-$(N)"; do archives+=("$DEBS/first/jobtrail-${name}_"*.deb); done
    mkdir "$ROOT/srv/client"
    "$JOBTRAIL_SOURCE/test/slurm/site/small_system" "$ROOT/srv/client" "${archives[@]}"
    cp "${archives[@]}" "$ROOT/srv/client/tmp"
    mkdir -p "$ROOT/srv/client/srv/lab/run"
    at_site mount --bind /srv/lab/run /srv/client/srv/lab/run
    at_site mount -t proc proc /srv/client/proc
    : >"$ROOT/srv/client/dev/null"
    at_site mount --bind /dev/null /srv/client/dev/null
    at_site chroot /srv/client bash -c 'dpkg -i /tmp/*.deb'
    # the service's user has one uid on all machines
    at_site getent passwd jobtrail >>"$ROOT/srv/client/etc/passwd"
}

is_listening() {
    grep -q 'listens on port' "$ROOT/srv/answers.out"
}

@test "a user on a machine with the client's package alone asks the collector's service" {
    local job line
    job=$(as_games sbatch --parsable --chdir=/ --output=/dev/null <<<$'#!/bin/bash\npython3 -c "print(1)"')
    wait_job "$job"
    at_site systemctl start jobtrail-load
    start_client
    [[ ! -e $ROOT/srv/client/usr/bin/jobtrail-load ]]
    printf '%s\n' '[answers]' user=jobtrail munge_socket=/srv/lab/run/munge.socket listen=127.0.0.1:0 see=own >"$ROOT/srv/answers.conf"
    at_site bash -c 'echo $$ >/srv/answers.pid
        exec setpriv --reuid jobtrail --regid jobtrail --clear-groups jobtrail-answer --conf /srv/answers.conf' \
        >"$ROOT/srv/answers.out" 2>&1 &
    eventually 30 is_listening
    line=$(sed -n 's/.* port \([0-9]*\) .*/address=127.0.0.1:\1/p' "$ROOT/srv/answers.out")
    { cat "$ROOT/srv/answers.conf" && echo "$line"; } >"$ROOT/srv/client/etc/jobtrail/jobtrail.conf"
    said at_site chroot --userspec=games:games /srv/client jobtrail-acct -n -P -j "$job" -o JobID,User
    [[ $(sort -u <<<"$output") == "$job.batch|games" ]]
    said at_site chroot --userspec=games:games /srv/client jobtrail-report users --csv
    [[ $output == *games* && $output != *root* ]]
    at_site chroot --userspec=games:games /srv/client jobtrail-ps --version
    at_site bash -c 'kill "$(cat /srv/answers.pid)"'
    at_site umount /srv/client/{dev/null,proc,srv/lab/run}
    rm -rf --one-file-system "$ROOT/srv/client"
}

@test "timers and the service for answers are enabled, and systemd takes the units" {
    for timer in send load slurm; do
        [[ -L $ROOT/etc/systemd/system/timers.target.wants/jobtrail-$timer.timer ]]
    done
    [[ -L $ROOT/etc/systemd/system/multi-user.target.wants/jobtrail-answer.service ]]
    # a site enables it on one host
    [[ ! -e $ROOT/etc/systemd/system/timers.target.wants/jobtrail-libmon.timer && -e $(at_site dpkg -L jobtrail-common | grep -x '.*/jobtrail-libmon.timer' | sed "s|^|$ROOT|") ]]
    mkdir "$DIR/units"
    # The programs that they start are in the site alone.
    for unit in "$ROOT"/usr/lib/systemd/system/jobtrail-* "$ROOT"/lib/systemd/system/jobtrail-*; do
        [[ -e $unit ]] || continue
        sed -E 's#^(Exec[A-Za-z]*=[-+]*)/usr/bin/jobtrail-[a-z]+#\1/bin/true#' "$unit" >"$DIR/units/${unit##*/}"
    done
    run systemd-analyze verify --man=no "$DIR"/units/*
    echo "$output"
    [[ $status == 0 && -z $output ]]
}

# What a site has, each file with its mode, owner, time, link and content: configuration, rules, keys, units with overrides
# and what is enabled, outbox, quarantine, records, store. The compiled policy is made at each upgrade.
site_files() {
    at_site find etc/jobtrail etc/slurm etc/systemd var/lib/jobtrail var/spool/jobtrail \
        ! -name 'jobtrail.policy*' -printf '%p %M %U:%G %l %T@ ' -exec sh -c '[ -f "$1" ] && cksum <"$1" || echo' _ {} \; |
        sed -E '/ d[rwxst-]{9} /s/ [0-9.]+ *$//' | sort
}

@test "an upgrade from an older version leaves every file of the site's as it was" {
    # the version of a year ago, as a site has it by now
    said install_debs older '--allow-downgrades -o Dpkg::Options::=--force-confnew'
    [[ $(at_site dpkg-query -W -f '${Version}' jobtrail-node) == 0.0.9 && $(grep -c answers "$ROOT/etc/jobtrail/jobtrail.conf") == 0 ]]
    printf '[site]\ntimezone = Europe/Berlin\n[transport]\nuse = file,http\n[http]\nurl = http://127.0.0.1:9/\n[paths]\nskip = /usr/bin/rare.*\n' \
        >"$ROOT/etc/jobtrail/jobtrail.conf"
    chmod 640 "$ROOT/etc/jobtrail/jobtrail.conf"
    in_node jobtrail-conf compile
    echo "# ours" >>"$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    echo JOBTRAIL_LOAD_OPTIONS=--expire=3650 >>"$ROOT/etc/jobtrail/collector.env"
    at_site jobtrail-conf make-key /etc/jobtrail/key
    mkdir -p "$ROOT/etc/systemd/system/jobtrail-load.service.d"
    printf '[Service]\nReadWritePaths=/srv\n' >"$ROOT/etc/systemd/system/jobtrail-load.service.d/override.conf"
    # disabled, masked, enabled by the site
    rm "$ROOT/etc/systemd/system/multi-user.target.wants/jobtrail-answer.service"
    ln -s /dev/null "$ROOT/etc/systemd/system/jobtrail-send.timer"
    ln -s /usr/lib/systemd/system/jobtrail-libmon.timer "$ROOT/etc/systemd/system/timers.target.wants"
    # records that nobody takes, a store, what was refused
    job=$(submit 'python3 -c "print(1)"')
    wait_job "$job"
    has_runs "$job" 1
    [[ -n $(find "$ROOT"/var/lib/jobtrail/outbox/http -type f) ]]
    at_site install -d -o games -m 750 /var/spool/jobtrail/incoming
    site_files >"$DIR/before"
    said install_debs same '-o Dpkg::Options::=--force-confold'
    at_site dpkg -S /usr/bin/jobtrail-acct | grep -q ^jobtrail-client
    # beside the file, as dpkg does it
    rm "$ROOT/etc/jobtrail/jobtrail.conf.dpkg-dist"
    site_files | diff "$DIR/before" -
    # nothing is in force that the site did not write
    [[ $(at_site jobtrail-conf show | grep -v '; default' | sed -n '/^[a-z_]* = ./p' | head -n 3) == $'timezone = Europe/Berlin\nuse = file,http\nurl = http://127.0.0.1:9/' ]]
    in_node jobtrail-submit outbox drop --transport http
    rm "$ROOT/etc/systemd/system/jobtrail-send.timer" "$ROOT/etc/systemd/system/timers.target.wants/jobtrail-libmon.timer"
    rm -r "$ROOT/etc/systemd/system/jobtrail-load.service.d" "$ROOT/etc/jobtrail/key"
    said install_debs same
}

@test "an upgrade keeps what the site has edited, and jobs run on" {
    job=$(waiting_job same)
    eventually 30 is_waiting same
    printf '[site]\ntimezone = Europe/Berlin\n' >"$ROOT/etc/jobtrail/jobtrail.conf"
    echo "# ours" >>"$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    echo JOBTRAIL_LOAD_OPTIONS=--expire=3650 >>"$ROOT/etc/jobtrail/collector.env"
    said install_debs first --allow-downgrades
    said install_debs same
    [[ $(at_site dpkg-query -W -f '${Version}' jobtrail-node) == *+1 ]]
    grep -q Berlin "$ROOT/etc/jobtrail/jobtrail.conf"
    grep -qx "# ours" "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    grep -q expire=3650 "$ROOT/etc/jobtrail/collector.env"
    let_go same
    wait_job "$job"
    output_is_whole "$job"
    has_runs "$job" 3
}

@test "a line that the site has removed from plugstack.conf.d is not brought back by an upgrade" {
    mv "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf" "$DIR/plugstack"
    said install_debs first --allow-downgrades
    [[ ! -e $ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf ]]
    mv "$DIR/plugstack" "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
}

@test "a mistake in jobtrail.conf and a read-only /etc/slurm keep no package from being installed" {
    read_only /etc/slurm
    cp "$ROOT/etc/jobtrail/jobtrail.conf" "$DIR/conf"
    echo "nonsense" >>"$ROOT/etc/jobtrail/jobtrail.conf"
    said install_debs same
    in_node umount /etc/slurm
    [[ $output == *"jobtrail.conf is not compiled"* ]]
    [[ $(status_of jobtrail-node) == installed ]]
    [[ $(status_of jobtrail-common) == installed ]]
    mv "$DIR/conf" "$ROOT/etc/jobtrail/jobtrail.conf"
}

@test "an upgrade to other formats leaves running jobs their runtime until they have ended" {
    build_other_formats
    job=$(waiting_job other)
    eventually 30 is_waiting other
    said install_debs other
    [[ $(status_of "jobtrail-runtime-$(N)") == installed && $(status_of "jobtrail-runtime-$(($(N) + 1))") == installed ]]
    grep -q "/usr/lib/jobtrail/$(($(N) + 1))/lib/slurm/spank_jobtrail.so" "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    at_site systemctl restart slurmd
    # as where apt-get has chosen it
    at_site apt-mark auto "jobtrail-runtime-$(N)"
    run apt autoremove
    echo "$output"
    [[ $status != 0 && $output == *"jobtrail-runtime-$(N) is in use"* ]]
    let_go other
    wait_job "$job"
    output_is_whole "$job"
    # the new version has a process watch, and its first step has said where its jobtrail-submit is
    site_srun true
    in_node jobtrail-submit watch --detach
    [[ -n $(watchers "$(($(N) + 1))") ]]
    # apt-get takes a package that it could not remove for one that is wanted.
    said apt remove "jobtrail-runtime-$(N)"
    [[ -n $(watchers "$(($(N) + 1))") ]]
    [[ $(status_of "jobtrail-runtime-$(N)") != installed ]]
    next=$(submit 'python3 -c "print(1)"')
    wait_job "$next"
    has_runs "$next" 1
    has_runs "$job" 3
}

@test "removed while a job runs: it is not disturbed, and its records are sent when the runtime goes" {
    local n=$(($(N) + 1))
    job=$(waiting_job removed)
    eventually 30 is_waiting removed
    # Slurm reads all that this pattern finds.
    sed -i 's|plugstack.conf.d/\*.conf|plugstack.conf.d/*|' "$ROOT/etc/slurm/plugstack.conf"
    grep -q 'plugstack.conf.d/\*$' "$ROOT/etc/slurm/plugstack.conf"
    said apt remove jobtrail-node
    [[ ! -e $ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf ]]
    at_site systemctl restart slurmd
    run apt remove "jobtrail-runtime-$n"
    echo "$output"
    [[ $status != 0 && $output == *"is in use"* ]]
    let_go removed
    wait_job "$job"
    output_is_whole "$job"
    said apt remove "jobtrail-runtime-$n"
    has_runs "$job" 3
    [[ -z $(watchers "$n") ]]
    [[ $(site_srun python3 -c 'print(4)' 2>&1) == 4 ]]
}

@test "installed again after a removal, the site's lines are back" {
    said apt install "/debs/other/jobtrail-{common,node,runtime}*.deb"
    grep -qx "# ours" "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    at_site systemctl restart slurmd
    job=$(submit 'python3 -c "print(1)"')
    wait_job "$job"
    has_runs "$job" 1
}

@test "purged at once while records wait: they are sent, and the collector keeps its directories" {
    local n=$(($(N) + 1))
    job=$(waiting_job purged)
    eventually 30 is_waiting purged
    read_only /etc/slurm
    said apt remove jobtrail-node
    in_node umount /etc/slurm
    [[ $output == *"cannot change /etc/slurm/plugstack.conf.d/jobtrail.conf"* ]]
    rm "$ROOT/etc/slurm/plugstack.conf.d/jobtrail.conf"
    at_site systemctl restart slurmd
    let_go purged
    wait_job "$job"
    at_site install -d -o games /var/spool/jobtrail/incoming
    touch "$ROOT/etc/jobtrail/site.policy" "$ROOT/etc/jobtrail/jobtrail.policy.2" "$ROOT/var/lib/jobtrail/hashes.2"
    said in_node dpkg --purge jobtrail-node jobtrail-common "jobtrail-runtime-$n"
    [[ -d $ROOT/var/spool/jobtrail/incoming && -d $ROOT/var/spool/jobtrail/records && -e $ROOT/etc/jobtrail/site.policy ]]
    [[ ! -e $ROOT/etc/jobtrail/jobtrail.policy.2 && ! -e $ROOT/var/lib/jobtrail/hashes.2 ]]
    rm "$ROOT/etc/jobtrail/site.policy"
    has_runs "$job" 3
    said apt install "/debs/other/jobtrail-{common,node,runtime}*.deb"
}

@test "purged, no file stays but records and store, and that is said" {
    echo '{}' >"$ROOT/var/spool/jobtrail/records/run.lab.kept.json"
    mkdir -p "$ROOT"/var/{lib,log}/jobtrail/libraries
    touch "$ROOT"/var/lib/jobtrail/{flush.lock,broken_flushes,libraries/{lock,libraries.db,watch,who}} "$ROOT/var/log/jobtrail/libraries/x.log"
    said apt purge "'jobtrail-*'"
    [[ $output == *"/var/log/jobtrail has logs about libraries and stays"* && -e $ROOT/var/log/jobtrail/libraries/x.log && ! -e $ROOT/var/lib/jobtrail/libraries ]]
    [[ $output == *"/var/spool/jobtrail has records and stays"* && $output == *"jobtrail.db stays"* ]]
    [[ -s $ROOT/var/lib/jobtrail/jobtrail.db && -e $ROOT/var/spool/jobtrail/records/run.lab.kept.json ]]
    (cd "$ROOT" && find etc usr lib var -xdev -name '*jobtrail*' ! -path 'var/log/*' ! -path 'var/spool/jobtrail*' \
        ! -path 'var/lib/jobtrail*' ! -path 'var/cache/*') | tee "$DIR/left"
    [[ ! -s $DIR/left ]]
    find "$ROOT/var/lib/jobtrail" -type f ! -name 'jobtrail.db*' ! -path '*/refused/*' ! -path '*/quarantine/*' | tee "$DIR/left"
    [[ ! -s $DIR/left ]]
    [[ $(at_site dpkg-query -W -f '${Package}\n' 'jobtrail*' 2>/dev/null) == "" ]]
    at_site systemctl restart slurmd
    [[ $(site_srun python3 -c 'print(4)' 2>&1) == 4 ]]
}
