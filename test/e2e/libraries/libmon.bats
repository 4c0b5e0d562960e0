#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-libmon scan: what it says of each change of a library, what it does not take for one, and what is left when
# it is killed. Needs root.

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/killed
load ../fixture/library

setup() {
    use_place "$(readlink -f "$BATS_TEST_TMPDIR")"
}

# use_place DIRECTORY [TREE]: everything is there
use_place() {
    PLACE=$1
    TREE=${2:-$PLACE/sw}
    STATE=$PLACE/state
    LOGS=$PLACE/logs
    CONF=$PLACE/jobtrail.conf
    mkdir -p "$TREE"
    configure
}

teardown() {
    [[ -z ${SERVER-} ]] || kill -KILL "$SERVER"
    unmount_all
}

configure() { # LINE...
    printf '%s\n' "[site]" "timezone = UTC" "[libraries]" "tree = $TREE" "state = $STATE" "logs = $LOGS" "$@" "[submit]" "state = $PLACE/submit" >"$CONF"
}

scan() {
    "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" "$@"
}

# changes JQ: of what a scan finds, by --json, one line each
changes() {
    scan --json | jq -r ".changes[] | $1"
}

kinds='"\(.change) \(.path | sub(".*/"; ""))"'

@test "each kind of change is told, with the file as it was and is" {
    make_library "$TREE/a/libone.so.1" one
    make_library "$TREE/a/libtwo.so.1" two
    echo module >"$TREE/a/three.mod"
    echo text >"$TREE/a/readme.txt"
    run -0 scan
    [[ $output == "3 files, 3 added" ]]
    run -0 scan
    [[ $output == "3 files, no change" ]]
    local was_id was_sum
    was_id=$(build_id "$TREE/a/libone.so.1")
    was_sum=$(sha1sum <"$TREE/a/libone.so.1")

    make_library "$TREE/a/libone.so.1" other            # renamed over
    cat "$TREE/a/libone.so.1" >"$TREE/a/libtwo.so.1"    # in place
    touch -d 2001-02-03 "$TREE/a/three.mod"
    make_library "$TREE/b/libfour.so" four
    scan --json >"$PLACE/found"
    [[ $(jq -r ".changes[] | $kinds" "$PLACE/found" | sort | paste -sd ,) == \
        "added libfour.so,modified libtwo.so.1,replaced libone.so.1,touched three.mod" ]]
    jq -e --arg was "$was_id" --arg is "$(build_id "$TREE/a/libone.so.1")" --arg sum "${was_sum%% *}" \
        --arg inode "$(stat -c %i "$TREE/a/libone.so.1")" --arg size "$(stat -c %s "$TREE/a/libone.so.1")" '
        .changes[] | select(.change == "replaced") | .was.build_id == $was and .is.build_id == $is and .was.sha1 == $sum
        and (.is.inode | tostring) == $inode and (.is.size | tostring) == $size and .is.soname == "libone.so.1"
        and .is.library == "libone" and .was.inode != .is.inode' "$PLACE/found"

    mv "$TREE/b" "$TREE/c"
    rm "$TREE/a/libone.so.1"
    [[ $(changes '"\(.change) \(.path) \(.from)"' | sort | paste -sd ,) == \
        "moved $TREE/c/libfour.so $TREE/b/libfour.so,removed $TREE/a/libone.so.1 null" ]]
    run -0 scan
    [[ $output == "3 files, no change" ]]
}

# bats test_tags=needs:root
@test "an upgrade of a package by dpkg tells the package and both versions" {
    local root=$PLACE/root version
    use_place "$PLACE" "$root/opt/fft"
    mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
    touch "$root/var/lib/dpkg/status"
    for version in 1.0-1 2.0-1; do
        make_library "$PLACE/$version/opt/fft/lib/libfft.so.1" "$version"
        ln -s libfft.so.1 "$PLACE/$version/opt/fft/lib/libfft.so"
        mkdir "$PLACE/$version/DEBIAN"
        printf '%s\n' "Package: fft" "Version: $version" "Architecture: all" "Maintainer: n <n@example.org>" \
            "Description: test" >"$PLACE/$version/DEBIAN/control"
        dpkg-deb --root-owner-group -b "$PLACE/$version" "$PLACE/$version.deb" >/dev/null
    done
    dpkg --root="$root" --log="$PLACE/dpkg.log" -i "$PLACE/1.0-1.deb" >/dev/null
    scan --root "$root" >/dev/null
    dpkg --root="$root" --log="$PLACE/dpkg.log" -i "$PLACE/2.0-1.deb" >/dev/null
    scan --root "$root" --json >"$PLACE/found"
    jq -e --arg was "$(build_id "$PLACE/1.0-1/opt/fft/lib/libfft.so.1")" --arg is "$(build_id "$TREE/lib/libfft.so.1")" '
        (.changes | length) == 1 and (.changes[0] | .change == "replaced" and .was.package == "fft" and .is.library == "fft"
        and .was.version == "1.0-1" and .is.version == "2.0-1" and .was.build_id == $was and .is.build_id == $is)' "$PLACE/found"
    [[ $(tail -n 1 "$LOGS/fft.log") =~ ^[A-Z][a-z]{2}_[A-Z][a-z]{2}_[0-9]{2}_[0-9]{4}_[0-9]{2}:[0-9]{2}\ [^\ ]*\ LIB_REPLACED\ path=$TREE/lib/libfft.so.1\ .*\ version=2.0-1\ .*was_version=1.0-1$ ]]
    touch "$TREE/other" # or dpkg would remove the tree
    dpkg --root="$root" --log="$PLACE/dpkg.log" --purge fft >/dev/null
    [[ $(scan --root "$root" --json | jq -r ".changes[] | $kinds") == "removed libfft.so.1" ]]
}

# build_rpm ROOT VERSION: an RPM package fft with a library of this version, for its tree
build_rpm() {
    make_library "$PLACE/$2/libfft.so.1" "$2"
    printf '%s\n' "Name: fft" "Version: $2" "Release: 1" "Epoch: 3" "Summary: test" "License: none" "BuildArch: noarch" \
        "%define _build_id_links none" "%define __strip /bin/true" "%define _binaries_in_noarch_packages_terminate_build 0" \
        "%description" test "%install" "mkdir -p %{buildroot}/opt/fft/lib" \
        "cp $PLACE/$2/libfft.so.1 %{buildroot}/opt/fft/lib" "%files" "/opt/fft" >"$PLACE/fft.spec"
    rpmbuild --quiet --define "_topdir $PLACE/rpm" -bb "$PLACE/fft.spec" >&2
}

# bats test_tags=needs:root
@test "an upgrade of a package by rpm tells the package and both versions, and rpm runs as nobody" {
    local root=$PLACE/root version
    use_place "$PLACE" "$root/opt/fft"
    chmod 755 "$PLACE" "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR"
    mkdir -p "$root/var/lib/rpm"
    rpm --root "$root" --dbpath /var/lib/rpm --initdb
    for version in 1.0 2.0; do
        build_rpm "$root" "$version"
        rpm --root "$root" --dbpath /var/lib/rpm --nodeps -U "$PLACE/rpm/RPMS/noarch/fft-$version-1.noarch.rpm" >&2
        strace -f -qq -e trace=execve,setresuid -o "$PLACE/trace" "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" \
            --root "$root" --json >"$PLACE/found"
        [[ $(sed -n 's/^[0-9]* *//; /setresuid\|execve("[^"]*\/rpm"/p' "$PLACE/trace" | grep -v ENOENT | head -n 1) == "setresuid("*65534* ]]
    done
    jq -e '(.changes | length) == 1 and (.changes[0] | .change == "replaced" and .was.package == "fft" and .is.library == "fft"
        and .was.version == "3:1.0-1" and .is.version == "3:2.0-1")' "$PLACE/found"
    [[ $(tail -n 1 "$LOGS/fft.log") == *" package=fft version=3:2.0-1 "*"was_version=3:1.0-1" ]]
    # a database that rpm cannot read is said
    echo damaged >"$root/var/lib/rpm/rpmdb.sqlite"
    echo more >>"$TREE/lib/libfft.so.1"
    run -0 scan --root "$root"
    [[ $output == *"packages: rpm does not list all of them: "* ]]
}

@test "a library is named by the configuration, its module, its package, its soname or its file" {
    mkdir -p "$TREE"/{hdf5/1.14/lib,other}
    make_library "$TREE/hdf5/1.14/lib/libhdf5.so.200" hdf5
    make_library "$TREE/other/libsoname.so.7.1" soname libcalled.so.7.1
    echo x >"$TREE/other/plain.1.mod"
    echo x >"$TREE/other/libimsl20.a"
    echo "$TREE/hdf5/1.14 hdf5/1.14" >"$PLACE/modules"
    configure "name = imsl */libimsl*" "group = math ims*" "[link]" "modules = $PLACE/modules"
    [[ $(changes '"\(.is.library) \(.is.version) \(.group)"' | sort | paste -sd ,) == \
        "hdf5 1.14 null,imsl null math,libcalled null null,plain null null" ]]
    [[ $(find "$LOGS" -name '*.log' -printf '%f\n' | sort | paste -sd ' ') == "hdf5.log imsl.log libcalled.log plain.log" ]]
}

# bats test_tags=needs:root
@test "several names of one file are one change" {
    make_library "$TREE/a/libone.so.1" one
    mkdir "$TREE/b" "$TREE/bound"
    ln "$TREE/a/libone.so.1" "$TREE/b/libone.so.1"
    mount --bind "$TREE/a" "$TREE/bound"
    [[ $(changes "\"\(.links) \" + $kinds") == "2 added libone.so.1" ]]
    echo more >>"$TREE/b/libone.so.1"
    [[ $(changes "\"\(.links) \" + $kinds") == "2 modified libone.so.1" ]]
    [[ $(grep -c LIB_MODIFIED "$LOGS/libone.log") == 1 ]]
    rm "$TREE/b/libone.so.1"
    [[ $(changes "$kinds" | grep -v touched) == "removed libone.so.1" ]]
}

# bats test_tags=needs:root
@test "a directory that is mounted a second time is still where it was" {
    mkdir "$TREE/a" "$TREE/z"
    mount -t tmpfs -o size=1m disk "$TREE/z"
    echo x >"$TREE/z/x.a"
    settle
    mount --bind "$TREE/z" "$TREE/a"
    run -0 scan --accept-away
    [[ $output == "added     $TREE/a/x.a  x"*"2 files, 1 added" ]]
    echo more >>"$TREE/z/x.a"
    [[ $(changes '"\(.links) \(.change) \(.path)"') == "1 modified $TREE/a/x.a" ]]
}

# user DIRECTORY: one that a user can write to
user() {
    mkdir -p "$1"
    chown nobody "$1"
}

# bats test_tags=needs:root
@test "a user's files have one log, and are told in no library's" {
    local i
    chmod 755 "$PLACE" "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.."
    make_library "$TREE/lib/libz.so.1" z
    user "$TREE/user"
    settle
    as 65534 cp "$TREE/lib/libz.so.1" "$TREE/user/evil.so" # the same content, beside the removal
    for i in {1..50}; do as 65534 cp "$TREE/lib/libz.so.1" "$TREE/user/u$i.so.9"; done
    rm "$TREE/lib/libz.so.1"
    configure "group = all *" "name = mine $TREE/user/*"
    scan --json >"$PLACE/found"
    [[ $(grep -c " LIB_REMOVED path=$TREE/lib/libz.so.1 " "$LOGS/libz.log") == 1 && $(wc -l <"$LOGS/libz.log") == 3 ]]
    [[ $(find "$LOGS" -type f -printf '%P\n' | sort | paste -sd ' ') == "by-owner/nobody.log libz.log" ]]
    [[ $(grep -c -e LIB_ADDED -e LOG_CREATED "$LOGS/by-owner/nobody.log") == 51 ]]
    jq -e '[.changes[] | select(.change == "added")] | length == 51 and all(.is.library == "~nobody" and .is.owner == 65534 and .group == null)' "$PLACE/found"
    # whoever the site says is believed
    rm "$TREE/user"/u*
    scan >/dev/null
    configure "owners = nosuch @nogroup"
    echo more >>"$TREE/user/evil.so"
    run -0 scan
    [[ $output == *"nosuch: of [libraries] owners: there is no such user or group"* ]]
    [[ $(tail -n 1 "$LOGS/libz.log") == *" LIB_MODIFIED path=$TREE/user/evil.so "*" library=libz was_library=~nobody" ]]
    [[ $(tail -n 1 "$LOGS/by-owner/nobody.log") == *" LIB_MODIFIED path=$TREE/user/evil.so "*" library=libz was_library=~nobody" ]]
    # but not about what anybody can write to
    chmod o+w "$TREE/user/evil.so"
    [[ $(changes '"\(.was.library) \(.is.library)"') == "libz ~nobody" ]]
}

# bats test_tags=needs:root
@test "the owner of a tree is believed in it, and a user without a name has a log too" {
    make_library "$TREE/libz.so.1" z
    chown nobody "$TREE" "$TREE/libz.so.1"
    [[ $(changes .is.library) == libz ]]
    chown 4000123 "$TREE/libz.so.1"
    [[ $(changes '"\(.change) \(.is.library)"') == "touched ~4000123" ]]
    [[ $(wc -l <"$LOGS/by-owner/4000123.log") == 2 ]]
}

# bats test_tags=needs:root
@test "a user has a thousand lines a scan, and the others are counted" {
    local deep
    user "$TREE/user"
    yes x | head -n 1200 | split -l 1 -d -a 5 --additional-suffix=.a - "$TREE/user/"
    chown nobody "$TREE/user"/*
    run -0 scan
    [[ $output == "1200 files, 1200 added, 200 of them only counted" ]]
    [[ $(wc -l <"$LOGS/by-owner/nobody.log") == 1002 && $(tail -n 1 "$LOGS/by-owner/nobody.log") == *" LIB_MORE changes=200" ]]
    touch -d 2001-02-03 "$TREE/user"/*
    scan --json >"$PLACE/found"
    jq -e '(.changes | length) == 1000 and .beyond == 200' "$PLACE/found"
    sed -i 's/^logs = .*/logs =/' "$CONF"
    rm -r "$TREE/user"
    run -0 scan
    [[ $output == *"0 files, 1200 removed, 200 of them only counted" && $(grep -c ^removed <<<"$output") == 1000 ]]
    # a path beyond what a line holds ends with a mark
    configure
    deep=$(printf "$(printf '\1%.0s' {1..250})/%.0s" {1..10})
    mkdir -p "$TREE/$deep"
    echo x >"$TREE/$deep/x.a"
    scan >/dev/null
    [[ $(tail -n 1 "$LOGS/x.log") == *" path=$TREE/\x01"*"\x01\... size=2 "* && $(wc -L <"$LOGS/x.log") -lt 2300 ]]
}

# bats test_tags=needs:root
@test "what is to be said of many files is said of a thousand" {
    local i
    configure "[submit]" "hash_file_size = 1M"
    user "$TREE/user"
    for i in {1..1100}; do truncate -s 2M "$TREE/user/$i.a"; done
    run -0 scan
    [[ $output == *"further messages are left out"*"1100 files, 1100 added, 1100 without a hash" ]]
    [[ $(grep -c "it has no hash" <<<"$output") == 1000 ]]
}

# bats test_tags=needs:root
@test "much that a user has changed delays no news of others', and many pieces before a hole are not hashed" {
    echo x >"$TREE/z.a"
    echo x >"$TREE/gone.a"
    user "$TREE/a"
    scan >/dev/null
    head -c 80M /dev/urandom >"$TREE/a/large.a"
    # 1500 pieces, and two GiB of nothing
    perl -e 'open F, ">", $ARGV[0]; for (0 .. 1499) { seek F, 8192 * $_, 0; syswrite F, "x" } truncate F, 2 << 30' "$TREE/a/thin.a"
    chown -R 5 "$TREE/a"
    echo y >"$TREE/z.a"
    rm "$TREE/gone.a"
    run -0 scan
    [[ $(grep -oE '^(added|modified|removed).*(large|thin|z|gone)\.a' <<<"$output" | sed 's/ .*\// /' | paste -sd ,) == \
        "removed gone.a,modified z.a,added large.a,added thin.a" ]]
    [[ $output == *"thin.a: it has no hash"*"3 files, 2 added, 1 modified, 1 removed, 1 without a hash" ]]
    settle
    scan >/dev/null
    [[ $(sqlite3 "$STATE/libraries.db" "SELECT count(*) FROM file WHERE sha1 IS NULL") == 1 ]]
}

# bats test_tags=needs:fuse
@test "what does not answer is left out and said, and what lies behind it is seen" {
    mkdir "$TREE/dead"
    echo x >"$TREE/a.a"
    echo x >"$TREE/z.a"
    # root's FUSE, whose server says nothing
    python3 -c 'import ctypes, os, signal, sys
fd = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fd
assert ctypes.CDLL(None).mount(b"dead", sys.argv[1].encode(), b"fuse", 0, options) == 0
signal.pause()' "$TREE/dead" 3>&- &
    SERVER=$!
    wait_for grep -qF "$TREE/dead" /proc/self/mountinfo # whoever asks the mount itself waits for ever
    run -1 timeout 60 "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --patience 5
    [[ $output == *"$TREE/dead: nothing answers there: it is left out"*"$TREE/dead: Connection timed out"* ]]
    [[ $output == *"2 files, 2 added, 1 unreadable" ]]
}

@test "the hash of what not all can read is told to nobody, and still tells what has changed" {
    mkdir -p "$TREE/secret/below"
    echo pin=1234 >"$TREE/mode.a"
    chmod 640 "$TREE/mode.a"
    echo pin=1235 >"$TREE/secret/below/place.a"
    echo open >"$TREE/open.a"
    chmod 751 "$TREE"
    chmod 750 "$TREE/secret"
    settle
    touch -d 2001-02-03 "$TREE"/*.a "$TREE/secret/below/place.a"
    [[ $(changes '"\(.change) \(.path | sub(".*/"; "")) \(.is | has("sha1")) \(.was | has("sha1"))"' | sort | paste -sd ,) == \
        "touched mode.a false false,touched open.a true true,touched place.a false false" ]]
    [[ $(cat "$LOGS"/mode.log "$LOGS"/place.log) != *sha1* && $(<"$LOGS/open.log") == *sha1* ]]
    chmod 751 "$TREE/secret"
    echo more >>"$TREE/secret/below/place.a"
    [[ $(changes '"\(.change) \(.is | has("sha1")) \(.was | has("sha1"))"') == "modified true false" ]]
    chmod 750 "$TREE"
    echo more >>"$TREE/open.a"
    [[ $(changes '"\(.change) \(.is | has("sha1")) \(.was | has("sha1"))"') == "modified false true" ]]
}

@test "what becomes part of another library is told in the logs of both" {
    make_library "$TREE/libgood.so.1" good
    make_library "$TREE/liblast.so.1" last
    scan >/dev/null
    make_library "$TREE/libgood.so.1" other libother.so.1
    mv "$TREE/liblast.so.1" "$TREE/libfirst.so.1"
    scan --json >"$PLACE/found"
    [[ $(jq '.changes | length' "$PLACE/found") == 2 ]]
    for log in libgood libother; do
        [[ $(tail -n 1 "$LOGS/$log.log") == *" LIB_REPLACED path=$TREE/libgood.so.1 "*" library=libother was_library=libgood" ]]
    done
    [[ $(tail -n 1 "$LOGS/liblast.log") == *" LIB_MOVED path=$TREE/libfirst.so.1 from=$TREE/liblast.so.1 "* ]]
    run -0 scan
    [[ $output == "2 files, no change" ]]
}

# bats test_tags=needs:root
@test "tens of thousands of names or copies of one file take a scan seconds of processor time" {
    configure "name = many *"
    mount -t tmpfs -o mode=755 tree "$TREE"
    mkdir "$TREE/a"
    yes same | head -n 10000 | split -l 1 -d -a 5 --additional-suffix=.a - "$TREE/a/"
    scan >/dev/null
    cp -r "$TREE/a" "$TREE/b"
    rm -r "$TREE/a"
    echo x >"$TREE/x.a"
    python3 -c 'import os, sys
for i in range(40000): os.link(sys.argv[1] + "/x.a", sys.argv[1] + "/" + str(i) + ".a")' "$TREE"
    run -0 bash -c "ulimit -t 30 && '$JOBTRAIL_BIN/jobtrail-libmon' scan --conf '$CONF' --quiet"
    [[ $(grep -c "LIB_MOVED path=$TREE/b/\([0-9]*\.a\) from=$TREE/a/\1 " "$LOGS/many.log") == 10000 ]]
    [[ $(grep -c "LIB_ADDED path=$TREE/0.a .* links=40000$" "$LOGS/many.log") == 1 && $(wc -l <"$LOGS/many.log") == 20002 ]]
}

# bats test_tags=needs:root
@test "what is not mounted is not removed" {
    local under
    mkdir -p "$PLACE/disk" "$TREE/below"
    mount -t tmpfs -o size=1m disk "$PLACE/disk"
    echo x >"$PLACE/disk/mounted.a"
    mkdir "$PLACE/bound"
    echo y >"$PLACE/bound/bound.a"
    for under in "$TREE" "$TREE/below"; do
        mkdir -p "$under"
        for source in "$PLACE/disk" "$PLACE/bound"; do # another device; the same device
            rm -rf "$STATE" "$LOGS"
            mount --bind "$source" "$under"
            run -0 scan
            umount "$under"
            run -1 scan
            [[ $output == *"$under: "*"not count as removed"* && $output == *"0 files, no change, 1 away" ]]
            [[ $(cat "$LOGS"/*.log) != *REMOVED* ]]
            echo stray >"$under/stray.a"
            run -1 scan
            [[ $output == *"1 away"* ]]
            rm "$under/stray.a"
            run scan
            mount --bind "$source" "$under"
            run -0 scan
            [[ $output != *removed*[md].a* ]]
            umount "$under"
            run -0 scan --accept-away
            [[ $output == *"removed   $under/"* ]]
            run -0 scan
        done
    done
}

@test "a tree that is missing or a link is said, and kept" {
    echo x >"$TREE/x.a"
    scan >/dev/null
    mv "$TREE" "$PLACE/elsewhere"
    run -1 scan
    [[ $output == *"$TREE: No such file or directory"* && $output == *"1 away"* ]]
    ln -s elsewhere "$TREE"
    run -1 scan --accept-away
    [[ $output == *"symbolic link"* && $output == *"1 away"* ]]
    rm "$TREE"
    mv "$PLACE/elsewhere" "$TREE"
    run -0 scan
    [[ $output == "1 files, no change" ]]
    rm -r "$TREE"
    run scan --accept-away
    [[ $output == *"removed   $TREE/x.a"* ]]
}

# bats test_tags=needs:root
@test "what cannot be read is counted, and is not removed" {
    mkdir "$TREE/a" "$TREE/b"
    echo x >"$TREE/a/x.a"
    echo y >"$TREE/b/y.a"
    scan >/dev/null
    chmod 0 "$TREE/a"
    # a root without its right to read everything
    run -1 setpriv --inh-caps=-dac_override,-dac_read_search --bounding-set=-dac_override,-dac_read_search \
        "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF"
    [[ $output == *"$TREE/a: Permission denied"* && $output == *"1 files, no change, 1 away, 1 unreadable" ]]
    chmod 755 "$TREE/a"
    run -0 scan
    [[ $output == "2 files, no change" ]]
}

@test "a file of terabytes, and one that speaks of gigabytes, hold no scan up" {
    local head='\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0\1\0\0\0\0\0\0\0\0\0\0\0\100\0\0\0\0\0\0\0'
    configure "[submit]" "hash_file_size = 1M"
    echo x >"$TREE/x.a"
    truncate -s 4T "$TREE/huge.a"
    # one dynamic segment of 2 GiB at the byte 0
    printf '%b' "$head" '\0\0\0\0\0\0\0\0\0\0\0\0\100\0\70\0\1\0\100\0\0\0\0\0' '\2\0\0\0\4\0\0\0' \
        '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\0\0\0\0\0\0\0\200\0\0\0\0\10\0\0\0\0\0\0\0' >"$TREE/bomb.so"
    truncate -s 2G "$TREE/bomb.so"
    run -0 bash -c "ulimit -v 500000 && '$JOBTRAIL_BIN/jobtrail-libmon' scan --conf '$CONF' 2>&1"
    [[ $output == *"$TREE/huge.a: it has no hash: it is beyond hash_file_size of [submit], took too long, or is half of holes"* ]]
    [[ $output == *"3 files, 3 added, 2 without a hash" ]]
    settle
    [[ $(sqlite3 "$STATE/libraries.db" "SELECT count(*) FROM file WHERE sha1 IS NULL") == 2 ]]
    run -0 scan
    [[ $output == "3 files, no change" ]]
}

@test "holes are not hashed, whatever size they give a file, and what has some is" {
    local file
    head -c 20M /dev/zero >"$TREE/full.a"
    truncate -s 21M "$TREE/full.a"
    for file in one two three four; do
        echo "$file" >"$TREE/$file.a"
        truncate -s 3G "$TREE/$file.a"
    done
    run -0 --separate-stderr scan --json
    [[ $(jq -c '[.files, .unhashed]' <<<"$output") == "[5,4]" ]]
    [[ $(sqlite3 "$STATE/libraries.db" "SELECT count(*) FROM file WHERE sha1 IS NOT NULL") == 1 ]]
}

@test "a file system that a user mounted says of no file that it is root's, and holds no scan up" {
    local fuse
    mkdir -p "$TREE/root" "$PLACE/theirs" "$TREE/mine" "$TREE/away"
    make_library "$TREE/root/libreal.so" real
    make_library "$PLACE/theirs/libforged.so" forged
    chmod 755 "$PLACE" "${PLACE%/*}" "$BATS_RUN_TMPDIR"
    chown -R games "$PLACE/theirs" "$TREE/mine" "$TREE/away"
    # as sites have it where users may use FUSE
    mknod -m 666 "$PLACE/fuse" c 10 229
    mount --bind "$PLACE/fuse" /dev/fuse
    echo user_allow_other >>/etc/fuse.conf
    setpriv --reuid games --regid games --clear-groups bindfs -f --force-user=root -o allow_other,fsname=user_id=0 "$PLACE/theirs" "$TREE/mine" &
    fuse=$!
    eventually 60 mountpoint -q "$TREE/mine"
    [[ $(stat -c %u "$TREE/mine/libforged.so") == 0 ]]
    run -0 scan
    [[ $output == *"$TREE/mine: a file system of a user's is mounted there: it is left out"* ]]
    [[ $output == *"1 files, 1 added" && $output != *libforged* ]]
    # a stopped one never answers
    kill -STOP "$fuse"
    run -0 timeout 60 "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF"
    [[ $output == *"1 files, no change" ]]
    kill -CONT "$fuse"
    umount "$TREE/mine"
    wait "$fuse" || true
    # one of root's, as a site's, is looked at
    bindfs "$PLACE/theirs" "$TREE/away"
    run -0 scan
    [[ $output == *"2 files, 1 added" ]]
    umount "$TREE/away"
}

@test "a file that could not be read once is read again" {
    echo x >"$TREE/x.a"
    touch -d 2001-02-03 "$TREE/x.a"
    settle
    rm -r "$STATE"
    run -1 strace -o /dev/null -P "$TREE/x.a" -e trace=read -e inject=read:error=EIO "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF"
    [[ $output == "jobtrail-libmon: $TREE/x.a: Input/output error"*"1 files, 1 added, 1 unreadable" ]]
    [[ $(scan --json | jq .read) == 1 ]]
    [[ $(sqlite3 "$STATE/libraries.db" "SELECT lower(hex(sha1)) FROM file") == "$(sha1sum <"$TREE/x.a" | cut -d ' ' -f 1)" ]]
}

@test "what any user can make does not end a scan with 1" {
    local deep
    echo x >"$TREE/x.a"
    deep=$(printf 'd/%.0s' {1..201})
    mkdir -p "$TREE/$deep"
    echo y >"$TREE/$deep/y.a"
    run -0 scan
    [[ $output == "1 files, 1 added, 1 too deep" ]]
    [[ $(scan --json | jq .too_deep) == 1 ]]
    # a directory that becomes a link between its listing and its opening
    mkdir "$TREE/swapped"
    run -0 strace -o /dev/null -P "$TREE/swapped" -e trace=openat -e inject=openat:error=ENOTDIR "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF"
    [[ $output == "1 files, no change, 1 too deep" ]]
}

# bats test_tags=needs:root
@test "read-only mounts are scanned, and reading moves no time of last access" {
    mount -t tmpfs -o size=4m,strictatime disk "$TREE"
    make_library "$TREE/libone.so" one
    touch -a -d 2001-02-03 "$TREE/libone.so"
    mount -o remount,ro "$TREE"
    run -0 scan
    [[ $output == "1 files, 1 added" ]]
    mount -o remount,rw "$TREE"
    [[ $(stat -c %x "$TREE/libone.so") == 2001-02-03* ]]
    mount -o remount,noatime "$TREE"
    echo more >>"$TREE/libone.so"
    [[ $(changes "$kinds") == "modified libone.so" ]]
}

@test "nothing but how the scan ended is written where nothing has changed, and nothing by --dry-run" {
    make_library "$TREE/libone.so" one
    settle
    local before
    seen() { (cd "$PLACE" && find state logs -type f "$@" -printf '%p %T@ %C@ %s\n' -exec sha1sum {} + | sort); }
    before=$(seen ! -name lock)
    scan >/dev/null
    [[ $(seen ! -name lock) == "$before" ]]
    before=$(seen)
    make_library "$TREE/libone.so" two
    run -0 scan --dry-run
    [[ $output == *"replaced  $TREE/libone.so"* && $(seen) == "$before" ]]
    run -0 scan
    [[ $output == *"replaced  $TREE/libone.so"* ]]
}

@test "times that jump are changes, whatever their direction" {
    echo x >"$TREE/x.a"
    scan >/dev/null
    touch -d 2037-01-01 "$TREE/x.a"
    [[ $(changes "$kinds") == "touched x.a" ]]
    touch -d 1971-01-01 "$TREE/x.a"
    [[ $(changes '"\(.change) \(.was.mtime) \(.is.mtime)"') == "touched 2114380800 31536000" ]]
    echo y >"$TREE/x.a"
    touch -d 1971-01-01 "$TREE/x.a"
    [[ $(changes "$kinds") == "modified x.a" ]]
    settle
}

@test "a change of attributes is told once, also right before a scan" {
    make_library "$TREE/libone.so" one
    settle
    chmod 700 "$TREE/libone.so"
    [[ $(changes "$kinds") == "touched libone.so" ]]
    [[ $(changes "$kinds") == "" ]]
    settle
    [[ $(scan) == "1 files, no change" ]]
}

@test "a time beyond what is kept is the last one that is, and does not wrap" {
    use_place "$PLACE" "$(mktemp -d /dev/shm/libmon.XXXXXX)" # other file systems have no such times
    echo x >"$TREE/x.a"
    touch -d @18446744073 "$TREE/x.a"
    run changes '"\(.is.mtime > 9e9) \(.change)"'
    rm -r "$TREE"
    [[ $output == "true added" && $(tail -n 1 "$LOGS/x.log") == *" "???_???_??_2262_* ]]
}

@test "entries of a log stay sorted where the clock was set back" {
    local last
    echo x >"$TREE/x.a"
    scan >/dev/null
    sqlite3 "$STATE/libraries.db" "UPDATE log SET entry = entry + 1800"
    last=$(sqlite3 "$STATE/libraries.db" "SELECT entry FROM log")
    echo y >"$TREE/x.a"
    scan >/dev/null
    [[ $(tail -n 1 "$LOGS/x.log") == "$(LC_ALL=C TZ=UTC date -d "@$last" +%a_%b_%d_%Y_%H:%M) "* ]]
    sqlite3 "$STATE/libraries.db" "UPDATE log SET entry = entry + 86400"
    echo z >"$TREE/x.a"
    scan >/dev/null
    [[ $(head -n 1 "$LOGS/x.log") == "# jobtrail: sorted UTC" && $(wc -l <"$LOGS/x.log") == 2 && -f $LOGS/x.log.1 ]]
}

@test "a log that is new has the time that it is, whatever a clock has said before" {
    echo x >"$TREE/x.a"
    scan >/dev/null
    sqlite3 "$STATE/libraries.db" "UPDATE log SET entry = entry + 864000"
    rm "$LOGS/x.log"
    echo y >"$TREE/x.a"
    scan >/dev/null
    [[ $("$JOBTRAIL_BIN/jobtrail-libq" -c -S "$(date -u -d '-1 hour' +%FT%H:%MZ)" -E now "$LOGS/x.log") == 1 ]]
}

@test "a log names its time zone, is read in it, and another zone begins another log" {
    echo x >"$TREE/x.a"
    configure
    sed -i 's|^timezone.*|timezone = Asia/Tokyo|' "$CONF"
    scan >/dev/null
    [[ $(head -n 1 "$LOGS/x.log") == "# jobtrail: sorted Asia/Tokyo" ]]
    for zone in UTC Asia/Tokyo America/Los_Angeles; do
        [[ $(TZ=$zone "$JOBTRAIL_BIN/jobtrail-libq" -c -S yesterday -E now "$LOGS/x.log") == 1 ]]
        [[ $(TZ=$zone "$JOBTRAIL_BIN/jobtrail-libq" -c -S "$(date -u -d '-1 hour' +%FT%H:%MZ)" "$LOGS/x.log") == 1 ]]
    done
    echo y >"$TREE/x.a"
    scan >/dev/null
    [[ $(wc -l <"$LOGS/x.log") == 3 && ! -e $LOGS/x.log.1 ]]
    configure
    sed -i 's|^timezone.*|timezone = America/Los_Angeles|' "$CONF"
    echo z >"$TREE/x.a"
    scan >/dev/null
    [[ $(head -n 1 "$LOGS/x.log") == "# jobtrail: sorted America/Los_Angeles" ]]
    [[ $(wc -l <"$LOGS/x.log") == 2 && $(wc -l <"$LOGS/x.log.1") == 3 ]]
}

@test "names can hold any byte, and neither a terminal nor a line of a log is driven by them" {
    local dir=$TREE/$'a\nb\e[2J' line
    mkdir "$dir"
    echo x >"$dir/"$'lib\nx \xff\\.a'
    echo x >"$dir.a" # sorts before what is below the directory
    run -0 scan
    [[ $output == "2 files, 2 added" ]]
    echo y >"$dir/"$'lib\nx \xff\\.a'
    run -0 scan
    [[ ${#lines[@]} == 2 && $output != *$'\e'* && $output == *'a\x0ab\x1b[2J/lib\x0ax \xff\x5c.a'* ]]
    line=$(grep -h LIB_MODIFIED "$LOGS"/*.log)
    [[ $line == *'path='*'/a\x0ab\x1b[2J/lib\x0ax\x20\xff\x5c.a size=2 '* ]]
    [[ $(find "$LOGS" -printf '%f\n' | LC_ALL=C grep -c '[^a-zA-Z0-9._%]') == 0 ]]
    run -0 scan
    [[ $output == "2 files, no change" ]]
    rm -r "$dir"
    [[ $(changes .change) == removed ]]
}

@test "what the patterns do not name any more is forgotten, and not removed" {
    echo x >"$TREE/x.a"
    echo y >"$TREE/y.mod"
    scan >/dev/null
    configure "patterns = *.a"
    run -0 scan
    [[ $output == "1 files, no change, 1 forgotten" && $(cat "$LOGS"/*.log) != *REMOVED* ]]
}

@test "what lies in no tree any more is said and forgotten" {
    local i
    for i in b ba a/x c; do
        mkdir -p "$TREE/$i"
        echo "$i" >"$TREE/$i/x.a"
        echo "$i" >"$TREE/$i/y.a"
    done
    scan >/dev/null
    sed -i "s|^tree = .*|tree = $TREE/b\ntree = $TREE/a/x|" "$CONF"
    run -0 scan --dry-run
    [[ $output == *"4 forgotten" ]]
    run -0 scan
    [[ $output == *"$TREE/ba/x.a: it lies in no tree of [libraries] any more: it is forgotten, and 3 others here"*"4 files, no change, 4 forgotten" ]]
    [[ $(cat "$LOGS"/*.log) != *REMOVED* ]]
    run -0 scan
    [[ $output == "4 files, no change" ]]
    sed -i "s|^tree = .*/b$|tree = $TREE/c|" "$CONF"
    run -0 scan
    [[ $output == *"$TREE/b/x.a: it lies"*"and 1 others here"*"4 files, 2 added, 2 forgotten" ]]
}

@test "a second scan at the same time ends, or waits" {
    echo x >"$TREE/x.a"
    mkdir "$STATE"
    mkfifo "$PLACE/go"
    # in a pid namespace the kernel shows no lock whose maker has ended
    # shellcheck disable=SC2016 # for the shell that is started
    flock "$STATE/lock" sh -c 'echo locked >"$0/locked" && read -r _ <"$0/go"' "$PLACE" 3>&- &
    wait_for test -s "$PLACE/locked"
    run -4 scan
    [[ $output == "jobtrail-libmon: another scan is running; --wait waits for its end" ]]
    scan --wait >"$PLACE/first" 3>&- &
    scan --wait >"$PLACE/second" 3>&- &
    both_wait() { (($(grep -c -- '-> FLOCK' /proc/locks) >= 2)); }
    wait_for both_wait
    echo >"$PLACE/go"
    wait
    [[ $(sort "$PLACE/first" "$PLACE/second" | paste -sd ,) == "1 files, 1 added,1 files, no change" ]]
    [[ $(grep -c LOG_CREATED "$LOGS/x.log") == 1 ]]
}

# bats test_tags=needs:root
@test "a full disk is said, and nothing is lost" {
    local i
    for i in {1..40}; do echo "$i" >"$TREE/lib$i.a"; done
    mkdir "$STATE" "$LOGS"
    mount -t tmpfs -o size=64k,mode=755 state "$STATE"
    mount -t tmpfs -o size=256k,mode=755 logs "$LOGS"
    head -c 1m /dev/zero >"$STATE/filler" 2>/dev/null || true
    run -3 scan
    [[ $output == *"the state in $STATE: "*"full"* || $output == *"No space left"* ]]
    rm "$STATE/filler"
    mount -o remount,size=4m "$STATE"
    head -c 1m /dev/zero >"$LOGS/filler" 2>/dev/null || true
    run -3 scan
    [[ $output == *"the log $LOGS/"*"No space left on device; nothing is lost, the next scan writes it" ]]
    rm "$LOGS/filler"
    run -0 scan
    [[ $(cat "$LOGS"/*.log | grep -c LOG_CREATED) == 40 ]]
    run -0 scan
    [[ $output == "40 files, no change" ]]
}

@test "a dry run changes nothing after a scan that was killed, and says so" {
    local before number output=
    # somewhere the transaction is on its way: the journal is there, the state is half written
    for number in {1..20}; do
        rm -rf "$STATE"
        echo x >"$TREE/x.a"
        scan >/dev/null
        echo more >>"$TREE/x.a"
        strace -o /dev/null -e inject=fdatasync:signal=KILL:when="$number" \
            "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" >/dev/null 2>&1 3>&- || true
        before=$(sha1sum "$STATE"/*)
        run scan --dry-run
        [[ $(sha1sum "$STATE"/*) == "$before" ]]
        ((status == 0)) || break
    done
    [[ $status == 3 && $output == *"a scan was killed while it wrote: one without --dry-run comes first"* ]]
    run -0 scan
    run -0 scan --dry-run
    [[ $output == "1 files, no change" ]]
}

@test "a dry run says what a scan found that was killed before it told" {
    echo x >"$TREE/x.a"
    settle
    echo more >>"$TREE/x.a"
    strace -o /dev/null -e inject=ftruncate:signal=KILL "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" >/dev/null 2>&1 3>&- || true
    echo y >"$TREE/y.a"
    [[ $(scan --dry-run --json | jq -r ".changes[] | $kinds" | paste -sd ,) == "modified x.a,added y.a" ]]
    [[ $(changes "$kinds" | paste -sd ,) == "modified x.a,added y.a" ]]
}

@test "without logs, what cannot be printed is said by the next scan" {
    echo x >"$TREE/x.a"
    sed -i 's/^logs = .*/logs =/' "$CONF"
    run -3 bash -c "'$JOBTRAIL_BIN/jobtrail-libmon' scan --conf '$CONF' --json 2>&1 >/dev/full"
    [[ $output == "jobtrail-libmon: changes cannot be printed: No space left on device; the next scan prints them again" ]]
    [[ $(changes "$kinds") == "added x.a" ]]
}

# bats test_tags=needs:root
@test "a log is renamed when it is full" {
    echo x >"$TREE/x.a"
    configure "log_size = 1M" "log_files = 2"
    scan >/dev/null
    local i
    for i in 1 2 3; do
        truncate -s 1M "$LOGS/x.log"
        echo "$i" >"$TREE/x.a"
        scan >/dev/null
    done
    [[ $(find "$LOGS" -type f -printf '%f\n' | sort | paste -sd ' ') == "x.log x.log.1 x.log.2" ]]
    [[ $(stat -c '%a %U' "$LOGS/x.log") == "644 root" && $(wc -l <"$LOGS/x.log") == 2 ]]
}

# bats test_tags=needs:root
@test "root writes to no log that is a link, and to no directory of others'" {
    echo x >"$TREE/x.a"
    mkdir "$LOGS"
    echo secret >"$PLACE/target"
    ln -s "$PLACE/target" "$LOGS/x.log"
    run -3 scan
    [[ $output == *"the log $LOGS/x.log: it is no plain file of root's"* && $(<"$PLACE/target") == secret ]]
    rm "$LOGS/x.log"
    ln "$PLACE/target" "$LOGS/x.log"
    run -3 scan
    [[ $(<"$PLACE/target") == secret ]]
    rm "$LOGS/x.log"
    chmod 777 "$LOGS"
    run -3 scan
    [[ $output == *"root writes nothing to $LOGS: $LOGS can be changed by others"* ]]
    chmod 755 "$LOGS"
    run -0 scan
    chmod 777 "$STATE"
    run -3 scan --dry-run
    [[ $output == *"$STATE can be changed by others"* ]]
    chmod 700 "$STATE"
    [[ $(grep -c LOG_CREATED "$LOGS/x.log") == 1 ]]
}

# told: the state and the logs without the times of entries
told() {
    sqlite3 "$STATE/libraries.db" "SELECT hex(key), place, inode, size, mtime, hex(sha1), name FROM file ORDER BY key;
        SELECT count(*) FROM pending; SELECT name, base, new FROM log ORDER BY name"
    find "$LOGS" -name '*.log' -exec cat {} + | cut -d ' ' -f 2- | sort
}

again() {
    rm -rf "$STATE" "$LOGS"
    cp -a "$PLACE/saved/state" "$STATE"
    cp -a "$PLACE/saved/logs" "$LOGS"
}

# bats test_tags=needs:root
@test "a scan that is killed at any system call is completed by the next, each line once" {
    local expected call number
    # in memory: a kill is no loss of power
    mkdir "$PLACE/memory"
    mount -t tmpfs -o mode=755 memory "$PLACE/memory"
    use_place "$PLACE/memory"
    make_library "$TREE/a/libone.so" one
    make_library "$TREE/a/libtwo.so" two
    make_library "$TREE/b/libthree.so" three
    make_library "$TREE/user/libfour.so" four
    chown nobody "$TREE/user/libfour.so"
    settle
    mkdir "$PLACE/saved"
    cp -a "$STATE" "$LOGS" "$PLACE/saved"
    make_library "$TREE/a/libone.so" other libother.so
    echo more >>"$TREE/user/libfour.so"
    mv "$TREE/b/libthree.so" "$TREE/libthree.so"
    rm "$TREE/a/libtwo.so"
    make_library "$TREE/c/libnew.so" new
    # without packages, of which many lists would be read
    strace -o "$PLACE/trace" "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --root "$PLACE" >/dev/null
    scan --root "$PLACE" >/dev/null
    expected=$(told)
    calls_that_change "$PLACE/trace" "\"${CONF##*/}\"" >"$PLACE/calls"
    (($(wc -l <"$PLACE/calls") > 40))
    while read -r call number; do
        again
        killed_at "$call" "$number" "$JOBTRAIL_BIN/jobtrail-libmon" scan --conf "$CONF" --root "$PLACE" >/dev/null 2>&1 3>&- && {
            echo "not killed at $call $number"
            return 1
        }
        scan --root "$PLACE" >/dev/null
        diff <(echo "$expected") <(told) || {
            echo "killed at $call $number"
            return 1
        }
    done <"$PLACE/calls"
}

@test "trouble of usage and configuration is said" {
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon" scann
    [[ $output == *"no command scann: there are scan, watch and list"* ]]
    run -2 "$JOBTRAIL_BIN/jobtrail-libmon"
    run -2 scan --nope
    run -0 "$JOBTRAIL_BIN/jobtrail-libmon" --help
    [[ $output == Usage:* ]]
    run -0 "$JOBTRAIL_BIN/jobtrail-libmon" --version
    [[ $output == "jobtrail-libmon "[0-9]* ]]
    configure "trees = /x"
    run -3 scan
    [[ $output == *"$CONF:7:1: unknown key 'trees' in [libraries] ("* ]]
    : >"$CONF"
    run -0 scan
    [[ $output == *"nothing to do" ]]
    run -0 scan --quiet
    [[ $output == "" ]]
    echo no database >"$PLACE/file"
    configure
    mkdir "$STATE"
    cp "$PLACE/file" "$STATE/libraries.db"
    run -3 scan
    [[ $output == *"the state in $STATE: "*"not a database"* ]]
}

# bats test_tags=needs:root
@test "jobtrail-conf says what is a library, and by which line" {
    configure "name = imsl */imsl/*" "group = math imsl"
    run -0 "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$CONF"
    [[ $output == *", 1 trees in [libraries], "* ]]
    make_library "$TREE/imsl/a.so" a
    make_library "$TREE/a.so.1" b libb.so
    make_library "$TREE/user.so" c
    chown nobody "$TREE/user.so"
    ln -s a.so.1 "$TREE/link.so"
    mkdir "$TREE/dir.so"
    ln -s imsl "$TREE/way"
    mkfifo "$TREE/fifo.so"
    explained() { "$JOBTRAIL_BIN/jobtrail-conf" explain --conf "$CONF" --library "$@"; }
    [[ $(explained "$TREE/imsl/a.so") == "$TREE/imsl/a.so: a library of the tree '$TREE' ($CONF:4), named imsl by '*/imsl/*' ($CONF:7), of the group math by 'imsl' ($CONF:8)" ]]
    [[ $(explained "$TREE/a.so.1") == *", named libb by its module, package, soname or file" ]]
    [[ $(explained "$TREE/a.txt") == *"no library, as its name matches none of [libraries] patterns" ]]
    [[ $(explained "$TREE/a.so.1.dpkg-new") == *"no library, as its name matches [libraries] except" ]]
    [[ $(explained "$TREE/user.so") == *", named ~nobody, as its owner is none of root, the tree's owner and [libraries] owners, or all can write to it" ]]
    [[ $(explained "$TREE/link.so") == *"no library, as it is a symbolic link" ]]
    [[ $(explained "$TREE/dir.so") == *"no library, as it is no regular file" && $(explained "$TREE/fifo.so") == *"no regular file" ]]
    [[ $(explained "$TREE/none.so") == *"no library, as it is not there" ]]
    [[ $(explained "$TREE/way/a.so") == *"no library, as a part of its path is a symbolic link or no directory" ]]
    [[ $(explained "$TREE/../sw/a.so.1") == *"no library, as its path has a '//', '/.' or '/..'" ]]
    [[ $(explained "/opt/a.so") == *"no library, as it lies in no tree of [libraries]" ]]
    explained "$TREE/imsl/a.so" --json | jq -e '.[0] | .library and .name == "imsl" and .group == "math" and .reason == null'
    run -2 "$JOBTRAIL_BIN/jobtrail-conf" explain --conf "$CONF" --library a.so
    [[ $("$JOBTRAIL_BIN/jobtrail-conf" show --conf "$CONF") == *"name = imsl */imsl/*"* ]]
    "$JOBTRAIL_BIN/jobtrail-conf" show --conf "$CONF" >"$PLACE/shown"
    "$JOBTRAIL_BIN/jobtrail-conf" check --conf "$PLACE/shown"
}
